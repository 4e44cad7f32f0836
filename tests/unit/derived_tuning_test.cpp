// Guesses: something for every device that it can run, in believable proportions.
#include "made_up_tuning.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

std::set<std::string_view> kernels_of(const Tuning& tuning)
{
    std::set<std::string_view> result;
    for (const auto& measurement : tuning.measurements)
        result.insert(measurement.variant.kernel->name);
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
            EXPECT_TRUE(is_valid(*measurement.variant.kernel, measurement.variant.parameters));
            EXPECT_TRUE(runs(measurement.variant, device));
            if (measurement.variant.kernel != find_kernel("18")) {
                EXPECT_EQ(measurement.operands, "") << "nobody measured how operands lie";
            }
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
    const std::set<std::string_view> gpu{"01_naive", "13_warp_tiled", "skinny", "small_batch"}, tiny{"01_naive"};
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
            if (!is_strict(measurement.variant.family()))
                result.insert(measurement.variant.kernel->name);
        return result;
    };
    const std::set<std::string_view> none{}, others{"tensor_mma"},
        hopper{"14_tensor_cores", "tensor_direct", "tensor_fast", "tensor_rounded", "tensor_tf32"},
        all{"14_tensor_cores", "tensor_mma", "tensor_direct", "tensor_fast", "tensor_rounded", "tensor_tf32"};
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
            const auto variants = variants_of(kernel);
            const auto expected = std::count_if(variants.begin(), variants.end(),
                                                [&](const Variant& variant) { return runs(variant, device); });
            const Tuning tuning = derived_tuning(device);
            const auto found = std::count_if(tuning.measurements.begin(), tuning.measurements.end(),
                                             [&](const Measurement& one) { return one.variant.kernel == &kernel; });
            EXPECT_EQ(found, expected) << kernel.name;
        }
}

TEST(DerivedTuning, ACpuStartsFromItsOwnSizes)
{
    std::size_t checked = 0;
    for (const auto& measurement : derived_tuning(made_up_cpu()).measurements) {
        const KernelInfo& kernel = *measurement.variant.kernel;
        if (!kernel.family->takes_other_sizes()) {
            checked++;
            EXPECT_EQ(measurement.variant.parameters.text(), kernel.variants[kernel.first_on_cpu].text());
        }
    }
    EXPECT_GT(checked, 0u);
}

// Of equal estimates the first counts.
TEST(DerivedTuning, KernelsComeInTheOrderOfPreference)
{
    for (const auto& device : {hopper_gpu(), ampere_gpu(), made_up_cpu()}) {
        std::vector<const KernelInfo*> order;
        for (const auto& measurement : guesses_for(device))
            if (order.empty() || order.back() != measurement.variant.kernel)
                order.push_back(measurement.variant.kernel);
        const auto preferred = kernels_by_preference();
        auto next = preferred.begin();
        for (const auto* kernel : order) {
            next = std::find(next, preferred.end(), kernel);
            ASSERT_NE(next, preferred.end()) << kernel->name << " comes too late";
        }
    }
}

TEST(DerivedTuning, OneMoreWorkGroupCostsAGpuNothingUntilItIsFull)
{
    const auto guess_of = [](const Variant& variant, const DeviceProfile& device) {
        return as_measurement(variant.family().guess(variant, device).value(), variant, device);
    };
    const auto variants = variants_of(*find_kernel("13"));
    // 64 work-items: it takes eight such work-groups to fill a compute unit.
    const auto few_items =
        std::find_if(variants.begin(), variants.end(), [](const Variant& each) { return each.tiling.items_m == 64; });
    ASSERT_NE(few_items, variants.end());
    const Measurement guess = guess_of(*few_items, large_gpu());
    ASSERT_EQ(guess.step_ns.size(), 2u);
    EXPECT_DOUBLE_EQ(guess.step_ns[1].first, 8 * guess.step_ns[0].first);
    EXPECT_DOUBLE_EQ(guess.step_ns[1].second, guess.step_ns[0].second);
    EXPECT_DOUBLE_EQ(guess.resident, 8);
    EXPECT_EQ(guess_of(first_variant("1"), made_up_cpu()).step_ns.size(), 1u)
        << "a CPU's work-groups run one after the other";
}

