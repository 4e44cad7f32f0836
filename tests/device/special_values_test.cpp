// NaN, infinity and exact integers: every kernel computes with them as the triple loop does, and does not read what BLAS
// does not read.
#include "reference/reference.hpp"
#include "support/case_on_device.hpp"

#include <limits>

using namespace clgemm::reference;
using namespace clgemm::test;

namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

// Incomplete tiles in every direction for every kernel, so that padding lies next to the last row, column and k.
constexpr SgemmCase uneven[] = {
    {CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 67, 35, 37, 0.5f, -0.7f, {1, 2, 3}, {0, 1, 5}},
    {CLGEMM_ROW_MAJOR, CLGEMM_TRANS, CLGEMM_TRANS, 35, 67, 61, 0.5f, -0.7f, {1, 2, 3}, {0, 1, 5}},
    {CLGEMM_COLUMN_MAJOR, CLGEMM_TRANS, CLGEMM_NO_TRANS, 131, 66, 33, 1, 0, {0, 0, 0}, {0, 0, 0}},
};

void fill_whole(GuardedMatrix& matrix, float value)
{
    for (std::size_t i = 0; i < matrix.rows; i++)
        for (std::size_t j = 0; j < matrix.cols; j++)
            matrix.at(i, j) = value;
}

class SpecialValues : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override
    {
        if (!runs_here(GetParam()))
            GTEST_SKIP() << "the device cannot run this kernel";
    }
    static testing::AssertionResult is_right_with(const SgemmCase& x, const Operands& operands)
    {
        const CaseOnDevice on_device(x, operands);
        const auto& queue = test_device().in_order;
        if (on_device.call(queue, GetParam()) != CLGEMM_SUCCESS)
            return testing::AssertionFailure() << x << ": " << clgemm_last_error();
        return on_device.is_right(queue);
    }
};

TEST_P(SpecialValues, OneSpecialElementOfAOrBReachesWhatItReachesInTheReference)
{
    for (const auto& x : uneven) {
        const Operands plain(x);
        for (const float special : {nan, infinity, -infinity})
            for (const std::size_t l : {std::size_t{0}, x.k / 2, x.k - 1}) {
                for (const std::size_t i : {std::size_t{0}, x.m / 2, x.m - 1}) {
                    Operands operands = plain;
                    element_of_op(operands.a, x.trans_a, i, l) = special;
                    for (std::size_t j = 0; j < x.n; j += 4) // infinity times zero is NaN
                        element_of_op(operands.b, x.trans_b, l, j) = 0;
                    ASSERT_TRUE(is_right_with(x, operands)) << special << " in op(A)(" << i << ", " << l << ")";
                }
                for (const std::size_t j : {std::size_t{0}, x.n / 2, x.n - 1}) {
                    Operands operands = plain;
                    element_of_op(operands.b, x.trans_b, l, j) = special;
                    for (std::size_t i = 0; i < x.m; i += 4)
                        element_of_op(operands.a, x.trans_a, i, l) = 0;
                    ASSERT_TRUE(is_right_with(x, operands)) << special << " in op(B)(" << l << ", " << j << ")";
                }
            }
    }
}

TEST_P(SpecialValues, OppositeInfinitiesMakeNaN)
{
    for (const auto& x : uneven) {
        Operands operands(x);
        element_of_op(operands.a, x.trans_a, x.m - 1, 0) = infinity;
        element_of_op(operands.a, x.trans_a, x.m - 1, x.k - 1) = -infinity;
        for (std::size_t j = 0; j < x.n; j++)
            element_of_op(operands.b, x.trans_b, 0, j) = element_of_op(operands.b, x.trans_b, x.k - 1, j) = 1;
        ASSERT_TRUE(is_right_with(x, operands));
    }
}

TEST_P(SpecialValues, BetaZeroOfEitherSignErasesWhatWasInC)
{
    for (SgemmCase x : uneven)
        for (const float zero : {0.0f, -0.0f})
            for (const float old : {nan, infinity}) {
                x.beta = zero;
                Operands operands(x);
                fill_whole(operands.c, old);
                ASSERT_TRUE(is_right_with(x, operands)) << "C was full of " << old;
            }
}

