// Batches: every kernel is right for them, since a plan computes one product after the other where a kernel takes one alone.
#include "engine/make_ready.hpp"
#include "engine/multiply.hpp"
#include "reference/reference.hpp"
#include "select/plan_of.hpp"
#include "support/case_on_device.hpp"
#include "support/with_selection.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

using namespace clgemm::test;
namespace core = clgemm::core;
namespace reference = clgemm::reference;

namespace {

constexpr float canary = -77.5f;

// `count` matrices of rows x cols as stored, `gap` elements between them; or one that all products share.
struct Operand {
    Operand(std::size_t its_rows, std::size_t its_cols, std::size_t count, std::size_t gap, bool is_shared, unsigned seed,
            std::size_t more_in_ld = 1, std::size_t its_offset = 3)
        : offset(its_offset), ld(its_rows + more_in_ld), distance(is_shared ? 0 : ld * its_cols + gap)
    {
        std::mt19937 random(seed);
        std::uniform_real_distribution<float> uniform(-1, 1);
        values.assign(offset + ld * its_cols + (count - 1) * distance + 5, canary);
        for (std::size_t i = 0; i < (is_shared ? 1 : count); i++)
            for (std::size_t col = 0; col < its_cols; col++)
                for (std::size_t row = 0; row < its_rows; row++)
                    values[offset + i * distance + col * ld + row] = uniform(random);
    }
    const float* product(std::size_t index) const { return values.data() + offset + index * distance; }
    std::size_t place(std::size_t index, std::size_t row, std::size_t col) const
    {
        return offset + index * distance + col * ld + row;
    }

    std::size_t offset, ld, distance;
    std::vector<float> values;
};

struct BatchCase {
    std::size_t m, n, k, count, gap;
    bool shares_a, shares_b;
};

core::Problem problem_of(const BatchCase& x, const Operand& a, const Operand& b, const Operand& c)
{
    core::Problem problem = core::make_problem({CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_TRANS, x.m, x.n, x.k, 1.5f,
                                                a.offset, a.ld, b.offset, b.ld, 0.5f, c.offset, c.ld});
    problem.batch.count = x.count;
    problem.a.distance = a.distance;
    problem.b.distance = b.distance;
    problem.c.distance = c.distance;
    return problem;
}

std::vector<float> on_device(const Operand& a, const Operand& b, const Operand& c,
                             const std::function<void(const core::Buffers&)>& multiply)
{
    const auto& test = test_device();
    const auto buffer = [&](std::vector<float> values) {
        return cl::Buffer(test.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, values.size() * sizeof(float),
                          values.data());
    };
    const cl::Buffer buffers[] = {buffer(a.values), buffer(b.values), buffer(c.values)};
    multiply({buffers[0](), buffers[1](), buffers[2]()});
    std::vector<float> result(c.values.size());
    test.in_order.enqueueReadBuffer(buffers[2], CL_TRUE, 0, result.size() * sizeof(float), result.data());
    return result;
}

// By the engine, which chooses a way of the kernel.
std::vector<float> multiplied(const core::Problem& problem, const Operand& a, const Operand& b, const Operand& c,
                              const char* kernel)
{
    return on_device(a, b, c, [&](const core::Buffers& buffers) {
        const auto& test = test_device();
        core::Request request;
        request.options.kernel = core::find_kernel(kernel);
        core::multiply(*core::device_state(test.context(), test.device()), problem, buffers, {test.in_order, true}, request);
    });
}

// As it is selected.
std::vector<float> multiplied(const core::Problem& problem, const Operand& a, const Operand& b, const Operand& c,
                              const core::Selection& selection)
{
    return on_device(a, b, c, [&](const core::Buffers& buffers) {
        const auto& test = test_device();
        const auto state = core::device_state(test.context(), test.device());
        core::Plan plan = core::plan_of(problem, state->profile(), selection.variant, selection.way);
        core::execute(core::ready(std::move(plan), state->programs), state->workspaces, buffers, {test.in_order, true});
    });
}

class Batch : public testing::TestWithParam<const char*> {};

} // namespace

