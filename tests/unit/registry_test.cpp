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
    std::set<std::string_view> expected{"transpose", "pad", "unpad", "scale", "reduce"};
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
            EXPECT_EQ(t.m * t.n % (t.items_m * t.items_n), 0u);
            // Vectors run along the dimension in which the operand's memory does.
            EXPECT_EQ((kernel.a == Storage::transposed ? t.k : t.m) % t.width, 0u);
            EXPECT_EQ((kernel.b == Storage::transposed ? t.n : t.k) % t.width, 0u);
        }
    }
}

TEST(Registry, EveryKernelRunsOnALargeGpuWithin48KilobytesAndTheFirstVariantOfThoseForGpus)
{
    for (const auto& kernel : kernels()) {
        const auto runs = [&](const Parameters& variant) { return fits(kernel.tiling(variant), large_gpu()); };
        EXPECT_TRUE(std::any_of(kernel.variants.begin(), kernel.variants.end(), runs)) << kernel.name;
        EXPECT_TRUE(kernel.scheme != Scheme::tiles || runs(kernel.variants.front())) << kernel.name;
    }
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
