// Two multiplications in a row on device buffers, in C++: D = (A * B) * A, the second waiting for the first by its event,
// so that the queue need not be in order. Needs an OpenCL device, and CL/opencl.hpp to build.
#define CL_HPP_ENABLE_EXCEPTIONS // CLHPP's own failures as cl::Error; clgemm's are clgemm::Error with or without it
#include <clgemm/clgemm.hpp>

#include <cstdlib>
#include <iostream>
#include <vector>

int main()
try {
    using clgemm::Layout;
    using clgemm::Transpose;

    const std::size_t n = 128; // square, column-major
    std::vector<float> A(n * n), B(n * n), D(n * n);
    for (std::size_t j = 0; j < n; j++)
        for (std::size_t i = 0; i < n; i++) {
            A[j * n + i] = i == j ? 2.0f : 0.0f; // twice the identity, so D = 4 * B
            B[j * n + i] = static_cast<float>(i + 2 * j);
        }

    const cl::Device device = clgemm::default_device();
    const cl::Context context(device);
    const cl::CommandQueue queue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    const cl::Buffer a(context, A.begin(), A.end(), true), b(context, B.begin(), B.end(), true);
    const cl::Buffer ab(context, CL_MEM_READ_WRITE, n * n * sizeof(float));
    const cl::Buffer d(context, CL_MEM_WRITE_ONLY, n * n * sizeof(float));

    std::vector<cl::Event> first(1), second(1);
    clgemm::sgemm(Layout::column_major, Transpose::no, Transpose::no, n, n, n, 1.0f, a, 0, n, b, 0, n, 0.0f, ab, 0, n, queue,
                  nullptr, &first[0]);
    clgemm::sgemm(Layout::column_major, Transpose::no, Transpose::no, n, n, n, 1.0f, ab, 0, n, a, 0, n, 0.0f, d, 0, n, queue,
                  &first, &second[0]);
    queue.enqueueReadBuffer(d, CL_TRUE, 0, n * n * sizeof(float), D.data(), &second);

    std::size_t wrong = 0;
    for (std::size_t i = 0; i < n * n; i++)
        wrong += D[i] != 4 * B[i]; // small whole numbers: exact
    std::cout << "on " << device.getInfo<CL_DEVICE_NAME>() << ": D(5, 7) = " << D[7 * n + 5] << ", expected "
              << 4 * B[7 * n + 5] << "; " << wrong << " elements wrong\n";
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
} catch (const cl::Error& error) { // from CLHPP: OpenCL's code and function
    std::cerr << error.what() << ": " << clgemm_status_string(error.err()) << "\n";
    return EXIT_FAILURE;
} catch (const std::exception& error) { // clgemm::Error among them
    std::cerr << error.what() << "\n";
    return EXIT_FAILURE;
}
