// ProductList: products that share elements of C are found wherever they stand, and what is a strided batch is seen as one.
#include "made_up.hpp"

#include "problem/product_list.hpp"
#include "support/error.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <sstream>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

// A list with memory of its own.
struct OwnList {
    Arguments shape = arguments(2, 3, 4);
    std::vector<float> alpha{1}, beta{0};
    std::vector<std::size_t> a, b, c;

    ProductList list() const
    {
        return {shape, c.size(), alpha.data(), beta.data(), alpha.size(), a.data(), b.data(), c.data()};
    }
};

OwnList with_c_at(std::vector<std::size_t> offsets)
{
    OwnList result;
    result.a = result.b = std::vector<std::size_t>(offsets.size(), 0);
    result.c = std::move(offsets);
    return result;
}

clgemm_status status_of(const ProductList& list)
{
    try {
        check(list);
        return CLGEMM_SUCCESS;
    } catch (const Error& error) {
        return error.status();
    }
}

// "0+3 3+1": first product and length of each.
std::string stretches(const OwnList& own)
{
    std::ostringstream result;
    for (const Stretch& stretch : stretches_of(own.list()))
        result << (stretch.first == 0 ? "" : " ") << stretch.first << "+" << stretch.count;
    return result.str();
}

} // namespace

TEST(ProductList, ProductsThatShareElementsAreRefusedAndNoOthers)
{
    std::mt19937 random(1);
    std::size_t taken = 0, within_one_another = 0;
    for (int i = 0; i < 20'000; i++) {
        OwnList own;
        const std::size_t m = 1 + random() % 3, n = 1 + random() % 3, ldc = std::max(m, n) + random() % 12;
        own.shape = arguments(m, n, 1);
        own.shape.layout = random() % 2 == 0 ? CLGEMM_COLUMN_MAJOR : CLGEMM_ROW_MAJOR;
        own.shape.lda = own.shape.ldb = 4;
        own.shape.ldc = ldc;
        const std::size_t count = 2 + random() % 4;
        for (std::size_t product = 0; product < count; product++)
            own.c.push_back(random() % 50);
        own.a = own.b = std::vector<std::size_t>(count, 0);
        std::vector<int> times(200);
        std::size_t span = 0;
        for (std::size_t product = 0; product < count; product++) {
            const Matrix c = make_problem(own.list(), Stretch{product, 1}).c;
            for (std::size_t row = 0; row < c.rows; row++)
                for (std::size_t col = 0; col < c.cols; col++)
                    times[c.offset + row * c.row_stride() + col * c.col_stride()]++;
            span = c.extent() - c.offset;
        }
        const bool share = std::any_of(times.begin(), times.end(), [](int time) { return time > 1; });
        ASSERT_EQ(status_of(own.list()), share ? CLGEMM_OVERLAPPING_C : CLGEMM_SUCCESS) << "number " << i;
        std::sort(own.c.begin(), own.c.end());
        taken += share ? 0 : 1;
        within_one_another += !share && own.c[1] - own.c[0] < span ? 1 : 0;
    }
    EXPECT_GT(taken, 1000u);
    EXPECT_GT(within_one_another, 100u);
}

TEST(ProductList, AnErrorNamesTheTwoProducts)
{
    try {
        check(with_c_at({40, 10, 20, 13}).list());
        ADD_FAILURE();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("offsC[1], 10, and offsC[3], 13"), std::string::npos) << error.what();
    }
}

TEST(ProductList, TheFarthestOfEachMatrixIsChecked)
{
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max() / sizeof(float);
    OwnList own = with_c_at({0, 10, 20});
    EXPECT_EQ(status_of(own.list()), CLGEMM_SUCCESS);
    own.a = {0, most - 8, 5}; // 2 x 4
    EXPECT_EQ(status_of(own.list()), CLGEMM_SUCCESS);
    own.a[1]++;
    EXPECT_EQ(status_of(own.list()), CLGEMM_OVERFLOW_A);
    own.a[1] = 0;
    own.b = {most, 0, 0};
    EXPECT_EQ(status_of(own.list()), CLGEMM_OVERFLOW_B);
    own.b[0] = 0;
    own.c[2] = most;
    EXPECT_EQ(status_of(own.list()), CLGEMM_OVERFLOW_C);
}

