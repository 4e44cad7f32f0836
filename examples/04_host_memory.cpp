// C = A * B on std::vectors, in C++, row-major, with the kernel chosen by hand; and what the library would do by itself.
// Needs an OpenCL device, and CL/opencl.hpp to build.
#include <clgemm/clgemm.hpp>

#include <cstdlib>
#include <iostream>
#include <vector>

int main()
try {
    using clgemm::Layout;
    using clgemm::Transpose;

    const std::size_t m = 60, n = 50, k = 40;
    const std::vector<float> A(m * k, 0.5f), B(k * n, 3.0f);
    std::vector<float> C(m * n);

    clgemm::Options options;
    options.kernel = "03_work_per_thread"; // leave it empty, and the library chooses
    clgemm::sgemm(Layout::row_major, Transpose::no, Transpose::no, m, n, k, 1.0f, A.data(), k, B.data(), n, 0.0f, C.data(),
                  n, cl::CommandQueue(), options);

    clgemm::Call call;
    call.layout = Layout::row_major;
    call.m = m, call.n = n, call.k = k;
    call.lda = k, call.ldb = call.ldc = n;
    std::cout << "C(0, 0) = " << C.front() << ", C(59, 49) = " << C.back() << ", expected " << 0.5f * 3.0f * k << "\n\n"
              << "Left to itself, the library would do this:\n"
              << clgemm::explain(call);
    return C == std::vector<float>(m * n, 60.0f) ? EXIT_SUCCESS : EXIT_FAILURE;
} catch (const std::exception& error) { // clgemm::Error among them
    std::cerr << error.what() << "\n";
    return EXIT_FAILURE;
}
