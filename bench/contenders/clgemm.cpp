// clgemm itself, on device buffers, with B prepared, and on host memory.
#include "contenders.hpp"
#include "host_contender.hpp"
#include "timing/opencl_contender.hpp"

#include "problem/arithmetic.hpp"

namespace bench {

using namespace timing;

namespace {

clgemm_options options_for(const std::string& kernel, clgemm_math math)
{
    clgemm_options options = CLGEMM_OPTIONS_INIT;
    options.math = math;
    options.kernel = kernel.empty() ? nullptr : kernel.c_str();
    return options;
}

clgemm_transpose transpose(bool yes)
{
    return yes ? CLGEMM_TRANS : CLGEMM_NO_TRANS;
}

void check(clgemm_status status)
{
    if (status != CLGEMM_SUCCESS)
        throw clgemm::Error(status);
}

std::string describe(const char* function, const clgemm_options& options)
{
    return std::string("clgemm ") + clgemm_version() + ", " + function + ", " +
           (options.kernel ? std::string("kernel ") + options.kernel : "kernels chosen by the library") +
           (options.math == CLGEMM_MATH_DEFAULT ? "" : ", " + std::string(clgemm::core::accuracy_of(options.math).name));
}

class OnBuffers : public OpenClContender {
public:
    OnBuffers(const DeviceMatrices& matrices, std::string kernel, clgemm_math math)
        : OpenClContender(matrices), kernel_(std::move(kernel)), options_(options_for(kernel_, math))
    {
    }

    std::string description() const override { return describe("clgemm_sgemm() on device buffers", options_); }
    clgemm_math accuracy() const override { return options_.math; }

    void multiply(const Product& product) override
    {
        const auto& [m, n, k] = product.shape;
        const auto& on = matrices();
        const clgemm_transpose trans_a = transpose(product.transposes.a), trans_b = transpose(product.transposes.b);
        if (product.count == 1)
            check(clgemm_sgemm_ex(CLGEMM_COLUMN_MAJOR, trans_a, trans_b, m, n, k, 1.0f, on.a(), 0, product.lda(), on.b(), 0,
                                  product.ldb(), product.beta, on.c(), 0, product.ldc(), on.queue(), 0, nullptr, nullptr,
                                  &options_));
        else
            check(clgemm_sgemm_strided_batched_ex(
                CLGEMM_COLUMN_MAJOR, trans_a, trans_b, m, n, k, 1.0f, on.a(), 0, product.lda(), product.distance_a(), on.b(),
                0, product.ldb(), product.distance_b(), product.beta, on.c(), 0, product.ldc(), product.distance_c(),
                product.count, on.queue(), 0, nullptr, nullptr, &options_));
        on.queue.finish();
    }

private:
    std::string kernel_;
    clgemm_options options_;
};

// B is what a program multiplies by again and again: it is prepared when a product is met first, and that is not timed.
class WithPreparedB : public OpenClContender {
public:
    WithPreparedB(const DeviceMatrices& matrices, std::string kernel) : OpenClContender(matrices), kernel_(std::move(kernel))
    {
    }

    std::string description() const override
    {
        return describe("clgemm_sgemm_prepared() on device buffers, B prepared", options_);
    }

    void multiply(const Product& product) override
    {
        const auto& [m, n, k] = product.shape;
        const auto& on = matrices();
        if (product.count > 1)
            throw std::runtime_error("prepared operands are not for batches");
        if (const std::string name = to_string(product.shape) + to_string(product.transposes); name != of_) {
            of_ = name;
            b_ = {};
            clgemm::Options options;
            options.kernel = kernel_;
            b_ = clgemm::Prepared(clgemm::Layout::column_major, clgemm::Operand::b,
                                  product.transposes.b ? clgemm::Transpose::yes : clgemm::Transpose::no, m, n, k, on.b, 0,
                                  product.ldb(), on.queue, nullptr, nullptr, options);
        }
        check(clgemm_sgemm_prepared(CLGEMM_COLUMN_MAJOR, transpose(product.transposes.a), CLGEMM_NO_TRANS, m, n, k, 1.0f,
                                    on.a(), 0, product.lda(), nullptr, nullptr, 0, 0, b_(), product.beta, on.c(), 0,
                                    product.ldc(), on.queue(), 0, nullptr, nullptr, &options_));
        on.queue.finish();
    }

    void reload(const Product&) override { of_.clear(); }

private:
    std::string kernel_;
    clgemm_options options_ = options_for(kernel_, CLGEMM_MATH_DEFAULT);
    std::string of_; // the product whose B it is
    clgemm::Prepared b_;
};

class OnHostMemory : public HostContender {
public:
    OnHostMemory(const DeviceMatrices& device, HostMatrices& matrices, std::string kernel)
        : HostContender(matrices), queue_(device.queue), kernel_(std::move(kernel))
    {
    }

    std::string description() const override { return describe("clgemm_sgemm_host()", options_); }

    void multiply(const Product& product) override
    {
        const auto& [m, n, k] = product.shape;
        check(clgemm_sgemm_host_strided_batched_ex(
            CLGEMM_COLUMN_MAJOR, transpose(product.transposes.a), transpose(product.transposes.b), m, n, k, 1.0f, a(),
            product.lda(), product.distance_a(), b(), product.ldb(), product.distance_b(), product.beta, c(), product.ldc(),
            product.distance_c(), product.count, queue_(), &options_));
    }

private:
    cl::CommandQueue queue_;
    std::string kernel_;
    clgemm_options options_ = options_for(kernel_, CLGEMM_MATH_DEFAULT);
};

} // namespace

std::unique_ptr<Contender> find_clgemm(const DeviceMatrices& matrices, const std::string& kernel, clgemm_math math)
{
    return std::make_unique<OnBuffers>(matrices, kernel, math);
}

std::unique_ptr<Contender> find_clgemm_prepared(const DeviceMatrices& matrices, const std::string& kernel)
{
    return std::make_unique<WithPreparedB>(matrices, kernel);
}

std::unique_ptr<Contender> find_clgemm_host(const DeviceMatrices& device, HostMatrices& matrices, const std::string& kernel)
{
    return std::make_unique<OnHostMemory>(device, matrices, kernel);
}

} // namespace bench
