// Intel's MKL, with its strided batches.
#include "cblas_contender.hpp"
#include "contenders.hpp"
#include "shared_library.hpp"

namespace bench {

using namespace timing;

namespace {

using CblasStridedBatch = void(int layout, int transA, int transB, int m, int n, int k, float alpha, const float* A, int lda,
                               int distanceA, const float* B, int ldb, int distanceB, float beta, float* C, int ldc,
                               int distanceC, int count);

class Mkl : public CblasContender {
public:
    Mkl(HostMatrices& matrices, const SharedLibrary& library, std::string description)
        : CblasContender(matrices, library.function<CblasSgemm>("cblas_sgemm"), std::move(description)),
          batch_(library.function<CblasStridedBatch>("cblas_sgemm_batch_strided"))
    {
    }

    void multiply(const Product& x) override
    {
        if (x.count == 1) {
            CblasContender::multiply(x);
            return;
        }
        const auto number = [](std::size_t size) { return static_cast<int>(size); };
        batch_(cblas_column_major, cblas_transpose(x.transposes.a), cblas_transpose(x.transposes.b), number(x.shape.m),
               number(x.shape.n), number(x.shape.k), 1.0f, a(), number(x.lda()), number(x.distance_a()), b(),
               number(x.ldb()), number(x.distance_b()), x.beta, c(), number(x.ldc()), number(x.distance_c()),
               number(x.count));
    }

private:
    CblasStridedBatch* batch_;
};

} // namespace

std::unique_ptr<Contender> find_mkl(HostMatrices& matrices, unsigned threads)
{
    set_environment("MKL_THREADING_LAYER", "GNU"); // Intel's own OpenMP is a package besides
    set_environment("MKL_NUM_THREADS", std::to_string(threads).c_str());
    set_environment("MKL_DYNAMIC", "FALSE");    // as many threads as all others have
    set_environment("GOMP_SPINCOUNT", "20000"); // its threads spin for some milliseconds, not into the next contender's turn
    const SharedLibrary library({"libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so"});
    constexpr int length = 200;
    std::string version(length, '\0');
    library.function<void(char*, int)>("mkl_get_version_string")(version.data(), length);
    version.erase(version.find_last_not_of(std::string(" \0", 2)) + 1);
    return std::make_unique<Mkl>(matrices, library,
                                 version + " (" + library.file() + "), " + std::to_string(threads) +
                                     " threads, MKL_THREADING_LAYER=GNU, MKL_DYNAMIC=FALSE, GOMP_SPINCOUNT=20000");
}

} // namespace bench
