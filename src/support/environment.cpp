#include "support/environment.hpp"

#include "kernels/registry.hpp"
#include "support/error.hpp"

#include <cstdlib>

namespace clgemm::core {

Environment read_environment(const std::function<std::optional<std::string>(const char*)>& lookup)
{
    // An empty variable counts as unset, as shells have it.
    const auto value = [&](const char* name) { return lookup(name).value_or(""); };
    const auto refuse = [](const std::string& name, const std::string& value, const std::string& wanted) {
        throw Error(CLGEMM_INVALID_ENVIRONMENT, name + " is '" + value + "', but must be " + wanted);
    };

    Environment result;
    result.device = value("CLGEMM_DEVICE");

    result.kernel = value("CLGEMM_KERNEL");
    if (!result.kernel.empty() && !find_kernel(result.kernel))
        refuse("CLGEMM_KERNEL", result.kernel, "one of: " + kernel_names());

    if (const auto math = value("CLGEMM_MATH"); math == "strict")
        result.math = CLGEMM_MATH_STRICT;
    else if (!math.empty() && math != "default")
        refuse("CLGEMM_MATH", math, "'default' or 'strict'");

    if (const auto log = value("CLGEMM_LOG"); log == "1")
        result.log = true;
    else if (!log.empty() && log != "0")
        refuse("CLGEMM_LOG", log, "'0' or '1'");

    result.tuning_file = value("CLGEMM_TUNING");
    if (const auto xdg = value("XDG_CONFIG_HOME"); !xdg.empty())
        result.config_directory = xdg + "/clgemm";
    else if (const auto home = value("HOME"); !home.empty())
        result.config_directory = home + "/.config/clgemm";

    if (const auto own = value("CLGEMM_CACHE_DIR"); !own.empty()) {
        result.cache_directory = own;
        result.cache_directory_was_asked_for = true;
    } else if (const auto xdg = value("XDG_CACHE_HOME"); !xdg.empty()) {
        result.cache_directory = xdg + "/clgemm";
    } else if (const auto home = value("HOME"); !home.empty()) {
        result.cache_directory = home + "/.cache/clgemm";
    }
    return result;
}

const Environment& environment()
{
    static const auto* const process = new Environment(read_environment([](const char* name) -> std::optional<std::string> {
        const char* value = std::getenv(name); // NOLINT(concurrency-mt-unsafe): once, under this variable's lock
        return value ? std::optional<std::string>(value) : std::nullopt;
    }));
    return *process;
}

} // namespace clgemm::core