TEST_P(SpecialValues, WithBetaASpecialElementOfCStaysWhereItIs)
{
    for (SgemmCase x : uneven)
        for (const float special : {nan, infinity, -infinity}) {
            x.beta = -0.7f;
            Operands operands(x);
            operands.c.at(0, 0) = operands.c.at(x.m - 1, 0) = operands.c.at(0, x.n - 1) = operands.c.at(x.m - 1, x.n - 1) =
                special;
            ASSERT_TRUE(is_right_with(x, operands)) << special << " in C's corners";
        }
}

TEST_P(SpecialValues, AlphaAndBetaMayBeSpecialThemselves)
{
    for (const float special : {nan, infinity, -infinity}) {
        SgemmCase x = uneven[0];
        x.alpha = special;
        ASSERT_TRUE(is_right_with(x, Operands(x))) << "alpha";
        x = uneven[0];
        x.beta = special;
        ASSERT_TRUE(is_right_with(x, Operands(x))) << "beta";
    }
}

TEST_P(SpecialValues, WithAlphaOrKZeroAAndBAreNotRead)
{
    for (SgemmCase x : uneven)
        for (const float beta : {0.0f, 1.0f, -0.7f})
            for (const auto& [alpha, k] : {std::pair{0.0f, x.k}, {-0.0f, x.k}, {1.0f, std::size_t{0}}}) {
                x.alpha = alpha;
                x.k = k;
                x.beta = beta;
                Operands operands(x);
                fill_whole(operands.a, nan);
                fill_whole(operands.b, infinity);
                if (beta == 0)
                    fill_whole(operands.c, nan);
                ASSERT_TRUE(is_right_with(x, operands));
            }
}

// Every partial sum is an integer below 2^24, so any order of summation, fused or not, is exact.
TEST_P(SpecialValues, LargeSignedIntegersGiveExactlyTheirResult)
{
    std::mt19937 random(1);
    std::uniform_int_distribution<int> factor(-256, 256), addend(-1'000'000, 1'000'000);
    for (SgemmCase x : uneven) {
        x.alpha = 2;
        x.beta = -3;
        Operands operands(x);
        for (auto* const matrix : {&operands.a, &operands.b, &operands.c})
            for (std::size_t i = 0; i < matrix->rows; i++)
                for (std::size_t j = 0; j < matrix->cols; j++)
                    matrix->at(i, j) = static_cast<float>(matrix == &operands.c ? addend(random) : factor(random));
        const CaseOnDevice on_device(x, operands);
        const auto& queue = test_device().in_order;
        ASSERT_EQ(on_device.call(queue, GetParam()), CLGEMM_SUCCESS) << clgemm_last_error();
        const Operands after = on_device.read(queue);
        for (std::size_t i = 0; i < x.m; i++)
            for (std::size_t j = 0; j < x.n; j++) {
                const Exact exact =
                    element(x.layout, x.trans_a, x.trans_b, i, j, x.k, x.alpha, operands.a.data(), operands.a.ld,
                            operands.b.data(), operands.b.ld, x.beta, operands.c.data(), operands.c.ld);
                ASSERT_EQ(static_cast<double>(after.c.at(i, j)), exact.value) << x << " at (" << i << ", " << j << ")";
            }
    }
}

TEST_P(SpecialValues, NoRowsOrNoColumnsTouchNothingAndStillGiveAnEvent)
{
    const auto& test = test_device();
    for (const auto& queue : {test.in_order, test.out_of_order})
        for (const auto& [m, n] : {std::pair<std::size_t, std::size_t>{0, 5}, {5, 0}, {0, 0}}) {
            SgemmCase x = uneven[0];
            const CaseOnDevice large(x);
            CaseOnDevice on_device = large;
            on_device.x.m = m;
            on_device.x.n = n;
            cl::Event event;
            ASSERT_EQ(on_device.call(queue, GetParam(), {}, &event), CLGEMM_SUCCESS) << clgemm_last_error();
            ASSERT_TRUE(event());
            event.wait();
            EXPECT_EQ(event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>(), CL_COMPLETE);
            const Operands after = on_device.read(queue);
            EXPECT_TRUE(after.a.same_bits(large.before.a));
            EXPECT_TRUE(after.b.same_bits(large.before.b));
            EXPECT_TRUE(after.c.same_bits(large.before.c));
        }
}

INSTANTIATE_TEST_SUITE_P(Every, SpecialValues, testing::ValuesIn(every_kernel()), name_of_kernel);

} // namespace
