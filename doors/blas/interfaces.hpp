// The interfaces under which BLAS libraries have SGEMM, and how to call the next BLAS through them. Int: the type of sizes,
// 32 bits wide in most libraries, 64 in those called ILP64.
#pragma once

#include "next_blas.hpp"
#include "plain_sgemm.hpp"
#include "product.hpp"

#include <cstddef>
#include <string_view>
#include <utility>

namespace clgemm::doors {

constexpr int row_major = 101, column_major = 102; // CBLAS's
constexpr std::string_view transposes = "NTC";     // its 111, 112 and 113

template <class Int>
using CblasSgemm = void (*)(int layout, int trans_a, int trans_b, Int m, Int n, Int k, float alpha, const float* a, Int lda,
                            const float* b, Int ldb, float beta, float* c, Int ldc);

// Fortran passes the lengths of its strings behind everything else. We do not look at them, since C programs leave them
// out, but pass them on, since a routine compiled from Fortran may use the place on the stack where it expects them.
template <class Int>
using FortranSgemm = void (*)(const char* trans_a, const char* trans_b, const Int* m, const Int* n, const Int* k,
                              const float* alpha, const float* a, const Int* lda, const float* b, const Int* ldb,
                              const float* beta, float* c, const Int* ldc, std::size_t length_a, std::size_t length_b);

// Intel's form of many products in one call, which OpenBLAS and BLIS have too: groups of products that differ only in
// their matrices.
template <class Int>
using CblasSgemmBatch = void (*)(int layout, const int* trans_a, const int* trans_b, const Int* m, const Int* n,
                                 const Int* k, const float* alpha, const float** a, const Int* lda, const float** b,
                                 const Int* ldb, const float* beta, float** c, const Int* ldc, Int groups,
                                 const Int* group_sizes);

// And their form for matrices that lie a stride apart.
template <class Int>
using CblasSgemmBatchStrided = void (*)(int layout, int trans_a, int trans_b, Int m, Int n, Int k, float alpha,
                                        const float* a, Int lda, Int stride_a, const float* b, Int ldb, Int stride_b,
                                        float beta, float* c, Int ldc, Int stride_c, Int count);

template <class Int> void call(CblasSgemm<Int> next, const Product& x)
{
    const auto transpose = [](char letter) { return 111 + static_cast<int>(transposes.find(letter)); };
    const auto narrow = [](std::int64_t number) { return static_cast<Int>(number); };
    next(column_major, transpose(x.trans_a), transpose(x.trans_b), narrow(x.m), narrow(x.n), narrow(x.k), x.alpha, x.a,
         narrow(x.lda), x.b, narrow(x.ldb), x.beta, x.c, narrow(x.ldc));
}

template <class Int> void call(FortranSgemm<Int> next, const Product& x)
{
    const Int m = static_cast<Int>(x.m), n = static_cast<Int>(x.n), k = static_cast<Int>(x.k);
    const Int lda = static_cast<Int>(x.lda), ldb = static_cast<Int>(x.ldb), ldc = static_cast<Int>(x.ldc);
    next(&x.trans_a, &x.trans_b, &m, &n, &k, &x.alpha, x.a, &lda, x.b, &ldb, &x.beta, x.c, &ldc, 1, 1);
}

// Set while the next BLAS computes for this thread. Some have cblas_sgemm() call sgemm_(), which is ours again: it then
// must not be sent through OpenCL a second time.
inline thread_local bool next_is_computing = false;

// A product on the CPU: by a routine of the next BLAS or, without one, by the plain loop.
template <class Function> class OnCpu {
public:
    explicit OnCpu(NextRoutine& next) : next_(next.as<Function>()) {}

    void operator()(const Product& product) const
    {
        const bool before = std::exchange(next_is_computing, true);
        if (next_)
            call(next_, product);
        else
            plain_sgemm(product);
        next_is_computing = before;
    }

private:
    Function next_;
};

} // namespace clgemm::doors
