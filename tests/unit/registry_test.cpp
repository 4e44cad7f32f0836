// The registry and the sources belong together: every kernel has its file, and the file's own defaults are the first
// variant.
#include "kernels/registry.hpp"
#include "made_up.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>

using namespace clgemm::core;
using namespace clgemm::test;

TEST(Registry, EverySourceIsAKernelOrAHelper)
{
    std::set<std::string_view> expected{"transpose", "pad", "unpad", "scale", "reduce", "split"};
    for (const auto& kernel : kernels())
        expected.insert(kernel.name);
    std::set<std::string_view> found;
    for (const auto& source : kernel_sources())
        found.insert(source.name);
    EXPECT_EQ(found, expected);
}

TEST(Registry, KernelsAreFoundByNameAndNumber)
{
    std::size_t before = 0;
    for (const auto& kernel : kernels()) {
        EXPECT_GT(number_of(kernel), before);
        before = number_of(kernel);
        EXPECT_EQ(find_kernel(kernel.name), &kernel);
        EXPECT_EQ(find_kernel(std::to_string(before)), &kernel);
    }
    EXPECT_EQ(find_kernel("09"), find_kernel("9"));
    for (const auto* nonsense : {"", "0", "99", "-1", "9x", "prefetch", "09_PREFETCH"})
        EXPECT_EQ(find_kernel(nonsense), nullptr) << nonsense;
}

TEST(Registry, TheSourcesDefaultsAreTheFirstVariant)
{
    for (const auto& kernel : kernels()) {
        const std::string text = kernel.source().text;
        for (const auto& [name, value] : kernel.variants.front().values()) {
            const std::regex guarded_default("#ifndef " + name + "\n#define " + name + " (\\d+)\n#endif");
            std::smatch match;
            ASSERT_TRUE(std::regex_search(text, match, guarded_default)) << kernel.name << " has no default for " << name;
            EXPECT_EQ(std::stoul(match[1]), value) << kernel.name << ", " << name;
        }
    }
}

TEST(Registry, EveryVariantDividesItsTileEvenly)
{
    for (const auto& kernel : kernels()) {
        EXPECT_LT(kernel.first_on_cpu, kernel.variants.size());
        for (const auto& variant : kernel.variants) {
            const Tiling t = kernel.tiling(variant);
            SCOPED_TRACE(std::string(kernel.name) + " " + variant.text());
            ASSERT_GT(t.items_m * t.items_n, 0u);
            // Either a work-item has several elements, or several work-items share one.
            const std::size_t elements = t.m * t.n, items = t.items_m * t.items_n;
            if (kernel.is_strict()) { // of those on tensor cores, some only fetch
                EXPECT_EQ(std::max(elements, items) % std::min(elements, items), 0u);
            }
            // Vectors run along the dimension in which the operand's memory does.
            EXPECT_EQ((kernel.a == Storage::transposed ? t.k : t.m) % t.width, 0u);
            EXPECT_EQ((kernel.b == Storage::transposed ? t.n : t.k) % t.width, 0u);
        }
    }
}

TEST(Registry, EveryVariantIsValid)
{
    for (const auto& kernel : kernels())
        for (const auto& variant : kernel.variants)
            EXPECT_TRUE(is_valid(kernel, variant)) << kernel.name << " " << variant.text();
}

namespace {

// The first variant with one parameter changed.
Parameters changed(const KernelInfo& kernel, const std::string& name, std::size_t value)
{
    Parameters result;
    for (const auto& [other, its] : kernel.variants.front().values())
        result.add(other, other == name ? value : its);
    return result;
}

} // namespace

TEST(Registry, OtherNamesThanTheKernelsAreNotValid)
{
    for (const auto& kernel : kernels()) {
        EXPECT_FALSE(is_valid(kernel, {})) << kernel.name;
        Parameters one_more = kernel.variants.front();
        one_more.add("NONSENSE", 1);
        EXPECT_FALSE(is_valid(kernel, one_more)) << kernel.name;
        Parameters twice = kernel.variants.front();
        twice.add(twice.values()[0].first, twice.values()[0].second);
        EXPECT_FALSE(is_valid(kernel, twice)) << kernel.name;
        Parameters renamed;
        for (const auto& [name, value] : kernel.variants.front().values())
            renamed.add(name + "_", value);
        EXPECT_FALSE(is_valid(kernel, renamed)) << kernel.name;
    }
}

