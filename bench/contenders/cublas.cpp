// cuBLAS, in FP32 or in TF32, on device memory and on host memory. The prototypes are those of cublas_api.h and
// cuda_runtime_api.h, of CUDA 12 and 13, with the opaque pointers as void* and the enumerations as int.
#include "contenders.hpp"
#include "host_contender.hpp"
#include "shared_library.hpp"

namespace bench {

using namespace timing;

namespace {

constexpr int cuda_host_to_device = 1, cuda_device_to_host = 2; // cudaMemcpyKind
constexpr unsigned cuda_stream_non_blocking = 1;                // cudaStreamNonBlocking
constexpr int cublas_default_math = 0;                          // CUBLAS_DEFAULT_MATH: SGEMM without tensor cores
constexpr int cublas_tf32_math = 3;                             // CUBLAS_TF32_TENSOR_OP_MATH
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

using SgemmStridedBatched = int(void* handle, int transa, int transb, int m, int n, int k, const float* alpha,
                                const float* A, int lda, long long distA, const float* B, int ldb, long long distB,
                                const float* beta, float* C, int ldc, long long distC, int count);

struct Blas {
    SharedLibrary library{with_plain_fp32(file_names("libcublas"))};
    int (*create)(void**) = library.function<int(void**)>("cublasCreate_v2");
    int (*get_version)(void*, int*) = library.function<int(void*, int*)>("cublasGetVersion_v2");
    int (*set_stream)(void*, void*) = library.function<int(void*, void*)>("cublasSetStream_v2");
    int (*set_math_mode)(void*, int) = library.function<int(void*, int)>("cublasSetMathMode");
    Sgemm* sgemm = library.function<Sgemm>("cublasSgemm_v2");
    SgemmStridedBatched* sgemm_strided_batched = library.function<SgemmStridedBatched>("cublasSgemmStridedBatched");
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

// cuBLAS on one device, with memory there for the largest product. What is made here stays until the process ends.
class OnDevice {
public:
    OnDevice(const cl::Device& device, const Sizes& sizes, clgemm_math math = CLGEMM_MATH_DEFAULT)
    {
        check(cuda.set_device(same_device(cuda, device)), "cudaSetDevice");
        a = allocate(sizes.a);
        b = allocate(sizes.b);
        c = allocate(sizes.c);
        check(blas_.create(&handle_), "cublasCreate");
        check(blas_.set_math_mode(handle_, math == CLGEMM_MATH_TF32 ? cublas_tf32_math : cublas_default_math),
              "cublasSetMathMode");
        check(blas_.get_version(handle_, &version_), "cublasGetVersion");
    }

    // "cuBLAS 13.1.0 (libcublas.so.13.1.0.3)"
    std::string name() const
    {
        return "cuBLAS " + std::to_string(version_ / 10000) + "." + std::to_string(version_ / 100 % 100) + "." +
               std::to_string(version_ % 100) + " (" + blas_.library.file() + ")";
    }

    // Without this the calls go to CUDA's default stream, which copies wait for.
    void use(void* stream) { check(blas_.set_stream(handle_, stream), "cublasSetStream"); }

    void load(float* to, const float* from, std::size_t elements)
    {
        check(cuda.memcpy(to, from, elements * sizeof(float), cuda_host_to_device), "cudaMemcpy");
    }

    void read(float* to, const float* from, std::size_t elements)
    {
        check(cuda.memcpy(to, from, elements * sizeof(float), cuda_device_to_host), "cudaMemcpy");
    }

    // Does not wait.
    void multiply(const Product& product)
    {
        const float one = 1.0f;
        const auto operation = [](bool transposed) { return transposed ? cublas_op_t : cublas_op_n; };
        const int trans_a = operation(product.transposes.a), trans_b = operation(product.transposes.b);
        const int m = static_cast<int>(product.shape.m), n = static_cast<int>(product.shape.n),
                  k = static_cast<int>(product.shape.k), lda = static_cast<int>(product.lda()),
                  ldb = static_cast<int>(product.ldb()), ldc = static_cast<int>(product.ldc());
        if (product.count == 1)
            check(blas_.sgemm(handle_, trans_a, trans_b, m, n, k, &one, a, lda, b, ldb, &product.beta, c, ldc),
                  "cublasSgemm");
        else
            check(blas_.sgemm_strided_batched(handle_, trans_a, trans_b, m, n, k, &one, a, lda,
                                              static_cast<long long>(product.distance_a()), b, ldb,
                                              static_cast<long long>(product.distance_b()), &product.beta, c, ldc,
                                              static_cast<long long>(product.distance_c()), static_cast<int>(product.count)),
                  "cublasSgemmStridedBatched");
    }

