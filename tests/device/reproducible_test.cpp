// CLGEMM_MATH_REPRODUCIBLE: every element has the bits of the loop in reference/reproducible.hpp, by every kernel, in every
// way, in every form of a call. There is no tolerance.
//   CLGEMM_REPRODUCIBLE_PROBLEMS=100000   how many problems are drawn at random; unset: a few
//   CLGEMM_REPRODUCIBLE_SEED=5            which ones; unset: always the same
#include "families/registry.hpp"
#include "reference/reproducible.hpp"
#include "support/case_on_device.hpp"
#include "support/with_selection.hpp"

#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <thread>

using namespace clgemm::reference;
using clgemm::core::Arithmetic;
using namespace clgemm::test;

namespace {

std::uint32_t bits_of(float x)
{
    return std::bit_cast<std::uint32_t>(x);
}

// What element (i, j) of C must be.
float expected(const SgemmCase& x, const Operands& before, std::size_t i, std::size_t j)
{
    const bool column_major = x.layout == CLGEMM_COLUMN_MAJOR;
    const auto row = [&](const GuardedMatrix& matrix) { return column_major ? std::size_t{1} : matrix.ld; };
    const auto column = [&](const GuardedMatrix& matrix) { return column_major ? matrix.ld : std::size_t{1}; };
    const bool turned_a = x.trans_a != CLGEMM_NO_TRANS, turned_b = x.trans_b != CLGEMM_NO_TRANS;
    const float* const a = before.a.data() + i * (turned_a ? column(before.a) : row(before.a));
    const float* const b = before.b.data() + j * (turned_b ? row(before.b) : column(before.b));
    return reproducible(x.k, x.alpha, a, turned_a ? row(before.a) : column(before.a), b,
                        turned_b ? column(before.b) : row(before.b), x.beta,
                        before.c.data() + i * row(before.c) + j * column(before.c));
}

testing::AssertionResult has_the_bits(const SgemmCase& x, const Operands& before, const Operands& after)
{
    if (!after.a.same_bits(before.a) || !after.b.same_bits(before.b) || !after.c.canaries_are_alive())
        return testing::AssertionFailure() << x << ": something besides C was written";
    for (std::size_t j = 0; j < x.n; j++)
        for (std::size_t i = 0; i < x.m; i++) {
            const float right = expected(x, before, i, j), is = after.c.at(i, j);
            if (bits_of(is) != bits_of(right))
                return testing::AssertionFailure()
                       << x << ": C(" << i << ", " << j << ") is " << std::hexfloat << is << " (" << std::hex << bits_of(is)
                       << "), but must be " << right << " (" << bits_of(right) << ")";
        }
    return testing::AssertionSuccess();
}

clgemm_options reproducible_options(const char* kernel = nullptr)
{
    clgemm_options options = CLGEMM_OPTIONS_INIT;
    options.math = CLGEMM_MATH_REPRODUCIBLE;
    options.kernel = kernel;
    return options;
}

// Numbers that arithmetic may treat specially, by kinds that a matrix has all of.
enum class Kind { plain, graded, subnormal, large, special, count };

float drawn(std::mt19937& random, Kind kind)
{
    const float x = std::uniform_real_distribution<float>(-1, 1)(random);
    const auto scaled = [&](int least, unsigned range) { return std::ldexp(x, least + static_cast<int>(random() % range)); };
    switch (kind) {
    case Kind::graded: return scaled(-40, 80);
    case Kind::subnormal: return scaled(-90, 30);
    case Kind::large: return scaled(50, 30); // products up to 2^158, beyond the largest float
    case Kind::special:
        switch (random() % 1000) {
        case 0: return std::bit_cast<float>(0xffc12345U); // a NaN with a sign and a payload
        case 1: return std::bit_cast<float>(0x7f812345U); // a signalling one
        case 2: return std::numeric_limits<float>::infinity();
        case 3: return -std::numeric_limits<float>::infinity();
        default: return random() % 10 == 0 ? -0.0f : x;
        }
    default: return x;
    }
}

void draw(GuardedMatrix& matrix, std::mt19937& random, Kind kind)
{
    for (std::size_t i = 0; i < matrix.rows; i++)
        for (std::size_t j = 0; j < matrix.cols; j++)
            matrix.at(i, j) = drawn(random, kind);
}

constexpr std::size_t depths[] = {1, 7, 511, 512, 513, 600, 1023, 1024, 1025, 1536, 2048, 3000};

// Any problem, with any numbers.
struct Drawn {
    SgemmCase x;
    Operands operands;

