// clgemm_sgemm_batched() and clgemm_sgemm_host_batched(): each product of a list is right, wherever its matrices lie.
#include "support/case_on_device.hpp"
#include "support/list_on_device.hpp"
#include "support/with_selection.hpp"

#include <algorithm>
#include <cstring>
#include <string>

using namespace clgemm::test;

TEST(ListedBatch, RandomOnesAreRight)
{
    std::mt19937 random(6);
    const auto kernels = kernels_here();
    for (int i = 0; i < 150; i++) {
        BatchedCase x = random_batched_case(random);
        x.alpha = x.beta = 1; // so that all operands have numbers in them
        const ListOnDevice list(x, random, i % 3 != 0 && x.count > 0);
        clgemm_options options = CLGEMM_OPTIONS_INIT;
        if (random() % 2 == 0)
            options.kernel = kernels[random() % kernels.size()];
        std::size_t bytes = 0;
        ASSERT_EQ(clgemm_sgemm_workspace_size(x.layout, x.trans_a, x.trans_b, x.m, x.n, x.k, 1, x.offset[A], x.ld[A],
                                              x.offset[B], x.ld[B], 1, x.offset[C], x.ld[C], test_device().device(),
                                              &options, &bytes),
                  CLGEMM_SUCCESS);
        cl::Buffer workspace;
        if (bytes > 0 && random() % 2 == 0) {
            workspace = cl::Buffer(test_device().context, CL_MEM_READ_WRITE, bytes);
            options.workspace = workspace();
        }
        const auto& queue = random() % 2 == 0 ? test_device().in_order : test_device().out_of_order;
        cl::Event done;
        ASSERT_EQ(list.call(queue, options, &done), CLGEMM_SUCCESS) << x << ": " << clgemm_last_error();
        queue.flush();
        done.wait();
        ASSERT_TRUE(list.is_right()) << "list " << i;
    }
}

// An equidistant list is the strided batch, with its bits.
TEST(ListedBatch, OfManyProductsIsRight)
{
    std::mt19937 random(7);
    BatchedCase x;
    x.m = x.n = x.k = 2;
    x.count = 20'000;
    x.beta = 0.5f;
    x.ld = {2, 2, 2};
    x.distance = {4, 0, 4};
    for (const cl::CommandQueue& queue : {test_device().in_order, test_device().out_of_order})
        for (const bool own_scalars : {false, true}) {
            const ListOnDevice list(x, random, own_scalars);
            cl::Event done;
            ASSERT_EQ(list.call(queue, CLGEMM_OPTIONS_INIT, &done), CLGEMM_SUCCESS) << clgemm_last_error();
            queue.flush();
            done.wait();
            EXPECT_TRUE(list.is_right());
        }
}

// A workspace that one product finds too small is refused before any product is computed, be it that the kernel takes what
// it needs (10) or that it keeps to a limit, and does not find the workspace enough (cpu_packed).
TEST(ListedBatch, AsksForItsWorkspaceBeforehand)
{
    std::mt19937 random(8);
    BatchedCase x;
    x.m = x.n = x.k = 5;
    x.count = 3;
    x.ld = {5, 5, 5};
    x.distance = {25, 25, 30};
    const ListOnDevice list(x, random, true);
    clgemm_options options = CLGEMM_OPTIONS_INIT;
    const cl::Buffer too_small(test_device().context, CL_MEM_READ_WRITE, 64);
    options.workspace = too_small();
    const auto here = kernels_here();
    for (const std::string kernel : {"10_incomplete_tiles", "cpu_packed"}) {
        if (std::find(here.begin(), here.end(), kernel) == here.end())
            continue;
        options.kernel = kernel.c_str();
        EXPECT_EQ(list.call(test_device().in_order, options), CLGEMM_WORKSPACE_TOO_SMALL) << clgemm_last_error();
        EXPECT_EQ(std::string(clgemm_last_error()).rfind("options->workspace has 64 bytes", 0), 0u) << clgemm_last_error();
    }
    const BatchedOperands now = list.batch.read(test_device().in_order);
    EXPECT_EQ(
        std::memcmp(now.elements[C].data(), list.batch.before.elements[C].data(), now.elements[C].size() * sizeof(float)),
        0);
}

// Products that lie as one wide product take more together, by kernels that keep to no limit: then each is computed alone.
TEST(ListedBatch, TakesTheWorkspaceOfOneOfItsProducts)
{
    std::mt19937 random(9);
    BatchedCase x;
    x.m = x.n = x.k = 37;
    x.count = 3;
    x.ld = {37, 37, 37};
    x.distance = {0, 37 * 37, 37 * 37};
    const ListOnDevice list(x, random, false);
    clgemm_options options = CLGEMM_OPTIONS_INIT;
    options.kernel = "02_tiled";
    const auto bytes = [&](std::size_t columns) {
        std::size_t result = 0;
        EXPECT_EQ(clgemm_sgemm_workspace_size(x.layout, x.trans_a, x.trans_b, x.m, columns, x.k, x.alpha, x.offset[A],
                                              x.ld[A], x.offset[B], x.ld[B], x.beta, x.offset[C], x.ld[C],
                                              test_device().device(), &options, &result),
                  CLGEMM_SUCCESS);
        return result;
    };
    ASSERT_GT(bytes(3 * x.n), bytes(x.n));
    const cl::Buffer workspace(test_device().context, CL_MEM_READ_WRITE, bytes(x.n));
    options.workspace = workspace();
    EXPECT_EQ(list.call(test_device().in_order, options), CLGEMM_SUCCESS) << clgemm_last_error();
    EXPECT_TRUE(list.is_right());
}

