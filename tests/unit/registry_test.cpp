// The registry and the sources belong together: every kernel has its file, and the file's own defaults are the first
// variant. And which parameters are right, what they come to, and where a kernel runs.
#include "made_up_tuning.hpp"

#include "kernels/arguments.h"

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
        const std::size_t number = std::stoul(std::string(kernel.name));
        EXPECT_GT(number, before);
        before = number;
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

TEST(Registry, ByPreferenceTheKernelsAreTheSame)
{
    std::set<const KernelInfo*> by_number;
    for (const auto& kernel : kernels()) {
        by_number.insert(&kernel);
        EXPECT_NE(kernel.family, nullptr) << kernel.name;
        EXPECT_FALSE(kernel.idea.empty()) << kernel.name;
    }
    const auto preferred = kernels_by_preference();
    EXPECT_EQ(std::set<const KernelInfo*>(preferred.begin(), preferred.end()), by_number);
    EXPECT_EQ(preferred.size(), kernels().size());
}

// It runs where the least is to be had, and takes nothing besides.
TEST(Registry, OneKernelIsTheLastResort)
{
    EXPECT_EQ(last_resort().name, "01_naive");
    for (const auto& kernel : kernels())
        EXPECT_EQ(kernel.is_last_resort, &kernel == &last_resort()) << kernel.name;
    EXPECT_TRUE(last_resort().family->is_strict());
    for (const auto& device : {large_gpu(), tiny_gpu(), made_up_cpu(), hopper_gpu()}) {
        const auto variants = variants_of(last_resort());
        EXPECT_TRUE(std::any_of(variants.begin(), variants.end(), [&](const Variant& each) { return runs(each, device); }));
        for (const auto& variant : variants)
            EXPECT_EQ(plan_of(make_problem(uneven(99, 77, 33)), device, variant, {}).workspace_bytes, 0u);
    }
}

TEST(Registry, EveryVariantDividesItsTileEvenly)
{
    for (const auto& kernel : kernels()) {
        EXPECT_LT(kernel.first_on_cpu, kernel.variants.size());
        for (const auto& variant : variants_of(kernel)) {
            const Tiling& t = variant.tiling;
            SCOPED_TRACE(std::string(kernel.name) + " " + variant.parameters.text());
            ASSERT_GT(t.items_m * t.items_n, 0u);
            // Either a work-item has several elements, or several work-items share one.
            const std::size_t elements = t.m * t.n, items = t.items_m * t.items_n;
            if (kernel.family->is_strict()) { // of those on tensor cores, some only fetch
                EXPECT_EQ(std::max(elements, items) % std::min(elements, items), 0u);
            }
        }
    }
}

// As the kernel gets its operands, wherever they lay before.
TEST(Registry, VectorsRunAlongTheDimensionInWhichAnOperandsMemoryDoes)
{
    std::size_t with_vectors = 0;
    for (const auto& kernel : kernels())
        for (const auto& variant : variants_of(kernel)) {
            const Tiling& t = variant.tiling;
            if (t.width == 1)
                continue;
            with_vectors++;
            for (const auto trans_a : {CLGEMM_NO_TRANS, CLGEMM_TRANS})
                for (const auto trans_b : {CLGEMM_NO_TRANS, CLGEMM_TRANS}) {
                    SCOPED_TRACE(std::string(kernel.name) + " " + variant.parameters.text());
                    const Plan plan =
                        plan_of(make_problem(uneven(202, 131, 103, trans_a, trans_b)), large_gpu(), variant, {});
                    const auto step = std::find_if(plan.steps.begin(), plan.steps.end(),
                                                   [](const Step& each) { return each.purpose == "multiply"; });
                    ASSERT_NE(step, plan.steps.end());
                    const auto told = step->numbers.as<kernel_arguments::Multiplication>();
                    ASSERT_TRUE((told.A.row == 1) != (told.A.column == 1));
                    ASSERT_TRUE((told.B.row == 1) != (told.B.column == 1));
                    EXPECT_EQ((told.A.row == 1 ? t.m : t.k) % t.width, 0u);
                    EXPECT_EQ((told.B.row == 1 ? t.k : t.n) % t.width, 0u);
                }
        }
    EXPECT_GT(with_vectors, 10u);
}

TEST(Registry, EveryVariantIsValid)
{
    for (const auto& kernel : kernels())
        for (const auto& variant : kernel.variants)
            EXPECT_TRUE(is_valid(kernel, variant)) << kernel.name << " " << variant.text();
}

