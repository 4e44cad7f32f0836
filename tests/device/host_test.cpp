// clgemm_sgemm_host(): the same results from matrices in host memory, of which nothing but C's window is written.
#include "reference/reference.hpp"
#include "support/case_on_device.hpp"
#include "support/pairwise.hpp"
#include "support/threads.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <random>
#include <vector>

using namespace clgemm::reference;
using namespace clgemm::test;

namespace {

testing::AssertionResult is_right_on_host(const SgemmCase& x, cl_command_queue queue, const char* kernel = nullptr)
{
    const Operands before(x);
    Operands after = before;
    clgemm_options options = CLGEMM_OPTIONS_INIT;
    options.kernel = kernel;
    const clgemm_status status = clgemm_sgemm_host_ex(x.layout, x.trans_a, x.trans_b, x.m, x.n, x.k, x.alpha, after.a.data(),
                                                      after.a.ld, after.b.data(), after.b.ld, x.beta,
                                                      after.c.elements.data() + after.c.offset, after.c.ld, queue, &options);
    if (status != CLGEMM_SUCCESS)
        return testing::AssertionFailure() << x << ": " << clgemm_last_error();
    return is_right(x, before, after);
}

constexpr clgemm_layout layouts[] = {CLGEMM_COLUMN_MAJOR, CLGEMM_ROW_MAJOR};
constexpr clgemm_transpose transposes[] = {CLGEMM_NO_TRANS, CLGEMM_TRANS, CLGEMM_CONJ_TRANS};
constexpr float alphas[] = {1, -1, 0.5f, 0};
constexpr float betas[] = {0, 1, -0.7f};
constexpr std::array<std::size_t, 3> gaps[] = {{0, 0, 0}, {1, 3, 5}, {8, 16, 4}};
constexpr std::array<std::size_t, 3> offsets[] = {{0, 0, 0}, {1, 3, 7}, {5, 0, 2}}; // so that pointers are not aligned
constexpr std::size_t sizes[] = {1, 2, 17, 64, 129};

TEST(Host, IsRightForEveryPairOfArgumentsOnEveryQueue)
{
    const auto& test = test_device();
    const cl_command_queue queues[] = {nullptr, test.in_order(), test.out_of_order()};
    const std::size_t size_count = std::size(sizes);
    const auto rows =
        pairwise({std::size(queues), std::size(layouts), std::size(transposes), std::size(transposes), size_count,
                  size_count, size_count, std::size(alphas), std::size(betas), std::size(gaps), std::size(offsets)});
    for (const auto& row : rows) {
        const SgemmCase x{layouts[row[1]], transposes[row[2]], transposes[row[3]], sizes[row[4]], sizes[row[5]],
                          sizes[row[6]],   alphas[row[7]],     betas[row[8]],      gaps[row[9]],  offsets[row[10]]};
        ASSERT_TRUE(is_right_on_host(x, queues[row[0]])) << "on queue " << row[0];
    }
}

TEST(Host, IsRightForEveryLayoutTransposeAlphaAndBeta)
{
    for (const auto layout : layouts)
        for (const auto trans_a : transposes)
            for (const auto trans_b : transposes)
                for (const auto alpha : alphas)
                    for (const auto beta : betas)
                        ASSERT_TRUE(is_right_on_host(
                            {layout, trans_a, trans_b, 19, 37, 11, alpha, beta, {2, 0, 1}, {0, 5, 3}}, nullptr));
}

TEST(Host, TakesAKernelByName)
{
    for (const char* const kernel : kernels_here())
        for (const cl_command_queue queue : {cl_command_queue{nullptr}, test_device().out_of_order()})
            EXPECT_TRUE(is_right_on_host(
                {CLGEMM_ROW_MAJOR, CLGEMM_TRANS, CLGEMM_NO_TRANS, 67, 35, 29, 0.5f, -0.7f, {1, 2, 3}, {1, 0, 0}}, queue,
                kernel))
                << kernel;
}

// Where a compiler may believe that floats begin at multiples of four bytes, it also believes in vectors there.
TEST(Host, TakesMatricesAtAnyAddressByEveryKernel)
{
    constexpr std::size_t side = 16, elements = side * side;
    std::vector<float> a(elements), b(elements);
    std::mt19937 random(7);
    std::uniform_real_distribution<float> uniform(-1, 1);
    std::generate(a.begin(), a.end(), [&] { return uniform(random); });
    std::generate(b.begin(), b.end(), [&] { return uniform(random); });
    struct Memory {
        alignas(16) std::array<std::byte, elements * sizeof(float) + 16> bytes;
        float* at(std::size_t place) { return reinterpret_cast<float*>(bytes.data() + place); }
    } in_a, in_b, in_c;
    constexpr std::size_t places[][3] = {{1, 0, 0}, {0, 2, 0}, {0, 0, 3}, {1, 1, 1}};
    for (const char* const kernel : kernels_here())
        for (const auto& [of_a, of_b, of_c] : places) {
            std::memcpy(in_a.bytes.data() + of_a, a.data(), elements * sizeof(float));
            std::memcpy(in_b.bytes.data() + of_b, b.data(), elements * sizeof(float));
            clgemm_options options = CLGEMM_OPTIONS_INIT;
            options.kernel = kernel;
            ASSERT_EQ(clgemm_sgemm_host_ex(CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, side, side, side, 1,
                                           in_a.at(of_a), side, in_b.at(of_b), side, 0, in_c.at(of_c), side, nullptr,
                                           &options),
                      CLGEMM_SUCCESS)
                << kernel << ": " << clgemm_last_error();
            std::vector<float> c(elements);
            std::memcpy(c.data(), in_c.bytes.data() + of_c, elements * sizeof(float));
            for (std::size_t i = 0; i < elements; i++) {
                const Exact exact = element(CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, i % side, i / side, side,
                                            1, a.data(), side, b.data(), side, 0, c.data(), side);
                ASSERT_TRUE(is_right(c[i], exact, side)) << kernel << ": " << of_a << ", " << of_b << ", " << of_c;
            }
        }
}

TEST(Host, HasNothingToDoForNoRowsNoColumnsOrNoDepth)
{
    for (const auto& [m, n, k] : {std::array<std::size_t, 3>{0, 5, 3}, {5, 0, 3}, {5, 3, 0}, {0, 0, 0}})
        for (const float beta : betas)
            EXPECT_TRUE(is_right_on_host(
                {CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_TRANS, m, n, k, 1, beta, {1, 2, 3}, {}}, nullptr));
}

// B is large, so that a call that does not wait for it finds it half copied.
TEST(Host, WaitsForItsCopiesOnAnOutOfOrderQueue)
{
    for (std::size_t m = 1; m <= 3; m++)
        EXPECT_TRUE(is_right_on_host({CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, m, 1000, 2000, 1, 1, {}, {}},
                                     test_device().out_of_order(), "01_naive"));
}

// On the default device: its one queue keeps the threads' launches apart, which PoCL 3.1 needs (one_pocl_worker.hpp).
TEST(Host, MayBeCalledFromSeveralThreads)
{
    at_once(8, [](std::size_t thread) {
        for (std::size_t i = 0; i < 12; i++) {
            const SgemmCase x{layouts[(thread + i) % 2],
                              transposes[i % 3],
                              transposes[thread % 3],
                              sizes[i % 5],
                              sizes[thread % 5],
                              sizes[(i + thread) % 5],
                              0.5f,
                              betas[i % 3],
                              gaps[i % 3],
                              offsets[thread % 3]};
            EXPECT_TRUE(is_right_on_host(x, nullptr));
        }
    });
}

// The data may be read-only for A and B, and the same: the Gram matrix of X.
TEST(SameInputTwice, GivesTheGramMatrixOnTheHostAndInBuffers)
{
    constexpr std::size_t rows = 150, cols = 40;
    for (const auto layout : layouts) {
        GuardedMatrix x(layout, rows, cols, 3, 0);
        std::mt19937 random(5);
        x.fill(random);
        const GuardedMatrix x_before = x;
        const auto is_gram = [&](const GuardedMatrix& gram) {
            for (std::size_t i = 0; i < cols; i++)
                for (std::size_t j = 0; j < cols; j++) {
                    const Exact exact = element(layout, CLGEMM_TRANS, CLGEMM_NO_TRANS, i, j, rows, 1, x.data(), x.ld,
                                                x.data(), x.ld, 0, nullptr, 0);
                    if (!is_right(gram.at(i, j), exact, rows))
                        return testing::AssertionFailure()
                               << "(" << i << ", " << j << ") is " << gram.at(i, j) << ", not " << exact.value;
                }
            return x.same_bits(x_before) && gram.canaries_are_alive()
                       ? testing::AssertionSuccess()
                       : testing::AssertionFailure() << "something else changed";
        };

        GuardedMatrix on_host(layout, cols, cols, 1, 0);
        ASSERT_EQ(clgemm_sgemm_host(layout, CLGEMM_TRANS, CLGEMM_NO_TRANS, cols, cols, rows, 1, x.data(), x.ld, x.data(),
                                    x.ld, 0, on_host.elements.data(), on_host.ld, nullptr),
                  CLGEMM_SUCCESS)
            << clgemm_last_error();
        EXPECT_TRUE(is_gram(on_host));

        for (const char* const kernel : kernels_here()) {
            GuardedMatrix in_buffer(layout, cols, cols, 1, 0);
            const auto& test = test_device();
            const cl::Buffer input(test.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, x.bytes(), x.elements.data());
            const cl::Buffer output(test.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, in_buffer.bytes(),
                                    in_buffer.elements.data());
            clgemm_options options = CLGEMM_OPTIONS_INIT;
            options.kernel = kernel;
            ASSERT_EQ(clgemm_sgemm_ex(layout, CLGEMM_TRANS, CLGEMM_NO_TRANS, cols, cols, rows, 1, input(), 0, x.ld, input(),
                                      0, x.ld, 0, output(), 0, in_buffer.ld, test.in_order(), 0, nullptr, nullptr, &options),
                      CLGEMM_SUCCESS)
                << clgemm_last_error();
            test.in_order.enqueueReadBuffer(output, CL_TRUE, 0, in_buffer.bytes(), in_buffer.elements.data());
            test.in_order.enqueueReadBuffer(input, CL_TRUE, 0, x.bytes(), x.elements.data());
            EXPECT_TRUE(is_gram(in_buffer)) << kernel;
        }
    }
}

} // namespace

