// What single drivers get wrong however they are called, so that tests ask it of others only: the one place of the tests
// that knows drivers by their names. (What the library works around is in src/device/quirks.cpp.) docs/drivers.md lists
// both.
#pragma once

#include "device.hpp"

#include <string>
#include <string_view>

namespace clgemm::test {

inline bool platform_is(std::string_view name)
{
    const cl::Platform platform(test_device().device.getInfo<CL_DEVICE_PLATFORM>());
    return platform.getInfo<CL_PLATFORM_NAME>().find(name) != std::string::npos;
}

inline bool platform_version_has(std::string_view part)
{
    const cl::Platform platform(test_device().device.getInfo<CL_DEVICE_PLATFORM>());
    return platform.getInfo<CL_PLATFORM_VERSION>().find(part) != std::string::npos;
}

// Intel's runtime for CPUs (2026.2) runs a command whose wait list failed as if it had ended well, or crashes.
inline bool heeds_failed_wait_lists()
{
    return !platform_is("Intel(R) OpenCL");
}

// PoCL 3.1 aborts ("PTHREAD ERROR in pocl_update_event_failed") whenever an event fails that two commands in a row depend on
// of which the caller has released the first's event. A plain program of one user event and two kernels shows it; calls of
// several steps do the same.
inline bool fails_safely_over_several_steps()
{
    return !platform_is("Portable Computing Language");
}

// On NVIDIA's OpenCL (driver 580), a command on a queue where one has just failed fails too now and then, with the status of
// the other's wait list: a plain program that does nothing else saw it in 21 of 120 tries, and never on another queue. With
// Mesa's rusticl (26.2) every later command of such a queue fails.
inline bool queues_recover_at_once()
{
    return !platform_is("NVIDIA") && !platform_is("rusticl");
}

// Intel's runtime for CPUs (2026.2) is destroyed in the middle of a program's own static destructors: a call from one of
// those that come later ends the process with "Pure virtual function called".
inline bool lives_until_the_process_ends()
{
    return !platform_is("Intel(R) OpenCL");
}

// With PoCL 5.0 (LLVM 16), only the last work-item of a work-group goes on after a barrier where a loop before it chooses
// between two loops by what follows from both quotient and remainder of the group's number, whichever method makes loops of
// work-items. So the helper kernel `split` loses the largest number. With PoCL 3.1, 6.0 and 7.1 all go on. (Only tests run
// `split` on PoCL: the kernels that need it do not run on CPUs.)
inline bool finds_the_largest_in_split()
{
    return !platform_version_has("PoCL 5.");
}

// What a program said, without the line on standard error by which Debian's rusticl begins every process.
inline std::string without_drivers_warning(std::string output)
{
    constexpr std::string_view begin = "=== Rusticl warning: ", end = "===\n";
    const std::size_t at = output.find(begin);
    if (at != std::string::npos)
        output.erase(at, output.find(end, at + begin.size()) + end.size() - at);
    return output;
}

} // namespace clgemm::test
