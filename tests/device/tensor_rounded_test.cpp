// Kernel tensor_rounded where it runs (skipped elsewhere): operands that lie in all ways, and numbers that TF32 cannot hold.
#include "engine/make_ready.hpp"
#include "engine/multiply.hpp"
#include "select/plan_of.hpp"
#include "support/batch_on_device.hpp"
#include "support/one_pocl_worker.hpp"
#include "support/tensor_kernels.hpp"

#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float largest = std::numeric_limits<float>::max();
constexpr float smallest = std::numeric_limits<float>::denorm_min();

class RoundedFloats : public TensorCoresVariant {
protected:
    // Several tiles, and parts of others. With gaps rows and columns begin at multiples of four floats; without, operands
    // are copied.
    SgemmCase sized(clgemm_transpose trans_a, clgemm_transpose trans_b, bool with_gaps = true) const
    {
        SgemmCase x{CLGEMM_COLUMN_MAJOR, trans_a, trans_b, tile.m + 45, tile.n + 77, 501, 1, 0, {}, {}, GetParam().math()};
        if (with_gaps)
            x.gaps = {(4 - (trans_a == CLGEMM_TRANS ? x.k : x.m) % 4) % 4,
                      (4 - (trans_b == CLGEMM_TRANS ? x.n : x.k) % 4) % 4, 0};
        return x;
    }
    GuardedMatrix result(const SgemmCase& of, const Operands& operands) const
    {
        return result_of(of, operands, selection_of(GetParam()));
    }
    testing::AssertionResult is_right(const SgemmCase& of, const Operands& operands, std::size_t parts = 1) const
    {
        return is_right_with(of, operands, selection_of(GetParam(), in_parts(parts)));
    }
    testing::AssertionResult is_right_on_tensor_cores(const SgemmCase& of, const Operands& operands) const
    {
        if (const auto right = is_right(of, operands); !right)
            return right;
        return is_of_tensor_cores(of, operands, result(of, operands));
    }

    const Tiling tile = GetParam().tile();
    const SgemmCase along_k = sized(CLGEMM_TRANS, CLGEMM_NO_TRANS);
};

INSTANTIATE_TEST_SUITE_P(All, RoundedFloats, testing::ValuesIn(variants_of({rounded})), name_of_variant);

TEST_P(RoundedFloats, AreMultipliedOnTensorCoresHoweverTheyLie)
{
    for (const auto trans_a : {CLGEMM_NO_TRANS, CLGEMM_TRANS})
        for (const auto trans_b : {CLGEMM_NO_TRANS, CLGEMM_TRANS})
            for (const bool with_gaps : {true, false}) {
                const SgemmCase x = sized(trans_a, trans_b, with_gaps);
                EXPECT_TRUE(is_right_on_tensor_cores(x, Operands(x)));
            }
}

// Numbers of 11 bits are not rounded, so that small integers make exact sums.
TEST_P(RoundedFloats, OfElevenBitsAreExact)
{
    Operands operands(along_k);
    for (std::size_t k = 0; k < along_k.k; k++) {
        for (std::size_t i = 0; i < along_k.m; i++)
            element_of_op(operands.a, along_k.trans_a, i, k) = static_cast<float>((i * 7 + k * 3) % 63) - 31;
        for (std::size_t j = 0; j < along_k.n; j++)
            element_of_op(operands.b, along_k.trans_b, k, j) = static_cast<float>((j * 5 + k * 11) % 127) - 63;
    }
    const GuardedMatrix c = result(along_k, operands);
    for (std::size_t j = 0; j < along_k.n; j++)
        for (std::size_t i = 0; i < along_k.m; i++)
            ASSERT_EQ(c.at(i, j), fused_loop(along_k, operands, i, j)) << i << ", " << j;
}

