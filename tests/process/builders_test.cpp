// The processes that build programs for selection_bench and the self-test. They are forked, so nothing in this program may
// have asked OpenCL for anything before.
#include "timing/selection/builders.hpp"

#include "support/embedded.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

using namespace bench;
using namespace clgemm::core;

namespace {

Step step_of(const char* kernel, const char* options)
{
    Step step;
    step.source = &kernel_source(kernel);
    step.options = options;
    return step;
}

DeviceProfile device_of(DeviceType type, std::size_t memory)
{
    DeviceProfile device;
    device.type = type;
    device.global_memory = memory;
    return device;
}

TEST(Builders, LeaveOnDiskWhatCanBeBuilt)
{
    const auto folder = std::filesystem::temp_directory_path() / ("clgemm_builders_" + std::to_string(std::rand()));
    setenv("CLGEMM_CACHE_DIR", folder.c_str(), 1);
    const std::vector<Step> steps{step_of("01_naive", ""), step_of("01_naive", "-DTS=broken"), step_of("02_tiled", "")};
    {
        Builders builders;
        const DeviceProfile gpu = device_of(DeviceType::gpu, std::size_t{64} << 30);
        EXPECT_GE(builders.count_on(gpu), 1u);
        builders.build(gpu, steps);
        builders.build(gpu, {}); // no work is soon done
        // A context takes memory.
        EXPECT_EQ(builders.count_on(device_of(DeviceType::gpu, std::size_t{1} << 30)), 1u);
        // What a CPU's driver does before the first launch is not much.
        EXPECT_EQ(builders.count_on(device_of(DeviceType::cpu, std::size_t{64} << 30)), 0u);
    }
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
        files += entry.is_regular_file() && entry.path().filename().string().front() != '.' ? 1 : 0;
    EXPECT_GE(files, 2u);
    std::filesystem::remove_all(folder);
}

} // namespace
