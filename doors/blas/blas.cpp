// libclgemm_blas.so: SGEMM as CPU programs call it, cblas_sgemm() and Fortran's SGEMM, for programs that are linked to a
// BLAS and know nothing of OpenCL. It comes before that BLAS, by LD_PRELOAD or by the order of linking. Products that are
// worth it (policy.hpp) run through OpenCL; all others, and all that OpenCL fails at, go on to the next BLAS
// (next_blas.hpp), and so do calls with wrong arguments, which it reports in its own way.
//
// From call to call this library keeps what it has found out (the next BLAS's routines, speeds, whether OpenCL works), and
// libclgemm keeps its own. All routines are thread-safe.
#include "cblas_arguments.hpp"
#include "interfaces.hpp"
#include "multiply.hpp"
#include "next_blas.hpp"
#include "product.hpp"
#include "xerbla.hpp"

using namespace clgemm::doors;

namespace {

template <class Int>
void cblas_form(NextRoutine& next, int layout, int trans_a, int trans_b, Int m, Int n, Int k, float alpha, const float* a,
                Int lda, const float* b, Int ldb, float beta, float* c, Int ldc)
{
    Product product{};
    int wrong = first_wrong_enumerator(layout, trans_a, trans_b);
    if (wrong == 0) {
        product = product_of(layout, trans_a, trans_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
        wrong = cblas_number(layout, first_wrong(product));
    }
    if (wrong == 0)
        multiply({product}, OnCpu<CblasSgemm<Int>>(next));
    else if (const auto reporter = next.as<CblasSgemm<Int>>())
        reporter(layout, trans_a, trans_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    else
        report_wrong_cblas<Int>(wrong, "cblas_sgemm");
}

template <class Int>
void fortran_form(NextRoutine& next, const char* trans_a, const char* trans_b, const Int* m, const Int* n, const Int* k,
                  const float* alpha, const float* a, const Int* lda, const float* b, const Int* ldb, const float* beta,
                  float* c, const Int* ldc)
{
    const auto upper = [](char letter) { return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 32) : letter; };
    const Product product{upper(*trans_a), upper(*trans_b), *m, *n, *k, *alpha, a, *lda, b, *ldb, *beta, c, *ldc};
    const int wrong = first_wrong(product);
    if (wrong == 0)
        multiply({product}, OnCpu<FortranSgemm<Int>>(next));
    else if (const auto reporter = next.as<FortranSgemm<Int>>())
        reporter(trans_a, trans_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, 1, 1);
    else
        report_wrong_fortran<Int>(wrong);
}

// Where no product is worth OpenCL, the next BLAS gets all products at once, since that is what makes batches fast there.
template <class Int>
void cblas_batch_form(NextRoutine& next, NextRoutine& next_batch, int layout, const int* trans_a, const int* trans_b,
                      const Int* m, const Int* n, const Int* k, const float* alpha, const float** a, const Int* lda,
                      const float** b, const Int* ldb, const float* beta, float** c, const Int* ldc, Int groups,
                      const Int* group_sizes)
{
    const OnCpu<CblasSgemm<Int>> on_cpu(next);
    // The product of group `g` whose matrices come at `i` in the lists of matrices.
    const auto product = [&](Int g, Int i) {
        return product_of(layout, trans_a[g], trans_b[g], m[g], n[g], k[g], alpha[g], a[i], lda[g], b[i], ldb[g], beta[g],
                          c[i], ldc[g]);
    };

    // All products of that group, if they go at once; else the first of them.
    const auto at_once = [&](Int g, Int i) {
        const Product first = product(g, i);
        const Batch all = group_sizes[g] > 1 ? batch_of(layout, first, a + i, b + i, c + i, group_sizes[g]) : Batch{first};
        return goes_at_once(all) ? all : Batch{first};
    };

    // The calls that all groups take, if nothing is wrong.
    const auto for_each_call = [&](const auto& make) {
        for (Int g = 0, i = 0; g < groups; i += group_sizes[g++]) {
            if (group_sizes[g] == 0)
                continue;
            const Batch batch = at_once(g, i);
            make(batch);
            for (Int rest = static_cast<Int>(batch.count); rest < group_sizes[g]; rest++)
                make(Batch{product(g, i + rest)});
        }
    };

    int wrong = groups < 0 ? 15 : 0;
    bool any_for_opencl = false;
    for (Int g = 0, i = 0; g < groups && wrong == 0; i += group_sizes[g++]) {
        if (group_sizes[g] == 0)
            continue;
        wrong = group_sizes[g] < 0 ? 16 : first_wrong_enumerator(layout, trans_a[g], trans_b[g]);
        if (wrong == 0)
            wrong = cblas_number(layout, first_wrong(product(g, i)));
        any_for_opencl = any_for_opencl || (wrong == 0 && is_for_opencl(at_once(g, i), on_cpu));
    }

    const auto all_at_once = next_batch.as<CblasSgemmBatch<Int>>();
    if (all_at_once && (wrong != 0 || !any_for_opencl)) {
        if (wrong == 0)
            for_each_call([&](const Batch& batch) { tell_of_the_next_blas(batch, on_cpu); });
        all_at_once(layout, trans_a, trans_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, groups, group_sizes);
        return;
    }
    if (wrong != 0) {
        report_wrong_cblas<Int>(wrong, "cblas_sgemm_batch");
        return;
    }
    for_each_call([&](const Batch& batch) { multiply(batch, on_cpu); });
}

template <class Int>
void cblas_strided_form(NextRoutine& next, NextRoutine& next_strided, int layout, int trans_a, int trans_b, Int m, Int n,
                        Int k, float alpha, const float* a, Int lda, Int stride_a, const float* b, Int ldb, Int stride_b,
                        float beta, float* c, Int ldc, Int stride_c, Int count)
{
    const OnCpu<CblasSgemm<Int>> on_cpu(next);
    Batch batch{};
    int wrong = first_wrong_enumerator(layout, trans_a, trans_b);
    if (wrong == 0) {
        const Product first = product_of(layout, trans_a, trans_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
        wrong = cblas_strided_number(layout, first_wrong(first));
        batch = batch_of(layout, first, stride_a, stride_b, stride_c, count);
    }
    if (wrong == 0 && count < 0)
        wrong = 18;
    const auto all_at_once = next_strided.as<CblasSgemmBatchStrided<Int>>();
    if (all_at_once && (wrong != 0 || !is_for_opencl(batch, on_cpu))) {
        if (wrong == 0 && count > 0)
            tell_of_the_next_blas(batch, on_cpu);
        all_at_once(layout, trans_a, trans_b, m, n, k, alpha, a, lda, stride_a, b, ldb, stride_b, beta, c, ldc, stride_c,
                    count);
    } else if (wrong != 0)
        report_wrong_cblas<Int>(wrong, "cblas_sgemm_batch_strided");
    else if (count > 0)
        multiply(batch, on_cpu);
}

constinit NextRoutine next_cblas(cblas_names), next_cblas_64(cblas_64_names), next_fortran(fortran_names),
    next_fortran_64(fortran_64_names), next_batch(batch_names), next_batch_64(batch_64_names), next_strided(strided_names),
    next_strided_64(strided_64_names);

} // namespace

extern "C" {

void cblas_sgemm(int layout, int trans_a, int trans_b, std::int32_t m, std::int32_t n, std::int32_t k, float alpha,
                 const float* a, std::int32_t lda, const float* b, std::int32_t ldb, float beta, float* c, std::int32_t ldc)
{
    cblas_form(next_cblas, layout, trans_a, trans_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

void cblas_sgemm64_(int layout, int trans_a, int trans_b, std::int64_t m, std::int64_t n, std::int64_t k, float alpha,
                    const float* a, std::int64_t lda, const float* b, std::int64_t ldb, float beta, float* c,
                    std::int64_t ldc)
{
    cblas_form(next_cblas_64, layout, trans_a, trans_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

void sgemm_(const char* trans_a, const char* trans_b, const std::int32_t* m, const std::int32_t* n, const std::int32_t* k,
            const float* alpha, const float* a, const std::int32_t* lda, const float* b, const std::int32_t* ldb,
            const float* beta, float* c, const std::int32_t* ldc)
{
    fortran_form(next_fortran, trans_a, trans_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

void sgemm_64_(const char* trans_a, const char* trans_b, const std::int64_t* m, const std::int64_t* n, const std::int64_t* k,
               const float* alpha, const float* a, const std::int64_t* lda, const float* b, const std::int64_t* ldb,
               const float* beta, float* c, const std::int64_t* ldc)
{
    fortran_form(next_fortran_64, trans_a, trans_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

void cblas_sgemm_batch(int layout, const int* trans_a, const int* trans_b, const std::int32_t* m, const std::int32_t* n,
                       const std::int32_t* k, const float* alpha, const float** a, const std::int32_t* lda, const float** b,
                       const std::int32_t* ldb, const float* beta, float** c, const std::int32_t* ldc, std::int32_t groups,
                       const std::int32_t* group_sizes)
{
    cblas_batch_form(next_cblas, next_batch, layout, trans_a, trans_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, groups,
                     group_sizes);
}

void cblas_sgemm_batch64_(int layout, const int* trans_a, const int* trans_b, const std::int64_t* m, const std::int64_t* n,
                          const std::int64_t* k, const float* alpha, const float** a, const std::int64_t* lda,
                          const float** b, const std::int64_t* ldb, const float* beta, float** c, const std::int64_t* ldc,
                          std::int64_t groups, const std::int64_t* group_sizes)
{
    cblas_batch_form(next_cblas_64, next_batch_64, layout, trans_a, trans_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc,
                     groups, group_sizes);
}

void cblas_sgemm_batch_strided(int layout, int trans_a, int trans_b, std::int32_t m, std::int32_t n, std::int32_t k,
                               float alpha, const float* a, std::int32_t lda, std::int32_t stride_a, const float* b,
                               std::int32_t ldb, std::int32_t stride_b, float beta, float* c, std::int32_t ldc,
                               std::int32_t stride_c, std::int32_t count)
{
    cblas_strided_form(next_cblas, next_strided, layout, trans_a, trans_b, m, n, k, alpha, a, lda, stride_a, b, ldb,
                       stride_b, beta, c, ldc, stride_c, count);
}

void cblas_sgemm_batch_strided64_(int layout, int trans_a, int trans_b, std::int64_t m, std::int64_t n, std::int64_t k,
                                  float alpha, const float* a, std::int64_t lda, std::int64_t stride_a, const float* b,
                                  std::int64_t ldb, std::int64_t stride_b, float beta, float* c, std::int64_t ldc,
                                  std::int64_t stride_c, std::int64_t count)
{
    cblas_strided_form(next_cblas_64, next_strided_64, layout, trans_a, trans_b, m, n, k, alpha, a, lda, stride_a, b, ldb,
                       stride_b, beta, c, ldc, stride_c, count);
}

[[gnu::alias("cblas_sgemm")]] decltype(cblas_sgemm) scipy_cblas_sgemm;
[[gnu::alias("cblas_sgemm64_")]] decltype(cblas_sgemm64_) cblas_sgemm_64, scipy_cblas_sgemm64_;
[[gnu::alias("sgemm_")]] decltype(sgemm_) scipy_sgemm_;
[[gnu::alias("sgemm_64_")]] decltype(sgemm_64_) sgemm_64, scipy_sgemm_64_;
[[gnu::alias("cblas_sgemm_batch")]] decltype(cblas_sgemm_batch) scipy_cblas_sgemm_batch;
[[gnu::alias("cblas_sgemm_batch64_")]] decltype(cblas_sgemm_batch64_) cblas_sgemm_batch_64, scipy_cblas_sgemm_batch64_;
[[gnu::alias("cblas_sgemm_batch_strided")]] decltype(cblas_sgemm_batch_strided) scipy_cblas_sgemm_batch_strided;
[[gnu::alias("cblas_sgemm_batch_strided64_")]] decltype(cblas_sgemm_batch_strided64_) cblas_sgemm_batch_strided_64,
    scipy_cblas_sgemm_batch_strided64_;

} // extern "C"