TEST(Registry, TheOrderOfParametersDoesNotMatterWhereTheyAreFree)
{
    for (const auto* name : {"13", "15"}) {
        const KernelInfo& kernel = *find_kernel(name);
        const auto& values = kernel.variants.front().values();
        Parameters reversed;
        for (auto it = values.rbegin(); it != values.rend(); ++it)
            reversed.add(it->first, it->second);
        EXPECT_TRUE(is_valid(kernel, reversed)) << kernel.name;
    }
}

TEST(Registry, WithoutFreeParametersOnlyTheVariantsAreValid)
{
    for (const auto& kernel : kernels())
        if (!kernel.valid) {
            const auto& [name, value] = kernel.variants.front().values().front();
            EXPECT_FALSE(is_valid(kernel, changed(kernel, name, 2 * value + 1))) << kernel.name;
        }
}

TEST(Registry, FreeParametersMustMeetTheKernelsConstraints)
{
    using Values = std::vector<std::pair<const char*, std::vector<std::size_t>>>;
    const auto check = [](const char* number, const Values& good, const Values& bad) {
        const KernelInfo& kernel = *find_kernel(number);
        for (const auto& [name, values] : good)
            for (const std::size_t value : values)
                EXPECT_TRUE(is_valid(kernel, changed(kernel, name, value))) << kernel.name << " " << name << "=" << value;
        for (const auto& [name, values] : bad)
            for (const std::size_t value : values)
                EXPECT_FALSE(is_valid(kernel, changed(kernel, name, value))) << kernel.name << " " << name << "=" << value;
    };
    const std::size_t huge = ~std::size_t{0}, huge_power = std::size_t{1} << 63;
    // From a tile of 128 x 128 x 16 with warps of 64 x 32, 8 x 8 each lane.
    check("13",
          {{"TSM", {64, 256}},
           {"TSN", {32, 256}},
           {"TSK", {8, 32}},
           {"STAGES", {3, 5}},
           {"SLICES", {2, 4}},
           {"ORDER", {0, 1, 3}},
           {"RUNNING", {1}}},
          {{"TSM", {0, 32, 96, 129, 2048, huge, huge_power}},
           {"TSN", {0, 16, 96, 2048, huge, huge_power}},
           {"TSK", {0, 4, 12, 2048, huge, huge_power}},
           {"STAGES", {0, 1, 17, huge}},
           {"WTM", {0, 32, 128, 256, huge_power}},
           {"WTN", {0, 16, 64, 256, huge_power}},
           {"WPTM", {0, 1, 2, 4, 16, 128, huge_power}},
           {"WPTN", {0, 1, 2, 4, 16, 128, huge_power}},
           {"SLICES", {0, 3, 32, huge, huge_power}},
           {"ORDER", {4, huge}},
           {"RUNNING", {2, huge}}});
    // From one column and 128 rows, 4 for each of 256 work-items, 8 of which share an element.
    check("15",
          {{"NR", {2, 4}},
           {"TSM", {64, 256}},
           {"ROWS", {8}},
           {"PARTS", {16}},
           {"LANES", {1, 4}},
           {"UNROLL", {1, 8}},
           {"TSK", {512, 2048}}},
          {{"NR", {0, 3, 32, huge, huge_power}},
           {"TSM", {0, 2, 96, 8192, huge, huge_power}},
           {"ROWS", {0, 1, 2, 32, 256, huge, huge_power}},
           {"PARTS", {0, 3, 4, 512, huge, huge_power}},
           {"LANES", {0, 3, 16, 64, huge, huge_power}},
           {"UNROLL", {0, 3, 32, 64, huge, huge_power}},
           {"TSK", {0, 64, 96, 8192, huge, huge_power}}});
    // From a tile of 128 x 64 x 16.
    check("19", {{"TSK", {32}}, {"STAGES", {3, 8}}, {"GROUP", {1, 64}}},
          {{"TSM", {0, 32, 96, 256, huge, huge_power}},
           {"TSN", {0, 32, 96, 256, huge, huge_power}},
           {"TSK", {0, 8, 64, huge, huge_power}},
           {"STAGES", {0, 1, 9, huge, huge_power}},
           {"GROUP", {0, 65, huge}}});
    // From a tile of 64 x 128 x 32.
    check("20", {{"TSM", {48, 80}}, {"STAGES", {5, 8}}, {"GROUP", {1, 64}}},
          {{"TSM", {0, 16, 32, 63, 72, 96, 128, huge, huge_power}},
           {"TSN", {0, 64, 256, huge, huge_power}},
           {"TSK", {0, 16, 64, huge, huge_power}},
           {"STAGES", {0, 1, 2, 3, 9, huge, huge_power}},
           {"GROUP", {0, 65, huge}}});
    const KernelInfo& k19 = *find_kernel("19");
    const auto size = [](std::size_t m, std::size_t n, std::size_t stages) {
        return Parameters{{"TSM", m}, {"TSN", n}, {"TSK", 16}, {"STAGES", stages}, {"GROUP", 8}};
    };
    EXPECT_FALSE(is_valid(k19, size(64, 128, 4))) << "its work-items do not share out 64 rows";
    EXPECT_FALSE(is_valid(k19, size(128, 128, 2))) << "no room for the tile's sums";
    EXPECT_TRUE(is_valid(k19, size(128, 128, 3)));
}

