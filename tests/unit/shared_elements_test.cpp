// Whether C and an operand share elements, against a count of every element that each of them has.
#include "made_up.hpp"

#include "problem/shared_elements.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

std::set<std::size_t> elements_of(const Matrix& matrix, std::size_t product)
{
    std::set<std::size_t> result;
    for (std::size_t row = 0; row < matrix.rows; row++)
        for (std::size_t col = 0; col < matrix.cols; col++)
            result.insert(matrix.offset + product * matrix.distance + row * matrix.row_stride() + col * matrix.col_stride());
    return result;
}

bool have_common_elements(const Matrix& one, std::size_t product_of_one, const Matrix& other, std::size_t product_of_other)
{
    const auto elements = elements_of(one, product_of_one), others = elements_of(other, product_of_other);
    return std::any_of(elements.begin(), elements.end(), [&](std::size_t each) { return others.count(each) > 0; });
}

// As shares_elements_with_c() is defined.
bool expected(const Problem& x, const Matrix& operand)
{
    for (std::size_t i = 0; i < x.batch.count; i++)
        for (std::size_t j = 0; j < x.batch.count; j++)
            if ((i == j || x.c.distance == operand.distance) && have_common_elements(x.c, i, operand, j))
                return true;
    return false;
}

Problem random_problem(std::mt19937& random)
{
    const auto number = [&](std::size_t from, std::size_t to) {
        return std::uniform_int_distribution<std::size_t>(from, to)(random);
    };
    const auto transpose = [&] { return number(0, 1) != 0 ? CLGEMM_TRANS : CLGEMM_NO_TRANS; };
    const std::size_t m = number(1, 5), n = number(1, 5), k = number(1, 5), ld = number(5, 12);
    const auto leading = [&] { return number(0, 1) != 0 ? ld : number(5, 12); }; // mostly the same: blocks of one matrix
    Arguments x{number(0, 1) != 0 ? CLGEMM_ROW_MAJOR : CLGEMM_COLUMN_MAJOR,
                transpose(),
                transpose(),
                m,
                n,
                k,
                1,
                number(0, 80),
                leading(),
                number(0, 80),
                leading(),
                0,
                number(0, 80),
                leading()};
    x.batch.count = number(1, 3);
    x.distance_c = number(60, 70); // matrices C never overlap
    x.distance_a = number(0, 1) != 0 ? x.distance_c : number(0, 70);
    x.distance_b = number(0, 1) != 0 ? x.distance_c : number(0, 70);
    return make_problem(x);
}

} // namespace

TEST(SharedElements, AreFoundWhereAnyElementIsInBoth)
{
    std::mt19937 random(1);
    int shared = 0, within_one_another = 0;
    for (int i = 0; i < 20'000; i++) {
        const Problem x = random_problem(random);
        for (const Matrix& operand : {x.a, x.b}) {
            const bool share = expected(x, operand);
            ASSERT_EQ(shares_elements_with_c(x, operand), share) << "number " << i << ": " << describe(x);
            shared += share ? 1 : 0;
            const bool spans_meet = operand.offset < x.c.extent() && x.c.offset < operand.extent();
            within_one_another += !share && spans_meet ? 1 : 0;
        }
    }
    EXPECT_GT(shared, 1000);
    EXPECT_GT(within_one_another, 1000);
}

TEST(SharedElements, CountFromWhereCsMemoryBegins)
{
    const Problem x = problem(4, 4, 4); // of 16 elements each
    EXPECT_TRUE(shares_elements_with_c(x, x.a, 0));
    EXPECT_TRUE(shares_elements_with_c(x, x.a, 15));
    EXPECT_FALSE(shares_elements_with_c(x, x.a, 16));
    EXPECT_TRUE(shares_elements_with_c(x, x.a, -15));
    EXPECT_FALSE(shares_elements_with_c(x, x.a, -16));
}

TEST(SharedElements, AreOfNoInterestWhereTheOperandIsNotRead)
{
    Problem x = problem(4, 4, 4);
    x.alpha = 0;
    EXPECT_FALSE(shares_elements_with_c(x, x.a));
    x.alpha = 1;
    x.m = 0;
    EXPECT_FALSE(shares_elements_with_c(x, x.a));
}
