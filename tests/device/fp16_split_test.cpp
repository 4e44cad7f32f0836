// The helper kernels `largest` and `split` for fp16 pieces, which are portable OpenCL but for NVIDIA's conversions: on any
// device they write what a model in plain C++ has, bit by bit.
#include "engine/device_state.hpp"
#include "families/registry.hpp"
#include "kernels/arguments.h"
#include "select/plan_of.hpp"
#include "support/case_on_device.hpp"
#include "support/driver_defects.hpp"
#include "support/with_selection.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

// To fp16, ties to the even number.
double rounded_to_fp16(double x)
{
    const double unit = x == 0 ? 1 : std::ldexp(1.0, std::max(std::ilogb(x), -14) - 10);
    return std::nearbyint(x / unit) * unit;
}

double fp16_of(std::uint32_t bits)
{
    const int exponent = static_cast<int>(bits >> 10U & 31U);
    const double fraction = bits & 1023U, sign = (bits & 0x8000U) != 0 ? -1 : 1;
    return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

// The exponent of a row's scale: even, so that the largest is from 2^13 to below 2^15.
int exponent_of_scale(float largest)
{
    if (largest == 0 || !std::isfinite(largest))
        return 0;
    const int lifted = 14 - std::ilogb(largest);
    return lifted - (lifted & 1);
}

struct Rows {
    const GuardedMatrix& matrix;
    bool turned;
    std::size_t count() const { return turned ? matrix.cols : matrix.rows; }
    std::size_t depth() const { return turned ? matrix.rows : matrix.cols; }
    float at(std::size_t row, std::size_t k) const
    {
        if (row >= count() || k >= depth())
            return 0;
        return turned ? matrix.at(k, row) : matrix.at(row, k);
    }
    // NaN where there is one.
    float largest_of(std::size_t row) const
    {
        float result = 0;
        for (std::size_t k = 0; k < depth() && !std::isnan(result); k++)
            if (!(std::fabs(at(row, k)) <= result))
                result = std::fabs(at(row, k));
        return result;
    }
};

testing::AssertionResult is_image_of(const Rows& x, const kernel_arguments::Image& image, std::size_t pieces,
                                     const std::vector<std::uint32_t>& workspace)
{
    const std::size_t depths = (x.depth() + 31) / 32;
    std::vector<std::uint32_t> ranges((image.rows + 127) / 128 * depths);
    for (std::size_t row = 0; row < image.rows; row++) {
        const float largest = x.largest_of(row);
        const int scale = exponent_of_scale(largest);
        const auto root = std::bit_cast<float>(workspace[image.roots + row]);
        if (root != std::ldexp(1.0f, -scale / 2))
            return testing::AssertionFailure() << "the root of row " << row << " is " << root;
        for (std::size_t k = 0; k < depths * 32; k++) {
            std::uint32_t& range = ranges[row / 128 * depths + k / 32];
            if (!std::isfinite(largest)) {
                range = std::bit_cast<std::uint32_t>(infinity);
                continue; // nobody reads what becomes of this row
            }
            const float one = x.at(row, k);
            const double scaled = std::ldexp(static_cast<double>(one), scale);
            const std::uint32_t inexact = pieces == 1 && one != 0 && std::fabs(scaled) < 0x1p-14 ? 0x80000000U : 0;
            range = std::max(range & 0x7fffffffU, std::bit_cast<std::uint32_t>(std::fabs(one))) | inexact |
                    (range & 0x80000000U);
            double left = scaled;
            for (std::size_t piece = 0; piece < pieces; piece++) {
                const double expected = rounded_to_fp16(left);
                left -= expected;
                const std::size_t matrix = ((k / 32 * image.rows / 8 + row / 8) * 2 + k % 32 / 16) * pieces + piece;
                const std::size_t number = ((matrix * 2 + k % 16 / 8) * 8 + row % 8) * 8 + k % 8; // of 16 bits
                const double found = fp16_of(workspace[image.offset + number / 2] >> number % 2 * 16 & 0xffffU);
                if (found != expected)
                    return testing::AssertionFailure() << "piece " << piece + 1 << " of " << one << " in row " << row
                                                       << ", k " << k << " is " << found << ", not " << expected;
            }
        }
    }
    for (std::size_t i = 0; i < ranges.size(); i++)
        if (workspace[image.ranges + i] != ranges[i])
            return testing::AssertionFailure()
                   << "range " << i << " is " << std::hex << workspace[image.ranges + i] << ", not " << ranges[i];
    return testing::AssertionSuccess();
}

class Fp16Split : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override
    {
        if (!finds_the_largest_in_split())
            GTEST_SKIP() << "this driver does not find the largest number of a block";
    }

    // As the first steps of the kernel's plan do it.
    testing::AssertionResult splits_rightly(const SgemmCase& x, const Operands& operands, std::size_t variant = 0) const
    {
        const auto& test = test_device();
        const auto state = device_state(test.context(), test.device());
        const KernelInfo& kernel = *find_kernel(GetParam());
        Plan plan = plan_of(problem_of(x, operands), state->profile(), tested(kernel, kernel.variants[variant]).variant, {});
        plan.steps.resize(2);
        const auto splitting = plan.steps[1].arguments.as<kernel_arguments::Splitting>();
        std::vector<std::uint32_t> workspace(plan.workspace_bytes / 4, 0x5a5a5a5a);
        const cl::Buffer buffer(test.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, plan.workspace_bytes,
                                workspace.data());
        const CaseOnDevice on_device(x, operands);
        const auto& queue = test.in_order;
        execute(ready(plan, state->programs), state->workspaces, {on_device.a(), on_device.b(), on_device.c(), buffer()},
                {queue, true});
        queue.enqueueReadBuffer(buffer, CL_TRUE, 0, plan.workspace_bytes, workspace.data());
        const std::size_t pieces = std::string_view(GetParam()) == "tensor_tf32" ? 1 : 2;
        if (auto result = is_image_of({operands.a, x.trans_a != CLGEMM_NO_TRANS}, splitting.imageA, pieces, workspace);
            !result)
            return result << ", of A, " << x;
        if (auto result = is_image_of({operands.b, x.trans_b == CLGEMM_NO_TRANS}, splitting.imageB, pieces, workspace);
            !result)
            return result << ", of B, " << x;
        return testing::AssertionSuccess();
    }
};