// What the tuner may try on a GPU: whatever the constraints let through has a tiling that makes sense.
TEST(Registry, EveryValidSizeHasATilingThatMakesSense)
{
    std::size_t valid = 0;
    const auto check = [&](const KernelInfo& kernel, const Parameters& parameters) {
        if (!is_valid(kernel, parameters))
            return;
        valid++;
        const Tiling t = kernel.tiling(parameters);
        const std::size_t elements = t.m * t.n, items = t.items_m * t.items_n;
        ASSERT_GT(items, 0u);
        EXPECT_EQ(std::max(elements, items) % std::min(elements, items), 0u) << parameters.text();
        EXPECT_GT(t.local_bytes, 0u);
    };
    const KernelInfo &k13 = *find_kernel("13"), &k15 = *find_kernel("15");
    for (const std::size_t tsm : {16, 64, 128, 256})
        for (const std::size_t tsn : {16, 64, 128, 256})
            for (const std::size_t tsk : {8, 32})
                for (const std::size_t wtm : {16, 32, 64, 128})
                    for (const std::size_t wtn : {16, 32, 64, 128})
                        for (const std::size_t wptm : {4, 8, 16})
                            for (const std::size_t wptn : {4, 8, 16})
                                for (const std::size_t slices : {1, 4, 16})
                                    check(k13, {{"TSM", tsm},
                                                {"TSN", tsn},
                                                {"TSK", tsk},
                                                {"STAGES", 2},
                                                {"WTM", wtm},
                                                {"WTN", wtn},
                                                {"WPTM", wptm},
                                                {"WPTN", wptn},
                                                {"SLICES", slices},
                                                {"ORDER", 2},
                                                {"RUNNING", 0}});
    EXPECT_GT(valid, 100u);
    valid = 0;
    for (const std::size_t nr : {1, 2, 4, 8, 16})
        for (const std::size_t tsm : {8, 32, 128, 512})
            for (const std::size_t rows : {4, 8, 16})
                for (const std::size_t parts : {1, 8, 64})
                    for (const std::size_t lanes : {1, 8, 32})
                        for (const std::size_t unroll : {1, 2, 8})
                            for (const std::size_t tsk : {256, 1024})
                                check(k15, {{"NR", nr},
                                            {"TSM", tsm},
                                            {"ROWS", rows},
                                            {"PARTS", parts},
                                            {"LANES", lanes},
                                            {"UNROLL", unroll},
                                            {"TSK", tsk}});
    EXPECT_GT(valid, 100u);
}

TEST(Registry, EveryKernelRunsOnALargeGpuWithin48KilobytesAndTheFirstVariantOfThoseForGpus)
{
    for (const auto& kernel : kernels()) {
        const DeviceProfile device = kernel.has_instructions ? hopper_gpu() : large_gpu();
        const auto runs_there = [&](const Parameters& variant) { return runs(kernel, variant, device); };
        EXPECT_TRUE(std::any_of(kernel.variants.begin(), kernel.variants.end(), runs_there)) << kernel.name;
        EXPECT_TRUE(is_for_cpus(kernel.scheme) || runs_there(kernel.variants.front())) << kernel.name;
    }
}

TEST(Registry, WhatMustBeRetargetedRunsOnlyWhereThatIsPossible)
{
    DeviceProfile not_retargeted = hopper_gpu();
    not_retargeted.retargeted_local_memory = 0;
    for (const auto* name : {"14", "20"}) {
        const KernelInfo& kernel = *find_kernel(name);
        for (const auto& variant : kernel.variants) {
            SCOPED_TRACE(std::string(kernel.name) + " " + variant.text());
            EXPECT_TRUE(is_valid(kernel, variant));
            EXPECT_TRUE(fits(kernel.tiling(variant), hopper_gpu()));
            EXPECT_FALSE(fits(kernel.tiling(variant), large_gpu()));
            EXPECT_TRUE(runs(kernel, variant, hopper_gpu()));
            EXPECT_FALSE(runs(kernel, variant, not_retargeted));
        }
    }
}

