// On which devices a kernel runs: the instructions, the work-group and the local memory that it needs decide.
#include "made_up_tuning.hpp"

#include <gtest/gtest.h>

#include <algorithm>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

// Is it made for CPUs, and for nothing else?
bool is_for_cpus(const KernelInfo& kernel)
{
    const Variant variant = variant_of(kernel, kernel.variants.front());
    return kernel.family->guess(variant, made_up_cpu()) && !kernel.family->guess(variant, hopper_gpu());
}

} // namespace

TEST(WhereKernelsRun, EveryKernelRunsOnALargeDeviceWithin48KilobytesAndTheFirstVariantOfThoseForGpus)
{
    for (const auto& kernel : kernels()) {
        const DeviceProfile device = kernel.instructions == Instructions::none ? large_gpu() : large_device_for(kernel);
        const auto variants = variants_of(kernel);
        const auto runs_there = [&](const Variant& variant) { return runs(variant, device); };
        EXPECT_TRUE(std::any_of(variants.begin(), variants.end(), runs_there)) << kernel.name;
        EXPECT_TRUE(is_for_cpus(kernel) || runs_there(variants.front())) << kernel.name;
    }
    for (const auto* name : {"16", "17", "18"})
        EXPECT_TRUE(is_for_cpus(*find_kernel(name))) << name;
}

TEST(WhereKernelsRun, WhatMustBeRetargetedRunsOnlyWhereThatIsPossible)
{
    DeviceProfile not_retargeted = hopper_gpu();
    not_retargeted.retargeted_local_memory = 0;
    for (const auto* name : {"14", "20"})
        for (const auto& variant : variants_of(*find_kernel(name))) {
            SCOPED_TRACE(std::string(variant.kernel->name) + " " + variant.parameters.text());
            EXPECT_TRUE(is_valid(*variant.kernel, variant.parameters));
            EXPECT_TRUE(runs(variant, hopper_gpu()));
            EXPECT_FALSE(runs(variant, large_gpu()));
            EXPECT_FALSE(runs(variant, not_retargeted));
            // Its local memory decides, not what OpenCL says that a work-group has.
            DeviceProfile device = hopper_gpu();
            device.local_memory = 0;
            device.retargeted_local_memory = variant.tiling.local_bytes;
            EXPECT_TRUE(runs(variant, device));
            device.retargeted_local_memory--;
            device.local_memory = std::size_t{1} << 20;
            EXPECT_FALSE(runs(variant, device));
        }
}

TEST(WhereKernelsRun, InstructionsDecideWhereTensorCoresRun)
{
    const auto run = [](const char* name, const DeviceProfile& device) { return runs(first_variant(name), device); };
    DeviceProfile volta = ampere_gpu(), blackwell = hopper_gpu();
    volta.compute_capability = 70;
    blackwell.compute_capability = 120;
    // All else that a device may lack.
    for (auto* const device : {&volta, &blackwell}) {
        device->retargeted_local_memory = hopper_gpu().retargeted_local_memory;
        device->instructions = find_instructions(*device);
    }
    for (const auto* name : {"14", "20"}) {
        EXPECT_TRUE(run(name, hopper_gpu()));
        for (const auto& device : {large_gpu(), volta, ampere_gpu(), ampere_gpu(89), blackwell, made_up_cpu()})
            EXPECT_FALSE(run(name, device)) << name << ", " << device.compute_capability;
    }
    for (const auto& device : {ampere_gpu(), ampere_gpu(86), ampere_gpu(89), hopper_gpu(), blackwell})
        EXPECT_TRUE(run("19", device)) << device.compute_capability;
    for (const auto& device : {large_gpu(), volta, made_up_cpu()})
        EXPECT_FALSE(run("19", device)) << device.compute_capability;
}

TEST(WhereKernelsRun, TilesDecideWhereTheyAreMultiplied)
{
    EXPECT_TRUE(runs(first_variant("cpu_amx"), cpu_with_tiles()));
    for (const auto& device : {made_up_cpu(), large_gpu(), hopper_gpu()})
        EXPECT_FALSE(runs(first_variant("cpu_amx"), device)) << device.name;
    const Answer answer = takes(problem(100, 100, 100), *find_kernel("cpu_amx"), made_up_cpu());
    EXPECT_NE(answer.reason().find("AMX"), std::string::npos) << answer.reason();
}

TEST(WhereKernelsRun, Kernel19IsRetargetedOnlyInItsLargeSizes)
{
    const auto device_for = [](std::size_t bytes) {
        DeviceProfile device = ampere_gpu();
        device.retargeted_local_memory = bytes;
        return device;
    };
    const auto variants = variants_of(*find_kernel("19"));
    for (const auto& variant : variants) {
        const Tiling& tiling = variant.tiling;
        const Parameters& p = variant.parameters;
        const std::size_t stages = p["STAGES"] * (p["TSM"] + p["TSN"]) * p["TSK"] * 6;
        EXPECT_EQ(tiling.retargeted_bytes, tiling.local_bytes > 48 << 10 ? stages : 0) << p.text();
        EXPECT_EQ(runs(variant, device_for(0)), tiling.retargeted_bytes == 0) << p.text();
        EXPECT_TRUE(runs(variant, ampere_gpu())) << p.text();
    }
    EXPECT_EQ(variants.front().tiling.retargeted_bytes, 0u);
    EXPECT_GT(variants.back().tiling.retargeted_bytes, 0u);
}

