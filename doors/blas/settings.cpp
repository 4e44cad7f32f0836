#include "settings.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace clgemm::doors {
namespace {

// An empty variable counts as unset, as shells have it. In a set-uid program every variable does: its caller must not say
// which libraries it loads.
std::string value_of(const char* name)
{
    const char* const value = secure_getenv(name); // NOLINT(concurrency-mt-unsafe): once, under settings()'s lock
    return value ? value : "";
}

// A name with a slash is that of a file, and counts from the folder where the process is now, since it may go to another
// before the file is loaded. The loader looks for any other name.
std::string library_named(const std::string& name)
{
    std::error_code failed;
    const std::filesystem::path file = std::filesystem::absolute(name, failed);
    return failed || name.find('/') == std::string::npos ? name : file.string();
}

std::optional<double> count_in(const std::string& text)
{
    double count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    const bool is_count = error == std::errc() && end == text.data() + text.size() && std::isfinite(count) && count >= 0;
    return is_count ? std::optional(count) : std::nullopt;
}

Settings read_settings()
{
    Settings result;
    bool all_good = true;
    const auto refuse = [&](const char* name, const std::string& value, const char* wanted) {
        std::fprintf(stderr, "clgemm: %s is '%s', but must be %s; the CPU computes everything\n", name, value.c_str(),
                     wanted);
        all_good = false;
    };

    if (const auto offload = value_of("CLGEMM_OFFLOAD"); offload == "never")
        result.offload = Offload::never;
    else if (offload == "always")
        result.offload = Offload::always;
    else if (!offload.empty() && offload != "auto")
        refuse("CLGEMM_OFFLOAD", offload, "'never', 'auto' or 'always'");

    if (const auto text = value_of("CLGEMM_OFFLOAD_MIN_FLOPS"); !text.empty()) {
        result.min_flops = count_in(text);
        if (!result.min_flops)
            refuse("CLGEMM_OFFLOAD_MIN_FLOPS", text, "a number of operations, such as 2e9");
    }

    if (const auto log = value_of("CLGEMM_LOG"); log == "1")
        result.log = true;
    else if (!log.empty() && log != "0") // which is no reason to compute otherwise; the library says it, too, when it starts
        std::fprintf(stderr, "clgemm: warning: CLGEMM_LOG is '%s', but must be '0' or '1'; nothing is logged\n",
                     log.c_str());

    result.reproducible = value_of("CLGEMM_MATH") == "reproducible";
    result.cpu_blas = library_named(value_of("CLGEMM_CPU_BLAS"));
    if (!all_good) {
        result.offload = Offload::never;
        result.why_never = "a CLGEMM_ variable means nothing";
    }
    return result;
}

} // namespace

const Settings& settings()
{
    // Never destroyed: calls may come from other libraries' destructors at exit.
    static const auto* const process = new Settings(read_settings());
    return *process;
}

namespace {

// Read before main(), so that no thread of a fork()ed child can find the first reading half done.
[[maybe_unused]] const Settings& read_at_load = settings();

} // namespace

} // namespace clgemm::doors
