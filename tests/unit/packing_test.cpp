// Copies between the caller's memory and packed pieces, at every alignment and in pieces of every size; and what is kept for
// the next call.
#include "host/packing.hpp"
#include "host/scaling.hpp"
#include "host/streaming_copy.hpp"
#include "support/idle.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <numeric>
#include <vector>

using namespace clgemm::core;

TEST(StreamingCopy, CopiesAtEveryAlignmentAndWritesNothingElse)
{
    std::vector<unsigned char> from(300);
    std::iota(from.begin(), from.end(), static_cast<unsigned char>(1));
    for (std::size_t from_at = 0; from_at < 17; from_at++)
        for (std::size_t to_at = 1; to_at < 18; to_at++)
            for (std::size_t count = 0; count < 70; count++) {
                std::vector<unsigned char> to(128, 0);
                streaming_copy(to.data() + to_at, from.data() + from_at, count);
                for (std::size_t i = 0; i < to.size(); i++) {
                    const bool is_copied = i >= to_at && i < to_at + count;
                    ASSERT_EQ(to[i], is_copied ? from[from_at + i - to_at] : 0) << from_at << to_at << count << i;
                }
            }
}

TEST(Packing, TakesAMatrixApartAndPutsItTogetherInPiecesOfAnySize)
{
    for (const bool transposed : {false, true})
        for (const std::size_t gap : {0U, 3U})
            for (const std::size_t piece : {1U, 2U, 6U, 7U, 8U, 100U}) {
                Matrix matrix{Memory::a, 7, 5, 4, 0, transposed};
                matrix.ld = matrix.stored_rows() + gap;
                std::vector<float> memory(matrix.extent() + 2), copy(memory.size(), -1.0f), packed(7 * 5);
                std::iota(memory.begin(), memory.end(), 0.0f);
                for (std::size_t first = 0; first < packed.size(); first += piece)
                    pack(matrix, memory.data(), first, std::min(piece, packed.size() - first), packed.data() + first,
                         cached_copy);
                for (std::size_t col = 0; col < matrix.stored_cols(); col++)
                    for (std::size_t row = 0; row < matrix.stored_rows(); row++)
                        ASSERT_EQ(packed[col * matrix.stored_rows() + row], memory[4 + col * matrix.ld + row]);
                for (std::size_t first = 0; first < packed.size(); first += piece)
                    unpack(matrix, packed.data() + first, first, std::min(piece, packed.size() - first), copy.data(),
                           streaming_copy);
                std::size_t written = 0;
                for (std::size_t i = 0; i < copy.size(); i++)
                    if (copy[i] != -1.0f) {
                        ASSERT_EQ(copy[i], memory[i]);
                        written++;
                    }
                EXPECT_EQ(written, packed.size()) << "nothing between the columns";
            }
}

TEST(Scaling, OnlyWritesWhereBetaIsZero)
{
    Problem problem;
    problem.c = {Memory::c, 2, 2, 1, 3};
    std::vector<float> memory{9, std::numeric_limits<float>::quiet_NaN(), 2, 9, 3, 4};
    scale(problem, memory.data());
    EXPECT_EQ(memory, (std::vector<float>{9, 0, 0, 9, 0, 0}));
    memory = {9, 1, 2, 9, 3, 4};
    problem.beta = -0.5f;
    scale(problem, memory.data());
    EXPECT_EQ(memory, (std::vector<float>{9, -0.5f, -1, 9, -1.5f, -2}));
}

TEST(Idle, KeepsTheLastFewAndMakesTheRest)
{
    int made = 0;
    const auto make = [&] { return std::make_unique<int>(++made); };
    Idle<std::unique_ptr<int>> idle(2);
    auto first = idle.take(make), second = idle.take(make), third = idle.take(make);
    EXPECT_EQ(made, 3);
    idle.keep(std::move(first));
    idle.keep(std::move(second));
    idle.keep(std::move(third)); // there is no room
    EXPECT_EQ(*idle.take(make), 2);
    EXPECT_EQ(*idle.take(make), 1);
    EXPECT_EQ(*idle.take(make), 4);
}
