// A BLAS that comes after libclgemm_blas.so: slow and right, and at its end it tells on standard error how often it was
// called. It has batch routines with 32-bit sizes, and none with 64-bit ones.
#include <atomic>
#include <cstdint>
#include <cstdio>

namespace {

struct CallsToldAtTheEnd {
    std::atomic<long> single{0}, batch{0};
    ~CallsToldAtTheEnd() { std::fprintf(stderr, "next BLAS: %ld calls, %ld batches\n", single.load(), batch.load()); }
} calls;

// Element (i, l) lies at i * row_step + l * col_step.
struct Matrix {
    std::int64_t row_step, col_step;
    std::int64_t at(std::int64_t i, std::int64_t j) const { return i * row_step + j * col_step; }
};

Matrix stored(bool row_major, bool transposed, std::int64_t ld)
{
    return row_major != transposed ? Matrix{ld, 1} : Matrix{1, ld};
}

void multiply(bool row_major, bool trans_a, bool trans_b, std::int64_t m, std::int64_t n, std::int64_t k, float alpha,
              const float* a, std::int64_t lda, const float* b, std::int64_t ldb, float beta, float* c, std::int64_t ldc)
{
    calls.single++;
    const Matrix in_a = stored(row_major, trans_a, lda), in_b = stored(row_major, trans_b, ldb),
                 in_c = stored(row_major, false, ldc);
    for (std::int64_t i = 0; i < m; i++)
        for (std::int64_t j = 0; j < n; j++) {
            double sum = 0;
            for (std::int64_t l = 0; l < k && alpha != 0; l++)
                sum += static_cast<double>(a[in_a.at(i, l)]) * static_cast<double>(b[in_b.at(l, j)]);
            float& element = c[in_c.at(i, j)];
            const double old = beta == 0 ? 0 : static_cast<double>(beta) * static_cast<double>(element);
            element = static_cast<float>((alpha == 0 ? 0 : static_cast<double>(alpha) * sum) + old);
        }
}

template <class Int>
void fortran(const char* trans_a, const char* trans_b, const Int* m, const Int* n, const Int* k, const float* alpha,
             const float* a, const Int* lda, const float* b, const Int* ldb, const float* beta, float* c, const Int* ldc)
{
    const auto transposes = [](char letter) { return letter != 'N' && letter != 'n'; };
    multiply(false, transposes(*trans_a), transposes(*trans_b), *m, *n, *k, *alpha, a, *lda, b, *ldb, *beta, c, *ldc);
}

} // namespace

extern "C" {

void cblas_sgemm64_(int layout, int trans_a, int trans_b, std::int64_t m, std::int64_t n, std::int64_t k, float alpha,
                    const float* a, std::int64_t lda, const float* b, std::int64_t ldb, float beta, float* c,
                    std::int64_t ldc)
{
    multiply(layout == 101, trans_a != 111, trans_b != 111, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

void sgemm_(const char* trans_a, const char* trans_b, const std::int32_t* m, const std::int32_t* n, const std::int32_t* k,
            const float* alpha, const float* a, const std::int32_t* lda, const float* b, const std::int32_t* ldb,
            const float* beta, float* c, const std::int32_t* ldc)
{
    fortran(trans_a, trans_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

// As in the reference, by a call of sgemm_(), which is whichever the dynamic linker found first.
void cblas_sgemm(int layout, int trans_a, int trans_b, std::int32_t m, std::int32_t n, std::int32_t k, float alpha,
                 const float* a, std::int32_t lda, const float* b, std::int32_t ldb, float beta, float* c, std::int32_t ldc)
{
    const auto letter = [](int transpose) {
        return transpose == 111 ? 'N' : transpose == 112 || transpose == 113 ? 'T' : 'x';
    };
    const char letter_a = letter(trans_a), letter_b = letter(trans_b);
    if (layout == 100)
        calls.single++;
    else if (layout == 101)
        sgemm_(&letter_b, &letter_a, &n, &m, &k, &alpha, b, &ldb, a, &lda, &beta, c, &ldc);
    else
        sgemm_(&letter_a, &letter_b, &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc);
}

void sgemm_64_(const char* trans_a, const char* trans_b, const std::int64_t* m, const std::int64_t* n, const std::int64_t* k,
               const float* alpha, const float* a, const std::int64_t* lda, const float* b, const std::int64_t* ldb,
               const float* beta, float* c, const std::int64_t* ldc)
{
    fortran(trans_a, trans_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

void cblas_sgemm_batch(int layout, const int* trans_a, const int* trans_b, const std::int32_t* m, const std::int32_t* n,
                       const std::int32_t* k, const float* alpha, const float** a, const std::int32_t* lda, const float** b,
                       const std::int32_t* ldb, const float* beta, float** c, const std::int32_t* ldc, std::int32_t groups,
                       const std::int32_t* group_sizes)
{
    calls.batch++;
    for (std::int32_t g = 0, i = 0; g < groups; g++)
        for (const std::int32_t end = i + group_sizes[g]; i < end; i++) {
            multiply(layout == 101, trans_a[g] != 111, trans_b[g] != 111, m[g], n[g], k[g], alpha[g], a[i], lda[g], b[i],
                     ldb[g], beta[g], c[i], ldc[g]);
            calls.single--; // counted as part of the batch
        }
}

void cblas_sgemm_batch_strided(int layout, int trans_a, int trans_b, std::int32_t m, std::int32_t n, std::int32_t k,
                               float alpha, const float* a, std::int32_t lda, std::int32_t stride_a, const float* b,
                               std::int32_t ldb, std::int32_t stride_b, float beta, float* c, std::int32_t ldc,
                               std::int32_t stride_c, std::int32_t count)
{
    calls.batch++;
    for (std::int32_t i = 0; i < count; i++) {
        multiply(layout == 101, trans_a != 111, trans_b != 111, m, n, k, alpha, a + i * stride_a, lda, b + i * stride_b, ldb,
                 beta, c + i * stride_c, ldc);
        calls.single--; // counted as part of the batch
    }
}

} // extern "C"