// In kernel 18 each sum is of one row where A's memory runs along K, and is stored alone.
TEST(DerivedTuning, StoringATileIsGuessedByHowALies)
{
    const DeviceProfile cpu = made_up_cpu();
    std::set<std::string> operands;
    for (const Measurement& guess : derived_tuning(cpu).measurements)
        if (guess.variant.kernel == find_kernel("18"))
            operands.insert(guess.operands);
    EXPECT_EQ(operands, (std::set<std::string>{"NN", "NT", "TN", "TT"}));
    const Variant variant = first_variant("18");
    const auto storing_a_tile = [&](const char* letters) {
        const Measurement guess = as_measurement(variant.family().guess(variant, cpu).value(), variant, cpu, letters);
        const auto [least, start] = guess.start_ns.front();
        const auto [most, end] = guess.start_ns.back();
        return (end - start) / (most - least) / guess.step_ns.front().second;
    };
    const auto columns = static_cast<double>(variant.tiling.n);
    EXPECT_NEAR(storing_a_tile("NT"), columns / 16, columns / 1000);
    EXPECT_NEAR(storing_a_tile("TN"), columns / 2, columns / 1000);
}

TEST(DerivedTuning, KernelsOfOtherDevicesHaveNoGuess)
{
    const auto has_guess = [](const char* name, const DeviceProfile& device) {
        const Variant variant = first_variant(name);
        return variant.family().guess(variant, device).has_value();
    };
    EXPECT_FALSE(has_guess("09", large_gpu()));
    EXPECT_FALSE(has_guess("09", made_up_cpu()));
    for (const auto* name : {"13", "14", "15", "19", "20"}) {
        EXPECT_TRUE(has_guess(name, hopper_gpu())) << name;
        EXPECT_FALSE(has_guess(name, made_up_cpu())) << name;
    }
    for (const auto* name : {"16", "17", "18"}) {
        EXPECT_FALSE(has_guess(name, hopper_gpu())) << name;
        EXPECT_TRUE(has_guess(name, made_up_cpu())) << name;
    }
}

// tests/compile/registers has what Intel's compiler keeps in memory.
TEST(DerivedTuning, WhatDoesNotFitInRegistersIsNotBelieved)
{
    const auto most = [](const Tuning& tuning, const char* kernel, const char* parameter) {
        std::size_t result = 0;
        for (const Measurement& each : tuning.measurements)
            if (each.variant.kernel == find_kernel(kernel))
                result = std::max(result, each.variant.parameters[parameter]);
        return result;
    };
    DeviceProfile device = large_gpu();
    device.registers = 256;
    EXPECT_EQ(most(derived_tuning(device), "small_batch", "WPTM"), 8U);
    EXPECT_EQ(most(derived_tuning(device), "skinny", "NR"), 16U);
    device.registers = 128;
    EXPECT_EQ(most(derived_tuning(device), "small_batch", "WPTM"), 4U);
    EXPECT_EQ(most(derived_tuning(device), "skinny", "NR"), 4U);
    EXPECT_EQ(most(derived_tuning(device), "13", "WPTM"), 8U);
    device.registers = 64;
    EXPECT_EQ(most(derived_tuning(device), "small_batch", "WPTM"), 4U);
    EXPECT_EQ(most(derived_tuning(device), "small_batch", "WPTN"), 2U);
    EXPECT_EQ(most(derived_tuning(device), "13", "WPTM"), 0U);
    Tuning to_measure;
    to_measure.measurements = guesses_for(device);
    EXPECT_EQ(most(to_measure, "small_batch", "WPTM"), 8U) << "the tuner tries them all the same";
    EXPECT_EQ(most(to_measure, "skinny", "NR"), 16U);
    EXPECT_EQ(most(to_measure, "13", "WPTM"), 8U);
}

TEST(DerivedTuning, RegistersOfAnUnknownGpuAreFew)
{
    DeviceProfile device = large_gpu();
    EXPECT_EQ(registers_of(device), 128U);
    for (const auto* vendor : {"ARM", "Arm"}) { // by Arm's own driver, and by Mesa's
        device.vendor = vendor;
        EXPECT_EQ(registers_of(device), 64U) << vendor;
    }
    for (const auto* architecture : {"sm_90", "gfx1100"}) {
        device.architecture = architecture;
        EXPECT_EQ(registers_of(device), 256U) << architecture;
    }
    DeviceProfile cpu = made_up_cpu();
    cpu.architecture = "AMD family 26";
    EXPECT_EQ(registers_of(cpu), 128U) << "it is no GPU's architecture";
}
