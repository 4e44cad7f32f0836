#include "blas_routines.hpp"

#include <cstddef>
#include <utility>

extern "C" {

void cblas_sgemm(int, int, int, std::int32_t, std::int32_t, std::int32_t, float, const float*, std::int32_t, const float*,
                 std::int32_t, float, float*, std::int32_t);
void cblas_sgemm64_(int, int, int, std::int64_t, std::int64_t, std::int64_t, float, const float*, std::int64_t, const float*,
                    std::int64_t, float, float*, std::int64_t);
void sgemm_(const char*, const char*, const std::int32_t*, const std::int32_t*, const std::int32_t*, const float*,
            const float*, const std::int32_t*, const float*, const std::int32_t*, const float*, float*, const std::int32_t*,
            std::size_t, std::size_t);
void sgemm_64_(const char*, const char*, const std::int64_t*, const std::int64_t*, const std::int64_t*, const float*,
               const float*, const std::int64_t*, const float*, const std::int64_t*, const float*, float*,
               const std::int64_t*);
}

namespace clgemm::test {
namespace {

Told told;

template <class Int, class Routine> void call_cblas(Routine* routine, const SgemmArguments& x)
{
    const auto narrow = [](std::int64_t number) { return static_cast<Int>(number); };
    routine(x.layout, x.trans_a, x.trans_b, narrow(x.m), narrow(x.n), narrow(x.k), x.alpha, x.a, narrow(x.lda), x.b,
            narrow(x.ldb), x.beta, x.c, narrow(x.ldc));
}

// `lengths`: those of the two strings, as Fortran passes them and C programs do not.
template <class Int, class Routine, class... Lengths>
void call_fortran(Routine* routine, const SgemmArguments& x, Lengths... lengths)
{
    static bool lower = false;
    lower = !lower;
    const auto letter = [](int transpose) {
        return transpose >= 111 && transpose <= 113 ? (lower ? "ntc" : "NTC")[transpose - 111] : 'x';
    };
    const char trans_a = letter(x.trans_a), trans_b = letter(x.trans_b);
    const Int m = static_cast<Int>(x.m), n = static_cast<Int>(x.n), k = static_cast<Int>(x.k);
    const Int lda = static_cast<Int>(x.lda), ldb = static_cast<Int>(x.ldb), ldc = static_cast<Int>(x.ldc);
    routine(&trans_a, &trans_b, &m, &n, &k, &x.alpha, x.a, &lda, x.b, &ldb, &x.beta, x.c, &ldc, lengths...);
}

} // namespace

void call_sgemm(Form form, const SgemmArguments& x)
{
    switch (form) {
    case Form::cblas: call_cblas<std::int32_t>(cblas_sgemm, x); break;
    case Form::cblas_64: call_cblas<std::int64_t>(cblas_sgemm64_, x); break;
    case Form::fortran: call_fortran<std::int32_t>(sgemm_, x, std::size_t{1}, std::size_t{1}); break;
    case Form::fortran_64: call_fortran<std::int64_t>(sgemm_64_, x); break;
    }
}

Told told_since_last_time()
{
    return std::exchange(told, Told{});
}

} // namespace clgemm::test

// The program's own handlers of wrong arguments, as BLAS lets it have them.
extern "C" {

void xerbla_(const char*, const std::int32_t* parameter, std::size_t)
{
    clgemm::test::told = {*parameter, clgemm::test::Form::fortran};
}

void xerbla_64_(const char*, const std::int64_t* parameter, std::size_t)
{
    clgemm::test::told = {static_cast<int>(*parameter), clgemm::test::Form::fortran_64};
}

void cblas_xerbla(std::int32_t parameter, const char*, const char*, ...)
{
    clgemm::test::told = {parameter, clgemm::test::Form::cblas};
}

void cblas_xerbla64_(std::int64_t parameter, const char*, const char*, ...)
{
    clgemm::test::told = {static_cast<int>(parameter), clgemm::test::Form::cblas_64};
}

} // extern "C"
