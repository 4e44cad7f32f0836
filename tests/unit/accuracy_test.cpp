// accuracy_bench's own measure: one that cannot find an error would make all its tables worthless.
#include "bench/accuracy.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

using namespace bench;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();

// Of (a0 a1) times (b0 b1) transposed, where this was computed.
Errors errors_of(std::vector<float> a, std::vector<float> b, float computed)
{
    return ExactProduct({1, 1, a.size(), a.data(), b.data()}, 1).errors_of({computed});
}

TEST(Accuracy, CountsErrorsInUnitsOfHalfAnUlpOfTheMagnitudes)
{
    EXPECT_EQ(errors_of({1, 2}, {2, 3}, 8).max, 0);
    EXPECT_EQ(errors_of({1, 2}, {2, 3}, 8 + 0x1p-20f).max, 2);
    EXPECT_EQ(errors_of({1, 2}, {2, -3}, -4 + 0x1p-20f).mean, 2);
    EXPECT_NEAR(errors_of({0x1p-100f}, {0x1p-100f}, 0x1p-148f).max, 2, 1e-12) << "where products underflow, of the smallest";
}

TEST(Accuracy, FindsEveryMisclassifiedElement)
{
    const float all[] = {1, infinity, -infinity, nan};
    const auto only = [&](float right, const std::vector<float>& a, const std::vector<float>& b) {
        for (const float computed : all) {
            const bool is_right = computed == right || (std::isnan(computed) && std::isnan(right));
            EXPECT_EQ(errors_of(a, b, computed).misclassified, is_right ? 0u : 1u) << computed << " for " << right;
        }
    };
    only(1, {1, 0}, {1, 1});
    only(infinity, {infinity, 1}, {1, -1});
    only(-infinity, {infinity, 1}, {-1, -1});
    only(nan, {infinity, 1}, {0, 1});
    only(nan, {infinity, infinity}, {1, -1});
    only(nan, {nan, 1}, {0, 1});
    only(infinity, {0x1p100f, 1}, {0x1p30f, -1});
    only(-infinity, {0x1p100f, 1}, {-0x1p30f, 1});
}

TEST(Accuracy, WhereTheOrderDecidesWhatOverflowsNothingIsExpected)
{
    for (const float computed : {1.0f, infinity, -infinity, nan}) {
        EXPECT_EQ(errors_of({0x1p100f, 0x1p100f}, {0x1p30f, -0x1p30f}, computed).misclassified, 0u);
        EXPECT_EQ(errors_of({std::numeric_limits<float>::max()}, {1}, computed).misclassified, 0u);
    }
}

// Columns of two rows each, of which the second is checked only if all are.
TEST(Accuracy, LooksAtTheRowsAskedForAndAtAllColumns)
{
    std::vector<float> a{1, 2}, b{1, 10, 100};
    const Operands operands{2, 3, 1, a.data(), b.data()};
    const std::vector<float> right{1, 2, 10, 20, 100, 200};
    EXPECT_EQ(ExactProduct(operands, 2).errors_of(right).max, 0);
    for (std::size_t i = 0; i < right.size(); i++) {
        std::vector<float> wrong = right;
        wrong[i] += 1;
        EXPECT_GT(ExactProduct(operands, 2).errors_of(wrong).max, 0) << i;
        EXPECT_EQ(ExactProduct(operands, 1).errors_of(wrong).max > 0, i % 2 == 0) << i;
    }
}

} // namespace
