// The BLAS that comes after this library: it computes what OpenCL does not.
#pragma once

#include <array>
#include <atomic>

namespace clgemm::doors {

// The names that BLAS libraries have for one routine, and null after them. They are those of the reference (LP64), of
// OpenBLAS and of Intel's MKL (ILP64), and those that the OpenBLAS in NumPy's and SciPy's wheels has.
using RoutineNames = std::array<const char*, 4>;
inline constexpr RoutineNames cblas_names{"cblas_sgemm", "scipy_cblas_sgemm"},
    cblas_64_names{"cblas_sgemm64_", "cblas_sgemm_64", "scipy_cblas_sgemm64_"}, fortran_names{"sgemm_", "scipy_sgemm_"},
    fortran_64_names{"sgemm_64_", "sgemm_64", "scipy_sgemm_64_"},
    batch_names{"cblas_sgemm_batch", "scipy_cblas_sgemm_batch"},
    batch_64_names{"cblas_sgemm_batch64_", "cblas_sgemm_batch_64", "scipy_cblas_sgemm_batch64_"},
    strided_names{"cblas_sgemm_batch_strided", "scipy_cblas_sgemm_batch_strided"},
    strided_64_names{"cblas_sgemm_batch_strided64_", "cblas_sgemm_batch_strided_64", "scipy_cblas_sgemm_batch_strided64_"};

// A routine of that BLAS, under any of its names. It is looked for at the first use, since a program's BLAS may be loaded
// long after this library, and without a lock, since a fork()ed child must not wait for a thread that it does not have.
// Searched are, in this order:
//   1. the file that CLGEMM_CPU_BLAS names; where that has no SGEMM, standard error says so
//   2. what the dynamic linker itself would have found without this library
//   3. all libraries that are loaded: what Python and others load as their modules' own is hidden from 2
class NextRoutine {
public:
    explicit constexpr NextRoutine(const RoutineNames& names) : names_(names) {}

    // Null where there is none.
    template <class Function> Function as() { return reinterpret_cast<Function>(address()); }

private:
    void* address() noexcept;

    RoutineNames names_;
    std::atomic<void*> address_{nullptr};
    std::atomic<bool> was_looked_for_{false};
};

} // namespace clgemm::doors
