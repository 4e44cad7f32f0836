// Selection: its rules, and that every device gets something it can run.
#include "made_up.hpp"

#include "select/selection.hpp"
#include "support/error.hpp"
#include "tuning/derived_tuning.hpp"

#include <gtest/gtest.h>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

// With nothing measured.
Selection select(const Problem& problem, const DeviceProfile& device, const KernelInfo* wanted)
{
    return select(problem, device, derived_tuning(device), wanted);
}

std::string_view chosen(const Problem& problem, const DeviceProfile& device)
{
    return select(problem, device, nullptr).kernel->name;
}

} // namespace

TEST(Selection, EveryShapeOnEveryDeviceGetsAVariantThatFits)
{
    DeviceProfile small_gpu = large_gpu();
    small_gpu.max_work_group_size = 64;
    small_gpu.local_memory = 16 << 10;
    const std::size_t sizes[] = {1, 15, 16, 100, 1000, 5000};
    for (const auto& device : {large_gpu(), small_gpu, tiny_gpu(), made_up_cpu()})
        for (const auto m : sizes)
            for (const auto n : sizes)
                for (const auto k : sizes) {
                    const Selection selection = select(problem(m, n, k), device, nullptr);
                    EXPECT_TRUE(fits(selection.tiling, device)) << selection.kernel->name << " on " << device.name;
                    EXPECT_FALSE(selection.reason.empty());
                }
}

TEST(Selection, ATinyDeviceFallsBackToTheNaiveKernel)
{
    EXPECT_EQ(chosen(problem(1000, 1000, 1000), tiny_gpu()), "01_naive");
}

TEST(Selection, NoTilesForAFewRowsOrColumns)
{
    EXPECT_EQ(chosen(problem(1, 5000, 5000), large_gpu()), "01_naive");
    EXPECT_EQ(chosen(problem(5000, 15, 5000), made_up_cpu()), "01_naive");
    EXPECT_NE(chosen(problem(5000, 5000, 5000), large_gpu()), "01_naive");
}

TEST(Selection, AGpuIsGivenTilesOnlyWhereThereAreEnough)
{
    EXPECT_EQ(chosen(problem(256, 256, 256), large_gpu()), "01_naive");
    EXPECT_EQ(chosen(problem(512, 512, 512), large_gpu()), "13_warp_tiled");
    EXPECT_EQ(chosen(problem(4096, 4096, 4096), large_gpu()), "13_warp_tiled");
}

TEST(Selection, AGpuGetsSmallerTilesForSmallerProblems)
{
    const KernelInfo* kernel = find_kernel("09_prefetch");
    const auto large = select(problem(4096, 4096, 4096), large_gpu(), kernel).tiling;
    const auto medium = select(problem(1024, 1024, 1024), large_gpu(), kernel).tiling;
    const auto small = select(problem(256, 256, 256), large_gpu(), kernel).tiling;
    EXPECT_GT(large.m, medium.m);
    EXPECT_GT(medium.m, small.m);
}

TEST(Selection, NeverASmallerTileThatGivesNoMoreWorkGroups)
{
    DeviceProfile one_unit = large_gpu();
    one_unit.compute_units = 1;
    for (const auto& kernel : kernels())
        EXPECT_EQ(select(problem(256, 256, 64), one_unit, &kernel).parameters.text(),
                  select(problem(8192, 8192, 64), large_gpu(), &kernel).parameters.text());
}

TEST(Selection, WhatIsAskedForIsTaken)
{
    for (const auto& kernel : kernels()) {
        const Selection selection = select(problem(100, 100, 100), large_gpu(), &kernel);
        EXPECT_EQ(selection.kernel, &kernel);
        EXPECT_EQ(selection.reason, "asked for");
    }
}

TEST(Selection, AKernelThatCannotRunIsAnError)
{
    try {
        select(problem(100, 100, 100), tiny_gpu(), find_kernel("12_async_copy"));
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.status(), CLGEMM_KERNEL_NOT_SUPPORTED);
        EXPECT_NE(std::string(error.what()).find("12_async_copy"), std::string::npos);
    }
}

TEST(Selection, Kernels8And13UseWhatTheDeviceHas)
{
    const KernelInfo* kernel = find_kernel("8");
    const auto parameters = [&](const DeviceProfile& device) {
        return select(problem(999, 999, 999), device, kernel).parameters;
    };

    EXPECT_EQ(parameters(large_gpu())["SHUFFLE"], 0u);
    EXPECT_EQ(parameters(large_gpu())["READ_ONLY_LOADS"], 0u);

    DeviceProfile nvidia = large_gpu();
    nvidia.nvidia_ptx = true;
    nvidia.shuffle = Shuffle::nvidia_ptx;
    EXPECT_EQ(parameters(nvidia)["SHUFFLE"], 1u);
    EXPECT_EQ(parameters(nvidia)["READ_ONLY_LOADS"], 1u);

    DeviceProfile ampere = nvidia;
    EXPECT_EQ(select(problem(999, 999, 999), ampere, find_kernel("13")).parameters["ASYNC"], 0u) << "of unknown capability";
    ampere.compute_capability = 80;
    EXPECT_EQ(select(problem(999, 999, 999), ampere, find_kernel("13")).parameters["ASYNC"], 1u);

    DeviceProfile intel = large_gpu();
    intel.shuffle = Shuffle::intel_subgroups;
    EXPECT_EQ(parameters(intel)["SHUFFLE"], 3u);
}
