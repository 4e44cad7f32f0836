// Kernels tensor_tf32 and tensor_fast: who gets them, and the plans that make their images.
#include "unit/made_up_tuning.hpp"
#include "unit/multiply_plans.hpp"

#include "select/planner.hpp"
#include "support/embedded_tuning.hpp"
#include "support/error.hpp"

#include <gtest/gtest.h>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

struct Kernel {
    const char* name;
    clgemm_math math;
    std::size_t pieces;
};
constexpr Kernel fp16_kernels[] = {{"tensor_tf32", CLGEMM_MATH_TF32, 1}, {"tensor_fast", CLGEMM_MATH_FAST, 2}};

Problem of_size(std::size_t size, clgemm_math math)
{
    Problem result = problem(size, size, size);
    result.arithmetic.accuracy = math;
    return result;
}

// Are these bytes, counted in floats, one behind the other in this order?
bool follow_one_another(std::initializer_list<std::uint64_t> places)
{
    return std::is_sorted(places.begin(), places.end());
}

} // namespace

TEST(TensorFp16, AreForThoseWhoAskForTheirAccuracy)
{
    constexpr std::size_t large = 8192; // where images are worth making
    const EmbeddedText& text = tuning_text_of("NVIDIA H200");
    const DeviceProfile h200 = device_of(text);
    const Tuning tuning = tuning_of(text);
    for (const auto& [name, math, pieces] : fp16_kernels) {
        const auto chosen_for = [&, size = large](clgemm_math asked) {
            return clgemm::core::select(of_size(size, asked), h200, tuning, {}).variant.kernel->name;
        };
        EXPECT_EQ(chosen_for(math), name);
        for (const Accuracy& other : accuracies)
            if (other.math != math && other.math != CLGEMM_MATH_REPRODUCIBLE) {
                EXPECT_NE(chosen_for(other.math), name) << other.name;
            }
        EXPECT_NE(chosen(of_size(large, math), ampere_gpu()), name);
        EXPECT_EQ(chosen(of_size(large, math), large_gpu()), chosen(of_size(large, CLGEMM_MATH_DEFAULT), large_gpu()));
    }
}

TEST(TensorFp16, AreRefusedWhereMoreIsAskedFor)
{
    for (const auto& [name, math, pieces] : fp16_kernels)
        for (const clgemm_math asked : {CLGEMM_MATH_DEFAULT, CLGEMM_MATH_STRICT})
            try {
                clgemm::test::select(of_size(1000, asked), hopper_gpu(), find_kernel(name));
                ADD_FAILURE() << name;
            } catch (const Error& error) {
                EXPECT_EQ(error.status(), CLGEMM_KERNEL_NOT_SUPPORTED);
                EXPECT_NE(std::string(error.what()).find(accuracy_of(asked).words), std::string::npos) << error.what();
            }
}

// A measurement of one mode says nothing of another.
TEST(TensorFp16, MeasurementsHoldForTheirOwnModeAlone)
{
    for (const auto& [name, math, pieces] : fp16_kernels) {
        Measurement own = measured(name, "", 100);
        own.arithmetic.accuracy = math;
        const Tuning tuning = tuning_of({measured("14", "", 1000), own});
        EXPECT_EQ(clgemm::core::select(of_size(4096, math), hopper_gpu(), tuning, {}).variant.kernel->name, name);
        EXPECT_EQ(clgemm::core::select(of_size(4096, CLGEMM_MATH_DEFAULT), hopper_gpu(), tuning, {}).variant.kernel->name,
                  "14_tensor_cores");
    }
}

// A better mode keeps the promise of a worse one, so a kernel of less accuracy has to be clearly faster.
TEST(TensorFp16, AreChosenWhereTheyAreClearlyFasterThanWhatIsMoreAccurate)
{
    for (const auto& [name, math, pieces] : fp16_kernels) {
        const auto selected = [&, name = name, math = math](double step_ns, const KernelInfo* asked_for) {
            Measurement own = measured(name, "", step_ns);
            own.arithmetic.accuracy = math;
            const Tuning tuning = tuning_of({measured("14", "", 1000), own});
            return clgemm::core::select(of_size(4096, math), hopper_gpu(), tuning, {asked_for});
        };
        const double of_kernel_14 = selected(1000, find_kernel("14")).estimate_ns;
        const auto estimate = [&, name = name](double step_ns) { return selected(step_ns, find_kernel(name)).estimate_ns; };
        // The step at which both would take the same time, by the straight line through two estimates.
        const double slope = (estimate(2000) - estimate(1000)) / 1000;
        const double alike = 1000 + (of_kernel_14 - estimate(1000)) / slope;
        const Selection worth = selected(0.97 * alike, nullptr), not_worth = selected(0.995 * alike, nullptr);
        EXPECT_EQ(worth.variant.kernel->name, name) << worth.reason;
        EXPECT_NE(worth.reason.find("; as accurate as FP32 14_tensor_cores would take "), std::string::npos) << worth.reason;
        EXPECT_EQ(not_worth.variant.kernel->name, "14_tensor_cores") << not_worth.reason;
        EXPECT_TRUE(not_worth.reason.starts_with("the fastest as accurate as FP32 by estimate")) << not_worth.reason;
        EXPECT_NE(not_worth.reason.find(std::string("; not by enough faster: ") + name), std::string::npos);
    }
}

