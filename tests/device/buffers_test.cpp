// Which buffers are taken: exactly as large as they must be, parts of others, over host memory, with access as far as it is
// needed, and none where nothing is read.
#include "support/case_on_device.hpp"
#include "support/world.hpp"

using namespace clgemm::test;

namespace {

// Buffers of exactly the matrices' extent, or some bytes less.
class ExactBuffers {
public:
    ExactBuffers(const SgemmCase& x, const std::array<std::size_t, 3>& missing_bytes) : operands_(x), case_(x, operands_)
    {
        GuardedMatrix* const matrices[] = {&operands_.a, &operands_.b, &operands_.c};
        cl::Buffer* const buffers[] = {&case_.a, &case_.b, &case_.c};
        for (const Which which : every_matrix) {
            const GuardedMatrix& matrix = *matrices[which];
            const bool by_columns = x.layout == CLGEMM_COLUMN_MAJOR;
            const std::size_t lines = by_columns ? matrix.cols : matrix.rows,
                              length = by_columns ? matrix.rows : matrix.cols;
            bytes_[which] = (matrix.offset + (lines - 1) * matrix.ld + length) * sizeof(float) - missing_bytes[which];
            *buffers[which] = cl::Buffer(test_device().context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes_[which],
                                         matrices[which]->elements.data());
        }
    }

    clgemm_status call(const char* kernel) const { return case_.call(test_device().in_order, kernel); }
    testing::AssertionResult is_right() const { return clgemm::test::is_right(case_.x, operands_, read()); }
    bool c_is_unchanged() const { return read().c.same_bits(operands_.c); }

private:
    Operands read() const
    {
        Operands now = operands_;
        test_device().in_order.enqueueReadBuffer(case_.c, CL_TRUE, 0, bytes_[C], now.c.elements.data());
        return now;
    }