// As factorizations call it: all three are blocks of one matrix, each between the columns of the others.
TEST(BlocksOfOneMatrix, AreMultipliedAndNothingElseIsTouched)
{
    constexpr std::size_t m = 50, n = 40, k = 30, side = m + k;
    GuardedMatrix whole(CLGEMM_COLUMN_MAJOR, side, n + k, 7, 3);
    std::mt19937 random(5);
    whole.fill(random);
    const GuardedMatrix before = whole;
    const auto block = [](auto& matrix, std::size_t i, std::size_t j) {
        return matrix.elements.data() + matrix.offset + j * matrix.ld + i;
    };
    // C -= A * B, with A to the left of C, and B above it.
    ASSERT_EQ(clgemm_sgemm_host(CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, m, n, k, -1, block(whole, k, 0),
                                whole.ld, block(whole, 0, k), whole.ld, 1, block(whole, k, k), whole.ld, nullptr),
              CLGEMM_SUCCESS)
        << clgemm_last_error();
    for (std::size_t j = 0; j < n + k; j++)
        for (std::size_t i = 0; i < side; i++) {
            if (i < k || j < k) {
                ASSERT_EQ(whole.at(i, j), before.at(i, j)) << i << ", " << j;
                continue;
            }
            const Exact exact =
                element(CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, i - k, j - k, k, -1, block(before, k, 0),
                        before.ld, block(before, 0, k), before.ld, 1, block(before, k, k), before.ld);
            ASSERT_TRUE(is_right(whole.at(i, j), exact, k)) << i << ", " << j;
        }
    EXPECT_TRUE(whole.canaries_are_alive());
}