// A barrier tells a warpgroup only even fillings of a stage from odd ones, and with an odd number of stages the two that
// take turns would fill each in turns, too.
TEST(WhereKernelsRun, Kernel14TakesTilesOf64ColumnsInAnEvenNumberOfStages)
{
    const KernelInfo& kernel = *find_kernel("14");
    for (std::size_t columns : {64U, 128U})
        for (std::size_t stages = 0; stages <= 16; stages++)
            for (std::size_t rows : {64U, 96U, 128U, 160U}) {
                const Parameters p{{"TSM", rows}, {"TSN", columns}, {"TSK", 32}, {"STAGES", stages}, {"GROUP", 8}};
                const bool for_turns = stages % 2 == 0 && stages >= 4; // two for each warpgroup
                const bool expected = stages >= 2 && stages <= 8 && (columns == 128 || (for_turns && rows <= 128));
                EXPECT_EQ(is_valid(kernel, p), expected) << p.text();
            }
}

// What its file says of each: stages of A in pieces, a full and an empty barrier for each, and the floats of eight stages,
// in rows along M or, four longer, along K; all sums lie in the same memory later.
TEST(WhereKernelsRun, Kernel20CountsItsLocalMemoryAsItsFileDoes)
{
    const KernelInfo& kernel = *find_kernel("20");
    const std::size_t of_hopper = hopper_gpu().retargeted_local_memory;
    std::size_t valid = 0;
    for (std::size_t tsm = 0; tsm <= 256; tsm++)
        for (std::size_t stages = 0; stages <= 16; stages++) {
            const Parameters p{{"TSM", tsm}, {"TSN", 128}, {"TSK", 32}, {"STAGES", stages}, {"GROUP", 8}};
            if (!is_valid(kernel, p))
                continue;
            valid++;
            SCOPED_TRACE(p.text());
            const std::size_t row = 32 * 3 * 2, barriers = 2 * 8;
            const std::size_t floats_along_k = tsm * (32 + 4) * 4, floats_along_m = 32 * tsm * 4;
            const std::size_t floats_of_b = 8 * 2 * 16 * 32 * 4; // of eight warps, two stages of 16 columns each
            const std::size_t in_stages =
                stages * (tsm * row + barriers) + 8 * std::max(floats_along_k, floats_along_m) + floats_of_b;
            const std::size_t sums = 128 * (tsm + 8) * 4, plain_path = 8 * (tsm + 128) * 4, flags = 3 * 4;
            const Tiling t = kernel.family->tiling(p);
            EXPECT_EQ(t.retargeted_bytes, std::max(in_stages, sums));
            EXPECT_GE(t.local_bytes, t.retargeted_bytes + plain_path + flags);
            EXPECT_LE(t.local_bytes, of_hopper);
            EXPECT_EQ(t.m, tsm);
            EXPECT_EQ(t.n, 128u);
            EXPECT_EQ(t.k, 32u);
            EXPECT_EQ(t.items_m, 384u) << "three warpgroups";
            EXPECT_EQ(t.items_n, 1u);
            EXPECT_EQ(t.width, 1u) << "it takes columns that start anywhere";
        }
    EXPECT_EQ(valid, 5u + 5 + 3) << "tiles of 48, 64 and 80 rows";
}

TEST(WhereKernelsRun, Kernel20TakesOperandsAsTheyAreAndIsNotStrict)
{
    const KernelInfo& kernel = *find_kernel("20");
    EXPECT_FALSE(is_strict(*kernel.family));
    EXPECT_FALSE(kernel.family->takes_operands_alike()) << "how they lie decides how fast it loads";
    EXPECT_FALSE(is_for_cpus(kernel));
    const Variant variant = first_variant("20");
    for (const std::size_t columns : {1U, 100U, 3000U}) {
        Arguments x = uneven(100, columns, 5000, CLGEMM_TRANS);
        const auto ways = ways_within(make_problem(x), hopper_gpu(), variant);
        EXPECT_TRUE(std::any_of(ways.begin(), ways.end(), [](const Way& way) { return way.split_k > 1; }));
        EXPECT_TRUE(std::none_of(ways.begin(), ways.end(), [](const Way& way) { return way.form != 0; }));
        EXPECT_EQ(std::count(ways.begin(), ways.end(), Way{}), 1) << "it takes any number of columns";
    }
}

TEST(WhereKernelsRun, WorkGroupAndLocalMemoryDecideWhatFits)
{
    const MadeUpFamily family({64, 64, 16, 16, 8, 4096});
    const KernelInfo kernel{.name = "made up", .idea = "", .family = &family, .variants = {}};
    const Variant variant = variant_of(kernel, {});
    DeviceProfile device = large_gpu();
    device.max_work_group_size = 128;
    device.local_memory = 4096;
    EXPECT_TRUE(runs(variant, device));
    device.max_work_group_size = 127;
    EXPECT_FALSE(runs(variant, device));
    device.max_work_group_size = 128;
    device.local_memory = 4095;
    EXPECT_FALSE(runs(variant, device));
    device.local_memory = 4096;
    device.max_work_item_sizes = {16, 7, 64};
    EXPECT_FALSE(runs(variant, device));
    device.max_work_item_sizes = {15, 8, 64};
    EXPECT_FALSE(runs(variant, device));
    device.max_work_item_sizes = {16, 8, 64};
    EXPECT_TRUE(runs(variant, device));
}
