// Products that underflow: every kernel computes with subnormal numbers as accurately as they allow, also one that
// multiplies floats in pieces, whose products are smaller still.
#include "reference/reference.hpp"
#include "support/case_on_device.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace clgemm::reference;
using namespace clgemm::test;

namespace {

// A full number of bits, or the eight that one piece has.
enum class Bits { all, of_one_piece };

struct Magnitudes {
    const char* what;
    int of_a, of_b; // the elements are from 2^this to twice that
    Bits bits_of_b;
};

constexpr Magnitudes magnitudes[] = {{"all products subnormal", -70, -70, Bits::all},
                                     {"products of small pieces subnormal", -62, -62, Bits::all},
                                     {"products of A's small pieces subnormal", -56, -68, Bits::of_one_piece},
                                     {"products of very different factors subnormal", -20, -118, Bits::of_one_piece},
                                     {"products around half the smallest subnormal", -75, -75, Bits::all}};

void fill(GuardedMatrix& matrix, int magnitude, Bits bits, bool positive, std::mt19937& random)
{
    std::uniform_int_distribution<int> mantissa(0, (1 << 23) - 1), sign(0, 1);
    const int unit = bits == Bits::all ? 1 : 1 << 16;
    for (std::size_t i = 0; i < matrix.rows; i++)
        for (std::size_t j = 0; j < matrix.cols; j++) {
            const auto whole = static_cast<float>((1 << 23) + mantissa(random) / unit * unit);
            matrix.at(i, j) = std::ldexp(positive || sign(random) == 0 ? whole : -whole, magnitude - 23);
        }
}

struct Underflowing {
    std::string what;
    SgemmCase x;
    Operands operands;
    std::vector<Exact> exact;
};

std::vector<Underflowing> make_cases()
{
    std::vector<Underflowing> result;
    std::mt19937 random(1);
    for (const Magnitudes& of : magnitudes)
        for (const SgemmCase& x : {SgemmCase{CLGEMM_COLUMN_MAJOR, CLGEMM_TRANS, CLGEMM_TRANS, 133, 67, 16},
                                   SgemmCase{CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_TRANS, 133, 67, 64},
                                   SgemmCase{CLGEMM_ROW_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 67, 133, 1000}})
            for (const bool positive : {false, true}) { // what is cut off towards zero adds up where all are
                Underflowing one{std::string(of.what) + (positive ? ", all positive" : ""), x, Operands(x), {}};
                fill(one.operands.a, of.of_a, Bits::all, positive, random);
                fill(one.operands.b, of.of_b, of.bits_of_b, positive, random);
                const Operands& o = one.operands;
                for (std::size_t i = 0; i < x.m; i++)
                    for (std::size_t j = 0; j < x.n; j++)
                        one.exact.push_back(element(x.layout, x.trans_a, x.trans_b, i, j, x.k, x.alpha, o.a.data(), o.a.ld,
                                                    o.b.data(), o.b.ld, x.beta, o.c.data(), o.c.ld));
                result.push_back(std::move(one));
            }
    return result;
}

// The same for every kernel, computed once.
const std::vector<Underflowing>& cases()
{
    static const auto* const shared = new std::vector<Underflowing>(make_cases());
    return *shared;
}

bool device_has_subnormals()
{
    return (test_device().device.getInfo<CL_DEVICE_SINGLE_FP_CONFIG>() & CL_FP_DENORM) != 0;
}

// No case ends the test, so that all that are wrong are told.
void expect_right(const char* kernel)
{
    const auto& queue = test_device().in_order;
    for (const auto& [what, x, operands, exact] : cases()) {
        const CaseOnDevice on_device(x, operands);
        ASSERT_EQ(on_device.call(queue, kernel), CLGEMM_SUCCESS) << clgemm_last_error();
        const Operands after = on_device.read(queue);
        double worst = 0;
        for (std::size_t i = 0; i < x.m; i++)
            for (std::size_t j = 0; j < x.n; j++) {
                const Exact& should_be = exact[i * x.n + j];
                const double error = std::fabs(static_cast<double>(after.c.at(i, j)) - should_be.value);
                const double bound = error_bound(x.k, should_be.magnitude) + underflow_bound(x.k, device_has_subnormals());
                worst = std::max(worst, std::isnan(error) ? std::numeric_limits<double>::infinity() : error / bound);
            }
        EXPECT_LE(worst, 1) << what << ", " << x << ": the largest error in units of the bound";
        EXPECT_TRUE(after.c.canaries_are_alive()) << what << ", " << x;
    }
}

class Underflow : public testing::TestWithParam<const char*> {};

TEST_P(Underflow, CostsNoMoreThanTheSmallestNumbersAllow)
{
    if (!runs_here(GetParam()))
        GTEST_SKIP() << "the device cannot run this kernel";
    expect_right(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Every, Underflow, testing::ValuesIn(every_kernel()), name_of_kernel);

TEST(UnderflowByDefault, CostsNoMoreThanTheSmallestNumbersAllow)
{
    expect_right(nullptr);
}

// So that the bound says something: zeros are beyond it. (Not in the last row: of products that small nothing may be left.)
TEST(UnderflowingCases, AreNotRightByZeros)
{
    for (const auto& [what, x, operands, exact] : cases()) {
        if (what.find(std::rbegin(magnitudes)->what) == 0)
            continue;
        std::size_t wrong = 0;
        for (const Exact& one : exact)
            wrong += std::fabs(one.value) > error_bound(x.k, one.magnitude) + underflow_bound(x.k, true) ? 1 : 0;
        EXPECT_GT(wrong, exact.size() / 2) << what << ", " << x;
    }
}

} // namespace
