// The registry and the sources belong together: every kernel has its file, and the file's own defaults are the first
// variant. And what a variant's parameters come to.
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
    std::set<std::string_view> expected{"transpose",  "pad",   "unpad",   "scale",       "reduce",
                                        "cpu_reduce", "split", "largest", "permit_tiles"};
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
        const std::string with_number(kernel.former_name.empty() ? kernel.name : kernel.former_name);
        EXPECT_EQ(find_kernel(with_number), &kernel);
        if (with_number.front() < '0' || with_number.front() > '9')
            continue; // it never had one
        const std::size_t number = std::stoul(with_number);
        EXPECT_GT(number, before);
        before = number;
        EXPECT_EQ(find_kernel(kernel.name), &kernel);
        EXPECT_EQ(find_kernel(std::to_string(before)), &kernel);
    }
    EXPECT_EQ(find_kernel("09"), find_kernel("9"));
    for (const auto* nonsense :
         {"", "0", "99", "-1", "9x", "prefetch", "09_PREFETCH", "15_prefetch", "18446744073709551615"})
        EXPECT_EQ(find_kernel(nonsense), nullptr) << nonsense;
}

TEST(Registry, TheSourcesDefaultsAreTheFirstVariant)
{
    for (const auto& kernel : kernels()) {
        const std::string text = kernel.source().text();
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
    EXPECT_TRUE(is_strict(*last_resort().family));
    for (const auto& device : {large_gpu(), tiny_gpu(), made_up_cpu(), hopper_gpu()}) {
        const auto variants = variants_of(last_resort());
        EXPECT_TRUE(std::any_of(variants.begin(), variants.end(), [&](const Variant& each) { return runs(each, device); }));
        for (const auto& variant : variants)
            EXPECT_EQ(made_plan(make_problem(uneven(99, 77, 33)), device, variant, {}).workspace_bytes, 0u);
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
            if (is_strict(*kernel.family)) { // of those on tensor cores, some only fetch
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
                        made_plan(make_problem(uneven(202, 131, 103, trans_a, trans_b)), large_gpu(), variant, {});
                    const auto step = std::find_if(plan.steps.begin(), plan.steps.end(),
                                                   [](const Step& each) { return each.purpose == "multiply"; });
                    ASSERT_NE(step, plan.steps.end());
                    const auto told = step->arguments.as<kernel_arguments::Multiplication>();
                    ASSERT_TRUE((told.A.row == 1) != (told.A.column == 1));
                    ASSERT_TRUE((told.B.row == 1) != (told.B.column == 1));
                    EXPECT_EQ((told.A.row == 1 ? t.m : t.k) % t.width, 0u);
                    EXPECT_EQ((told.B.row == 1 ? t.k : t.n) % t.width, 0u);
                }
        }
    EXPECT_GT(with_vectors, 10u);
}
