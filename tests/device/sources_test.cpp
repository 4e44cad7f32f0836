// Every OpenCL source compiles alone, with its own defaults, as a reader would try it.
#include "kernels/registry.hpp"
#include "support/device.hpp"

#include <gtest/gtest.h>

using namespace clgemm::core;
using namespace clgemm::test;

TEST(KernelSources, EachBuildsAlone)
{
    const auto& test = test_device();
    const DeviceProfile device = profile_device(test.device);
    // PoCL's optimizer may leave a loop as it is where others unroll it.
    const std::string options = device.platform_name == "Portable Computing Language"
                                    ? "-cl-std=CL1.2 -Werror -Wno-pass-failed"
                                    : "-cl-std=CL1.2 -Werror";
    for (const auto& source : kernel_sources()) {
        const KernelInfo* kernel = find_kernel(source.name); // null for helpers
        if (kernel && !fits(kernel->tiling(kernel->variants.front()), device))
            continue; // the defaults are too large for this device
        try {
            cl::Program(test.context, std::string(source.text)).build(options.c_str());
        } catch (const cl::BuildError& error) {
            ADD_FAILURE() << source.name << ": " << error.getBuildLog().front().second;
        }
    }
}
