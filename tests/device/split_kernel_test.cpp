// The helper kernel `split`, which is portable OpenCL: on any device it writes the pieces and ranges that the model has, bit
// by bit, and nothing else.
#include "engine/device_state.hpp"
#include "families/registry.hpp"
#include "kernels/arguments.h"
#include "select/plan_of.hpp"
#include "support/case_on_device.hpp"
#include "support/driver_defects.hpp"
#include "support/split_model.hpp"
#include "support/with_selection.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float largest = std::numeric_limits<float>::max();

constexpr std::size_t block_rows = 128, block_k = 32;
constexpr std::uint32_t canary = 0x5a5a5a5a;

std::uint32_t bits(float x)
{
    return std::bit_cast<std::uint32_t>(x);
}

// What `split` wrote of one operand, and how it is found in the workspace: see kernels/split.cl.
struct Image {
    const std::vector<std::uint32_t>& workspace;
    std::size_t offset, rows, ranges, depths;

    float piece(std::size_t row, std::size_t k, std::size_t which) const
    {
        const std::size_t eights = k / block_k * rows / 8 + row / 8, matrix = (eights * 2 + k % 32 / 16) * 3 + which;
        const std::size_t number = ((matrix * 2 + k % 16 / 8) * 8 + row % 8) * 8 + k % 8; // of 16 bits
        const std::uint32_t word = workspace[offset + number / 2];
        return std::bit_cast<float>(number % 2 == 0 ? word << 16U : word & 0xffff0000U);
    }
    std::uint32_t range(std::size_t block, std::size_t depth) const { return workspace[ranges + block * depths + depth]; }
};

// An operand as rows x k.
class Rows {
public:
    Rows(const GuardedMatrix& matrix, bool turned) : matrix_(matrix), turned_(turned) {}
    std::size_t rows() const { return turned_ ? matrix_.cols : matrix_.rows; }
    std::size_t depth() const { return turned_ ? matrix_.rows : matrix_.cols; }
    float at(std::size_t row, std::size_t k) const // zero where there is none
    {
        if (row >= rows() || k >= depth())
            return 0;
        return turned_ ? matrix_.at(k, row) : matrix_.at(row, k);
    }

private:
    const GuardedMatrix& matrix_;
    bool turned_;
};

std::uint32_t expected_range(const Rows& x, std::size_t block, std::size_t depth)
{
    constexpr std::uint32_t inexact = 0x80000000U;
    std::uint32_t most = 0, flag = 0;
    for (std::size_t row = block * block_rows; row < (block + 1) * block_rows; row++)
        for (std::size_t k = depth * block_k; k < (depth + 1) * block_k; k++) {
            const float one = std::fabs(x.at(row, k));
            most = std::max(most, bits(one < 0x1p127f ? one : infinity));
            if (one < 0x1p127f && !is_exact(split(one)))
                flag = inexact;
        }
    return most | flag;
}

testing::AssertionResult is_image_of(const Rows& x, const Image& image)
{
    const std::size_t padded = image.depths * block_k;
    for (std::size_t row = 0; row < image.rows; row++)
        for (std::size_t k = 0; k < padded; k++) {
            const float one = x.at(row, k);
            if (!(std::fabs(one) < 0x1p127f)) // nobody reads what becomes of those
                continue;
            const Pieces expected = split(one);
            const float pieces[] = {expected.first, expected.second, expected.third};
            for (std::size_t which = 0; which < 3; which++)
                if (bits(image.piece(row, k, which)) != bits(pieces[which]))
                    return testing::AssertionFailure()
                           << "piece " << which + 1 << " of " << std::hexfloat << one << " in row " << row << ", k " << k
                           << " is " << image.piece(row, k, which) << ", not " << pieces[which];
        }
    for (std::size_t block = 0; block * block_rows < image.rows; block++)
        for (std::size_t depth = 0; depth < image.depths; depth++)
            if (image.range(block, depth) != expected_range(x, block, depth))
                return testing::AssertionFailure()
                       << "range (" << block << ", " << depth << ") is " << std::bit_cast<float>(image.range(block, depth))
                       << ", not " << std::bit_cast<float>(expected_range(x, block, depth));
    return testing::AssertionSuccess();
}

