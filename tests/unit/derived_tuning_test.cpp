// Guesses: something for every device that it can run, in believable proportions.
#include "made_up.hpp"

#include "select/selection.hpp"
#include "support/error.hpp"
#include "tuning/derived_tuning.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

DeviceProfile small_gpu()
{
    DeviceProfile device = large_gpu();
    device.max_work_group_size = 64;
    device.local_memory = 16 << 10;
    return device;
}

std::set<std::string_view> kernels_of(const Tuning& tuning)
{
    std::set<std::string_view> result;
    for (const auto& measurement : tuning.measurements)
        result.insert(measurement.kernel->name);
    return result;
}

} // namespace

TEST(DerivedTuning, IsCompleteAndFitsEveryDevice)
{
    DeviceProfile accelerator = large_gpu();
    accelerator.type = DeviceType::accelerator;
    for (const auto& device : {large_gpu(), small_gpu(), tiny_gpu(), made_up_cpu(), accelerator}) {
        SCOPED_TRACE(device.name);
        const Tuning tuning = derived_tuning(device);
        EXPECT_FALSE(tuning.origin.empty());
        EXPECT_GT(tuning.launch_ns, 0);
        EXPECT_GT(tuning.enqueue_ns, 0);
        EXPECT_GT(tuning.bytes_per_ns, 0);
        ASSERT_FALSE(tuning.measurements.empty());
        for (const auto& measurement : tuning.measurements) {
            EXPECT_TRUE(is_valid(*measurement.kernel, measurement.parameters));
            EXPECT_TRUE(fits(measurement.kernel->tiling(measurement.parameters), device));
            EXPECT_EQ(measurement.operands, "") << "nobody measured how operands lie";
            ASSERT_FALSE(measurement.start_ns.empty());
            EXPECT_GT(measurement.start_ns.front().second, 0);
            EXPECT_GE(measurement.resident, 1);
            ASSERT_FALSE(measurement.step_ns.empty());
            for (std::size_t i = 0; i < measurement.step_ns.size(); i++) {
                EXPECT_GT(measurement.step_ns[i].second, 0);
                if (i > 0) {
                    EXPECT_GT(measurement.step_ns[i].first, measurement.step_ns[i - 1].first);
                    EXPECT_GE(measurement.step_ns[i].second, measurement.step_ns[i - 1].second);
                }
            }
        }
    }
}

TEST(DerivedTuning, AGpuAndACpuHaveTheirOwnKernels)
{
    const std::set<std::string_view> gpu{"01_naive", "13_warp_tiled", "15_skinny"}, tiny{"01_naive"};
    EXPECT_EQ(kernels_of(derived_tuning(large_gpu())), gpu);
    EXPECT_EQ(kernels_of(derived_tuning(tiny_gpu())), tiny);
    const auto cpu = kernels_of(derived_tuning(made_up_cpu()));
    EXPECT_TRUE(cpu.contains("01_naive"));
    EXPECT_GT(cpu.size(), 1u);
    EXPECT_FALSE(cpu.contains("13_warp_tiled")) << "made for GPUs";
    // The naive kernel is among them wherever it can run, so that no problem is without an estimate.
    for (const auto& device : {large_gpu(), small_gpu(), tiny_gpu(), made_up_cpu()})
        EXPECT_TRUE(kernels_of(derived_tuning(device)).contains("01_naive"));
}

TEST(DerivedTuning, TensorCoresAreBelievedWhereTheyShouldPay)
{
    const auto tensor_kernels = [](const std::vector<Measurement>& of) {
        std::set<std::string_view> result;
        for (const auto& measurement : of)
            if (!measurement.kernel->is_strict())
                result.insert(measurement.kernel->name);
        return result;
    };
    const std::set<std::string_view> none{}, hopper{"14_tensor_cores", "20_tensor_direct"}, others{"19_tensor_mma"},
        all{"14_tensor_cores", "19_tensor_mma", "20_tensor_direct"};
    EXPECT_EQ(tensor_kernels(derived_tuning(large_gpu()).measurements), none);
    EXPECT_EQ(tensor_kernels(derived_tuning(hopper_gpu()).measurements), hopper);
    EXPECT_EQ(tensor_kernels(derived_tuning(ampere_gpu(80)).measurements), others);
    for (const unsigned capability : {86U, 89U, 100U, 120U})
        EXPECT_EQ(tensor_kernels(derived_tuning(ampere_gpu(capability)).measurements), none) << capability;
    // What can run is measured all the same.
    EXPECT_EQ(tensor_kernels(guesses_for(hopper_gpu())), all);
    EXPECT_EQ(tensor_kernels(guesses_for(ampere_gpu(80))), others);
    EXPECT_EQ(tensor_kernels(guesses_for(ampere_gpu(89))), others);
    EXPECT_EQ(tensor_kernels(guesses_for(large_gpu())), none);
}

TEST(DerivedTuning, AKernelForManySizesBringsEachThatFits)
{
    for (const auto* name : {"13", "14", "15", "20"})
        for (const auto& device : {large_gpu(), small_gpu(), hopper_gpu()}) {
            const KernelInfo& kernel = *find_kernel(name);
            const auto expected = std::count_if(kernel.variants.begin(), kernel.variants.end(),
                                                [&](const Parameters& variant) { return runs(kernel, variant, device); });
            const Tuning tuning = derived_tuning(device);
            const auto found = std::count_if(tuning.measurements.begin(), tuning.measurements.end(),
                                             [&](const Measurement& one) { return one.kernel == &kernel; });
            EXPECT_EQ(found, expected) << kernel.name;
        }
}

TEST(DerivedTuning, ACpuStartsFromItsOwnSizes)
{
    for (const auto& measurement : derived_tuning(made_up_cpu()).measurements)
        if (!measurement.kernel->valid) {
            EXPECT_EQ(measurement.parameters.text(), measurement.kernel->variants[measurement.kernel->first_on_cpu].text());
        }
}

TEST(DerivedTuning, OneMoreWorkGroupCostsAGpuNothingUntilItIsFull)
{
    const KernelInfo& kernel = *find_kernel("13");
    const Parameters* few_items = nullptr; // 64 work-items: it takes eight such work-groups to fill a compute unit
    for (const auto& variant : kernel.variants)
        if (kernel.tiling(variant).items_m == 64)
            few_items = &variant;
    ASSERT_NE(few_items, nullptr);
    const Measurement guess = guess_of(kernel, *few_items, large_gpu());
    ASSERT_EQ(guess.step_ns.size(), 2u);
    EXPECT_DOUBLE_EQ(guess.step_ns[1].first, 8 * guess.step_ns[0].first);
    EXPECT_DOUBLE_EQ(guess.step_ns[1].second, guess.step_ns[0].second);
    EXPECT_DOUBLE_EQ(guess.resident, 8);
    EXPECT_EQ(guess_of(*find_kernel("1"), find_kernel("1")->variants[0], made_up_cpu()).step_ns.size(), 1u)
        << "a CPU's work-groups run one after the other";
}

TEST(DerivedTuning, KernelsOfOtherDevicesHaveNoGuess)
{
    const KernelInfo& kernel = *find_kernel("09");
    EXPECT_THROW(guess_of(kernel, kernel.variants[0], large_gpu()), std::logic_error);
}
