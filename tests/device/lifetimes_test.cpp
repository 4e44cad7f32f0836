// What a caller may free when a call has returned, as clgemm.h says: everything that it gave, while the work is still
// waiting.
#include "support/case_on_device.hpp"

#include <cstring>

using namespace clgemm::test;

namespace {

constexpr std::size_t n = 64;

TEST(Lifetimes, EndWithTheCallForAllThatItWasGiven)
{
    const auto& test = test_device();
    const std::vector<float> ones(n * n, 1.0f);
    const auto buffer = [&] {
        return cl::Buffer(test.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, n * n * sizeof(float),
                          const_cast<float*>(ones.data()));
    };
    cl::Buffer c = buffer();
    cl::UserEvent held(test.context);
    cl::Event done;
    {
        cl::CommandQueue queue(test.context, test.device);
        cl::Buffer a = buffer(), b = buffer(), workspace(test.context, CL_MEM_READ_WRITE, 1 << 20);
        cl::UserEvent its_own = held;
        cl_event wait_list[] = {its_own()};
        std::string kernel = "10";
        clgemm_options options = CLGEMM_OPTIONS_INIT;
        options.kernel = kernel.c_str();
        options.workspace = workspace();
        ASSERT_EQ(clgemm_sgemm_ex(CLGEMM_COLUMN_MAJOR, CLGEMM_TRANS, CLGEMM_NO_TRANS, n, n, n, 1, a(), 0, n, b(), 0, n, 0,
                                  c(), 0, n, queue(), 1, wait_list, &done(), &options),
                  CLGEMM_SUCCESS)
            << clgemm_last_error();
        kernel.assign(kernel.size(), '?');
        std::memset(&options, 0xff, sizeof options);
        wait_list[0] = nullptr;
        queue.flush();
    } // and so are the buffers, the workspace, the queue, and one reference to the event
    held.setStatus(CL_COMPLETE);
    done.wait();
    std::vector<float> result(n * n);
    test.in_order.enqueueReadBuffer(c, CL_TRUE, 0, n * n * sizeof(float), result.data());
    EXPECT_EQ(result, std::vector<float>(n * n, float{n}));
}

TEST(Lifetimes, EndWithTheCallForLists)
{
    const auto& test = test_device();
    std::vector<float> ones(2 * n * n, 1.0f);
    const cl::Buffer a(test.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, ones.size() * sizeof(float), ones.data());
    const cl::Buffer c(test.context, CL_MEM_READ_WRITE, ones.size() * sizeof(float));
    cl::UserEvent held(test.context);
    const cl_event waits_for = held();
    cl::Event done;
    std::vector<std::size_t> from{0, n * n}, to{n * n, 0};
    std::vector<float> alpha{1, 2}, beta{0, 0};
    ASSERT_EQ(clgemm_sgemm_batched(CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, n, n, n, 2, alpha.data(), a(),
                                   from.data(), n, a(), from.data(), n, beta.data(), c(), to.data(), n, 2, test.in_order(),
                                   1, &waits_for, &done()),
              CLGEMM_SUCCESS)
        << clgemm_last_error();
    from.assign(2, 77);
    to.assign(2, 77);
    alpha.assign(2, 77);
    held.setStatus(CL_COMPLETE);
    done.wait();
    std::vector<float> result(ones.size());
    test.in_order.enqueueReadBuffer(c, CL_TRUE, 0, result.size() * sizeof(float), result.data());
    EXPECT_EQ(result.front(), 2.0f * n);
    EXPECT_EQ(result.back(), float{n});
}

} // namespace