TEST_P(Batch, IsRightInEachProductAndTouchesNothingBetweenThem)
{
    for (const BatchCase& x : {BatchCase{17, 9, 33, 3, 11, false, false},
                               {64, 32, 64, 4, 0, false, true},
                               {5, 70, 20, 3, 1, true, false},
                               {33, 33, 8, 1, 0, false, false}}) {
        SCOPED_TRACE(std::to_string(x.m) + "x" + std::to_string(x.n) + "x" + std::to_string(x.k));
        const Operand a(x.m, x.k, x.count, x.gap, x.shares_a, 1), b(x.n, x.k, x.count, x.gap, x.shares_b, 2),
            c(x.m, x.n, x.count, x.gap, false, 3);
        const auto computed = multiplied(problem_of(x, a, b, c), a, b, c, GetParam());
        std::vector<float> expected_elsewhere = c.values;
        for (std::size_t i = 0; i < x.count; i++)
            for (std::size_t col = 0; col < x.n; col++)
                for (std::size_t row = 0; row < x.m; row++) {
                    const auto exact =
                        reference::element(CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_TRANS, row, col, x.k, 1.5f,
                                           a.product(i), a.ld, b.product(i), b.ld, 0.5f, c.product(i), c.ld);
                    const std::size_t place = c.place(i, row, col);
                    ASSERT_TRUE(reference::is_right(computed[place], exact, x.k)) << i << ": " << row << ", " << col;
                    expected_elsewhere[place] = computed[place];
                }
        EXPECT_EQ(computed, expected_elsewhere);
    }
}

// A product does not depend on the batch in which it is computed, by the same kernel in the same size. (For single calls the
// library may choose another size, which may cut K into other blocks.)
TEST_P(Batch, HasTheBitsOfSingleCalls)
{
    const BatchCase x{40, 24, 100, 3, 4, false, false};
    const Operand a(x.m, x.k, x.count, x.gap, false, 1), b(x.n, x.k, x.count, x.gap, false, 2),
        c(x.m, x.n, x.count, x.gap, false, 3);
    const core::Problem batched = problem_of(x, a, b, c);
    const auto planner = core::planner_for(test_device().device());
    const core::Selection selection =
        core::select(batched, planner->device(), planner->tuning(), {.kernel = core::find_kernel(GetParam())});
    const auto all = multiplied(batched, a, b, c, selection);
    for (std::size_t i = 0; i < x.count; i++) {
        const auto one = multiplied(product_of(batched, i), a, b, c, selection);
        for (std::size_t col = 0; col < x.n; col++)
            for (std::size_t row = 0; row < x.m; row++) {
                const std::size_t place = c.place(i, row, col);
                ASSERT_EQ(all[place], one[place]) << i << ": " << row << ", " << col;
            }
    }
}

INSTANTIATE_TEST_SUITE_P(Kernel, Batch, testing::ValuesIn(kernels_here()), name_of_kernel);

// What kernels have of their own whose work-groups take several products: all transposes, odd sizes, blocks, ends of
// batches, aligned and not.
struct Size {
    const core::KernelInfo* kernel;
    core::Parameters parameters;
};
class WholeBatch : public testing::TestWithParam<Size> {};

// How the matrices of a batch lie: aligned for vectors (if their sizes are), with something between their columns, or
// without gaps but from an odd place on.
enum class Lie { aligned, apart, packed };

