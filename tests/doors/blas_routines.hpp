// The BLAS routines that libclgemm_blas.so has, and one way to call them all.
#pragma once

#include "clgemm/clgemm.h"

#include <cstdint>

namespace clgemm::test {

enum class Form { cblas, cblas_64, fortran, fortran_64 };
inline constexpr Form every_form[] = {Form::cblas, Form::cblas_64, Form::fortran, Form::fortran_64};

constexpr bool is_fortran(Form form)
{
    return form == Form::fortran || form == Form::fortran_64;
}

constexpr bool is_64_bit(Form form)
{
    return form == Form::cblas_64 || form == Form::fortran_64;
}

// As the caller writes them: the enumerators may be wrong ones.
struct SgemmArguments {
    int layout, trans_a, trans_b;
    std::int64_t m, n, k;
    float alpha;
    const float* a;
    std::int64_t lda;
    const float* b;
    std::int64_t ldb;
    float beta;
    float* c;
    std::int64_t ldc;
};

// Fortran's routines are column-major whatever the layout is, and get their letters in upper and lower case by turns;
// 110 + i is the letter 'N', 'T' or 'C' for i from 1 to 3, and no letter of theirs otherwise.
void call_sgemm(Form form, const SgemmArguments& arguments);

// What the program's own handlers were told last; 0 if nothing since the last call.
struct Told {
    int parameter = 0;
    Form form = Form::cblas;
};
Told told_since_last_time();

extern "C" {
void cblas_sgemm_batch(int layout, const int* trans_a, const int* trans_b, const std::int32_t* m, const std::int32_t* n,
                       const std::int32_t* k, const float* alpha, const float** a, const std::int32_t* lda, const float** b,
                       const std::int32_t* ldb, const float* beta, float** c, const std::int32_t* ldc, std::int32_t groups,
                       const std::int32_t* group_sizes);
void cblas_sgemm_batch64_(int layout, const int* trans_a, const int* trans_b, const std::int64_t* m, const std::int64_t* n,
                          const std::int64_t* k, const float* alpha, const float** a, const std::int64_t* lda,
                          const float** b, const std::int64_t* ldb, const float* beta, float** c, const std::int64_t* ldc,
                          std::int64_t groups, const std::int64_t* group_sizes);
void cblas_sgemm_batch_strided(int layout, int trans_a, int trans_b, std::int32_t m, std::int32_t n, std::int32_t k,
                               float alpha, const float* a, std::int32_t lda, std::int32_t stride_a, const float* b,
                               std::int32_t ldb, std::int32_t stride_b, float beta, float* c, std::int32_t ldc,
                               std::int32_t stride_c, std::int32_t count);
void cblas_sgemm_batch_strided64_(int layout, int trans_a, int trans_b, std::int64_t m, std::int64_t n, std::int64_t k,
                                  float alpha, const float* a, std::int64_t lda, std::int64_t stride_a, const float* b,
                                  std::int64_t ldb, std::int64_t stride_b, float beta, float* c, std::int64_t ldc,
                                  std::int64_t stride_c, std::int64_t count);
}

} // namespace clgemm::test
