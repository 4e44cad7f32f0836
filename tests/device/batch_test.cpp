// Batches: every kernel is right for them, since a plan computes one product after the other where a kernel takes one alone.
#include "engine/multiply.hpp"
#include "reference/reference.hpp"
#include "support/case_on_device.hpp"
#include "support/with_selection.hpp"

#include <gtest/gtest.h>

#include <random>

using namespace clgemm::test;
namespace core = clgemm::core;
namespace reference = clgemm::reference;

namespace {

constexpr float canary = -77.5f;

// `count` matrices of rows x cols as stored, `gap` elements between them; or one that all products share.
struct Operand {
    Operand(std::size_t its_rows, std::size_t its_cols, std::size_t count, std::size_t gap, bool is_shared, unsigned seed)
        : ld(its_rows + 1), distance(is_shared ? 0 : ld * its_cols + gap)
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

    static constexpr std::size_t offset = 3;
    std::size_t ld, distance;
    std::vector<float> values;
};

struct BatchCase {
    std::size_t m, n, k, count, gap;
    bool shares_a, shares_b;
};

core::Problem problem_of(const BatchCase& x, const Operand& a, const Operand& b, const Operand& c)
{
    core::Problem problem = core::make_problem({CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_TRANS, x.m, x.n, x.k, 1.5f,
                                                Operand::offset, a.ld, Operand::offset, b.ld, 0.5f, Operand::offset, c.ld});
    problem.batch.count = x.count;
    problem.a.distance = a.distance;
    problem.b.distance = b.distance;
    problem.c.distance = c.distance;
    return problem;
}

std::vector<float> multiplied(const core::Problem& problem, const Operand& a, const Operand& b, const Operand& c,
                              const char* kernel)
{
    const auto& test = test_device();
    const auto buffer = [&](std::vector<float> values) {
        return cl::Buffer(test.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, values.size() * sizeof(float),
                          values.data());
    };
    const cl::Buffer on_device[] = {buffer(a.values), buffer(b.values), buffer(c.values)};
    core::Request request;
    request.options.kernel = core::find_kernel(kernel);
    core::multiply(*core::device_state(test.context(), test.device()), problem,
                   {on_device[0](), on_device[1](), on_device[2]()}, {test.in_order, true}, request);
    std::vector<float> result(c.values.size());
    test.in_order.enqueueReadBuffer(on_device[2], CL_TRUE, 0, result.size() * sizeof(float), result.data());
    return result;
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
                    const std::size_t place = Operand::offset + i * c.distance + col * c.ld + row;
                    ASSERT_TRUE(reference::is_right(computed[place], exact, x.k)) << i << ": " << row << ", " << col;
                    expected_elsewhere[place] = computed[place];
                }
        EXPECT_EQ(computed, expected_elsewhere);
    }
}

// A product does not depend on the batch in which it is computed.
TEST_P(Batch, HasTheBitsOfSingleCalls)
{
    const BatchCase x{40, 24, 100, 3, 4, false, false};
    const Operand a(x.m, x.k, x.count, x.gap, false, 1), b(x.n, x.k, x.count, x.gap, false, 2),
        c(x.m, x.n, x.count, x.gap, false, 3);
    const core::Problem batched = problem_of(x, a, b, c);
    const auto all = multiplied(batched, a, b, c, GetParam());
    for (std::size_t i = 0; i < x.count; i++) {
        const auto one = multiplied(product_of(batched, i), a, b, c, GetParam());
        for (std::size_t col = 0; col < x.n; col++)
            for (std::size_t row = 0; row < x.m; row++) {
                const std::size_t place = Operand::offset + i * c.distance + col * c.ld + row;
                ASSERT_EQ(all[place], one[place]) << i << ": " << row << ", " << col;
            }
    }
}

INSTANTIATE_TEST_SUITE_P(Kernel, Batch, testing::ValuesIn(kernels_here()), name_of_kernel);

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
                expected[Operand::offset + i * c.distance + col * c.ld + row] *= 0.5f;
    EXPECT_EQ(multiplied(problem, a, b, c, "1"), expected);
}