TEST_P(WholeBatch, IsRightForAllTransposesSizesAndCounts)
{
    const auto& test = test_device();
    const auto state = core::device_state(test.context(), test.device());
    const core::Selection selection = tested(*GetParam().kernel, GetParam().parameters);
    if (!runs(selection.variant, state->profile()))
        GTEST_SKIP() << "the device does not run it in this size";
    struct Case {
        std::size_t m, n, k, count, gap;
        bool shares_a, shares_b;
        Lie lie;
        float beta;
    };
    for (const Case& x : {Case{8, 8, 8, 70, 0, false, false, Lie::aligned, 0},
                          {7, 13, 31, 9, 3, false, false, Lie::apart, 0.5f},
                          {33, 31, 7, 5, 0, false, true, Lie::apart, 0},
                          {16, 12, 20, 33, 4, true, false, Lie::aligned, -1},
                          {4, 4, 1000, 37, 0, false, false, Lie::aligned, 0},
                          {1, 1, 1, 300, 1, false, false, Lie::apart, 2},
                          {128, 1, 128, 3, 0, false, false, Lie::aligned, 0},
                          {64, 64, 8, 2, 0, true, true, Lie::aligned, 0},
                          {150, 70, 9, 2, 5, false, false, Lie::apart, 1},
                          {20, 130, 100, 3, 0, false, false, Lie::apart, 0.5f}, // B's columns are copied
                          {200, 18, 40, 33, 0, true, false, Lie::aligned, 0},
                          {48, 21, 33, 17, 2, false, false, Lie::apart, 0.5f}, // A is read in place
                          {32, 6, 40, 9, 0, false, true, Lie::packed, 1},
                          {64, 64, 64, 1, 0, false, false, Lie::aligned, 0},
                          {7, 13, 31, 70, 0, false, false, Lie::packed, 0.5f},
                          {31, 31, 31, 9, 0, false, false, Lie::packed, 0},
                          {33, 12, 18, 10, 0, true, false, Lie::packed, 1},
                          {9, 21, 5, 33, 0, false, true, Lie::packed, 0},
                          {1, 3, 2, 300, 0, false, false, Lie::packed, 2}})
        for (const auto trans_a : {CLGEMM_NO_TRANS, CLGEMM_TRANS})
            for (const auto trans_b : {CLGEMM_NO_TRANS, CLGEMM_TRANS}) {
                SCOPED_TRACE(std::to_string(x.m) + "x" + std::to_string(x.n) + "x" + std::to_string(x.k) + ", " +
                             std::to_string(trans_a) + ", " + std::to_string(trans_b));
                const bool ta = trans_a != CLGEMM_NO_TRANS, tb = trans_b != CLGEMM_NO_TRANS;
                const std::size_t more = x.lie == Lie::apart ? 1 : 0, offset = x.lie == Lie::aligned ? 4 : 3;
                const Operand a(ta ? x.k : x.m, ta ? x.m : x.k, x.count, x.gap, x.shares_a, 1, more, offset),
                    b(tb ? x.n : x.k, tb ? x.k : x.n, x.count, x.gap, x.shares_b, 2, more, offset);
                Operand c(x.m, x.n, x.count, x.gap, false, 3, more, offset);
                if (x.beta == 0) // what is never read
                    for (std::size_t i = 0; i < x.count; i++)
                        for (std::size_t col = 0; col < x.n; col++)
                            std::fill_n(c.values.begin() + static_cast<std::ptrdiff_t>(c.place(i, 0, col)), x.m, NAN);
                core::Problem problem = core::make_problem({CLGEMM_COLUMN_MAJOR, trans_a, trans_b, x.m, x.n, x.k, 1.5f,
                                                            offset, a.ld, offset, b.ld, x.beta, offset, c.ld});
                problem.batch.count = x.count;
                problem.a.distance = a.distance;
                problem.b.distance = b.distance;
                problem.c.distance = c.distance;
                const auto computed = multiplied(problem, a, b, c, selection);
                std::vector<float> expected = c.values;
                for (std::size_t i = 0; i < x.count; i++)
                    for (std::size_t col = 0; col < x.n; col++)
                        for (std::size_t row = 0; row < x.m; row++) {
                            const auto exact =
                                reference::element(CLGEMM_COLUMN_MAJOR, trans_a, trans_b, row, col, x.k, 1.5f, a.product(i),
                                                   a.ld, b.product(i), b.ld, x.beta, c.product(i), c.ld);
                            const std::size_t place = c.place(i, row, col);
                            ASSERT_TRUE(reference::is_right(computed[place], exact, x.k)) << i << ": " << row << ", " << col;
                            expected[place] = computed[place];
                        }
                EXPECT_EQ(computed, expected);
            }
}

std::vector<Size> sizes()
{
    std::vector<Size> result;
    // The first, the last, and the first whose work-items have two vectors of rows.
    const core::KernelInfo& small = *core::find_kernel("small_batch");
    const auto eight_rows = std::find_if(small.variants.begin(), small.variants.end(),
                                         [](const core::Parameters& parameters) { return parameters["WPTM"] == 8; });
    for (const core::Parameters& parameters : {small.variants.front(), *eight_rows, small.variants.back()})
        result.push_back({&small, parameters});
    const core::KernelInfo& fused = *core::find_kernel("cpu_fused");
    for (const core::Parameters& parameters : fused.variants)
        result.push_back({&fused, parameters});
    return result;
}

INSTANTIATE_TEST_SUITE_P(Sizes, WholeBatch, testing::ValuesIn(sizes()));

TEST(BatchOfScaledC, ScalesEachProduct)
{
    const BatchCase x{17, 9, 5, 3, 11, false, false};
    const Operand a(x.m, x.k, x.count, x.gap, false, 1), b(x.n, x.k, x.count, x.gap, false, 2),
        c(x.m, x.n, x.count, x.gap, false, 3);
    core::Problem problem = problem_of(x, a, b, c);
    problem.alpha = 0;
    std::vector<float> expected = c.values;
    for (std::size_t i = 0; i < x.count; i++)
        for (std::size_t col = 0; col < x.n; col++)
            for (std::size_t row = 0; row < x.m; row++)
                expected[c.place(i, row, col)] *= 0.5f;
    EXPECT_EQ(multiplied(problem, a, b, c, "1"), expected);
}

// When a batch of several plans falls back in the middle, a call that is known would compute its first products once more.
TEST(ProductsThatAreLeft, AreNotComputedByACallThatIsKnownForAll)
{
    const auto state = core::device_state(test_device().context(), test_device().device());
    core::Problem problem =
        core::make_problem({CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 3, 3, 3, 1, 0, 3, 0, 3, 0, 0, 3});
    problem.batch.count = 5;
    problem.a.distance = problem.b.distance = problem.c.distance = 9;
    const core::Request request;
    core::Attempts attempts(problem, request);
    ASSERT_EQ(core::make_ready(*state, attempts)->products, 5u);
    EXPECT_EQ(core::make_ready(*state, attempts, 2)->products, 3u);
}