// The same where they are not whole floats apart, so that no buffer could have them all.
TEST(BlocksOfOneMatrix, MayLieAnyBytesApart)
{
    constexpr std::size_t side = 20, ld = 3 * side + 4, gap = side + 1;
    std::mt19937 random(6);
    std::uniform_real_distribution<float> uniform(-1, 1);
    const auto read = [](const std::byte* from) {
        float value;
        std::memcpy(&value, from, sizeof value);
        return value;
    };
    for (std::size_t of_b = 0; of_b < sizeof(float); of_b++)
        for (std::size_t of_c = 0; of_c < sizeof(float); of_c++) {
            std::vector<std::byte> memory(side * ld * sizeof(float));
            // The columns of A, B and C follow one another, with a float or less between them.
            const std::array begins = {std::size_t{0}, gap * sizeof(float) + of_b - 2, 2 * gap * sizeof(float) + of_c};
            const auto place = [&](auto& bytes, std::size_t matrix, std::size_t i, std::size_t j) {
                return bytes.data() + begins[matrix] + (j * ld + i) * sizeof(float);
            };
            for (std::size_t matrix = 0; matrix < 3; matrix++)
                for (std::size_t j = 0; j < side; j++)
                    for (std::size_t i = 0; i < side; i++) {
                        const float value = uniform(random);
                        std::memcpy(place(memory, matrix, i, j), &value, sizeof value);
                    }
            const std::vector<std::byte> before = memory;
            const auto matrix = [&](std::size_t which) { return reinterpret_cast<float*>(memory.data() + begins[which]); };
            ASSERT_EQ(clgemm_sgemm_host(CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, side, side, side, 1,
                                        matrix(0), ld, matrix(1), ld, 0, matrix(2), ld, nullptr),
                      CLGEMM_SUCCESS)
                << clgemm_last_error();
            std::vector<std::byte> elsewhere = memory;
            std::vector<float> a(side * side), b(side * side), c(side * side); // without gaps, for the reference
            for (std::size_t j = 0; j < side; j++)
                for (std::size_t i = 0; i < side; i++) {
                    a[j * side + i] = read(place(before, 0, i, j));
                    b[j * side + i] = read(place(before, 1, i, j));
                }
            for (std::size_t j = 0; j < side; j++)
                for (std::size_t i = 0; i < side; i++) {
                    const Exact exact = element(CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, i, j, side, 1,
                                                a.data(), side, b.data(), side, 0, c.data(), side);
                    ASSERT_TRUE(is_right(read(place(memory, 2, i, j)), exact, side))
                        << of_b << ", " << of_c << ": " << i << ", " << j;
                    std::memcpy(place(elsewhere, 2, i, j), place(before, 2, i, j), sizeof(float));
                }
            ASSERT_EQ(elsewhere, before) << of_b << ", " << of_c;
        }
}

