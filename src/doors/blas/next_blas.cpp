#include "next_blas.hpp"

#include "settings.hpp"

#include <cstdio>
#include <dlfcn.h>
#include <link.h>
#include <string>
#include <vector>

namespace clgemm::doors {
namespace {

// Is this address in our own library? Then going there would be going in circles.
bool is_ours(void* address)
{
    static const int something_of_ours = 0;
    Dl_info there{}, here{};
    return dladdr(address, &there) != 0 && dladdr(&something_of_ours, &here) != 0 && there.dli_fbase == here.dli_fbase;
}

// The first of the names that `library` or what it was linked with has.
void* find_in(void* library, const char* const* names, const char* const* end)
{
    for (; names != end && *names; names++)
        if (void* const address = dlsym(library, *names); address && !is_ours(address))
            return address;
    return nullptr;
}

// CLGEMM_CPU_BLAS, never closed; null if there is none.
void* load_named_library()
{
    const std::string& file = settings().cpu_blas;
    if (file.empty())
        return nullptr;
    void* const library = dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (!library)
        std::fprintf(stderr, "clgemm: CLGEMM_CPU_BLAS is '%s', which cannot be loaded: %s; the next BLAS in line is used\n",
                     file.c_str(), dlerror()); // NOLINT(concurrency-mt-unsafe): it tells each thread of its own calls
    return library;
}

int add_name(dl_phdr_info* info, std::size_t, void* names)
{
    static_cast<std::vector<std::string>*>(names)->emplace_back(info->dlpi_name);
    return 0;
}

void* find_in_loaded(const char* const* names, const char* const* end)
{
    std::vector<std::string> files;
    dl_iterate_phdr(add_name, &files);
    for (const auto& file : files) {
        void* const library = dlopen(file.c_str(), RTLD_LAZY | RTLD_NOLOAD);
        if (!library)
            continue; // the program itself, which RTLD_NEXT has seen, or the kernel's own
        if (void* const address = find_in(library, names, end))
            return address; // and the library stays open, so that nobody unloads it
        dlclose(library);
    }
    return nullptr;
}

} // namespace

void* NextRoutine::address()
{
    if (was_looked_for_)
        return address_;
    const char* const* const end = names_ + max_names;
    void* found = nullptr;
    static void* const named = load_named_library();
    if (named)
        found = find_in(named, names_, end);
    if (!found)
        found = find_in(RTLD_NEXT, names_, end);
    if (!found)
        found = find_in_loaded(names_, end);
    address_ = found;
    was_looked_for_ = true;
    return found;
}

} // namespace clgemm::doors