INSTANTIATE_TEST_SUITE_P(All, Fp16Split, testing::Values("tensor_tf32", "tensor_fast"), name_of_kernel);

constexpr clgemm_transpose transposes[] = {CLGEMM_NO_TRANS, CLGEMM_TRANS};

// Rows of all magnitudes, and in each of them some elements that are far smaller.
void fill_with_many_magnitudes(GuardedMatrix& matrix, bool turned, std::mt19937& random)
{
    std::uniform_int_distribution<int> of_row(-148, 126), of_element(-45, 0);
    matrix.fill(random);
    for (std::size_t row = 0; row < (turned ? matrix.cols : matrix.rows); row++) {
        const int exponent = of_row(random);
        for (std::size_t k = 0; k < (turned ? matrix.rows : matrix.cols); k++) {
            float& one = turned ? matrix.at(k, row) : matrix.at(row, k);
            one = std::ldexp(one, random() % 2 == 0 ? exponent : exponent + of_element(random));
        }
    }
}

TEST_P(Fp16Split, WritesThePiecesOfAllSizesInBothDirections)
{
    const KernelInfo& kernel = *find_kernel(GetParam());
    const std::size_t rows[] = {1, 33, 127, 129, 300}, depths[] = {1, 31, 33, 100, 1100};
    std::mt19937 random(1);
    std::size_t number = 0;
    for (const auto trans_a : transposes)
        for (const auto trans_b : transposes)
            for (const std::size_t m : rows)
                for (const std::size_t k : depths) {
                    number++;
                    const std::size_t n = rows[number % std::size(rows)], odd = number % 3;
                    const SgemmCase x{CLGEMM_COLUMN_MAJOR, trans_a, trans_b, m, n, k, 1, 0, {odd, 3 * odd, 0}, {odd, 5, 0}};
                    Operands operands(x);
                    fill_with_many_magnitudes(operands.a, trans_a != CLGEMM_NO_TRANS, random);
                    fill_with_many_magnitudes(operands.b, trans_b == CLGEMM_NO_TRANS, random);
                    ASSERT_TRUE(splits_rightly(x, operands, number % kernel.variants.size()));
                }
}

TEST_P(Fp16Split, MarksEveryBlockOfARowThatIsNotFinite)
{
    for (const float special : {infinity, -infinity, nan, 0x1p-149f, std::numeric_limits<float>::max()}) {
        const SgemmCase x{CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 300, 170, 1070};
        Operands operands(x);
        operands.a.at(129, 1069) = special;
        operands.b.at(3, 128) = special;
        ASSERT_TRUE(splits_rightly(x, operands)) << special;
    }
}

} // namespace
