#include "support/environment.hpp"

#include "support/warning.hpp"

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#if defined(__linux__)
#include <sys/auxv.h>
#elif !defined(_WIN32)
#include <unistd.h>
#endif

namespace clgemm::core {
namespace {

// The dynamic loader goes by the same answer when it ignores LD_PRELOAD.
bool has_rights_that_its_caller_has_not()
{
#if defined(__linux__)
    return getauxval(AT_SECURE) != 0;
#elif defined(_WIN32) // which has no such programs
    return false;
#else
    return issetugid() != 0;
#endif
}

std::optional<std::string> variable(const char* name)
{
    const char* const value = std::getenv(name); // NOLINT(concurrency-mt-unsafe): once, under environment()'s lock
    return value && !has_rights_that_its_caller_has_not() ? std::optional<std::string>(value) : std::nullopt;
}

// A file's name that means the same wherever the process goes later. It stays as it is where the process's own folder is
// gone.
std::string made_absolute(const std::string& name)
{
    std::error_code failed;
    const std::filesystem::path result = std::filesystem::absolute(name, failed);
    return name.empty() || failed ? name : result.string();
}

} // namespace

Environment read_environment(const std::function<std::optional<std::string>(const char*)>& lookup)
{
    // An empty variable counts as unset, as shells have it.
    const auto value = [&](const char* name) { return lookup(name).value_or(""); };

    Environment result;
    result.device = value("CLGEMM_DEVICE");

    if (const auto devices = value("CLGEMM_DEVICES"); devices == "all")
        result.most_devices = Environment::all_devices;
    else if (!devices.empty()) {
        const auto [end, error] = std::from_chars(devices.data(), devices.data() + devices.size(), result.most_devices);
        if (error != std::errc() || end != devices.data() + devices.size() || result.most_devices == 0)
            throw EnvironmentError("CLGEMM_DEVICES", devices, "'all' or a number from 1 on");
    }

    result.kernel = value("CLGEMM_KERNEL");
    result.math = value("CLGEMM_MATH");

    if (const auto amx = value("CLGEMM_AMX"); amx == "0")
        result.amx = Environment::Amx::off;
    else if (amx == "model")
        result.amx = Environment::Amx::model;
    else if (!amx.empty() && amx != "1")
        throw EnvironmentError("CLGEMM_AMX", amx, "'0', '1' or 'model'");

    if (const auto log = value("CLGEMM_LOG"); log == "1")
        result.log = true;
    else if (!log.empty() && log != "0")
        warn_once(EnvironmentError("CLGEMM_LOG", log, "'0' or '1'").what() + std::string("; nothing is logged"));

    result.tuning_file = made_absolute(value("CLGEMM_TUNING"));
    result.record_file = made_absolute(value("CLGEMM_RECORD"));
    if (const auto xdg = value("XDG_CONFIG_HOME"); !xdg.empty())
        result.config_directory = made_absolute(xdg + "/clgemm");
    else if (const auto home = value("HOME"); !home.empty())
        result.config_directory = made_absolute(home + "/.config/clgemm");

    if (const auto own = value("CLGEMM_CACHE_DIR"); !own.empty()) {
        result.cache_directory = made_absolute(own);
        result.cache_directory_was_asked_for = true;
    } else if (const auto xdg = value("XDG_CACHE_HOME"); !xdg.empty()) {
        result.cache_directory = made_absolute(xdg + "/clgemm");
    } else if (const auto home = value("HOME"); !home.empty()) {
        result.cache_directory = made_absolute(home + "/.cache/clgemm");
    }
    return result;
}

const Environment& environment()
{
    static const auto* const process = new Environment(read_environment(variable));
    return *process;
}

} // namespace clgemm::core