    Runtime cuda;
    float *a = nullptr, *b = nullptr, *c = nullptr;

private:
    float* allocate(std::size_t elements)
    {
        void* memory = nullptr;
        check(cuda.malloc(&memory, elements * sizeof(float)), "cudaMalloc");
        return static_cast<float*>(memory);
    }

    Blas blas_;
    void* handle_ = nullptr;
    int version_ = 0;
};

class OnDeviceMemory : public Contender {
public:
    OnDeviceMemory(const cl::Device& device, const HostMatrices& host, clgemm_math math)
        : host_(host), on_(device, host.sizes, math), math_(math)
    {
        load(on_.a, host.a.get(), host.sizes.a);
        load(on_.b, host.b.get(), host.sizes.b);
        check(on_.cuda.stream_create(&stream_, cuda_stream_non_blocking), "cudaStreamCreateWithFlags");
        on_.use(stream_);
    }

    std::string description() const override
    {
        return on_.name() + ", cublasSgemm() with " +
               (math_ == CLGEMM_MATH_TF32 ? "CUBLAS_TF32_TENSOR_OP_MATH" : "CUBLAS_DEFAULT_MATH: FP32, no TF32");
    }
    clgemm_math accuracy() const override { return math_; }

    void multiply(const Product& product) override
    {
        on_.multiply(product);
        check(on_.cuda.stream_synchronize(stream_), "cudaStreamSynchronize");
    }

    void spoil_c(std::size_t elements) override
    {
        check(on_.cuda.memset(on_.c, 0x7f, elements * sizeof(float)), "cudaMemset"); // each float 3.39e38
        check(on_.cuda.device_synchronize(), "cudaDeviceSynchronize");
    }

    std::vector<float> read_c(std::size_t first, std::size_t count) override
    {
        std::vector<float> values(count);
        on_.read(values.data(), on_.c + first, count);
        return values;
    }

    void reload(const Product& product) override
    {
        load(on_.a, host_.a.get(), product.elements_of_a());
        load(on_.b, host_.b.get(), product.elements_of_b());
    }

private:
    // Our stream does not wait for a copy, which may still be under way when cudaMemcpy() returns.
    void load(float* to, const float* from, std::size_t elements)
    {
        on_.load(to, from, elements);
        check(on_.cuda.device_synchronize(), "cudaDeviceSynchronize");
    }

    const HostMatrices& host_;
    OnDevice on_;
    clgemm_math math_;
    void* stream_ = nullptr;
};

// What a program does whose matrices are in its own memory.
class OnHostMemory : public HostContender {
public:
    OnHostMemory(const cl::Device& device, HostMatrices& matrices) : HostContender(matrices), on_(device, matrices.sizes) {}

    std::string description() const override
    {
        return on_.name() +
               ", cudaMemcpy() of A and B, cublasSgemm() with CUBLAS_DEFAULT_MATH, cudaMemcpy() of C; its device "
               "memory is kept";
    }

    void multiply(const Product& product) override
    {
        on_.load(on_.a, a(), product.elements_of_a());
        on_.load(on_.b, b(), product.elements_of_b());
        on_.multiply(product);
        on_.read(c(), on_.c, product.elements_of_c());
    }

private:
    OnDevice on_;
};

} // namespace

std::unique_ptr<Contender> find_cublas(const cl::Device& device, const HostMatrices& matrices, clgemm_math math)
{
    return std::make_unique<OnDeviceMemory>(device, matrices, math);
}

std::unique_ptr<Contender> find_cublas_host(const cl::Device& device, HostMatrices& matrices)
{
    return std::make_unique<OnHostMemory>(device, matrices);
}

} // namespace bench