TEST_P(RoundedFloats, AreNoneOfNaNInfinityAndTheLargestNumbers)
{
    // All bits of a NaN may be set, and rounding must make nothing else of it.
    std::vector<float> specials = {infinity, -infinity, largest, -largest, 0x1p127f};
    for (const std::uint32_t bits : {0x7fc00000u, 0x7fffffffu, 0xffffffffu, 0x7f800001u, 0x7ffff000u, 0xfffff000u})
        specials.push_back(std::bit_cast<float>(bits));
    for (const auto trans_b : {CLGEMM_NO_TRANS, CLGEMM_TRANS}) {
        const SgemmCase x = sized(CLGEMM_TRANS, trans_b);
        for (const float special : specials)
            for (const auto& [i, k] : {std::pair<std::size_t, std::size_t>{0, 0}, {tile.n, 250}, {tile.n + 44, x.k - 1}})
                for (const std::size_t parts : {1U, 3U}) {
                    Operands operands(x);
                    element_of_op(operands.a, x.trans_a, i, k) = special;
                    ASSERT_TRUE(is_right(x, operands, parts)) << special << " in A(" << i << ", " << k << ")";
                    element_of_op(operands.b, x.trans_b, x.k - 1 - k, i) = special;
                    ASSERT_TRUE(is_right(x, operands, parts)) << special << " in both";
                    element_of_op(operands.a, x.trans_a, i, k) = 1;
                    ASSERT_TRUE(is_right(x, operands, parts)) << special << " in B(" << x.k - 1 - k << ", " << i << ")";
                }
    }
}

// TF32 has few bits of numbers below the smallest normal one, and none of the smallest. Where the other operand makes them
// count, they are multiplied as they are.
TEST_P(RoundedFloats, BelowTheSmallestNormalOneCount)
{
    for (const auto trans_b : {CLGEMM_NO_TRANS, CLGEMM_TRANS}) {
        const SgemmCase x = sized(CLGEMM_TRANS, trans_b);
        for (const float small : {smallest, 5 * smallest, 0x1p-138f, 0x1p-130f, 0x1p-127f})
            for (const bool in_a : {true, false}) {
                Operands operands(x);
                for (std::size_t k = 0; k < x.k; k++) {
                    for (std::size_t i = 0; i < x.m; i++) {
                        float& a = element_of_op(operands.a, x.trans_a, i, k);
                        a = in_a ? std::copysign(small * static_cast<float>(1 + (i + k) % 3), a) : a * 0x1p110f;
                    }
                    for (std::size_t j = 0; j < x.n; j++) {
                        float& b = element_of_op(operands.b, x.trans_b, k, j);
                        b = in_a ? b * 0x1p110f : std::copysign(small * static_cast<float>(1 + (j + k) % 3), b);
                    }
                }
                ASSERT_TRUE(is_right(x, operands)) << small << (in_a ? " in A" : " in B");
            }
        // In one row of A, or in one column of B, where all else is ordinary.
        for (const bool in_a : {true, false}) {
            Operands operands(x);
            for (std::size_t k = 0; k < x.k; k++) {
                for (std::size_t i = 0; i < x.m; i++)
                    element_of_op(operands.a, x.trans_a, i, k) *= in_a ? (i == 3 ? 0x1p-140f : 1) : 0x1p50f;
                for (std::size_t j = 0; j < x.n; j++)
                    element_of_op(operands.b, x.trans_b, k, j) *= in_a ? 0x1p50f : j == 70 ? 0x1p-140f : 1;
            }
            ASSERT_TRUE(is_right(x, operands)) << (in_a ? "in A" : "in B");
        }
    }
}