// A single byte that C shares with another matrix is one too many.
TEST(BlocksOfOneMatrix, MayNotShareAByteWithC)
{
    constexpr std::size_t side = 4;
    std::vector<std::byte> memory(100 * sizeof(float));
    const std::vector<float> b(side * side);
    const auto matrix = [&](std::size_t byte) { return reinterpret_cast<float*>(memory.data() + byte); };
    const auto status = [&](std::size_t of_a, std::size_t of_c) {
        return clgemm_sgemm_host(CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, side, side, side, 1, matrix(of_a),
                                 side, b.data(), side, 0, matrix(of_c), side, nullptr);
    };
    constexpr std::size_t bytes = side * side * sizeof(float);
    for (std::size_t shift = 0; shift < sizeof(float); shift++) {
        for (std::size_t shared = 1; shared < sizeof(float); shared++) {
            EXPECT_EQ(status(shift, shift + bytes - shared), CLGEMM_OVERLAPPING_C) << shift << ", " << shared;
            EXPECT_EQ(status(shift + bytes - shared, shift), CLGEMM_OVERLAPPING_C) << shift << ", " << shared;
        }
        EXPECT_EQ(status(shift, shift + bytes), CLGEMM_SUCCESS) << shift;
        EXPECT_EQ(status(shift + bytes, shift), CLGEMM_SUCCESS) << shift;
        EXPECT_EQ(status(shift, bytes + 7), CLGEMM_SUCCESS) << shift;
    }
}
