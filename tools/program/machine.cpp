#include "tools/program/machine.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace clgemm::program {

// NOLINTBEGIN(concurrency-mt-unsafe): there is only one thread so far
void set_environment(const char* name, const char* value)
{
#if defined(_WIN32)
    _putenv_s(name, value);
#else
    setenv(name, value, 1);
#endif
}

bool pin_pocl()
{
    constexpr const char* affinity = "POCL_AFFINITY";
    if (std::getenv(affinity))
        return false;
    set_environment(affinity, "1");
    return true;
}
// NOLINTEND(concurrency-mt-unsafe)

double load()
{
#if defined(_WIN32)
    return -1;
#else
    double load = -1;
    return getloadavg(&load, 1) == 1 ? load : -1;
#endif
}

void warn_if_loaded(const std::string& program)
{
    const unsigned processors = std::max(1U, std::thread::hardware_concurrency());
    const double now = load();
    if (now > 0.25 * processors)
        std::fprintf(stderr,
                     "%s: warning: the machine is busy (load %.1f on %u processors): what is measured now may be far from "
                     "what it can do\n",
                     program.c_str(), now, processors);
}

} // namespace clgemm::program