TEST(ListedBatch, RandomOnesOfPointersAreRight)
{
    std::mt19937 random(9);
    const cl_command_queue queues[] = {nullptr, test_device().in_order(), test_device().out_of_order()};
    for (int i = 0; i < 60; i++) {
        BatchedCase x = random_batched_case(random);
        x.alpha = x.beta = 1; // so that all operands have numbers in them
        const ListOnDevice list(x, random, i % 3 != 0 && x.count > 0);
        BatchedOperands memory = list.batch.before;
        std::vector<const float*> a, b;
        std::vector<float*> c;
        for (std::size_t product = 0; product < x.count; product++) {
            const bool reads = x.k > 0 && list.alpha[list.scalars == 1 ? 0 : product] != 0;
            a.push_back(reads ? memory.elements[A].data() + list.offsets[A][product] : nullptr);
            b.push_back(reads ? memory.elements[B].data() + list.offsets[B][product] : nullptr);
            c.push_back(memory.elements[C].data() + list.offsets[C][product]);
        }
        ASSERT_EQ(clgemm_sgemm_host_batched(x.layout, x.trans_a, x.trans_b, x.m, x.n, x.k, list.scalars, list.alpha.data(),
                                            a.data(), x.ld[A], b.data(), x.ld[B], list.beta.data(), c.data(), x.ld[C],
                                            x.count, queues[random() % 3]),
                  CLGEMM_SUCCESS)
            << x << ": " << clgemm_last_error();
        ASSERT_TRUE(list.is_right(memory)) << "list " << i;
    }
}

TEST(ListedBatch, NamesThePointerThatIsWrong)
{
    std::vector<float> numbers(300, 1.0f), results(300, 2.0f);
    const float scalars[] = {1, 1, 1};
    const float* const operands[] = {numbers.data() + 100, numbers.data(), numbers.data() + 50};
    float* const matrices[] = {results.data() + 200, results.data(), results.data() + 100};
    const auto status = [&](const float* const* a, const float* const* b, float* const* c, std::size_t scalar_count = 1,
                            const float* alpha = nullptr) {
        return clgemm_sgemm_host_batched(CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 5, 5, 5, scalar_count,
                                         alpha ? alpha : scalars, a, 5, b, 5, scalars, c, 5, 3, test_device().in_order());
    };
    const auto says = [](const char* what) { return std::string(clgemm_last_error()).find(what) != std::string::npos; };
    EXPECT_EQ(status(operands, operands, matrices), CLGEMM_SUCCESS) << clgemm_last_error();
    EXPECT_EQ(status(nullptr, operands, matrices), CLGEMM_INVALID_POINTER);
    EXPECT_TRUE(says("A is null, but count is 3"));
    EXPECT_EQ(status(operands, operands, nullptr), CLGEMM_INVALID_POINTER);
    EXPECT_EQ(status(operands, operands, matrices, 2), CLGEMM_INVALID_SCALARS);
    const float* const with_null[] = {operands[0], nullptr, operands[2]};
    const float alphas[] = {1, 0, 1};
    EXPECT_EQ(status(operands, with_null, matrices), CLGEMM_INVALID_B);
    EXPECT_TRUE(says("B[1] is null"));
    EXPECT_EQ(status(operands, with_null, matrices, 3, alphas), CLGEMM_SUCCESS) << "it is not looked at";
    float* const overlapping[] = {results.data() + 200, results.data(), results.data() + 224};
    const std::vector<float> before = results;
    EXPECT_EQ(status(operands, operands, overlapping), CLGEMM_OVERLAPPING_C);
    EXPECT_TRUE(says("C[0] and C[2] share elements"));
    const float* const in_c[] = {operands[0], operands[1], results.data() + 110}; // of the last product
    EXPECT_EQ(status(in_c, operands, matrices), CLGEMM_OVERLAPPING_C);
    EXPECT_TRUE(says("C shares elements with A"));
    EXPECT_EQ(before, results) << "nothing was computed";
    const auto* const between = reinterpret_cast<const float*>(reinterpret_cast<const char*>(operands[2]) + 2);
    const float* const odd[] = {operands[0], operands[1], between};
    EXPECT_EQ(status(odd, operands, matrices), CLGEMM_INVALID_A);
    EXPECT_TRUE(says("A[2] does not lie whole floats away"));
}