    explicit Drawn(std::mt19937& random) : x(case_of(random)), operands(x)
    {
        const auto kind = static_cast<Kind>(random() % static_cast<unsigned>(Kind::count));
        if (x.alpha != 0) {
            draw(operands.a, random, kind);
            draw(operands.b, random, kind);
        }
        if (x.beta != 0)
            draw(operands.c, random, kind);
    }

private:
    static SgemmCase case_of(std::mt19937& random)
    {
        SgemmCase x = random_case(random);
        x.k = random() % 4 == 0 ? x.k : depths[random() % std::size(depths)];
        if (x.m * x.n > 10000) // the loop takes long
            (random() % 2 == 0 ? x.m : x.n) %= 33;
        x.m += x.m == 0;
        x.n += x.n == 0;
        if (random() % 8 == 0)
            x.alpha = 0x1p-120f;
        if (random() % 16 == 0)
            x.beta = -0.0f;
        return x;
    }
};

clgemm_status multiply_on_host(const SgemmCase& x, Operands& all, const clgemm_options& options)
{
    return clgemm_sgemm_host_ex(x.layout, x.trans_a, x.trans_b, x.m, x.n, x.k, x.alpha, all.a.data(), all.a.ld, all.b.data(),
                                all.b.ld, x.beta, all.c.elements.data() + all.c.offset, all.c.ld, nullptr, &options);
}

// Does the device promise what this needs? Where it does not, calls are refused.
bool is_refused()
{
    Operands all{SgemmCase{}};
    const clgemm_options options = reproducible_options();
    return multiply_on_host(SgemmCase{}, all, options) == CLGEMM_KERNEL_NOT_SUPPORTED;
}

unsigned long from_environment(const char* name, unsigned long otherwise)
{
    const char* const value = std::getenv(name);
    return value ? std::strtoul(value, nullptr, 10) : otherwise;
}

// Kernels that keep the order in one block of K alone.
bool refuses(std::string_view kernel, const SgemmCase& x)
{
    return (kernel == "small_batch" || kernel == "shallow") && x.k > 512 && x.alpha != 0;
}

std::vector<const char*> kernels_that_keep_the_order()
{
    std::vector<const char*> result = kernels_here();
    std::erase_if(result, [](const char* name) {
        const Arithmetic asked{.accuracy = CLGEMM_MATH_REPRODUCIBLE};
        return !is_reproducible(clgemm::core::find_kernel(name)->family->computes(asked));
    });
    return result;
}

class Reproducible : public testing::Test {
protected:
    void SetUp() override
    {
        if (is_refused())
            GTEST_SKIP() << clgemm_last_error();
    }
};

class ReproducibleKernel : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override
    {
        if (is_refused())
            GTEST_SKIP() << clgemm_last_error();
        if (!runs_reproducibly_here(GetParam()))
            GTEST_SKIP() << "the device has too little local memory";
    }
};

TEST_P(ReproducibleKernel, HasTheBitsOfTheLoopAroundTheEdgesOfBlocks)
{
    const auto& queue = test_device().in_order;
    for (const std::size_t k : {1U, 511U, 512U, 513U, 1025U, 3000U})
        for (const clgemm_transpose trans_a : {CLGEMM_NO_TRANS, CLGEMM_TRANS})
            for (const clgemm_transpose trans_b : {CLGEMM_NO_TRANS, CLGEMM_TRANS})
                for (const bool is_odd : {false, true}) {
                    const SgemmCase x = is_odd ? SgemmCase{CLGEMM_COLUMN_MAJOR, trans_a,  trans_b, 37, 29, k, -0.7f, 1.3f,
                                                           {1, 2, 3},           {3, 2, 1}}
                                               : SgemmCase{CLGEMM_COLUMN_MAJOR, trans_a, trans_b, 64, 16, k};
                    const CaseOnDevice on_device(x);
                    const clgemm_status status = on_device.call(queue, reproducible_options(GetParam()));
                    ASSERT_EQ(status, refuses(GetParam(), x) ? CLGEMM_KERNEL_NOT_SUPPORTED : CLGEMM_SUCCESS)
                        << x << ": " << clgemm_last_error();
                    if (status == CLGEMM_SUCCESS) {
                        ASSERT_TRUE(has_the_bits(x, on_device.before, on_device.read(queue)));
                    }
                }
}

