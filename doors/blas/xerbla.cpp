#include "xerbla.hpp"

#include <cstddef>
#include <cstdio>

// Weak, so that a program may have them or not; the names of the 64-bit ones are OpenBLAS's.
extern "C" {
[[gnu::weak]] void xerbla_(const char* routine, const std::int32_t* parameter, std::size_t length);
[[gnu::weak]] void xerbla_64_(const char* routine, const std::int64_t* parameter, std::size_t length);
[[gnu::weak]] void cblas_xerbla(std::int32_t parameter, const char* routine, const char* format, ...);
[[gnu::weak]] void cblas_xerbla64_(std::int64_t parameter, const char* routine, const char* format, ...);
}

namespace clgemm::doors {
namespace {

template <class Handler, class... Arguments>
void report(Handler* handler, const char* routine, int parameter, Arguments... arguments)
{
    if (handler)
        handler(arguments...);
    else
        std::fprintf(stderr, " ** On entry to %s parameter number %d had an illegal value\n", routine, parameter);
}

} // namespace

template <> void report_wrong_fortran<std::int32_t>(int parameter)
{
    const std::int32_t number = parameter;
    report(xerbla_, "SGEMM", parameter, "SGEMM ", &number, std::size_t{6});
}

template <> void report_wrong_fortran<std::int64_t>(int parameter)
{
    const std::int64_t number = parameter;
    report(xerbla_64_, "SGEMM", parameter, "SGEMM ", &number, std::size_t{6});
}

template <> void report_wrong_cblas<std::int32_t>(int parameter, const char* routine)
{
    report(cblas_xerbla, routine, parameter, parameter, routine, "");
}

template <> void report_wrong_cblas<std::int64_t>(int parameter, const char* routine)
{
    report(cblas_xerbla64_, routine, parameter, std::int64_t{parameter}, routine, "");
}

} // namespace clgemm::doors
