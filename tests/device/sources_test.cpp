// Every OpenCL source compiles alone, with its own defaults, as a reader would try it.
#include "device/query_profile.hpp"
#include "families/registry.hpp"
#include "support/device.hpp"
#include "support/runs.hpp"

#include <gtest/gtest.h>

#include <sstream>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

// Clang tells as warnings, so as errors, of loops that it does not unroll where others do, and on CPUs without AVX-512 of
// vectors of 16 floats that are passed in another way there. Neither is a fault of the source: nothing but the program
// itself calls its functions.
bool is_no_fault_of_the_source(const std::string& log)
{
    std::istringstream lines(log);
    bool any = false;
    for (std::string line; std::getline(lines, line);)
        if (line.find("error: ") != std::string::npos) {
            if (line.find("loop not unrolled") == std::string::npos && line.find("changes the ABI") == std::string::npos)
                return false;
            any = true;
        }
    return any;
}

} // namespace

TEST(KernelSources, EachBuildsAlone)
{
    const auto& test = test_device();
    const DeviceProfile device = query_profile(test.device);
    for (const auto& source : kernel_sources()) {
        const KernelInfo* kernel = find_kernel(source.name); // null for helpers
        if (kernel && !runs(variant_of(*kernel, kernel->variants.front()), device))
            continue; // it has not the instructions, or the defaults are too large for it
        try {
            cl::Program(test.context, source.text()).build("-cl-std=CL1.2 -Werror");
        } catch (const cl::BuildError& error) {
            const std::string log = error.getBuildLog().front().second;
            EXPECT_TRUE(is_no_fault_of_the_source(log)) << source.name << ": " << log;
        }
    }
}