// Splits the operands of a case as the first step of kernel 14's plan does, and compares.
testing::AssertionResult splits_rightly(const SgemmCase& x, const Operands& operands, std::size_t variant = 0)
{
    const auto& test = test_device();
    const auto state = device_state(test.context(), test.device());
    const KernelInfo& kernel = *find_kernel("14");
    const Problem problem = problem_of(x, operands);
    Plan plan = plan_of(problem, state->profile(), tested(kernel, kernel.variants[variant]).variant, {});
    plan.steps.resize(1);
    const auto splitting = plan.steps[0].arguments.as<kernel_arguments::Splitting>();

    std::vector<std::uint32_t> workspace(plan.workspace_bytes / 4, canary);
    const cl::Buffer buffer(test.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, plan.workspace_bytes, workspace.data());
    const CaseOnDevice on_device(x, operands);
    const auto& queue = test.in_order;
    execute(ready(plan, state->programs), state->workspaces, {on_device.a(), on_device.b(), on_device.c(), buffer()},
            {queue, true});
    queue.enqueueReadBuffer(buffer, CL_TRUE, 0, plan.workspace_bytes, workspace.data());

    const std::size_t depths = (x.k + block_k - 1) / block_k;
    const auto image = [&](const kernel_arguments::Image& of) {
        return Image{workspace, of.offset, of.rows, of.ranges, depths};
    };
    const Image a = image(splitting.imageA), b = image(splitting.imageB);
    if (auto result = is_image_of(Rows(operands.a, x.trans_a != CLGEMM_NO_TRANS), a); !result)
        return result << ", of A, " << x;
    if (auto result = is_image_of(Rows(operands.b, x.trans_b == CLGEMM_NO_TRANS), b); !result)
        return result << ", of B, " << x;

    // What is neither image nor range is as it was.
    for (const Image& written : {a, b}) {
        std::fill_n(workspace.begin() + static_cast<std::ptrdiff_t>(written.offset), written.rows * depths * 48, canary);
        std::fill_n(workspace.begin() + static_cast<std::ptrdiff_t>(written.ranges),
                    (written.rows + block_rows - 1) / block_rows * depths, canary);
    }
    if (std::any_of(workspace.begin(), workspace.end(), [](std::uint32_t word) { return word != canary; }))
        return testing::AssertionFailure() << "something else was written, " << x;
    const Operands after = on_device.read(queue);
    if (!after.a.same_bits(operands.a) || !after.b.same_bits(operands.b) || !after.c.same_bits(operands.c))
        return testing::AssertionFailure() << "a matrix was changed, " << x;
    return testing::AssertionSuccess();
}

class SplitKernel : public testing::Test {
    void SetUp() override
    {
        if (!finds_the_largest_in_split())
            GTEST_SKIP() << "this driver does not find the largest number of a block";
    }
};

constexpr clgemm_transpose transposes[] = {CLGEMM_NO_TRANS, CLGEMM_TRANS};

// Of all magnitudes that three pieces hold.
void fill_with_many_magnitudes(GuardedMatrix& matrix, std::mt19937& random)
{
    std::uniform_int_distribution<int> exponent(-109, 120);
    matrix.fill(random);
    for (std::size_t i = 0; i < matrix.rows; i++)
        for (std::size_t j = 0; j < matrix.cols; j++)
            matrix.at(i, j) = std::ldexp(matrix.at(i, j) + std::copysign(1.0f, matrix.at(i, j)), exponent(random));
}

TEST_F(SplitKernel, WritesThePiecesOfAllSizesInBothDirections)
{
    const KernelInfo& kernel = *find_kernel("14");
    const std::size_t rows[] = {1, 7, 127, 128, 129, 300}, depths[] = {1, 15, 31, 32, 33, 100};
    std::mt19937 random(1);
    std::size_t number = 0;
    for (const auto trans_a : transposes)
        for (const auto trans_b : transposes)
            for (const std::size_t m : rows)
                for (const std::size_t k : depths) {
                    number++;
                    const std::size_t n = rows[number % std::size(rows)];
                    const std::size_t odd = number % 3;
                    const SgemmCase x{CLGEMM_COLUMN_MAJOR, trans_a, trans_b, m, n, k, 1, 0, {odd, 3 * odd, 0}, {odd, 5, 0}};
                    Operands operands(x);
                    fill_with_many_magnitudes(operands.a, random);
                    fill_with_many_magnitudes(operands.b, random);
                    ASSERT_TRUE(splits_rightly(x, operands, number % kernel.variants.size()));
                }
}

