// Arithmetic: which accuracy is good enough where another one is asked for, and how both are written.
#include "problem/arithmetic.hpp"

#include <gtest/gtest.h>

#include <iterator>
#include <limits>
#include <string>

using namespace clgemm::core;

TEST(Arithmetic, AnAccuracySatisfiesThoseBeforeItButTwentyTwoBitsOfALargestElementAreNoElevenOfEach)
{
    for (const Accuracy& computed : accuracies)
        for (const Accuracy& asked : accuracies)
            EXPECT_EQ(satisfies({.accuracy = computed.math}, {.accuracy = asked.math}),
                      &computed >= &asked && !(computed.math == CLGEMM_MATH_FAST && asked.math == CLGEMM_MATH_TF32))
                << computed.name << " for " << asked.name;
    EXPECT_EQ(Arithmetic{}.accuracy, CLGEMM_MATH_DEFAULT) << "which anything measured unasked is for";
}

TEST(Arithmetic, StrictIsFp32Alone)
{
    EXPECT_FALSE(is_fp32_alone({}));
    EXPECT_TRUE(is_fp32_alone({.accuracy = CLGEMM_MATH_STRICT}));
}

TEST(Arithmetic, EveryAccuracyIsFoundByNameAndNumberAndHasOneOfEach)
{
    for (const Accuracy& accuracy : accuracies) {
        EXPECT_EQ(find_accuracy(accuracy.name), &accuracy);
        EXPECT_EQ(find_accuracy(static_cast<int>(accuracy.math)), &accuracy);
        EXPECT_EQ(&accuracy_of(accuracy.math), &accuracy);
        EXPECT_NE(accuracy_names().find(std::string(accuracy.name)), std::string::npos);
    }
    EXPECT_EQ(find_accuracy("Strict"), nullptr);
    EXPECT_EQ(find_accuracy(77), nullptr);
    EXPECT_EQ(accuracy_names(), "'tf32', 'fast', 'default', 'strict' or 'reproducible'");
    EXPECT_EQ(accuracy_enumerators(),
              "CLGEMM_MATH_TF32 (2), CLGEMM_MATH_FAST (3), CLGEMM_MATH_DEFAULT (0), CLGEMM_MATH_STRICT (1) or "
              "CLGEMM_MATH_REPRODUCIBLE (4)");
}

TEST(Arithmetic, IsReadAsItIsWritten)
{
    for (const Accuracy& accuracy : accuracies) {
        const Arithmetic arithmetic{.accuracy = accuracy.math};
        EXPECT_EQ(arithmetic_of(to_text(arithmetic)), arithmetic);
    }
    EXPECT_EQ(to_text({.accuracy = CLGEMM_MATH_STRICT}), "f32 f32 f32 strict");
    for (const char* const text : {"", "strict", "f32 f32 strict", "f32 f32 f32", "f32 f32 f32 exact", "f99 f32 f32 strict",
                                   "f32 f32 f32 strict more"})
        EXPECT_EQ(arithmetic_of(text), std::nullopt) << text;
}

TEST(Arithmetic, WhatIsPromisedGrowsWithKAndIsWhatTheBoundsSay)
{
    EXPECT_NEAR(promised_error({}, 1000), 1003 * 0x1p-24, 1e-8);
    EXPECT_NEAR(promised_error({.accuracy = CLGEMM_MATH_STRICT}, 1000), 1003 * 0x1p-24, 1e-8);
    EXPECT_NEAR(promised_error({.accuracy = CLGEMM_MATH_TF32}, 1000), 0x1p-10 + 0x1p-14 + 2503 * 0x1p-24, 1e-6);
    EXPECT_NEAR(promised_error({.accuracy = CLGEMM_MATH_FAST}, 1000), 0x1.8p-21 + 2503 * 0x1p-24, 1e-6);
}

TEST(Arithmetic, WhatTheBoundOfFp32SaysIsPromisedToTheLastBit)
{
    for (const std::size_t k : {std::size_t{0}, std::size_t{1}, std::size_t{1'000}, (std::size_t{1} << 23) - 3})
        for (const clgemm_math math : {CLGEMM_MATH_DEFAULT, CLGEMM_MATH_STRICT, CLGEMM_MATH_REPRODUCIBLE})
            EXPECT_EQ(promised_error({.accuracy = math}, k), static_cast<double>(k + 3) * 0x1p-24) << k;
}

TEST(Arithmetic, NothingIsPromisedWhereTheBoundsSayNothing)
{
    for (const std::size_t k : {(std::size_t{1} << 24) - 4, (std::size_t{1} << 24) - 3, std::size_t{1} << 24,
                                std::size_t{1} << 40, std::numeric_limits<std::size_t>::max()})
        for (const Accuracy& accuracy : accuracies) {
            EXPECT_EQ(promised_error({.accuracy = accuracy.math}, k), std::numeric_limits<double>::infinity()) << k;
            EXPECT_EQ(accuracy_within(1e-9, k), nullptr) << k;
        }
}

TEST(Arithmetic, WhatIsPromisedIsToldRoundedUp)
{
    EXPECT_EQ(promised_error_text({}, 1000), "5.98e-05");
    EXPECT_EQ(promised_error_text({}, 4), "4.17233e-07");
    EXPECT_EQ(promised_error_text({}, std::size_t{1} << 24), "infinity");
    for (std::size_t k = 0; k < 3'000; k++) {
        const std::string text = promised_error_text({}, k);
        EXPECT_NE(accuracy_within(std::stod(text), k), nullptr) << text;
    }
}

TEST(Arithmetic, AnErrorThatWillDoIsPromisedByTheFastestAccuracyThatHasABoundForEveryInput)
{
    const auto math_within = [](double error, std::size_t k) { return accuracy_within(error, k)->math; };
    EXPECT_EQ(math_within(2e-3, 1000), CLGEMM_MATH_TF32);
    EXPECT_EQ(math_within(promised_error({.accuracy = CLGEMM_MATH_TF32}, 64), 64), CLGEMM_MATH_TF32);
    EXPECT_EQ(math_within(promised_error({.accuracy = CLGEMM_MATH_TF32}, 64), 65), CLGEMM_MATH_DEFAULT);
    EXPECT_EQ(math_within(1e-4, 1000), CLGEMM_MATH_DEFAULT) << "FAST has none";
    EXPECT_EQ(accuracy_within(1e-7, 1000), nullptr);
    EXPECT_EQ(math_within(2e-3, 1000), CLGEMM_MATH_TF32);
    EXPECT_EQ(math_within(2e-3, 10'000), CLGEMM_MATH_DEFAULT);
}
