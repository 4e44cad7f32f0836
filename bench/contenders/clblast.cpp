// CLBlast, on the same queue. The prototypes are those of clblast_c.h 1.5 and 1.6, with the enumerations as int.
#include "clblast_tuning.hpp"
#include "contenders.hpp"
#include "shared_library.hpp"
#include "timing/opencl_contender.hpp"

namespace bench {

using namespace timing;

namespace {

constexpr int column_major = 102;             // CLBlastLayoutColMajor
constexpr int no_trans = 111, do_trans = 112; // CLBlastTransposeNo, CLBlastTransposeYes
constexpr int single_precision = 32;          // CLBlastPrecisionSingle

using Sgemm = int(int layout, int a_transpose, int b_transpose, std::size_t m, std::size_t n, std::size_t k, float alpha,
                  cl_mem a_buffer, std::size_t a_offset, std::size_t a_ld, cl_mem b_buffer, std::size_t b_offset,
                  std::size_t b_ld, float beta, cl_mem c_buffer, std::size_t c_offset, std::size_t c_ld,
                  cl_command_queue* queue, cl_event* event);
using SgemmStridedBatched = int(int layout, int a_transpose, int b_transpose, std::size_t m, std::size_t n, std::size_t k,
                                float alpha, cl_mem a_buffer, std::size_t a_offset, std::size_t a_ld, std::size_t a_stride,
                                cl_mem b_buffer, std::size_t b_offset, std::size_t b_ld, std::size_t b_stride, float beta,
                                cl_mem c_buffer, std::size_t c_offset, std::size_t c_ld, std::size_t c_stride,
                                std::size_t batch_count, cl_command_queue* queue, cl_event* event);
using OverrideParameters = int(cl_device_id device, const char* kernel_name, int precision, std::size_t num_parameters,
                               const char** parameters_names, const std::size_t* parameters_values);

class ClBlast : public OpenClContender {
public:
    ClBlast(const DeviceMatrices& matrices, const std::string& tuning) : OpenClContender(matrices)
    {
        if (!tuning.empty())
            apply(tuning);
    }

    std::string description() const override
    {
        return "CLBlast (" + library_.file() + "), " +
               (tuned_.empty() ? "NOT tuned here: parameters of its own database" : "tuned here: " + tuned_);
    }

    void multiply(const Product& product) override
    {
        const auto& [m, n, k] = product.shape;
        const auto& on = matrices();
        const auto transpose = [](bool yes) { return yes ? do_trans : no_trans; };
        cl_command_queue queue = on.queue();
        const int trans_a = transpose(product.transposes.a), trans_b = transpose(product.transposes.b);
        const int status =
            product.count == 1
                ? sgemm_(column_major, trans_a, trans_b, m, n, k, 1.0f, on.a(), 0, product.lda(), on.b(), 0, product.ldb(),
                         product.beta, on.c(), 0, product.ldc(), &queue, nullptr)
                : sgemm_strided_batched_(column_major, trans_a, trans_b, m, n, k, 1.0f, on.a(), 0, product.lda(),
                                         product.distance_a(), on.b(), 0, product.ldb(), product.distance_b(), product.beta,
                                         on.c(), 0, product.ldc(), product.distance_c(), product.count, &queue, nullptr);
        if (status != 0)
            throw std::runtime_error(
                (product.count == 1 ? "CLBlastSgemm returned " : "CLBlastSgemmStridedBatched returned ") +
                std::to_string(status));
        on.queue.finish();
    }

private:
    void apply(const std::string& folder)
    {
        auto* const override_parameters = library_.function<OverrideParameters>("CLBlastOverrideParameters");
        const auto device = matrices().queue.getInfo<CL_QUEUE_DEVICE>();
        for (const auto& [kernel, parameters] : read_clblast_tuning(folder)) {
            std::vector<const char*> names;
            std::vector<std::size_t> values;
            for (const auto& [name, value] : parameters) {
                names.push_back(name.c_str());
                values.push_back(value);
            }
            const int status =
                override_parameters(device(), kernel.c_str(), single_precision, names.size(), names.data(), values.data());
            tuned_ +=
                (tuned_.empty() ? "" : ", ") + kernel + (status == 0 ? "" : " (refused: " + std::to_string(status) + ")");
        }
    }

    SharedLibrary library_{{"libclblast.so.1"}};
    Sgemm* sgemm_ = library_.function<Sgemm>("CLBlastSgemm");
    SgemmStridedBatched* sgemm_strided_batched_ = library_.function<SgemmStridedBatched>("CLBlastSgemmStridedBatched");
    std::string tuned_; // which kernels
};

} // namespace

std::unique_ptr<Contender> find_clblast(const DeviceMatrices& matrices, const std::string& tuning)
{
    return std::make_unique<ClBlast>(matrices, tuning);
}

} // namespace bench
