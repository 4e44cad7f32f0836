// A C++17 program that uses an installed clgemm through clgemm.hpp: on host memory, in buffers, and with an error.
#include <clgemm/clgemm.hpp>

#include <cstdio>
#include <vector>

using clgemm::Layout, clgemm::Transpose;

int main()
{
    std::vector<float> a{1, 2, 3, 4, 5, 6}, b{1, 0, 0, 1, 1, 1};
    const std::vector<float> expected{4, 5, 10, 11};
    std::vector<float> on_host(4), in_buffer(4);
    clgemm::sgemm(Layout::row_major, Transpose::no, Transpose::no, 2, 2, 3, 1, a.data(), 3, b.data(), 2, 0, on_host.data(),
                  2);

    const cl::Context context(clgemm::default_device());
    const cl::CommandQueue queue(context, clgemm::default_device());
    const cl::Buffer device_a(context, a.begin(), a.end(), true), device_b(context, b.begin(), b.end(), true),
        device_c(context, CL_MEM_WRITE_ONLY, 4 * sizeof(float));
    cl::Event done;
    clgemm::sgemm(Layout::row_major, Transpose::no, Transpose::no, 2, 2, 3, 1, device_a, 0, 3, device_b, 0, 2, 0, device_c,
                  0, 2, queue, nullptr, &done);
    done.wait();
    cl::copy(queue, device_c, in_buffer.begin(), in_buffer.end());
    if (on_host != expected || in_buffer != expected) {
        std::fprintf(stderr, "the product is wrong\n");
        return 1;
    }

    try {
        clgemm::sgemm(Layout::row_major, Transpose::no, Transpose::no, 2, 2, 3, 1, a.data(), 2, b.data(), 2, 0,
                      on_host.data(), 2);
        std::fprintf(stderr, "an lda that is too small was taken\n");
        return 1;
    } catch (const clgemm::Error& error) {
        if (error.status() != CLGEMM_INVALID_LDA)
            throw;
    }
    clgemm::teardown(context);
    std::printf("right, by clgemm %s with %zu kernels\n", clgemm_version(), clgemm::kernel_names().size());
    return 0;
}
