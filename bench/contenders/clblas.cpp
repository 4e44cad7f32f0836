// clBLAS, on the same queue. The prototypes are those of clBLAS.h 2.12, with the enumerations as int.
#include "contenders.hpp"
#include "shared_library.hpp"
#include "timing/opencl_contender.hpp"

namespace bench {

using namespace timing;

namespace {

constexpr int column_major = 1;           // clblasColumnMajor
constexpr int no_trans = 0, do_trans = 1; // clblasNoTrans, clblasTrans

using Sgemm = int(int order, int transA, int transB, std::size_t M, std::size_t N, std::size_t K, cl_float alpha, cl_mem A,
                  std::size_t offA, std::size_t lda, cl_mem B, std::size_t offB, std::size_t ldb, cl_float beta, cl_mem C,
                  std::size_t offC, std::size_t ldc, cl_uint queues, cl_command_queue* queue, cl_uint waits,
                  const cl_event* waitList, cl_event* event);

class ClBlas : public OpenClContender {
public:
    explicit ClBlas(const DeviceMatrices& matrices) : OpenClContender(matrices)
    {
        if (const int status = library_.function<int()>("clblasSetup")())
            throw Absent("clblasSetup returned " + std::to_string(status));
    }

    std::string description() const override { return "clBLAS (" + library_.file() + "), as it comes"; }

    void multiply(const Product& product) override
    {
        const auto& [m, n, k] = product.shape;
        const auto& on = matrices();
        const auto transpose = [](bool yes) { return yes ? do_trans : no_trans; };
        cl_command_queue queue = on.queue();
        for (std::size_t i = 0; i < product.count; i++) { // clBLAS has no batches
            const int status =
                sgemm_(column_major, transpose(product.transposes.a), transpose(product.transposes.b), m, n, k, 1.0f, on.a(),
                       i * product.distance_a(), product.lda(), on.b(), i * product.distance_b(), product.ldb(),
                       product.beta, on.c(), i * product.distance_c(), product.ldc(), 1, &queue, 0, nullptr, nullptr);
            if (status != 0)
                throw std::runtime_error("clblasSgemm returned " + std::to_string(status));
        }
        on.queue.finish();
    }

private:
    SharedLibrary library_{{"libclBLAS.so.2", "libclBLAS.so"}};
    Sgemm* sgemm_ = library_.function<Sgemm>("clblasSgemm");
};

} // namespace

std::unique_ptr<Contender> find_clblas(const DeviceMatrices& matrices)
{
    return std::make_unique<ClBlas>(matrices);
}

} // namespace bench