// Beside ordinary numbers they do not count, and the tensor cores go on.
TEST_P(RoundedFloats, BelowTheSmallestNormalOneStopNothingBesideOthers)
{
    for (const auto trans_b : {CLGEMM_NO_TRANS, CLGEMM_TRANS}) {
        const SgemmCase x = sized(CLGEMM_TRANS, trans_b);
        Operands operands(x);
        for (std::size_t i = 0; i < x.m; i += 5)
            element_of_op(operands.a, x.trans_a, i, i % x.k) = smallest;
        EXPECT_TRUE(is_right_on_tensor_cores(x, operands));
        for (std::size_t j = 0; j < x.n; j += 7)
            element_of_op(operands.b, x.trans_b, j, j) = 0x1p-130f;
        EXPECT_TRUE(is_right_on_tensor_cores(x, operands));
    }
}

// Sums that are 0 tell nothing of what was lost, so rows of A are looked at once more. These have lost nothing.
TEST_P(RoundedFloats, WhoseSumsAreZeroStayOnTensorCores)
{
    for (const auto trans_b : {CLGEMM_NO_TRANS, CLGEMM_TRANS}) {
        const SgemmCase x = sized(CLGEMM_TRANS, trans_b);
        Operands operands(x);
        for (std::size_t k = 0; k < x.k; k++) {
            for (std::size_t i = 0; i < x.m; i += 4)
                element_of_op(operands.a, x.trans_a, i, k) = 0;
            element_of_op(operands.b, x.trans_b, k, 9) = 0;
            // What the even k add to this row's products with this column, the odd ones take back.
            element_of_op(operands.a, x.trans_a, 1, k) = k + 1 == x.k ? 0 : k % 2 == 0 ? 1.25f : -1.25f;
            element_of_op(operands.b, x.trans_b, k, 10) = 3;
        }
        EXPECT_TRUE(is_right_on_tensor_cores(x, operands));
        // Unless there is something else in such a row.
        element_of_op(operands.a, x.trans_a, 0, 100) = smallest;
        for (std::size_t j = 0; j < x.n; j++)
            element_of_op(operands.b, x.trans_b, 100, j) *= 0x1p100f;
        EXPECT_TRUE(is_right(x, operands));
    }
}

// A matrix of one row or column may have any leading dimension.
TEST_P(RoundedFloats, OfOneRowOrColumnMayHaveAnyLeadingDimension)
{
    for (const auto& [m, n] : {std::pair<std::size_t, std::size_t>{1, 200}, {200, 1}, {1, 1}})
        for (const auto trans_b : {CLGEMM_NO_TRANS, CLGEMM_TRANS}) {
            SgemmCase x{CLGEMM_COLUMN_MAJOR, CLGEMM_TRANS, trans_b, m, n, 96, 1.5f, 0.5f, {}, {}, GetParam().math()};
            x.gaps = {m == 1 ? 7u : 0u, n == 1 ? 5u : 0u, 3};
            ASSERT_TRUE(clgemm::test::is_right(x, with_selection(selection_of(GetParam()))));
        }
}

