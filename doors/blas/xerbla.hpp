// Wrong arguments, told as the reference BLAS tells them, for programs that have no BLAS besides this library.
#pragma once

#include <cstdint>

namespace clgemm::doors {

// `parameter`: which one is wrong, as the routine counts its parameters from 1 on. The program's own handler is called if
// it has one (XERBLA for SGEMM, cblas_xerbla for cblas_sgemm), else a line goes to standard error.
template <class Int> void report_wrong_fortran(int parameter);
template <class Int> void report_wrong_cblas(int parameter, const char* routine);

} // namespace clgemm::doors
