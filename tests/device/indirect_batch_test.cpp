// clgemm_sgemm_indirect_batched(): each product of a list in the device's memory is right, and nobody else reads that.
#include "support/case_on_device.hpp"
#include "support/list_on_device.hpp"
#include "support/with_selection.hpp"

#include <cstring>
#include <limits>

using namespace clgemm::test;

namespace {

constexpr const char* takers[] = {nullptr,       "01",      "13",
                                  "small_batch", "shallow", "cpu_fused"}; // nullptr: the library chooses

// Some other products, and then these, where the host cannot read them.
cl::Buffer list_of(const std::vector<clgemm_product>& products, std::size_t first)
{
    constexpr cl_ulong nowhere = std::numeric_limits<cl_ulong>::max() / 8;
    std::vector<clgemm_product> all(first, {nowhere, nowhere, nowhere, 1, 1});
    all.insert(all.end(), products.begin(), products.end());
    const std::size_t bytes = all.size() * sizeof(clgemm_product);
    const auto& context = test_device().context;
    if (bytes == 0)
        return cl::Buffer(context, CL_MEM_READ_ONLY, sizeof(clgemm_product));
    const cl::Buffer readable(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, all.data());
    const cl::Buffer result(context, CL_MEM_READ_ONLY | CL_MEM_HOST_NO_ACCESS, bytes);
    test_device().in_order.enqueueCopyBuffer(readable, result, 0, 0, bytes);
    test_device().in_order.finish();
    return result;
}

// Of all offsets and of the leading dimensions, in bytes, as far as kernels can tell.
std::size_t alignment_of(const ListOnDevice& list)
{
    std::size_t all = 16;
    for (const Which which : every_matrix)
        for (const std::size_t offset : list.offsets[which])
            all |= offset;
    return (all & (~all + 1)) * sizeof(float);
}

bool runs(const char* kernel, clgemm_math math = CLGEMM_MATH_DEFAULT)
{
    const bool reproducibly = math == CLGEMM_MATH_REPRODUCIBLE;
    if (!kernel)
        return !reproducibly || test_profile().has_ieee_floats;
    for (const char* const here : kernels_here())
        if (std::strstr(here, kernel))
            return !reproducibly || runs_reproducibly_here(here);
    return false;
}

std::vector<float> c_of(const ListOnDevice& list)
{
    return list.batch.read(test_device().in_order).elements[C];
}

void expect_random_ones_to_be_right(int count)
{
    std::mt19937 random(16);
    for (int i = 0; i < count; i++) {
        BatchedCase x = random_batched_case(random);
        x.alpha = x.beta = 1; // so that all operands have numbers in them
        const ListOnDevice list(x, random, i % 3 != 0 && x.count > 0);
        clgemm_options options = CLGEMM_OPTIONS_INIT;
        options.kernel = takers[random() % std::size(takers)];
        if (!runs(options.kernel))
            continue;
        if (random() % 2 == 0)
            options.alignment = alignment_of(list);
        const std::size_t first = random() % 3 == 0 ? 5 : 0;
        auto products = list.products();
        for (clgemm_product& product : products)
            if (product.alpha == 0) // A and B are not looked at
                product.offA = product.offB = std::numeric_limits<cl_ulong>::max() / 16;
        const cl::Buffer of_products = list_of(products, first);
        const auto& queue = random() % 2 == 0 ? test_device().in_order : test_device().out_of_order;
        cl::Event done;
        ASSERT_EQ(list.call_by(of_products, first, queue, options, &done), CLGEMM_SUCCESS) << x << clgemm_last_error();
        queue.flush();
        done.wait();
        ASSERT_TRUE(list.is_right()) << "list " << i << " by " << (options.kernel ? options.kernel : "any");
    }
}

} // namespace

TEST(IndirectBatch, RandomOnesAreRight)
{
    expect_random_ones_to_be_right(30);
}

TEST(IndirectBatch, MoreRandomOnesAreRight)
{
    expect_random_ones_to_be_right(200);
}