// Work-groups that compute one tile after the other, planned for a device of three compute units: four tiles for each of
// them. Numbers that TF32 cannot hold concern one tile, and none after it.
TEST_P(RoundedFloats, OfAShallowKAreMultipliedTileAfterTile)
{
    constexpr unsigned in_turn = 2;
    if (tile.n != 128)
        GTEST_SKIP() << "warpgroups take turns with the stages in this size";
    DeviceProfile device = test_profile();
    device.compute_units = 3;
    for (const auto trans_a : {CLGEMM_NO_TRANS, CLGEMM_TRANS})
        for (const auto trans_b : {CLGEMM_NO_TRANS, CLGEMM_TRANS})
            for (const std::size_t k : {1U, 40U, 64U, 97U, 256U})
                for (const bool is_transposed : {false, true}) {
                    SgemmCase x = sized(trans_a, trans_b);
                    x.m = (is_transposed ? 2 * tile.n : 3 * tile.m) + 45;
                    x.n = (is_transposed ? 3 * tile.m : 2 * tile.n) + 77;
                    x.k = k;
                    x.alpha = -1.5f;
                    x.beta = k == 64 ? 0.5f : 0;
                    x.gaps = {(4 - (trans_a == CLGEMM_TRANS ? x.k : x.m) % 4) % 4,
                              (4 - (trans_b == CLGEMM_TRANS ? x.n : x.k) % 4) % 4, k % 3};
                    const auto way =
                        with_selection(selection_of(GetParam(), {.form = in_turn, .transposed = is_transposed}), device);
                    Operands operands(x);
                    const auto right = [&] {
                        const CaseOnDevice on_device(x, operands);
                        way(x, operands, on_device.a(), on_device.b(), on_device.c());
                        return on_device.is_right(test_device().in_order);
                    };
                    ASSERT_TRUE(right());
                    element_of_op(operands.a, x.trans_a, 5, 0) = infinity;
                    element_of_op(operands.b, x.trans_b, k - 1, x.n - 1) = std::numeric_limits<float>::quiet_NaN();
                    ASSERT_TRUE(right()) << "with infinity and NaN";
                    element_of_op(operands.a, x.trans_a, 5, 0) = smallest;
                    element_of_op(operands.b, x.trans_b, k - 1, x.n - 1) = 3;
                    for (std::size_t j = 0; j < x.n; j++)
                        element_of_op(operands.b, x.trans_b, 0, j) *= 0x1p100f;
                    ASSERT_TRUE(right()) << "with a number below the smallest normal one that counts";
                }
}

// A batch in one launch, where its matrices lie in reach of the copy engine, or one product after the other where they must
// be copied, has the bits of its products by themselves, computed in the same way. (For these the library may choose another
// one. A's numbers and B's are rounded otherwise where they lie halfway between two, so to exchange them changes bits.)
TEST(RoundedBatch, HasTheBitsOfItsProducts)
{
    const clgemm::test::Variant variant{rounded, 0};
    if (!variant.runs())
        GTEST_SKIP() << "the device cannot run this kernel";
    const auto& test = test_device();
    const auto state = device_state(test.context(), test.device());
    for (const auto trans_a : {CLGEMM_NO_TRANS, CLGEMM_TRANS})
        for (const auto trans_b : {CLGEMM_NO_TRANS, CLGEMM_TRANS})
            for (const std::size_t gap : {0U, 4U, 1U})
                for (const auto& [shares_b, is_exchanged] :
                     {std::pair{false, false}, std::pair{false, true}, std::pair{true, false}, std::pair{true, true}}) {
                    BatchedCase x{CLGEMM_COLUMN_MAJOR, trans_a, trans_b, 200, 152, 100, 9, 1.5f, -0.5f};
                    for (const Which which : every_matrix) {
                        x.offset[which] = 4;
                        x.ld[which] = x.run_length(which);
                        x.distance[which] = x.ld[which] * x.runs(which) + gap;
                    }
                    if (shares_b)
                        x.distance[B] = 0;
                    Problem batch = make_problem(arguments_of(x));
                    batch.arithmetic.accuracy = variant.math();
                    const Selection selection = selection_of(variant, in_parts(1, is_exchanged));
                    const auto compute = [&](const Problem& problem, const BatchOnDevice& on) {
                        Plan plan = plan_of(problem, state->profile(), selection.variant, selection.way);
                        execute(ready(std::move(plan), state->programs), state->workspaces,
                                {on.buffer[A](), on.buffer[B](), on.buffer[C]()}, {test.in_order, true});
                    };
                    const BatchOnDevice together(x), apart(x);
                    compute(batch, together);
                    for (std::size_t i = 0; i < x.count; i++)
                        compute(product_of(batch, i), apart);
                    const auto c = together.read(test.in_order).elements[C], c_apart = apart.read(test.in_order).elements[C];
                    ASSERT_EQ(std::memcmp(c.data(), c_apart.data(), c.size() * sizeof(float)), 0)
                        << x << (is_exchanged ? ", exchanged" : "");
                }
}

} // namespace
