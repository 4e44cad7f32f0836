// cuBLAS, in FP32 without TF32. The prototypes are those of cublas_api.h and cuda_runtime_api.h, of CUDA 12 and 13, with
// the opaque pointers as void* and the enumerations as int.
#include "contenders.hpp"
#include "shared_library.hpp"

namespace bench {
namespace {

constexpr int cuda_host_to_device = 1, cuda_device_to_host = 2; // cudaMemcpyKind
constexpr unsigned cuda_stream_non_blocking = 1;                // cudaStreamNonBlocking
constexpr int cublas_default_math = 0;                          // CUBLAS_DEFAULT_MATH: SGEMM without tensor cores
constexpr int cublas_op_n = 0, cublas_op_t = 1;                 // cublasOperation_t

std::vector<std::string> file_names(const std::string& library)
{
    std::vector<std::string> names;
    for (const char* folder : {"", "/usr/local/cuda/lib64/", "/usr/local/cuda/lib/"}) // the first: where the loader looks
        for (const char* version : {"13", "12"})
            names.push_back(folder + library + ".so." + version);
    return names;
}

// Nothing in the environment shall change the arithmetic.
std::vector<std::string> with_plain_fp32(std::vector<std::string> names)
{
    for (const char* name : {"NVIDIA_TF32_OVERRIDE", "CUBLAS_EMULATE_SINGLE_PRECISION", "CUBLAS_EMULATION_STRATEGY"})
        set_environment(name, nullptr);
    return names;
}

struct Runtime {
    SharedLibrary library{file_names("libcudart")};
    int (*get_device_count)(int*) = library.function<int(int*)>("cudaGetDeviceCount");
    int (*get_pci_bus_id)(char*, int, int) = library.function<int(char*, int, int)>("cudaDeviceGetPCIBusId");
    int (*set_device)(int) = library.function<int(int)>("cudaSetDevice");
    int (*malloc)(void**, std::size_t) = library.function<int(void**, std::size_t)>("cudaMalloc");
    int (*memcpy)(void*, const void*, std::size_t,
                  int) = library.function<int(void*, const void*, std::size_t, int)>("cudaMemcpy");
    int (*memset)(void*, int, std::size_t) = library.function<int(void*, int, std::size_t)>("cudaMemset");
    int (*device_synchronize)() = library.function<int()>("cudaDeviceSynchronize");
    int (*stream_create)(void**, unsigned) = library.function<int(void**, unsigned)>("cudaStreamCreateWithFlags");
    int (*stream_synchronize)(void*) = library.function<int(void*)>("cudaStreamSynchronize");
};

using Sgemm = int(void* handle, int transa, int transb, int m, int n, int k, const float* alpha, const float* A, int lda,
                  const float* B, int ldb, const float* beta, float* C, int ldc);

struct Blas {
    SharedLibrary library{with_plain_fp32(file_names("libcublas"))};
    int (*create)(void**) = library.function<int(void**)>("cublasCreate_v2");
    int (*get_version)(void*, int*) = library.function<int(void*, int*)>("cublasGetVersion_v2");
    int (*set_stream)(void*, void*) = library.function<int(void*, void*)>("cublasSetStream_v2");
    int (*set_math_mode)(void*, int) = library.function<int(void*, int)>("cublasSetMathMode");
    Sgemm* sgemm = library.function<Sgemm>("cublasSgemm_v2");
};

void check(int status, const char* function)
{
    if (status != 0)
        throw std::runtime_error(std::string(function) + " returned " + std::to_string(status));
}

// The CUDA device that is the OpenCL device. Where there are several, they are told apart by their PCI buses.
int same_device(const Runtime& cuda, const cl::Device& device)
{
    int count = 0;
    if (cuda.get_device_count(&count) != 0 || count < 1)
        throw Absent("there is no CUDA device");
    if (count == 1)
        return 0;
    constexpr cl_device_info pci_bus_id_nv = 0x4008; // CL_DEVICE_PCI_BUS_ID_NV
    cl_uint wanted = 0;
    if (clGetDeviceInfo(device(), pci_bus_id_nv, sizeof(wanted), &wanted, nullptr) != CL_SUCCESS)
        throw Absent("the device does not say which of the CUDA devices it is");
    for (int i = 0; i < count; i++) {
        char text[32] = ""; // "0000:1b:00.0"
        check(cuda.get_pci_bus_id(text, sizeof(text), i), "cudaDeviceGetPCIBusId");
        const std::string id(text);
        if (std::stoul(id.substr(id.find(':') + 1), nullptr, 16) == wanted)
            return i;
    }
    throw Absent("none of the CUDA devices is this device");
}

class CuBlas : public Contender {
public:
    // What is allocated here stays until the process ends.
    CuBlas(const cl::Device& device, const HostMatrices& host) : host_(host)
    {
        check(cuda_.set_device(same_device(cuda_, device)), "cudaSetDevice");
        a_ = allocate(host.sizes.a);
        b_ = allocate(host.sizes.b);
        c_ = allocate(host.sizes.c);
        load(a_, host.a.get(), host.sizes.a);
        load(b_, host.b.get(), host.sizes.b);

        check(cuda_.stream_create(&stream_, cuda_stream_non_blocking), "cudaStreamCreateWithFlags");
        check(blas_.create(&handle_), "cublasCreate");
        check(blas_.set_stream(handle_, stream_), "cublasSetStream");
        check(blas_.set_math_mode(handle_, cublas_default_math), "cublasSetMathMode");
        check(blas_.get_version(handle_, &version_), "cublasGetVersion");
    }