namespace {

// The same with one parameter changed.
Parameters changed(const Parameters& from, const std::string& name, std::size_t value)
{
    Parameters result;
    for (const auto& [other, its] : from.values())
        result.add(other, other == name ? value : its);
    return result;
}
Parameters changed(const KernelInfo& kernel, const std::string& name, std::size_t value)
{
    return changed(kernel.variants.front(), name, value);
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
        if (!kernel.family->takes_other_sizes()) {
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
        const Tiling t = kernel.family->tiling(parameters);
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

// The constraints must be sound for numbers of any size: where a product wrapped around, nonsense would pass for a size.
class HugeParameters : public testing::Test {
protected:
    // One of a variant's parameters, or two of them, are set to such a value each; the others stay.
    static constexpr std::size_t values[] = {0,
                                             1,
                                             std::size_t{1} << 31,
                                             std::size_t{1} << 32,
                                             std::size_t{1} << 46,
                                             std::size_t{1} << 62,
                                             std::size_t{1} << 63,
                                             ~std::size_t{0}};

    // Refused, or all numbers of the tiling are what a work-group can have.
    void check(const KernelInfo& kernel, const Parameters& parameters)
    {
        asked++;
        if (!is_valid(kernel, parameters))
            return;
        accepted++;
        SCOPED_TRACE(std::string(kernel.name) + " " + parameters.text());
        const Tiling t = kernel.family->tiling(parameters);
        for (const std::size_t each : {t.m, t.n, t.k, t.items_m, t.items_n, t.width}) {
            EXPECT_GT(each, 0u);
            EXPECT_LT(each, std::size_t{1} << 20);
        }
        EXPECT_LT(t.items_m * t.items_n, std::size_t{1} << 20);
        EXPECT_LT(t.local_bytes, std::size_t{1} << 40);
        EXPECT_EQ(t.local_bytes % sizeof(float), 0u);
        EXPECT_LE(t.retargeted_bytes, t.local_bytes);
        // And it is a size like others: the device decides about it, and where it runs, there is a plan.
        const Variant variant = variant_of(kernel, parameters);
        if (runs(variant, hopper_gpu())) {
            const Plan plan = plan_of(problem(100, 1, 100), hopper_gpu(), variant, {});
            EXPECT_FALSE(plan.steps.empty());
        }
    }

    std::size_t asked = 0, accepted = 0;
};

TEST_F(HugeParameters, OneByOneAreRefusedOrMakeSense)
{
    for (const auto& kernel : kernels())
        if (kernel.family->takes_other_sizes())
            for (const auto& variant : kernel.variants)
                for (const auto& [name, its] : variant.values())
                    for (const std::size_t value : values)
                        check(kernel, changed(variant, name, value));
    EXPECT_GT(asked, 1000u);
    EXPECT_GT(accepted, 10u) << "a parameter may well be 1";
}

TEST_F(HugeParameters, TwoAtATimeAreRefusedOrMakeSense)
{
    for (const auto& kernel : kernels())
        if (kernel.family->takes_other_sizes())
            for (const auto& variant : kernel.variants)
                for (const auto& [name, its] : variant.values())
                    for (const auto& [other_name, other_its] : variant.values())
                        if (name < other_name)
                            for (const std::size_t value : values)
                                for (const std::size_t other : values)
                                    check(kernel, changed(changed(variant, name, value), other_name, other));
    EXPECT_GT(asked, 10'000u);
    EXPECT_GT(accepted, 10u);
}

TEST_F(HugeParameters, AllAtOnceAreRefused)
{
    for (const auto& kernel : kernels())
        for (const std::size_t value : values)
            if (value > 1) {
                Parameters all;
                for (const auto& [name, its] : kernel.variants.front().values())
                    all.add(name, value);
                EXPECT_FALSE(is_valid(kernel, all)) << kernel.name << " " << value;
            }
}

TEST(Registry, Kernel18HasNoMoreThan16Columns)
{
    const KernelInfo& kernel = *find_kernel("18_cpu_vector");
    for (const auto& variant : kernel.variants) {
        for (const std::size_t columns : {std::size_t{32}, std::size_t{256}, std::size_t{1} << 63})
            EXPECT_FALSE(is_valid(kernel, changed(variant, "COLUMNS", columns))) << columns;
        EXPECT_TRUE(is_valid(kernel, changed(variant, "COLUMNS", variant["COLUMNS"])));
    }
}

namespace {

// Is it made for CPUs, and for nothing else?
bool is_for_cpus(const KernelInfo& kernel)
{
    const Variant variant = variant_of(kernel, kernel.variants.front());
    return kernel.family->guess(variant, made_up_cpu()) && !kernel.family->guess(variant, hopper_gpu());
}

} // namespace

TEST(Registry, EveryKernelRunsOnALargeGpuWithin48KilobytesAndTheFirstVariantOfThoseForGpus)
{
    for (const auto& kernel : kernels()) {
        const DeviceProfile device = kernel.family->has_instructions(large_gpu()) ? large_gpu() : hopper_gpu();
        const auto variants = variants_of(kernel);
        const auto runs_there = [&](const Variant& variant) { return runs(variant, device); };
        EXPECT_TRUE(std::any_of(variants.begin(), variants.end(), runs_there)) << kernel.name;
        EXPECT_TRUE(is_for_cpus(kernel) || runs_there(variants.front())) << kernel.name;
    }
    for (const auto* name : {"16", "17", "18"})
        EXPECT_TRUE(is_for_cpus(*find_kernel(name))) << name;
}

TEST(Registry, WhatMustBeRetargetedRunsOnlyWhereThatIsPossible)
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

TEST(Registry, InstructionsDecideWhereTensorCoresRun)
{
    const auto run = [](const char* name, const DeviceProfile& device) { return runs(first_variant(name), device); };
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
    EXPECT_EQ(valid, 3u * 5);
}

TEST(Registry, Kernel20TakesOperandsAsTheyAreAndIsNotStrict)
{
    const KernelInfo& kernel = *find_kernel("20");
    EXPECT_FALSE(kernel.family->is_strict());
    EXPECT_FALSE(kernel.family->takes_operands_alike()) << "how they lie decides how fast it loads";
    EXPECT_FALSE(is_for_cpus(kernel));
    const Variant variant = first_variant("20");
    for (const std::size_t columns : {1, 100, 3000}) {
        Arguments x = uneven(100, columns, 5000, CLGEMM_TRANS);
        const auto ways = ways_within(make_problem(x), hopper_gpu(), variant);
        EXPECT_TRUE(std::any_of(ways.begin(), ways.end(), [](const Way& way) { return way.split_k > 1; }));
        EXPECT_TRUE(std::none_of(ways.begin(), ways.end(), [](const Way& way) { return way.copy_a || way.copy_b; }));
        EXPECT_EQ(std::count(ways.begin(), ways.end(), Way{}), 1) << "it takes any number of columns";
    }
}

TEST(Registry, WorkGroupAndLocalMemoryDecideWhatFits)
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
