// What a sanitized program tells the sanitizers about PoCL: LLVM's signal stacks take the place of the sanitizer's own in
// every thread that compiles, and are not freed; and PoCL itself leaks.
extern "C" {

const char* __asan_default_options();
const char* __lsan_default_options();
const char* __lsan_default_suppressions();

const char* __asan_default_options()
{
    return "use_sigaltstack=0";
}

const char* __lsan_default_options()
{
    return "print_suppressions=0";
}

const char* __lsan_default_suppressions()
{
    return "leak:libpocl\nleak:libLLVM\n";
}
}