TEST(IndirectBatch, HasTheBitsOfSingleProductsOfTheSameKernel)
{
    std::mt19937 random(17);
    for (const char* const kernel : takers)
        for (const clgemm_layout layout : layouts)
            for (const clgemm_math math : {CLGEMM_MATH_STRICT, CLGEMM_MATH_REPRODUCIBLE}) {
                if (!kernel || !runs(kernel, math))
                    continue;
                SCOPED_TRACE(std::string(kernel) + (math == CLGEMM_MATH_STRICT ? ", strict" : ", reproducible"));
                BatchedCase x;
                x.layout = layout;
                x.m = 37;
                x.n = 21;
                x.k = 120; // so shallow that each size of a kernel, of which a batch may take another, adds it as one sum
                x.count = 12;
                x.beta = 1; // so that C has numbers in it, too
                x.ld = {300, 301, 40};
                x.distance = {12'000, 7, 1'600};
                // Some factors are 0: of those products C is only scaled, and a zero keeps its sign.
                ListOnDevice list(x, random, true);
                for (float& element : list.batch.before.elements[C])
                    if (random() % 4 == 0)
                        element = -0.0f;
                list.batch.restore_c(test_device().in_order);
                clgemm_options options = CLGEMM_OPTIONS_INIT;
                options.kernel = kernel;
                options.math = math;
                options.workspace_limit = 1; // and K is whole
                ASSERT_EQ(list.call(test_device().in_order, options), CLGEMM_SUCCESS) << clgemm_last_error();
                const auto one_by_one = c_of(list);
                list.batch.restore_c(test_device().in_order);
                ASSERT_EQ(list.call_by(list_of(list.products(), 0), 0, test_device().in_order, options), CLGEMM_SUCCESS)
                    << clgemm_last_error();
                const auto at_once = c_of(list);
                EXPECT_EQ(std::memcmp(one_by_one.data(), at_once.data(), at_once.size() * sizeof(float)), 0);
            }
}