TEST(Registry, InstructionsDecideWhereTensorCoresRun)
{
    const auto run = [](const char* name, const DeviceProfile& device) {
        const KernelInfo& kernel = *find_kernel(name);
        return runs(kernel, kernel.variants.front(), device);
    };
    DeviceProfile volta = ampere_gpu(), blackwell = hopper_gpu();
    volta.compute_capability = 70;
    blackwell.compute_capability = 120;
    // All else that a device may lack.
    for (auto* const device : {&volta, &blackwell})
        device->retargeted_local_memory = hopper_gpu().retargeted_local_memory;
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

TEST(Registry, Kernel19IsRetargetedOnlyInItsLargeSizes)
{
    const KernelInfo& kernel = *find_kernel("19");
    const auto device_for = [](std::size_t bytes) {
        DeviceProfile device = ampere_gpu();
        device.retargeted_local_memory = bytes;
        return device;
    };
    for (const auto& variant : kernel.variants) {
        const Tiling tiling = kernel.tiling(variant);
        const std::size_t stages = variant["STAGES"] * (variant["TSM"] + variant["TSN"]) * variant["TSK"] * 6;
        EXPECT_EQ(tiling.retargeted_bytes, tiling.local_bytes > 48 << 10 ? stages : 0) << variant.text();
        EXPECT_EQ(runs(kernel, variant, device_for(0)), tiling.retargeted_bytes == 0) << variant.text();
        EXPECT_TRUE(runs(kernel, variant, ampere_gpu())) << variant.text();
    }
    EXPECT_EQ(kernel.tiling(kernel.variants.front()).retargeted_bytes, 0u);
    EXPECT_GT(kernel.tiling(kernel.variants.back()).retargeted_bytes, 0u);
}

// A barrier tells a warpgroup only even fillings of a stage from odd ones, and with an odd number of stages the two that
// take turns would fill each in turns, too.
TEST(Registry, Kernel14TakesTilesOf64ColumnsInAnEvenNumberOfStages)
{
    const KernelInfo& kernel = *find_kernel("14");
    for (std::size_t columns : {64, 128})
        for (std::size_t stages = 0; stages <= 16; stages++)
            for (std::size_t rows : {64, 96, 128, 160}) {
                const Parameters p{{"TSM", rows}, {"TSN", columns}, {"TSK", 32}, {"STAGES", stages}, {"GROUP", 8}};
                const bool for_turns = stages % 2 == 0 && stages >= 4; // two for each warpgroup
                const bool expected = stages >= 2 && stages <= 8 && (columns == 128 || (for_turns && rows <= 128));
                EXPECT_EQ(is_valid(kernel, p), expected) << p.text();
            }
}

// What its file says of each: stages of A in pieces, a full and an empty barrier for each, and the floats of eight stages,
// in rows along M or, four longer, along K; all sums lie in the same memory later.
TEST(Registry, Kernel20CountsItsLocalMemoryAsItsFileDoes)
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
            const std::size_t in_stages = stages * (tsm * row + barriers) + 8 * std::max(floats_along_k, floats_along_m);
            const std::size_t sums = 128 * (tsm + 8) * 4, plain_path = 8 * (tsm + 128) * 4, flags = 3 * 4;
            const Tiling t = kernel.tiling(p);
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
    EXPECT_EQ(valid, 3u * 5);
}

TEST(Registry, Kernel20TakesOperandsAsTheyAreAndIsNotStrict)
{
    const KernelInfo& kernel = *find_kernel("20");
    EXPECT_FALSE(kernel.is_strict());
    EXPECT_FALSE(kernel.takes_operands_alike()) << "how they lie decides how fast it loads";
    EXPECT_FALSE(is_for_cpus(kernel.scheme));
    EXPECT_TRUE(kernel.splits_k);
    EXPECT_FALSE(kernel.copies_may_pay);
    EXPECT_FALSE(kernel.few_columns) << "it takes any number";
}

TEST(Registry, WorkGroupAndLocalMemoryDecideWhatFits)
{
    const Tiling tiling{64, 64, 16, 16, 8, 4096};
    DeviceProfile device = large_gpu();
    device.max_work_group_size = 128;
    device.local_memory = 4096;
    EXPECT_TRUE(fits(tiling, device));
    device.max_work_group_size = 127;
    EXPECT_FALSE(fits(tiling, device));
    device.max_work_group_size = 128;
    device.local_memory = 4095;
    EXPECT_FALSE(fits(tiling, device));
    device.local_memory = 4096;
    device.max_work_item_sizes = {16, 7, 64};
    EXPECT_FALSE(fits(tiling, device));
}
