// The arithmetic of the tensor-core kernel, checked where there is none, by its model.
#include "support/split_model.hpp"

#include "bench/accuracy.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <set>
#include <vector>

using namespace clgemm::test;

namespace bench {

void PrintTo(const Input& input, std::ostream* out) // for googletest
{
    *out << input.name;
}

} // namespace bench

namespace {

constexpr float largest = std::numeric_limits<float>::max();

// Random floats of one exponent and sign, all 23 bits below the first random.
class Floats {
public:
    float of_exponent(int exponent)
    {
        const auto bits = static_cast<std::uint32_t>(random_());
        return std::copysign(std::ldexp(1 + static_cast<float>(bits >> 9U) * 0x1p-23f, exponent),
                             (bits & 1U) ? 1.0f : -1.0f);
    }

private:
    std::mt19937 random_{1};
};

double sum(const Pieces& pieces)
{
    return static_cast<double>(pieces.first) + static_cast<double>(pieces.second) + static_cast<double>(pieces.third);
}

bool is_bf16(float x)
{
    return truncated_to_bf16(x) == x;
}

testing::AssertionResult splits_into(float x, const Pieces& pieces)
{
    if (is_exact(pieces) && sum(pieces) == static_cast<double>(x) && is_bf16(pieces.first) && is_bf16(pieces.second) &&
        is_bf16(pieces.third))
        return testing::AssertionSuccess();
    return testing::AssertionFailure() << std::hexfloat << x << " became " << pieces.first << " + " << pieces.second << " + "
                                       << pieces.third << ", rest " << pieces.rest;
}

TEST(Split, ThreePiecesAddUpToEveryFloatFrom2ToTheMinus110On)
{
    Floats floats;
    for (int exponent = -110; exponent <= 126; exponent++) {
        ASSERT_TRUE(splits_into(std::ldexp(1.0f, exponent), split(std::ldexp(1.0f, exponent))));
        for (int i = 0; i < 2000; i++) {
            const float x = floats.of_exponent(exponent);
            ASSERT_TRUE(splits_into(x, split(x)));
        }
    }
    EXPECT_TRUE(splits_into(0.0f, split(0.0f)));
}

TEST(Split, EveryMantissaAndEveryIntegerUpTo2ToThe24IsExact)
{
    for (int i = 0; i <= 1 << 24; i++) { // with the integers come all mantissas
        const auto x = static_cast<float>(i);
        const Pieces pieces = split(x);
        if (!is_exact(pieces) || sum(pieces) != static_cast<double>(x))
            FAIL() << splits_into(x, pieces).message();
    }
}

TEST(Split, TinyNumbersAreExactIfAndOnlyIfTheyAreMultiplesOfTheSmallestBf16)
{
    Floats floats;
    std::size_t inexact = 0;
    const auto check = [&](float x) {
        const bool is_multiple = std::fmod(x, 0x1p-133f) == 0;
        inexact += is_multiple ? 0 : 1;
        ASSERT_EQ(is_exact(split(x)), is_multiple) << std::hexfloat << x;
        ASSERT_EQ(sum(split(x)) == static_cast<double>(x), is_multiple) << std::hexfloat << x;
    };
    for (int exponent = -126; exponent < -110; exponent++)
        for (int i = 0; i < 2000; i++) {
            const float x = floats.of_exponent(exponent);
            check(x);
            check(static_cast<float>(cut_below(-133, static_cast<double>(x))));
        }
    for (std::uint32_t bits = 1; bits < 1U << 23U; bits += 127) // subnormals
        check(std::bit_cast<float>(bits));
    EXPECT_GT(inexact, 10'000u);
}

TEST(Split, WhatIsNotFiniteOrRoundsToInfinityIsNotExact)
{
    const auto rounds_up = std::bit_cast<float>(0x7f7f8000U); // 2^128 - 2^119
    EXPECT_TRUE(splits_into(std::nextafter(rounds_up, 0.0f), split(std::nextafter(rounds_up, 0.0f))));
    for (const float x : {rounds_up, largest, std::numeric_limits<float>::infinity()})
        for (const float signed_x : {x, -x})
            EXPECT_FALSE(is_exact(split(signed_x))) << signed_x;
    for (const std::uint32_t nan : {0x7fc00000U, 0x7fffffffU, 0xffffffffU, 0x7f800001U})
        EXPECT_FALSE(is_exact(split(std::bit_cast<float>(nan)))) << std::hex << nan;
}

TEST(Split, ThePiecesOfANegatedNumberAreNegated)
{
    Floats floats;
    for (int exponent = -126; exponent <= 126; exponent++)
        for (int i = 0; i < 1000; i++) {
            const float x = floats.of_exponent(exponent);
            const Pieces pieces = split(x), negated = split(-x);
            ASSERT_EQ(negated.first, -pieces.first) << x;
            ASSERT_EQ(negated.second, -pieces.second) << x;
            ASSERT_EQ(negated.third, -pieces.third) << x;
            ASSERT_EQ(negated.rest, -pieces.rest) << x;
        }
}

// Let x be from 1 to 2: powers of two only scale it. The first piece is a multiple of 2^-7, so it leaves at most 2^-8. If it
// leaves exactly that, the second piece takes it all; less than that has 8 bits down to 2^-16 or lower, so the second piece
// leaves at most 2^-17. Of |ab| the three products are thus at most 2 2^-8 2^-17 + 2^-34 = 2^-24 + 2^-34; and less than
// 2^-24, since the pieces are as large as that only for an x that is larger than 1. All mantissas are tried.
TEST(Split, TheProductsLeftOutAreLessThanHalfAUnitInTheLastPlace)
{
    double second = 0, third = 0;
    for (std::uint32_t mantissa = 0; mantissa < 1U << 23U; mantissa++) {
        const auto x = std::bit_cast<float>(0x3f800000U + mantissa);
        const Pieces pieces = split(x);
        second = std::max(second, std::fabs(static_cast<double>(pieces.second / x)));
        third = std::max(third, std::fabs(static_cast<double>(pieces.third / x)));
    }
    EXPECT_LE(second, 0x1p-8);
    EXPECT_LE(third, 0x1p-17);
    EXPECT_LT(2 * second * third + third * third, 0x1p-24);

    // The bound is nearly attained: both pieces are as large as they get in one number, just below a tie.
    const float x = 1 + 0x1p-8f - 0x1p-17f;
    const Pieces pieces = split(x);
    EXPECT_EQ(pieces.second, 0x1p-8f);
    EXPECT_EQ(pieces.third, -0x1p-17f);
    const double kept = static_cast<double>(pieces.first) * static_cast<double>(x) +
                        static_cast<double>(pieces.second) * static_cast<double>(pieces.first + pieces.second) +
                        static_cast<double>(pieces.third) * static_cast<double>(pieces.first);
    const double exact = static_cast<double>(x) * static_cast<double>(x);
    EXPECT_GT(std::fabs(kept - exact), 0.99 * 0x1p-24 * exact);
}

TEST(TensorCoreModel, CutsEveryTermWhereTheLargestEnds)
{
    const auto add = [](float sum, std::vector<float> terms) {
        std::vector<Pieces> a, ones(terms.size(), split(1));
        std::transform(terms.begin(), terms.end(), std::back_inserter(a), split);
        return tensor_core_instruction(sum, a, &Pieces::first, ones, &Pieces::first);
    };
    EXPECT_EQ(add(1, {0x1p-23f}), 1 + 0x1p-23f);
    EXPECT_EQ(add(1, std::vector<float>(16, 0x1.8p-24f)), 1) << "which is 1.5 2^-20 too little";
    EXPECT_EQ(add(-1, std::vector<float>(16, -0x1.8p-24f)), -1);
    EXPECT_EQ(add(0x1p24f, {1, 1}), 0x1p24f) << "the terms end at 2";
    EXPECT_EQ(add(0x1p24f - 1, {2, 2}), 0x1p24f + 2) << "the terms end at 1, but their sum, 2^24 + 3, at 2";
    EXPECT_EQ(add(0, std::vector<float>(16, 0x1.8p-133f)), 0x1p-128f) << "the first pieces are 2^-132";
    EXPECT_EQ(add(0, {}), 0);
}

struct Matrices {
    Matrices(const bench::Input& input, std::size_t size, std::size_t k)
        : a(size * k), b(size * k), operands{size, size, k, a.data(), b.data()}
    {
        input.fill(operands);
    }

    std::vector<float> a, b;
    bench::Operands operands;
};

// The rows of a matrix of so many, each contiguous.
std::vector<std::vector<Pieces>> split_rows(const std::vector<float>& matrix, std::size_t rows)
{
    std::vector<std::vector<Pieces>> all(rows);
    for (std::size_t i = 0; i < matrix.size(); i++)
        all[i % rows].push_back(split(matrix[i]));
    return all;
}

bool are_exact(const std::vector<std::vector<Pieces>>& rows)
{
    return std::all_of(rows.begin(), rows.end(),
                       [](const auto& row) { return std::all_of(row.begin(), row.end(), is_exact); });
}

class SplitDotOn : public testing::TestWithParam<bench::Input> {};

std::vector<float> by_split(const Matrices& matrices)
{
    const std::size_t size = matrices.operands.m;
    const auto a = split_rows(matrices.a, size), b = split_rows(matrices.b, size);
    std::vector<float> c;
    for (const auto& col : b)
        for (const auto& row : a)
            c.push_back(split_dot(row, col));
    return c;
}

std::vector<float> by_fp32_loop(const Matrices& matrices)
{
    const std::size_t size = matrices.operands.m;
    std::vector<float> c(size * size);
    for (std::size_t j = 0; j < size; j++)
        for (std::size_t p = 0; p < matrices.operands.k; p++)
            for (std::size_t i = 0; i < size; i++)
                c[i + j * size] = std::fma(matrices.a[i + p * size], matrices.b[j + p * size], c[i + j * size]);
    return c;
}

// Where the pieces do not add up, the split says so, and the work is plain FP32's.
TEST_P(SplitDotOn, IsWithinTheBoundOfFp32WhereTheSplitIsExact)
{
    const std::set<std::string> beyond_the_split = {"largest", "subnormal", "tiny", "infinity", "nan"};
    const bench::Input& input = GetParam();
    constexpr std::size_t size = 8;
    for (const std::size_t k : {16U, 64U, 100U, 1024U, 4096U}) {
        const Matrices matrices(input, size, k);
        const bool applies = are_exact(split_rows(matrices.a, size)) && are_exact(split_rows(matrices.b, size));
        ASSERT_EQ(applies, beyond_the_split.count(input.name) == 0) << k;
        if (!applies)
            continue;
        const bench::Errors errors = bench::ExactProduct(matrices.operands, size).errors_of(by_split(matrices));
        EXPECT_EQ(errors.misclassified, 0u) << k;
        EXPECT_LE(errors.max, input.kind == bench::Input::Kind::exact ? 0 : static_cast<double>(k)) << k;
    }
}

// The tensor core cuts sums where FP32 rounds them, which for a sum of few large terms is worse. Over many terms of like
// size it is better, since each block's sum begins at 0.
TEST(SplitDot, IsMoreAccurateThanAnFp32LoopWhereTermsAreOfLikeSize)
{
    constexpr std::size_t size = 8;
    const std::set<std::string> of_like_size = {"uniform", "normal", "positive", "cancelling"};
    for (const auto& input : bench::all_inputs())
        for (const std::size_t k : {256U, 1024U, 4096U}) {
            if (of_like_size.count(input.name) == 0)
                continue;
            const Matrices matrices(input, size, k);
            const bench::ExactProduct exact(matrices.operands, size);
            EXPECT_LT(exact.errors_of(by_split(matrices)).mean, exact.errors_of(by_fp32_loop(matrices)).mean)
                << input.name << ", " << k;
        }
}

// There the sums overflow, not the split, and what becomes of that is the hardware's.
std::vector<bench::Input> without_overflow()
{
    std::vector<bench::Input> inputs = bench::all_inputs();
    std::erase_if(inputs, [](const bench::Input& input) { return input.name == "overflow"; });
    return inputs;
}

INSTANTIATE_TEST_SUITE_P(Every, SplitDotOn, testing::ValuesIn(without_overflow()), [](const auto& tested) {
    std::string name = tested.param.name;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
});

} // namespace