// Of prepared operands, one for each product of a batch: each image is the one that is written alone.
TEST_F(SplitKernel, WritesTheImagesOfSeveralOperandsInOneLaunch)
{
    constexpr std::size_t count = 3, n = 140, k = 70, ld = 143, distance = ld * n + 5;
    const auto state = device_state(test_device().context(), test_device().device());
    const auto& queue = test_device().in_order;
    std::mt19937 random(2);
    std::vector<float> floats(count * distance);
    std::generate(floats.begin(), floats.end(), [&] { return static_cast<float>(random()) / 1e9f - 2; });
    const cl::Buffer operands(test_device().context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, floats.size() * sizeof(float),
                              floats.data());
    for (const auto trans : transposes) {
        Problem problem = make_problem({CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, trans, 20, n, k, 1, 0, 20, 3, ld, 0, 0, 20});
        problem.b.prepared = true;
        struct Made {
            std::vector<std::uint32_t> words;
            kernel_arguments::Splitting arguments;
        };
        const auto made = [&] {
            const Variant variant = tested(*find_kernel("14"), find_kernel("14")->variants[0]).variant;
            const clgemm::core::Image image = plan_of(problem, state->profile(), variant, {}).images.at(0);
            Made result{std::vector<std::uint32_t>(image.bytes / 4),
                        image.making.arguments.as<kernel_arguments::Splitting>()};
            const cl::Buffer buffer(test_device().context, CL_MEM_READ_WRITE, image.bytes);
            Buffers buffers{.b = operands()};
            buffers[Memory::image_b] = buffer();
            execute(ready(Plan{{image.making}}, state->programs), state->workspaces, buffers, {queue, true});
            queue.enqueueReadBuffer(buffer, CL_TRUE, 0, image.bytes, result.words.data());
            return result;
        };
        problem.b.siblings = {count, 0, distance};
        const Made all = made();
        problem.b.siblings = {};
        for (std::size_t i = 0; i < count; i++, problem.b.offset += distance) {
            const Made one = made();
            const auto same = [&](std::size_t here, std::size_t there, std::size_t words) {
                return std::memcmp(&one.words[here], &all.words[there], words * sizeof(std::uint32_t)) == 0;
            };
            const kernel_arguments::Image &image = one.arguments.imageB, &first = all.arguments.imageB;
            const std::size_t depths = (k + block_k - 1) / block_k;
            EXPECT_TRUE(same(image.offset, first.offset + i * all.arguments.nextImage, image.rows * depths * 48)) << i;
            EXPECT_TRUE(same(image.ranges, first.ranges + i * all.arguments.nextRanges,
                             (image.rows + block_rows - 1) / block_rows * depths))
                << i;
        }
    }
}

// Zeros but for one element: its block alone has a range.
TEST_F(SplitKernel, TellsTheRangeOfEachBlock)
{
    const float specials[] = {
        0,         -0.0f,     1,         -0x1.fffffep126f, 0x1p127f,     -largest,         infinity,
        -infinity, nan,       -nan,      0x1p-126f,        0x1.81p-126f, 0x1.000002p-110f, 0x1.000002p-111f,
        0x1p-133f, 0x1p-134f, -0x1p-149f};
    for (const auto trans : transposes) {
        const SgemmCase x{CLGEMM_COLUMN_MAJOR, trans, trans, 300, 170, 70, 1, 0, {1, 2, 0}, {3, 1, 0}};
        for (const float special : specials)
            for (const auto& [row, k] : {std::pair<std::size_t, std::size_t>{0, 0}, {127, 31}, {128, 32}, {169, 69}}) {
                Operands operands(x);
                for (auto* const matrix : {&operands.a, &operands.b})
                    for (std::size_t i = 0; i < matrix->rows; i++)
                        for (std::size_t j = 0; j < matrix->cols; j++)
                            matrix->at(i, j) = 0;
                (trans == CLGEMM_NO_TRANS ? operands.a.at(row, k) : operands.a.at(k, row)) = special;
                (trans == CLGEMM_NO_TRANS ? operands.b.at(k, row) : operands.b.at(row, k)) = special;
                ASSERT_TRUE(splits_rightly(x, operands)) << special;
            }
    }
}

TEST_F(SplitKernel, SplitsTheRestOfABlockWithSpecialNumbersAsEver)
{
    std::mt19937 random(2);
    const SgemmCase x{CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 200, 100, 64, 1, 0, {}, {}};
    Operands operands(x);
    operands.a.at(3, 5) = nan;
    operands.a.at(150, 40) = -infinity;
    operands.b.at(0, 0) = largest;
    operands.b.at(63, 99) = 0x1p-149f;
    EXPECT_TRUE(splits_rightly(x, operands));
}

} // namespace
