// Which parameters of a kernel are valid, and that all valid ones give a tiling that makes sense.
#include "made_up_tuning.hpp"

#include <gtest/gtest.h>

using namespace clgemm::core;
using namespace clgemm::test;

TEST(ValidParameters, EveryVariantIsValid)
{
    for (const auto& kernel : kernels())
        for (const auto& variant : kernel.variants)
            EXPECT_TRUE(is_valid(kernel, variant)) << kernel.name << " " << variant.text();
}

namespace {

// The kernel's first variant with one parameter changed.
Parameters changed(const KernelInfo& kernel, const std::string& name, std::size_t value)
{
    return kernel.variants.front().with(name, value);
}

} // namespace

TEST(ValidParameters, OtherNamesThanTheKernelsAreNotValid)
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

TEST(ValidParameters, TheOrderOfParametersDoesNotMatterWhereTheyAreFree)
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

TEST(ValidParameters, WithoutFreeParametersOnlyTheVariantsAreValid)
{
    for (const auto& kernel : kernels())
        if (!kernel.family->takes_other_sizes()) {
            const auto& [name, value] = kernel.variants.front().values().front();
            EXPECT_FALSE(is_valid(kernel, changed(kernel, name, 2 * value + 1))) << kernel.name;
        }
}

TEST(ValidParameters, FreeParametersMustMeetTheKernelsConstraints)
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
           {"TSK", {0, 512, 2048}}},
          {{"NR", {0, 3, 32, huge, huge_power}},
           {"TSM", {0, 2, 96, 8192, huge, huge_power}},
           {"ROWS", {0, 1, 2, 32, 256, huge, huge_power}},
           {"PARTS", {0, 3, 4, 512, huge, huge_power}},
           {"LANES", {0, 3, 16, 64, huge, huge_power}},
           {"UNROLL", {0, 3, 32, 64, huge, huge_power}},
           {"TSK", {64, 96, 8192, huge, huge_power}}});
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
TEST(ValidParameters, EveryValidSizeHasATilingThatMakesSense)
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
    for (const std::size_t tsm : {16U, 64U, 128U, 256U})
        for (const std::size_t tsn : {16U, 64U, 128U, 256U})
            for (const std::size_t tsk : {8U, 32U})
                for (const std::size_t wtm : {16U, 32U, 64U, 128U})
                    for (const std::size_t wtn : {16U, 32U, 64U, 128U})
                        for (const std::size_t wptm : {4U, 8U, 16U})
                            for (const std::size_t wptn : {4U, 8U, 16U})
                                for (const std::size_t slices : {1U, 4U, 16U})
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
    for (const std::size_t nr : {1U, 2U, 4U, 8U, 16U})
        for (const std::size_t tsm : {8U, 32U, 128U, 512U})
            for (const std::size_t rows : {4U, 8U, 16U})
                for (const std::size_t parts : {1U, 8U, 64U})
                    for (const std::size_t lanes : {1U, 8U, 32U})
                        for (const std::size_t unroll : {1U, 2U, 8U})
                            for (const std::size_t tsk : {256U, 1024U})
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
            const Plan plan = made_plan(problem(100, 1, 100), hopper_gpu(), variant, {});
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
                        check(kernel, variant.with(name, value));
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
                                    check(kernel, variant.with(name, value).with(other_name, other));
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

// PoCL keeps what the work-items of a work-group have on the stack of one thread: with more it ends the process.
TEST(ValidParameters, WorkGroupsAreNoLargerThanGpusHave)
{
    const KernelInfo &k13 = *find_kernel("13"), &k15 = *find_kernel("15");
    const Parameters from{{"TSM", 128}, {"TSN", 128}, {"TSK", 16},   {"STAGES", 2}, {"WTM", 64},   {"WTN", 32},
                          {"WPTM", 8},  {"WPTN", 8},  {"SLICES", 4}, {"ORDER", 2},  {"RUNNING", 0}};
    EXPECT_TRUE(is_valid(k13, from)) << "1024 work-items";
    EXPECT_FALSE(is_valid(k13, from.with("SLICES", 8)));
    EXPECT_FALSE(is_valid(k13, from.with("TSM", 256)));
    const Parameters large{{"TSM", 256}, {"TSN", 256}, {"TSK", 16},   {"STAGES", 2}, {"WTM", 128},  {"WTN", 64},
                           {"WPTM", 16}, {"WPTN", 16}, {"SLICES", 1}, {"ORDER", 2},  {"RUNNING", 0}};
    EXPECT_TRUE(is_valid(k13, large)) << "65536 sums";
    EXPECT_FALSE(is_valid(k13, large.with("TSM", 512)));
    EXPECT_FALSE(is_valid(k13, large.with("SLICES", 2)));
    const Parameters skinny{{"NR", 1}, {"TSM", 128}, {"ROWS", 4}, {"PARTS", 32}, {"LANES", 8}, {"UNROLL", 4}, {"TSK", 1024}};
    EXPECT_TRUE(is_valid(k15, skinny)) << "1024 work-items";
    EXPECT_FALSE(is_valid(k15, skinny.with("PARTS", 64).with("TSK", 2048)));
}

TEST(ValidParameters, Kernel18HasNoMoreThan16Columns)
{
    const KernelInfo& kernel = *find_kernel("cpu_vector");
    for (const auto& variant : kernel.variants) {
        for (const std::size_t columns : {std::size_t{32}, std::size_t{256}, std::size_t{1} << 63})
            EXPECT_FALSE(is_valid(kernel, variant.with("COLUMNS", columns))) << columns;
        EXPECT_TRUE(is_valid(kernel, variant.with("COLUMNS", variant["COLUMNS"])));
    }
}