// Deep ones are computed where blocks of K can follow one another in one launch.
TEST(IndirectBatch, IsReproducibleForAnyK)
{
    if (!test_profile().has_ieee_floats)
        GTEST_SKIP() << "the device computes nothing reproducibly";
    std::mt19937 random(18);
    BatchedCase x;
    x.m = 9;
    x.n = 7;
    x.k = 1'300;
    x.count = 3;
    x.alpha = 0.7f;
    x.beta = -1.3f;
    x.ld = {9, 1'300, 9};
    x.distance = {12'000, 9'200, 70};
    const ListOnDevice list(x, random, false);
    clgemm_options options = CLGEMM_OPTIONS_INIT;
    options.math = CLGEMM_MATH_REPRODUCIBLE;
    ASSERT_EQ(list.call(test_device().in_order, options), CLGEMM_SUCCESS) << clgemm_last_error();
    const auto expected = c_of(list);
    for (const char* const kernel : {static_cast<const char*>(nullptr), "01"}) {
        list.batch.restore_c(test_device().in_order);
        options.kernel = kernel;
        ASSERT_EQ(list.call_by(list_of(list.products(), 0), 0, test_device().in_order, options), CLGEMM_SUCCESS)
            << clgemm_last_error();
        EXPECT_EQ(std::memcmp(expected.data(), c_of(list).data(), expected.size() * sizeof(float)), 0);
    }
}

// As in a single call: even adding zeros would make +0 of -0.
TEST(IndirectBatch, WithoutAlphaCIsOnlyScaledToTheLastBit)
{
    constexpr std::size_t m = 7, n = 5, k = 3;
    constexpr cl_ulong nowhere = std::numeric_limits<cl_ulong>::max() / 16;
    constexpr float scalars[][2] = {{0, 1}, {0, -1}, {0, 0.5f}, {0, 0}, {-0.0f, 1}, {-0.0f, 0}}; // alpha, beta
    const auto& test = test_device();
    std::vector<clgemm_product> products;
    for (const auto& [alpha, beta] : scalars)
        products.push_back({nowhere, nowhere, products.size() * m * n, alpha, beta});
    std::vector<float> before, right;
    for (const auto& [alpha, beta] : scalars)
        for (std::size_t i = 0; i < m * n; i++) {
            before.push_back(i % 3 == 0 ? -0.0f : static_cast<float>(i % 3) - 1);
            right.push_back(beta == 0 ? 0 : beta * before.back());
        }
    const cl::Buffer operand(test.context, CL_MEM_READ_ONLY, 4 * m * n), list = list_of(products, 0);
    for (const char* const kernel : takers)
        for (const clgemm_math math : {CLGEMM_MATH_DEFAULT, CLGEMM_MATH_STRICT, CLGEMM_MATH_REPRODUCIBLE}) {
            if (!runs(kernel, math))
                continue;
            std::vector<float> c = before;
            const std::size_t bytes = c.size() * sizeof(float);
            const cl::Buffer in_buffer(test.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, c.data());
            clgemm_options options = CLGEMM_OPTIONS_INIT;
            options.kernel = kernel;
            options.math = math;
            ASSERT_EQ(clgemm_sgemm_indirect_batched_ex(CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, m, n, k,
                                                       operand(), m, operand(), k, in_buffer(), m, list(), 0,
                                                       products.size(), test.in_order(), 0, nullptr, nullptr, &options),
                      CLGEMM_SUCCESS)
                << clgemm_last_error();
            test.in_order.enqueueReadBuffer(in_buffer, CL_TRUE, 0, bytes, c.data());
            EXPECT_EQ(std::memcmp(c.data(), right.data(), bytes), 0) << (kernel ? kernel : "any") << ", math " << math;
        }
}

// A launch has at most 65,535 work-groups in dimension 2, which others than small_batch and those of CPUs have for products.
TEST(IndirectBatch, OfManyProductsIsRight)
{
    std::mt19937 random(19);
    BatchedCase x;
    x.m = x.n = 2;
    x.count = 66'000;
    x.beta = 0.5f;
    x.ld = {2, 3, 2};
    x.distance = {4, 0, 4};
    for (const char* const kernel : {takers[0], takers[1]})
        for (const std::size_t k : {0, 3}) { // without K, C is only scaled
            x.k = k;
            const ListOnDevice list(x, random, true);
            clgemm_options options = CLGEMM_OPTIONS_INIT;
            options.kernel = kernel;
            const cl::Buffer of_products = list_of(list.products(), 3);
            cl::Event done;
            ASSERT_EQ(list.call_by(of_products, 3, test_device().out_of_order, options, &done), CLGEMM_SUCCESS)
                << clgemm_last_error();
            test_device().out_of_order.flush();
            done.wait();
            EXPECT_TRUE(list.is_right());
        }
}

// What the queries say is what the call does.
TEST(IndirectBatch, IsDescribedForTheQueries)
{
    clgemm_call call = CLGEMM_CALL_INIT;
    call.layout = CLGEMM_ROW_MAJOR;
    call.m = 7;
    call.n = 8;
    call.k = call.lda = 900;
    call.ldb = call.ldc = 8;
    call.batch = 100;
    call.indirect = 1;
    call.distC = 1; // by which matrices of a strided batch would share elements
    call.alpha = 0;
    char text[4096];
    clgemm_options options = CLGEMM_OPTIONS_INIT;
    for (const char* const kernel : takers) {
        if (!runs(kernel))
            continue;
        options.kernel = kernel;
        ASSERT_EQ(clgemm_call_explain(&call, test_device().device(), &options, text, sizeof text, nullptr), CLGEMM_SUCCESS)
            << clgemm_last_error();
        EXPECT_NE(std::strstr(text, "100 products, with offsets and factors listed in the device's memory"), nullptr)
            << text;
        EXPECT_NE(std::strstr(text, kernel ? kernel : "kernel: "), nullptr) << text;
        std::size_t bytes = 77;
        ASSERT_EQ(clgemm_call_workspace_size(&call, test_device().device(), &options, &bytes), CLGEMM_SUCCESS)
            << clgemm_last_error();
        EXPECT_EQ(bytes, 0u);
    }
    options.kernel = "2";
    EXPECT_EQ(clgemm_call_explain(&call, test_device().device(), &options, text, sizeof text, nullptr),
              CLGEMM_KERNEL_NOT_SUPPORTED)
        << "it takes no list";
    EXPECT_EQ(clgemm_call_prepared_explain(&call, nullptr, nullptr, nullptr, nullptr, 0, nullptr), CLGEMM_INVALID_CALL);
    EXPECT_NE(std::strstr(clgemm_last_error(), "indirect is 1"), nullptr) << clgemm_last_error();
}

TEST(IndirectBatch, NamesTheArgumentThatIsWrong)
{
    const auto& context = test_device().context;
    const cl::Buffer operand(context, CL_MEM_READ_WRITE, 4096), c(context, CL_MEM_READ_WRITE, 4096);
    const cl::Buffer list = list_of({{0, 0, 0, 1, 0}, {50, 50, 50, 1, 0}, {25, 25, 25, 1, 0}}, 1);
    const cl::Buffer unreadable(context, CL_MEM_WRITE_ONLY, 4096);
    const cl::Context another_context(test_device().device);
    const cl::Buffer elsewhere(another_context, CL_MEM_READ_WRITE, 4096);
    const auto status = [&](cl_mem products, std::size_t first, std::size_t count, std::size_t ld = 5,
                            const char* kernel = nullptr, cl_mem workspace = nullptr) {
        clgemm_options options = CLGEMM_OPTIONS_INIT;
        options.kernel = kernel;
        options.workspace = workspace;
        const clgemm_status result = clgemm_sgemm_indirect_batched_ex(
            CLGEMM_ROW_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 5, 5, 5, operand(), ld, operand(), 5, c(), 5, products,
            first, count, test_device().in_order(), 0, nullptr, nullptr, &options);
        test_device().in_order.finish();
        return result;
    };
    const auto says = [](const char* what) { return std::string(clgemm_last_error()).find(what) != std::string::npos; };
    EXPECT_EQ(status(list(), 1, 3), CLGEMM_SUCCESS) << clgemm_last_error();
    EXPECT_EQ(status(nullptr, 1, 0), CLGEMM_SUCCESS) << "nothing is looked at";
    EXPECT_EQ(status(nullptr, 0, 1), CLGEMM_INVALID_PRODUCTS);
    EXPECT_TRUE(says("products is null"));
    EXPECT_EQ(status(unreadable(), 0, 1), CLGEMM_INVALID_PRODUCTS);
    EXPECT_TRUE(says("products is write-only"));
    EXPECT_EQ(status(elsewhere(), 0, 1), CLGEMM_WRONG_CONTEXT_PRODUCTS);
    EXPECT_TRUE(says("products belongs to another context"));
    EXPECT_EQ(status(list(), 1, 4), CLGEMM_PRODUCTS_TOO_SMALL);
    EXPECT_TRUE(says("products has 128 bytes, but the call needs 160"));
    for (const std::size_t much : {size_max / 32 + 1, size_max})
        for (const std::size_t first : {std::size_t{0}, std::size_t{1}, much})
            EXPECT_EQ(status(list(), first, much), CLGEMM_PRODUCTS_TOO_SMALL);
    EXPECT_EQ(status(list(), 1, 3, 4), CLGEMM_INVALID_LDA);
    EXPECT_EQ(status(list(), 1, 3, 300), CLGEMM_A_TOO_SMALL) << "even for a matrix at the beginning";
    EXPECT_EQ(status(list(), 1, 3, 5, "10"), CLGEMM_KERNEL_NOT_SUPPORTED);
    EXPECT_TRUE(says("takes no list of products"));
    EXPECT_EQ(status(list(), 1, 3, 5, nullptr, list()), CLGEMM_INVALID_WORKSPACE);
    EXPECT_TRUE(says("options->workspace shares memory with products"));
    EXPECT_EQ(status(list(), 1, 3, 5, nullptr, operand()), CLGEMM_INVALID_WORKSPACE);
    EXPECT_TRUE(says("options->workspace shares memory with A"));
}