    std::string description() const override
    {
        const std::string version = std::to_string(version_ / 10000) + "." + std::to_string(version_ / 100 % 100) + "." +
                                    std::to_string(version_ % 100);
        return "cuBLAS " + version + " (" + blas_.library.file() +
               "), cublasSgemm() with CUBLAS_DEFAULT_MATH: FP32, no TF32";
    }

    void multiply(const Product& product) override
    {
        const float one = 1.0f, zero = 0.0f;
        const auto operation = [](bool transposed) { return transposed ? cublas_op_t : cublas_op_n; };
        check(blas_.sgemm(handle_, operation(product.transposes.a), operation(product.transposes.b),
                          static_cast<int>(product.shape.m), static_cast<int>(product.shape.n),
                          static_cast<int>(product.shape.k), &one, a_, static_cast<int>(product.lda()), b_,
                          static_cast<int>(product.ldb()), &zero, c_, static_cast<int>(product.ldc())),
              "cublasSgemm");
        check(cuda_.stream_synchronize(stream_), "cudaStreamSynchronize");
    }

    void spoil_c(std::size_t elements) override
    {
        check(cuda_.memset(c_, 0x7f, elements * sizeof(float)), "cudaMemset"); // each float 3.39e38
        check(cuda_.device_synchronize(), "cudaDeviceSynchronize");
    }

    std::vector<float> read_c(std::size_t first, std::size_t count) override
    {
        std::vector<float> values(count);
        check(cuda_.memcpy(values.data(), c_ + first, count * sizeof(float), cuda_device_to_host), "cudaMemcpy");
        return values;
    }

    void reload(const Product& product) override
    {
        const auto& [m, n, k] = product.shape;
        load(a_, host_.a.get(), m * k);
        load(b_, host_.b.get(), k * n);
    }

private:
    float* allocate(std::size_t elements)
    {
        void* memory = nullptr;
        check(cuda_.malloc(&memory, elements * sizeof(float)), "cudaMalloc");
        return static_cast<float*>(memory);
    }

    // Our stream does not wait for a copy, which may still be under way when cudaMemcpy() returns.
    void load(float* to, const float* from, std::size_t elements)
    {
        check(cuda_.memcpy(to, from, elements * sizeof(float), cuda_host_to_device), "cudaMemcpy");
        check(cuda_.device_synchronize(), "cudaDeviceSynchronize");
    }

    const HostMatrices& host_;
    Runtime cuda_;
    Blas blas_;
    float *a_ = nullptr, *b_ = nullptr, *c_ = nullptr;
    void* stream_ = nullptr;
    void* handle_ = nullptr;
    int version_ = 0;
};

} // namespace

std::unique_ptr<Contender> find_cublas(const cl::Device& device, const HostMatrices& matrices)
{
    return std::make_unique<CuBlas>(device, matrices);
}

} // namespace bench
