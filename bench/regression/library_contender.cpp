#include "library_contender.hpp"

#include "../contenders/host_contender.hpp"
#include "timing/opencl_contender.hpp"

#include <filesystem>

namespace bench {

using namespace timing;

namespace {

clgemm_transpose transpose(bool yes)
{
    return yes ? CLGEMM_TRANS : CLGEMM_NO_TRANS;
}

void check(const ClgemmLibrary& library, clgemm_status status)
{
    if (status != CLGEMM_SUCCESS)
        throw std::runtime_error(library.path + ": " + library.last_error());
}

class OnBuffers : public OpenClContender {
public:
    OnBuffers(const ClgemmLibrary& library, const DeviceMatrices& matrices) : OpenClContender(matrices), library_(library) {}

    std::string description() const override { return library_.description() + ", clgemm_sgemm()"; }

    void multiply(const Product& product) override
    {
        const auto& [m, n, k] = product.shape;
        const auto& on = matrices();
        check(library_, library_.sgemm(CLGEMM_COLUMN_MAJOR, transpose(product.transposes.a), transpose(product.transposes.b),
                                       m, n, k, 1.0f, on.a(), 0, product.lda(), on.b(), 0, product.ldb(), product.beta,
                                       on.c(), 0, product.ldc(), on.queue(), 0, nullptr, nullptr));
        on.queue.finish();
    }

private:
    const ClgemmLibrary& library_;
};

class OnHostMemory : public HostContender {
public:
    OnHostMemory(const ClgemmLibrary& library, const DeviceMatrices& device, HostMatrices& matrices)
        : HostContender(matrices), library_(library), queue_(device.queue)
    {
    }

    std::string description() const override { return library_.description() + ", clgemm_sgemm_host()"; }

    void multiply(const Product& product) override
    {
        const auto& [m, n, k] = product.shape;
        check(library_, library_.sgemm_host(CLGEMM_COLUMN_MAJOR, transpose(product.transposes.a),
                                            transpose(product.transposes.b), m, n, k, 1.0f, a(), product.lda(), b(),
                                            product.ldb(), product.beta, c(), product.ldc(), queue_()));
    }

private:
    const ClgemmLibrary& library_;
    cl::CommandQueue queue_;
};

} // namespace

ClgemmLibrary::ClgemmLibrary(const std::string& file)
    : path(file), library({std::filesystem::absolute(file)}),
      version(library.function<decltype(clgemm_version)>("clgemm_version")),
      last_error(library.function<decltype(clgemm_last_error)>("clgemm_last_error")),
      sgemm(library.function<decltype(clgemm_sgemm)>("clgemm_sgemm")),
      sgemm_host(library.function<decltype(clgemm_sgemm_host)>("clgemm_sgemm_host"))
{
}

std::string ClgemmLibrary::description() const
{
    return "clgemm " + std::string(version()) + " (" + path + ")";
}

std::unique_ptr<Contender> on_buffers(const ClgemmLibrary& library, const DeviceMatrices& matrices)
{
    return std::make_unique<OnBuffers>(library, matrices);
}

std::unique_ptr<Contender> on_host_memory(const ClgemmLibrary& library, const DeviceMatrices& device, HostMatrices& matrices)
{
    return std::make_unique<OnHostMemory>(library, device, matrices);
}

} // namespace bench