TEST(ListedBatch, NamesTheListThatIsWrong)
{
    const cl::Buffer buffer(test_device().context, CL_MEM_READ_WRITE, 4096);
    const float scalars[] = {1, 1, 1};
    const std::size_t offsets[] = {0, 100, 200};
    struct Lists {
        std::size_t count = 3, scalar_count = 1;
        const float *alpha, *beta;
        const std::size_t *a, *b, *c;
    };
    const Lists right{3, 1, scalars, scalars, offsets, offsets, offsets};
    const auto status = [&](const Lists& lists) {
        const cl::Buffer c(test_device().context, CL_MEM_READ_WRITE, 4096);
        const clgemm_status result =
            clgemm_sgemm_batched(CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 5, 5, 5, lists.scalar_count,
                                 lists.alpha, buffer(), lists.a, 5, buffer(), lists.b, 5, lists.beta, c(), lists.c, 5,
                                 lists.count, test_device().in_order(), 0, nullptr, nullptr);
        test_device().in_order.finish();
        return result;
    };
    const auto expect = [&](clgemm_status expected, const std::string& named, auto spoil) {
        Lists lists = right;
        spoil(lists);
        EXPECT_EQ(status(lists), expected) << named;
        EXPECT_NE(std::string(clgemm_last_error()).find(named), std::string::npos) << clgemm_last_error();
    };
    EXPECT_EQ(status(right), CLGEMM_SUCCESS) << clgemm_last_error();
    EXPECT_EQ(status({0, 5, nullptr, nullptr, nullptr, nullptr, nullptr}), CLGEMM_SUCCESS) << "no list is looked at";
    expect(CLGEMM_INVALID_POINTER, "alpha is null", [](Lists& x) { x.alpha = nullptr; });
    expect(CLGEMM_INVALID_POINTER, "beta is null", [](Lists& x) { x.beta = nullptr; });
    expect(CLGEMM_INVALID_POINTER, "offsA is null", [](Lists& x) { x.a = nullptr; });
    expect(CLGEMM_INVALID_POINTER, "offsB is null", [](Lists& x) { x.b = nullptr; });
    expect(CLGEMM_INVALID_POINTER, "offsC is null", [](Lists& x) { x.c = nullptr; });
    for (const std::size_t wrong : {0U, 2U, 4U})
        expect(CLGEMM_INVALID_SCALARS, "numScalars is " + std::to_string(wrong), [&](Lists& x) { x.scalar_count = wrong; });
    const std::size_t overlapping[] = {200, 0, 224}, beyond[] = {0, 1000, 200};
    expect(CLGEMM_OVERLAPPING_C, "offsC[0], 200, and offsC[2], 224", [&](Lists& x) { x.c = overlapping; });
    expect(CLGEMM_A_TOO_SMALL, "A has 4096 bytes", [&](Lists& x) { x.a = beyond; });
    expect(CLGEMM_B_TOO_SMALL, "B has 4096 bytes", [&](Lists& x) { x.b = beyond; });
    expect(CLGEMM_C_TOO_SMALL, "C has 4096 bytes", [&](Lists& x) { x.c = beyond; });
}

// The first product only scales C, for which no kernel is needed. The second one is for a kernel that the device does not
// have.
TEST(ListedBatch, WhoseKernelTheDeviceDoesNotHaveIsNotBegun)
{
    constexpr std::size_t side = 8, products = 2, offsets[products] = {0, 1000};
    const std::vector<float> operand(2000, 1), before(2000, 5);
    std::vector<float> c = before;
    const float alpha[products] = {0, 1}, beta[products] = {2, 2};
    clgemm_options options = CLGEMM_OPTIONS_INIT;
    options.kernel = test_profile().type == clgemm::core::DeviceType::cpu ? "14_tensor_cores" : "cpu_amx";

    const float* const operands[] = {operand.data(), operand.data() + offsets[1]};
    float* const results[] = {c.data(), c.data() + offsets[1]};
    EXPECT_EQ(clgemm_sgemm_host_batched_ex(CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, side, side, side, products,
                                           alpha, operands, side, operands, side, beta, results, side, products,
                                           test_device().in_order(), &options),
              CLGEMM_KERNEL_NOT_SUPPORTED)
        << clgemm_last_error();
    EXPECT_EQ(c, before);

    const cl::CommandQueue& queue = test_device().in_order;
    const cl::Buffer a(test_device().context, CL_MEM_READ_WRITE, c.size() * sizeof(float)),
        of_c(test_device().context, CL_MEM_READ_WRITE, c.size() * sizeof(float));
    write(queue, a, c.size() * sizeof(float), operand.data());
    write(queue, of_c, c.size() * sizeof(float), c.data());
    EXPECT_EQ(clgemm_sgemm_batched_ex(CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, side, side, side, products,
                                      alpha, a(), offsets, side, a(), offsets, side, beta, of_c(), offsets, side, products,
                                      queue(), 0, nullptr, nullptr, &options),
              CLGEMM_KERNEL_NOT_SUPPORTED)
        << clgemm_last_error();
    queue.enqueueReadBuffer(of_c, CL_TRUE, 0, c.size() * sizeof(float), c.data());
    EXPECT_EQ(c, before);
}