// So many parts of K that several work-items read those of an element, where that is done.
TEST_P(ReproducibleKernel, HasTheBitsOfTheLoopForADeepProduct)
{
    const auto& queue = test_device().in_order;
    for (const std::size_t k : {16 * 512U, 66000U}) {
        const SgemmCase x{CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_TRANS, 37, 5, k, -0.7f, 1.3f};
        const CaseOnDevice on_device(x);
        const clgemm_status status = on_device.call(queue, reproducible_options(GetParam()));
        ASSERT_EQ(status, refuses(GetParam(), x) ? CLGEMM_KERNEL_NOT_SUPPORTED : CLGEMM_SUCCESS) << x;
        if (status == CLGEMM_SUCCESS) {
            ASSERT_TRUE(has_the_bits(x, on_device.before, on_device.read(queue)));
        }
    }
}

TEST_P(ReproducibleKernel, HasTheBitsOfTheLoopForNumbersOfAllKinds)
{
    std::mt19937 random(3);
    const clgemm_options options = reproducible_options(GetParam());
    for (int i = 0; i < 20; i++) {
        Drawn drawn(random);
        const Operands before = drawn.operands;
        const clgemm_status status = multiply_on_host(drawn.x, drawn.operands, options);
        ASSERT_EQ(status, refuses(GetParam(), drawn.x) ? CLGEMM_KERNEL_NOT_SUPPORTED : CLGEMM_SUCCESS)
            << drawn.x << ": " << clgemm_last_error();
        if (status == CLGEMM_SUCCESS) {
            ASSERT_TRUE(has_the_bits(drawn.x, before, drawn.operands));
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Of, ReproducibleKernel, testing::ValuesIn(kernels_that_keep_the_order()), name_of_kernel);

// In every way of kernel 13 to go through several blocks of K: by one launch or by several, operands and C where they lie or
// copied, sums added to C by vectors and by floats.
TEST_F(Reproducible, HoldsForBlocksOfKInEveryWayOfKernel13)
{
    const clgemm::core::KernelInfo& kernel = *clgemm::core::find_kernel("13_warp_tiled");
    for (const std::size_t k : {1024U, 1025U, 1100U})
        for (const bool is_odd : {false, true})
            for (const float beta : {0.0f, 1.3f}) {
                SgemmCase x{CLGEMM_COLUMN_MAJOR, CLGEMM_TRANS, CLGEMM_NO_TRANS, 68, 49, k, -0.7f, beta};
                x.math = CLGEMM_MATH_REPRODUCIBLE;
                if (is_odd) {
                    x.m = 67;
                    x.gaps = {1, 2, 3};
                    x.offsets = {3, 2, 1};
                }
                for (const auto& parameters : {kernel.variants[1], kernel.variants[3]}) { // tiles of 64 and of 32
                    const Operands operands(x);
                    const auto variant = tested(kernel, parameters).variant;
                    if (!runs(variant, test_profile()))
                        continue;
                    for (const auto& way : kernel.family->ways(problem_of(x, operands), test_profile(), variant)) {
                        const CaseOnDevice on_device(x, operands);
                        with_selection({variant, "tested", way})(x, operands, on_device.a(), on_device.b(), on_device.c());
                        ASSERT_TRUE(has_the_bits(x, operands, on_device.read(test_device().in_order)))
                            << "form " << way.form << ", " << way.split_k << " parts";
                    }
                }
            }
}

TEST_F(Reproducible, HoldsForProblemsDrawnAtRandom)
{
    const unsigned long count = from_environment("CLGEMM_REPRODUCIBLE_PROBLEMS", 60);
    const unsigned long seed = from_environment("CLGEMM_REPRODUCIBLE_SEED", 1);
    std::atomic<unsigned long> next{0}, computed{0};
    std::atomic<bool> fails{false};
    const auto compute = [&] {
        for (unsigned long i = next++; i < count && !fails; i = next++) {
            std::mt19937 random(static_cast<std::mt19937::result_type>(seed * 1000003 + i));
            Drawn drawn(random);
            const Operands before = drawn.operands;
            const clgemm_status status = multiply_on_host(drawn.x, drawn.operands, reproducible_options());
            const auto right = status == CLGEMM_SUCCESS ? has_the_bits(drawn.x, before, drawn.operands)
                                                        : testing::AssertionFailure() << clgemm_last_error();
            EXPECT_TRUE(right) << "problem " << i << " of seed " << seed;
            fails = fails || !right;
            computed++;
        }
    };
    std::vector<std::thread> threads; // for the loop; more would only wait for the device
    for (unsigned i = 1; i < std::max(1U, std::thread::hardware_concurrency()); i++)
        threads.emplace_back(compute);
    compute();
    for (std::thread& thread : threads)
        thread.join();
    std::printf("%lu of %lu problems of seed %lu have the bits of the loop\n", computed.load(), count, seed);
}

// What "batch invariance" asks for: a row does not depend on which others are computed with it.
TEST_F(Reproducible, ARowAloneHasTheBitsThatItHasAmongOthers)
{
    const SgemmCase whole{CLGEMM_ROW_MAJOR, CLGEMM_NO_TRANS, CLGEMM_TRANS, 130, 200, 1500};
    const Operands before(whole);
    Operands after = before;
    ASSERT_EQ(multiply_on_host(whole, after, reproducible_options()), CLGEMM_SUCCESS) << clgemm_last_error();
    for (const std::size_t rows : {1U, 2U, 7U, 64U}) {
        const clgemm_options options = reproducible_options();
        std::vector<float> c(rows * whole.n);
        constexpr std::size_t first = 50;
        ASSERT_EQ(clgemm_sgemm_host_ex(whole.layout, whole.trans_a, whole.trans_b, rows, whole.n, whole.k, whole.alpha,
                                       before.a.data() + first * before.a.ld, before.a.ld, before.b.data(), before.b.ld,
                                       whole.beta, c.data(), whole.n, nullptr, &options),
                  CLGEMM_SUCCESS)
            << clgemm_last_error();
        for (std::size_t i = 0; i < rows; i++)
            for (std::size_t j = 0; j < whole.n; j++)
                ASSERT_EQ(bits_of(c[i * whole.n + j]), bits_of(after.c.at(first + i, j))) << rows << " rows, row " << i;
    }
}

TEST_F(Reproducible, HoldsForBatches)
{
    for (const std::size_t k : {40U, 600U}) {
        constexpr std::size_t m = 9, n = 14, count = 21;
        std::mt19937 random(2);
        std::vector<float> a(m * k * count), b(k * n * count), c(m * n * count, 1.0f);
        for (auto* const matrix : {&a, &b})
            for (float& x : *matrix)
                x = drawn(random, Kind::plain);
        const std::vector<float> before = c;
        const clgemm_options options = reproducible_options();
        ASSERT_EQ(clgemm_sgemm_host_strided_batched_ex(CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, m, n, k, 1,
                                                       a.data(), m, m * k, b.data(), k, k * n, 0.3f, c.data(), m, m * n,
                                                       count, nullptr, &options),
                  CLGEMM_SUCCESS)
            << clgemm_last_error();
        for (std::size_t p = 0; p < count; p++)
            for (std::size_t j = 0; j < n; j++)
                for (std::size_t i = 0; i < m; i++) {
                    const std::size_t at = p * m * n + j * m + i;
                    ASSERT_EQ(bits_of(c[at]), bits_of(reproducible(k, 1, a.data() + p * m * k + i, m,
                                                                   b.data() + p * k * n + j * k, 1, 0.3f, &before[at])));
                }
    }
}

TEST_F(Reproducible, HoldsWhereCIsOnlyScaled)
{
    for (const float alpha : {0.0f, 1.0f}) {
        const std::size_t k = alpha == 0 ? 5 : 0;
        std::vector<float> c{1, -0.0f, std::bit_cast<float>(0xffc12345U), 0x1.8p-126f}, before = c;
        const std::vector<float> operand(20, 1.0f);
        const clgemm_options options = reproducible_options();
        ASSERT_EQ(clgemm_sgemm_host_ex(CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 4, 1, k, alpha, operand.data(),
                                       4, operand.data(), 5, 0.3f, c.data(), 4, nullptr, &options),
                  CLGEMM_SUCCESS)
            << clgemm_last_error();
        for (std::size_t i = 0; i < c.size(); i++)
            EXPECT_EQ(bits_of(c[i]),
                      bits_of(reproducible(k, alpha, operand.data(), 4, operand.data(), 1, 0.3f, &before[i])));
    }
}

} // namespace
