// Small calls stand for large ones: whatever program a call needs, a small call by that very program is found.
#include "multiply_plans.hpp"

#include "engine/small_call.hpp"
#include "support/whole_numbers.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <map>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

Problem batched(Arguments x, std::size_t count, std::size_t more)
{
    x.batch.count = count;
    x.distance_a = x.lda * std::max(x.m, x.k) + more;
    x.distance_b = x.ldb * std::max(x.k, x.n) + more;
    x.distance_c = x.ldc * x.n + more;
    return make_problem(x);
}

Problem listed(Arguments x, std::size_t multiple)
{
    x.offset_a = x.offset_b = x.offset_c = 0;
    x.distance_a = x.distance_b = x.distance_c = multiple;
    x.batch = {5, true, 7};
    return make_problem(x);
}

Problem prepared(Problem problem, bool a, bool b)
{
    for (const auto& [matrix, is_prepared] : {std::pair{&problem.a, a}, {&problem.b, b}})
        if (is_prepared) {
            matrix->prepared = true;
            matrix->siblings = {matrix->distance == 0 ? 1 : problem.batch.count, 0, matrix->distance};
        }
    return problem;
}

// Less than a tile and more, aligned and not, one column, deep, far apart in memory; alone, in batches and lists, prepared.
std::vector<Problem> problems()
{
    std::vector<Problem> result;
    const auto add_all = [&](const Arguments& x) {
        const Problem alone = make_problem(x);
        const Problem of_three = batched(x, 3, 1);
        for (const Problem& problem : {alone, batched(x, 2, 0), of_three, listed(x, 1), listed(x, 16)})
            result.push_back(problem);
        for (const Problem& problem : {alone, of_three})
            for (const auto& [a, b] : {std::pair{true, false}, {false, true}, {true, true}})
                result.push_back(prepared(problem, a, b));
    };
    for (const auto& [m, n, k] : {std::array<std::size_t, 3>{5, 3, 9}, {1000, 20, 512}, {7, 1000, 4100}})
        for (const auto trans_a : {CLGEMM_NO_TRANS, CLGEMM_TRANS})
            for (const auto trans_b : {CLGEMM_NO_TRANS, CLGEMM_TRANS}) {
                add_all(arguments(m, n, k, trans_a, trans_b));
                add_all(uneven(m, n, k, trans_a, trans_b));
            }
    for (const auto& [m, n, k] : {std::array<std::size_t, 3>{1, 1, 1}, {64, 64, 64}, {999, 1, 1001}, {513, 517, 100'000}})
        add_all(arguments(m, n, k));
    for (const std::size_t side : {31, 49, 50, 63}) // which small_batch may copy as stretches without gaps
        for (const auto trans_a : {CLGEMM_NO_TRANS, CLGEMM_TRANS})
            for (const auto trans_b : {CLGEMM_NO_TRANS, CLGEMM_TRANS})
                result.push_back(batched(arguments(side, side, side, trans_a, trans_b), 3, 0));
    Arguments far_apart = arguments(40, 512, 512, CLGEMM_NO_TRANS, CLGEMM_TRANS); // as kernel 17 copies B first
    far_apart.ldb = 4096;
    add_all(far_apart);
    far_apart.layout = CLGEMM_ROW_MAJOR;
    far_apart.lda = far_apart.ldc = 4096;
    add_all(far_apart);
    return result;
}

using Test = std::function<void(const Problem&, const PlannedCall&, const DeviceProfile&)>;

PlannedCall planned_call(const Problem& problem, const DeviceProfile& device, const Variant& variant, const Way& way)
{
    return {std::make_shared<Selection>(Selection{variant, "tested", way}), plan_of(problem, device, variant, way)};
}

// Every kernel in every size and way, in FP32 or another arithmetic, and where bits count.
void for_each_call(const Test& test)
{
    const std::vector<Problem> all = problems();
    for (const DeviceProfile& device : {hopper_gpu(), cpu_with_tiles()})
        for (const KernelInfo& kernel : kernels())
            for (const Parameters& parameters : kernel.variants) {
                const Variant variant = with_device_features(clgemm::core::variant_of(kernel, parameters), device);
                for (Problem problem : all)
                    for (const auto& [math, beta] : {std::pair{usual_arithmetic(kernel).accuracy, 0.0f},
                                                     {usual_arithmetic(kernel).accuracy, 1.0f},
                                                     {CLGEMM_MATH_REPRODUCIBLE, 1.0f}}) {
                        problem.arithmetic.accuracy = math;
                        problem.beta = beta;
                        if (!takes(problem, variant, device))
                            continue;
                        auto ways = variant.family().ways(problem, device, variant);
                        ways.push_back({});
                        for (const Way& way : ways) {
                            SCOPED_TRACE(testing::Message()
                                         << device.name << ", " << kernel.name << " " << variant.parameters.text() << ", "
                                         << describe(problem) << ", math " << math << ", batch " << problem.batch.count
                                         << (problem.batch.listed ? " listed" : "") << ", form " << way.form << ", split-K "
                                         << way.split_k << (way.transposed ? ", transposed" : ""));
                            test(problem, planned_call(problem, device, variant, way), device);
                        }
                    }
            }
}

bool has(const Plan& plan, const Step& program)
{
    const auto steps = steps_and_makings(plan);
    return std::any_of(steps.begin(), steps.end(), [&](const Step* step) { return are_of_one_program(*step, program); });
}

TEST(SmallCall, IsFoundForEveryProgramOfEveryCall)
{
    struct Known {
        std::size_t retargeted_local_bytes;
        std::size_t calls = 0;
    };
    std::map<std::pair<const KernelSource*, std::string>, Known> programs;
    std::size_t largest = 0;
    for_each_call([&](const Problem& problem, const PlannedCall& call, const DeviceProfile& device) {
        const auto to_check = steps_to_check(call.plan, *call.selection->variant.kernel, problem.arithmetic);
        ASSERT_FALSE(to_check.empty());
        EXPECT_EQ(to_check.front()->source, &call.selection->variant.kernel->source());
        for (const Step* const program : to_check) {
            Known& known = programs.try_emplace({program->source, program->options}, Known{program->retargeted_local_bytes})
                               .first->second;
            EXPECT_EQ(known.retargeted_local_bytes, program->retargeted_local_bytes)
                << "are_of_one_program() compares the options alone";
            // Thousands of calls have the same program: its first ones are taken, and less and less of the others.
            if (const std::size_t number = known.calls++; number > 8 && !std::has_single_bit(number))
                continue;
            const auto small_calls = small_calls_by(*program, problem, call, device);
            ASSERT_FALSE(small_calls.empty()) << program->purpose << ": " << program->options;
            for (const SmallCall& small : small_calls) {
                EXPECT_TRUE(has(small.plan, *program)) << program->options;
                const Problem& x = small.problem;
                EXPECT_EQ(x.batch.listed, problem.batch.listed);
                largest = std::max(largest, x.m * x.n * x.k * x.batch.count);
            }
        }
    });
    EXPECT_GT(programs.size(), 500u);
    EXPECT_LT(largest, std::size_t{1} << 31) << "the host computes a part of it, too";
}

// One after as many as a launch has: a program for batches, and one for the last product alone.
TEST(SmallCall, IsFoundForBothProgramsOfAVeryLargeBatch)
{
    const DeviceProfile device = hopper_gpu();
    const Problem problem = batched(arguments(8, 8, 8), most_products_at_once + 1, 0);
    const PlannedCall call = planned_call(problem, device, clgemm::test::variant_of("13", device), {});
    const auto to_check = steps_to_check(call.plan, *call.selection->variant.kernel, problem.arithmetic);
    ASSERT_EQ(to_check.size(), 2u);
    for (const Step* const program : to_check) {
        const auto small_calls = small_calls_by(*program, problem, call, device);
        ASSERT_FALSE(small_calls.empty()) << program->options;
        EXPECT_TRUE(has(small_calls.front().plan, *program));
        EXPECT_EQ(small_calls.front().problem.batch.count, has_option(*program, "BATCH=1") ? 2u : 1u);
    }
}

// Kernel 13 multiplies whole blocks of K by one program and the rest by another one, which no product of less than a block
// has: there it takes the order of products that it is given.
TEST(SmallCall, IsFoundForTheRestOfAReproducibleProductDeeperThanTheHostComputes)
{
    const DeviceProfile device = hopper_gpu();
    for (std::size_t index = 0; index < find_kernel("13")->variants.size(); index++) {
        Variant variant = clgemm::test::variant_of("13", device, index);
        variant.parameters = variant.parameters.with("ORDER", 1);
        for (const std::size_t rest : {0, 1, 8, 16, 32, 48, 56}) {
            Problem x = problem(300, 300, 66'048 + rest);
            x.arithmetic.accuracy = CLGEMM_MATH_REPRODUCIBLE;
            const PlannedCall call = planned_call(x, device, variant, {});
            for (const Step* const program : steps_to_check(call.plan, *variant.kernel, x.arithmetic))
                EXPECT_FALSE(small_calls_by(*program, x, call, device).empty())
                    << "rest " << rest << ": " << program->options;
        }
    }
}

// A program whose work-groups compute several tiles, one after the other, is tried with several tiles for each.
TEST(SmallCall, HasSeveralTilesForAWorkGroupWhereTheCallHas)
{
    const DeviceProfile device = hopper_gpu();
    Arguments arguments_of_x = arguments(16000, 8000, 64, CLGEMM_TRANS, CLGEMM_NO_TRANS);
    arguments_of_x.lda = arguments_of_x.ldb = arguments_of_x.ldc = 16384;
    Problem x = make_problem(arguments_of_x);
    x.arithmetic.accuracy = CLGEMM_MATH_TF32;
    std::size_t tried = 0;
    for (std::size_t index = 0; index < find_kernel("tensor_rounded")->variants.size(); index++) {
        const Variant variant = clgemm::test::variant_of("tensor_rounded", device, index);
        for (const Way& way : variant.family().ways(x, device, variant)) {
            const PlannedCall call = planned_call(x, device, variant, way);
            const Step& program = call.plan.steps.back();
            if (!has_option(program, "SEVERAL_TILES=1"))
                continue;
            for (const SmallCall& small : small_calls_by(program, x, call, device)) {
                const std::size_t sides[] = {way.transposed ? small.problem.n : small.problem.m,
                                             way.transposed ? small.problem.m : small.problem.n};
                const std::size_t tiles = divide_up(sides[0], variant.tiling.m) * divide_up(sides[1], variant.tiling.n);
                EXPECT_GE(tiles, 2 * small.plan.steps.back().groups[0]) << variant.parameters.text();
                tried++;
            }
        }
    }
    EXPECT_GT(tried, 0u);
}

// C is stored by other instructions where it is added to, so a program for both is tried in both ways.
TEST(SmallCall, OverwritesCAndAddsToItWhereTheProgramDoesBoth)
{
    const DeviceProfile device = hopper_gpu();
    const auto betas = [&](const char* kernel, float beta, clgemm_math math) {
        Problem x = problem(300, 300, 64);
        x.beta = beta;
        x.arithmetic.accuracy = math;
        const PlannedCall call = planned_call(x, device, clgemm::test::variant_of(kernel, device), {});
        const Step program = *steps_to_check(call.plan, *call.selection->variant.kernel, x.arithmetic).front();
        std::vector<float> result;
        for (const SmallCall& small : small_calls_by(program, x, call, device))
            result.push_back(small.problem.beta);
        return result;
    };
    using Betas = std::vector<float>;
    EXPECT_EQ(betas("tensor_direct", 0.0f, CLGEMM_MATH_DEFAULT), (Betas{0.0f, 0.5f}));
    EXPECT_EQ(betas("tensor_direct", 2.0f, CLGEMM_MATH_DEFAULT), (Betas{0.0f, 0.5f}));
    EXPECT_EQ(betas("13", 0.0f, CLGEMM_MATH_STRICT), Betas{0.0f});
    EXPECT_EQ(betas("13", 2.0f, CLGEMM_MATH_STRICT), Betas{0.5f}) << "a program of its own";
    EXPECT_EQ(betas("13", 0.0f, CLGEMM_MATH_REPRODUCIBLE), Betas{-1.3f});
}

// What cannot be tried is not taken for right.
TEST(SmallCall, IsNotMadeUpForAProgramThatTheCallDoesNotHave)
{
    const DeviceProfile device = hopper_gpu();
    const Problem small = problem(100, 100, 100);
    const PlannedCall call = planned_call(small, device, clgemm::test::variant_of("13", device), {});
    Step another = call.plan.steps.front();
    another.options += " -DANOTHER";
    EXPECT_TRUE(small_calls_by(another, small, call, device).empty());
}

} // namespace