    Operands operands_;
    CaseOnDevice case_;
    std::array<std::size_t, 3> bytes_{};
};

TEST(BufferSize, IsTakenWhenExactAndRefusedWhenOneElementOrByteIsMissing)
{
    constexpr clgemm_status status[] = {CLGEMM_A_TOO_SMALL, CLGEMM_B_TOO_SMALL, CLGEMM_C_TOO_SMALL};
    constexpr const char* names[] = {"A has ", "B has ", "C has "};
    const std::array<std::size_t, 3> none{}, some_gaps{1, 3, 5}, some_offsets{1, 7, 64};
    for (const auto layout : layouts)
        for (const auto trans_a : transposes)
            for (const auto trans_b : transposes)
                for (const auto& [gaps, offsets] :
                     {std::pair{none, none}, {some_gaps, none}, {none, some_offsets}, {some_gaps, some_offsets}}) {
                    const SgemmCase x{layout, trans_a, trans_b, 17, 13, 9, 1, 0.5f, gaps, offsets};
                    const ExactBuffers exact(x, {});
                    ASSERT_EQ(exact.call(nullptr), CLGEMM_SUCCESS) << x << ": " << clgemm_last_error();
                    ASSERT_TRUE(exact.is_right());
                    for (const Which which : every_matrix)
                        for (const std::size_t missing : {std::size_t{1}, sizeof(float)}) {
                            std::array<std::size_t, 3> missing_bytes{};
                            missing_bytes[which] = missing;
                            const ExactBuffers small(x, missing_bytes);
                            EXPECT_EQ(small.call(nullptr), status[which]) << x;
                            EXPECT_NE(std::string(clgemm_last_error()).find(names[which]), std::string::npos)
                                << clgemm_last_error();
                            EXPECT_TRUE(small.c_is_unchanged()) << x;
                        }
                }
}

TEST(BufferSize, WhenExactIsEnoughForEveryKernel)
{
    for (const char* const kernel : kernels_here())
        for (const SgemmCase& x : {SgemmCase{CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 128, 128, 32},
                                   SgemmCase{CLGEMM_ROW_MAJOR, CLGEMM_TRANS, CLGEMM_TRANS, 33, 31, 29}}) {
            const ExactBuffers exact(x, {});
            ASSERT_EQ(exact.call(kernel), CLGEMM_SUCCESS) << clgemm_last_error();
            ASSERT_TRUE(exact.is_right()) << kernel;
        }
}

// Host memory need not be aligned for vectors; 32-byte vectors start everywhere but at their own multiples here.
TEST(Buffers, OverHostMemoryOfAnyAlignmentAreRightForEveryKernel)
{
    const auto& test = test_device();
    for (const char* const kernel : kernels_here())
        for (const std::size_t shift : {1U, 2U, 4U, 7U}) {
            const SgemmCase x{CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_TRANS, 128, 128, 32, 1, 0.5f, {}, {}};
            CaseOnDevice on_device(x);
            std::vector<std::vector<float>> memory;
            for (auto [buffer, matrix] : {std::pair{&on_device.a, &on_device.before.a},
                                          {&on_device.b, &on_device.before.b},
                                          {&on_device.c, &on_device.before.c}}) {
                auto& elements = memory.emplace_back(shift, 0.0f);
                elements.insert(elements.end(), matrix->elements.begin(), matrix->elements.end());
                *buffer = cl::Buffer(test.context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, matrix->bytes(),
                                     elements.data() + shift);
            }
            ASSERT_EQ(on_device.call(test.in_order, kernel), CLGEMM_SUCCESS) << clgemm_last_error();
            ASSERT_TRUE(on_device.is_right(test.in_order)) << kernel << ", " << shift << " floats off";
        }
}

TEST(Buffers, MayBePartsOfOthersOfWhichOnlyThePartIsTouched)
{
    const auto& test = test_device();
    const std::size_t alignment = test.device.getInfo<CL_DEVICE_MEM_BASE_ADDR_ALIGN>() / 8;
    const CaseOnDevice whole({CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 40, 30, 20, 1, 0.5f, {1, 2, 3}, {}});
    CaseOnDevice parts = whole;
    for (auto [part, source, matrix] : {std::tuple{&parts.a, &whole.a, &whole.before.a},
                                        {&parts.b, &whole.b, &whole.before.b},
                                        {&parts.c, &whole.c, &whole.before.c}}) {
        cl::Buffer parent(test.context, CL_MEM_READ_WRITE, 2 * alignment + matrix->bytes());
        test.in_order.enqueueFillBuffer(parent, 0.0f, 0, 2 * alignment + matrix->bytes());
        test.in_order.enqueueCopyBuffer(*source, parent, 0, 2 * alignment, matrix->bytes());
        cl_buffer_region region{2 * alignment, matrix->bytes()};
        *part = parent.createSubBuffer(CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region);
    }
    test.in_order.finish();
    ASSERT_EQ(parts.call(test.in_order), CLGEMM_SUCCESS) << clgemm_last_error();
    EXPECT_TRUE(parts.is_right(test.in_order));
    // A part that is too small is too small, however large the whole is.
    parts.x.m++;
    parts.x.n += 20;
    EXPECT_EQ(parts.call(test.in_order), CLGEMM_B_TOO_SMALL) << clgemm_last_error();
}

TEST(Buffers, MayBeReadOnlyForAAndBAndWriteOnlyForCWithoutBeta)
{
    World world;
    Arguments arguments = world.right_arguments();
    arguments.buffer[A] = arguments.buffer[B] = world.read_only();
    arguments.buffer[C] = world.write_only();
    arguments.beta = 0;
    arguments.event = nullptr;
    for (const char* const kernel : kernels_here()) {
        arguments.options.kernel = kernel;
        EXPECT_EQ(call(ex, arguments), CLGEMM_SUCCESS) << clgemm_last_error();
    }
    test_device().in_order.finish();
}

TEST(Inputs, MayBeNullWhenKOrAlphaIsZero)
{
    for (const bool by_k : {false, true}) {
        const SgemmCase x{CLGEMM_ROW_MAJOR, CLGEMM_NO_TRANS,    CLGEMM_NO_TRANS, 5,         4,
                          by_k ? 0u : 3u,   by_k ? 1.0f : 0.0f, -0.7f,           {1, 1, 1}, {}};
        CaseOnDevice on_device(x);
        on_device.a = on_device.b = cl::Buffer();
        ASSERT_EQ(on_device.call(test_device().in_order), CLGEMM_SUCCESS) << clgemm_last_error();
        Operands after = on_device.before;
        test_device().in_order.enqueueReadBuffer(on_device.c, CL_TRUE, 0, after.c.bytes(), after.c.elements.data());
        EXPECT_TRUE(is_right(x, on_device.before, after));

        after = on_device.before;
        ASSERT_EQ(clgemm_sgemm_host(x.layout, x.trans_a, x.trans_b, x.m, x.n, x.k, x.alpha, nullptr, after.a.ld, nullptr,
                                    after.b.ld, x.beta, after.c.elements.data(), after.c.ld, nullptr),
                  CLGEMM_SUCCESS)
            << clgemm_last_error();
        EXPECT_TRUE(is_right(x, on_device.before, after));
    }
}

TEST(AllMatrices, MayBeNullWhenMOrNIsZero)
{
    for (const auto& [m, n] : {std::pair<std::size_t, std::size_t>{0, 4}, {5, 0}, {0, 0}})
        for (const Form form : {plain, ex, host, host_ex}) {
            World world;
            Arguments arguments = world.right_arguments();
            arguments.m = m;
            arguments.n = n;
            for (const Which which : every_matrix) {
                arguments.buffer[which] = nullptr;
                arguments.host[which] = nullptr;
            }
            EXPECT_EQ(call(form, arguments), CLGEMM_SUCCESS) << name(form) << ": " << clgemm_last_error();
        }
}

} // namespace