// What finding the largest takes beside the reading, as an H200 showed.
TEST(TensorFp16, FindingTheLargestTakesMoreThanReading)
{
    const DeviceProfile device = hopper_gpu();
    for (const auto& [name, math, pieces] : fp16_kernels) {
        const double floats = 2.0 * 1024 * 1024 * 4;
        const Outline outline = outline_of(of_size(1024, math), device, variant_of(name, device), {});
        ASSERT_EQ(outline.launches.size(), 3u);
        EXPECT_EQ(outline.launches[0].bytes, 2 * floats);
        EXPECT_EQ(outline.launches[1].bytes, (1 + static_cast<double>(pieces) / 2) * floats);
    }
}

TEST(TensorFp16, FindTheLargestThenSplitThenMultiply)
{
    for (const auto& [name, math, pieces] : fp16_kernels)
        for (const std::size_t k : {1003U, 30'000U}) {
            Arguments arguments = uneven(202, 131, k, CLGEMM_NO_TRANS, CLGEMM_TRANS);
            arguments.arithmetic.accuracy = math;
            const Planned call = planned(arguments, name, {});
            ASSERT_EQ(purposes(call.plan), (Purposes{"find the largest of A and B", "split A and B", "multiply"}));
            EXPECT_TRUE(call.plan.steps[1].options.starts_with("-DFP16 "));
            EXPECT_TRUE(has_option(call.plan.steps[1], "PIECES=" + std::to_string(pieces)));

            const auto largest = numbers_of<kernel_arguments::Splitting>(call.plan.steps[0]);
            const auto split = numbers_of<kernel_arguments::Splitting>(call.plan.steps[1]);
            const std::uint64_t stretches = (k + largest.stretch - 1) / largest.stretch, depths = (k + 31) / 32;
            EXPECT_EQ(split.stretch, largest.stretch);
            EXPECT_EQ(largest.stretch % 32, 0u);
            EXPECT_LE(stretches, 16u);
            EXPECT_EQ(call.plan.steps[0].groups[0], largest.groups * stretches);
            EXPECT_EQ(call.plan.steps[1].groups[0], split.groups * depths);
            const auto& [a, b] = std::pair(split.imageA, split.imageB);
            // The image, the ranges, and the roots with the largest magnitudes: of B, then of A.
            EXPECT_TRUE(follow_one_another(
                {b.offset, b.offset + b.rows * depths * 16 * pieces, b.ranges, b.ranges + (b.rows + 127) / 128 * depths,
                 b.roots, b.roots + b.rows * (1 + stretches), a.offset, a.offset + a.rows * depths * 16 * pieces, a.ranges,
                 a.ranges + (a.rows + 127) / 128 * depths, a.roots, a.roots + a.rows * (1 + stretches),
                 call.plan.workspace_bytes / 4}));
        }
}

// What prepared operands keep is made by one step alone.
TEST(TensorFp16, MakeImagesOfPreparedOperandsForEachCall)
{
    for (const auto& [name, math, pieces] : fp16_kernels) {
        Problem prepared = of_size(500, math);
        const DeviceProfile device = hopper_gpu();
        const Variant variant = variant_of(name, device);
        const Plan plain = made_plan(prepared, device, variant, {});
        const Outline outline = outline_of(prepared, device, variant, {});
        prepared.b.prepared = true;
        const Plan plan = made_plan(prepared, device, variant, {});
        EXPECT_EQ(purposes(plan), purposes(plain));
        EXPECT_TRUE(plan.images.empty());
        EXPECT_EQ(plan.workspace_bytes, plain.workspace_bytes);
        EXPECT_EQ(outline_of(prepared, device, variant, {}).launches.size(), outline.launches.size());
    }
}

TEST(TensorFp16, AnImageOfSharedBIsMadeOnce)
{
    for (const auto& [name, math, pieces] : fp16_kernels) {
        Arguments arguments = uneven(202, 131, 1003, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS);
        arguments.arithmetic.accuracy = math;
        arguments.batch = Batch{2};
        arguments.distance_a = 1'000'000;
        arguments.distance_c = 1'000'000;
        const Planned call = planned(arguments, name, {});
        EXPECT_EQ(purposes(call.plan), (Purposes{"find the largest of A and B", "split A and B", "multiply",
                                                 "find the largest of A", "split A", "multiply"}));
    }
}