TEST(ProductList, OfNothingNeedsNoLists)
{
    ProductList list{arguments(2, 3, 4), 0, nullptr, nullptr, 7, nullptr, nullptr, nullptr};
    EXPECT_EQ(status_of(list), CLGEMM_SUCCESS);
    list.shape.lda = 1;
    EXPECT_EQ(status_of(list), CLGEMM_INVALID_LDA) << "what is wrong is wrong all the same";
}

TEST(ProductList, StretchesAreStridedBatches)
{
    EXPECT_EQ(stretches(with_c_at({7})), "0+1");
    EXPECT_EQ(stretches(with_c_at({0, 10, 20, 30})), "0+4");
    EXPECT_EQ(stretches(with_c_at({0, 10, 20, 31, 42})), "0+3 3+2");
    EXPECT_EQ(stretches(with_c_at({30, 20, 10})), "0+1 1+1 2+1") << "no distance is negative";
    EXPECT_EQ(stretches(with_c_at({0, 10, 100, 110, 200, 210})), "0+2 2+2 4+2") << "heads of sequences";
    OwnList own = with_c_at({0, 10, 20, 30});
    own.a = {0, 5, 5, 5};
    EXPECT_EQ(stretches(own), "0+2 2+2");
    own.a = {0, 0, 0, 0};
    own.alpha = {1, 1, 2, 2};
    own.beta = {0, 0, 0, 0};
    EXPECT_EQ(stretches(own), "0+2 2+2");
    own.beta = {0, 0, 0, -0.0f};
    EXPECT_EQ(stretches(own), "0+2 2+1 3+1");
}

TEST(ProductList, AStretchIsTheProblemOfItsProducts)
{
    OwnList own = with_c_at({3, 103, 203, 500});
    own.a = {0, 20, 40, 60};
    own.b = {9, 9, 9, 1};
    own.alpha = {2, 2, 2, 3};
    own.beta = {1, 1, 1, 1};
    const Problem batch = make_problem(own.list(), stretches_of(own.list())[0]);
    ASSERT_EQ(batch.batch.count, 3u);
    for (std::size_t i = 0; i < 3; i++) {
        const Problem product = product_of(batch, i), expected = make_problem(own.list(), Stretch{i, 1});
        EXPECT_EQ(product.a.offset, expected.a.offset);
        EXPECT_EQ(product.b.offset, expected.b.offset);
        EXPECT_EQ(product.c.offset, expected.c.offset);
        EXPECT_EQ(product.alpha, 2);
    }
}

// What no product reads is not looked at.
TEST(ProductList, TheFarthestProductReadsWhatAnyOfThemReads)
{
    OwnList own = with_c_at({0, 10, 20});
    own.a = {100, 7, 5};
    own.b = {1, 2, 3};
    own.alpha = {0, 1, 2};
    own.beta = {0, 0, 3};
    Problem farthest_of_all = farthest(own.list());
    EXPECT_EQ(farthest_of_all.a.offset, 7u) << "the first does not read it";
    EXPECT_EQ(farthest_of_all.b.offset, 3u);
    EXPECT_EQ(farthest_of_all.c.offset, 20u);
    EXPECT_NE(farthest_of_all.beta, 0);
    EXPECT_FALSE(farthest_of_all.only_scales_c());
    own.alpha = {0, 0, 0};
    own.beta = {0, 0, 0};
    farthest_of_all = farthest(own.list());
    EXPECT_TRUE(farthest_of_all.only_scales_c());
    EXPECT_EQ(farthest_of_all.beta, 0);
}
