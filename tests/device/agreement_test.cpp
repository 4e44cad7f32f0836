// All kernels agree: on the same problem any two of them lie within twice the error bound of each other, and on integers
// that need no rounding they give the same bits.
#include "reference/reference.hpp"
#include "support/case_on_device.hpp"

#include <cmath>

using namespace clgemm::reference;
using namespace clgemm::test;

namespace {

class Agreement : public testing::TestWithParam<SgemmCase> {
protected:
    // C as each kernel leaves it, and last as the automatic choice does.
    static std::vector<GuardedMatrix> results(const Operands& operands)
    {
        std::vector<const char*> kernels = kernels_here();
        kernels.push_back(nullptr);
        std::vector<GuardedMatrix> all;
        for (const char* const kernel : kernels) {
            const CaseOnDevice on_device(GetParam(), operands);
            const auto& queue = test_device().in_order;
            EXPECT_EQ(on_device.call(queue, kernel), CLGEMM_SUCCESS) << clgemm_last_error();
            all.push_back(on_device.read(queue).c);
        }
        return all;
    }
};

TEST_P(Agreement, OfAnyTwoKernelsIsWithinTwiceTheBound)
{
    const SgemmCase& x = GetParam();
    const Operands operands(x);
    const auto all = results(operands);
    for (std::size_t i = 0; i < x.m; i++)
        for (std::size_t j = 0; j < x.n; j++) {
            const Exact exact = element(x.layout, x.trans_a, x.trans_b, i, j, x.k, x.alpha, operands.a.data(), operands.a.ld,
                                        operands.b.data(), operands.b.ld, x.beta, operands.c.data(), operands.c.ld);
            double least = all[0].at(i, j), largest = least;
            for (const auto& c : all) {
                least = std::fmin(least, static_cast<double>(c.at(i, j)));
                largest = std::fmax(largest, static_cast<double>(c.at(i, j)));
                ASSERT_FALSE(std::isnan(c.at(i, j)));
            }
            ASSERT_LE(largest - least, 2 * error_bound(x.k, exact.magnitude)) << "C(" << i << ", " << j << ")";
        }
}

TEST_P(Agreement, OnIntegersIsToTheBit)
{
    const SgemmCase& x = GetParam();
    Operands operands(x);
    std::mt19937 random(7);
    std::uniform_int_distribution<int> small(-9, 9);
    for (auto* const matrix : {&operands.a, &operands.b, &operands.c})
        for (std::size_t i = 0; i < matrix->rows; i++)
            for (std::size_t j = 0; j < matrix->cols; j++)
                matrix->at(i, j) = static_cast<float>(small(random));
    const auto all = results(operands);
    const auto names = kernels_here();
    for (std::size_t kernel = 1; kernel < all.size(); kernel++)
        EXPECT_TRUE(all[kernel].same_bits(all[0]))
            << (kernel < names.size() ? names[kernel] : "the automatic choice") << " and " << names[0] << " differ";
}

// alpha and beta are such that scaled integers stay integers.
INSTANTIATE_TEST_SUITE_P(
    On, Agreement,
    testing::Values(SgemmCase{CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 128, 128, 128, 1, 0, {}, {}},
                    SgemmCase{CLGEMM_ROW_MAJOR, CLGEMM_TRANS, CLGEMM_NO_TRANS, 129, 127, 65, -2, 1, {1, 2, 3}, {3, 2, 1}},
                    SgemmCase{
                        CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_TRANS, 200, 17, 333, 1, -1, {0, 5, 0}, {0, 0, 64}},
                    SgemmCase{CLGEMM_ROW_MAJOR, CLGEMM_NO_TRANS, CLGEMM_CONJ_TRANS, 3, 211, 1000, 1, 0, {}, {}},
                    SgemmCase{CLGEMM_COLUMN_MAJOR, CLGEMM_CONJ_TRANS, CLGEMM_TRANS, 97, 101, 1, 3, 2, {4, 4, 4}, {4, 4, 4}}),
    [](const auto& tested) {
        return std::to_string(tested.param.m) + "x" + std::to_string(tested.param.n) + "x" + std::to_string(tested.param.k);
    });

} // namespace
