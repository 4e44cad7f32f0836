// Computes products through OpenCL or on the CPU, as policy.hpp decides, and on the CPU where OpenCL fails.
#pragma once

#include "product.hpp"

#include <functional>

namespace clgemm::doors {

// The arguments are right. `on_cpu` multiplies with the next BLAS. No exception gets out: callers are C and Fortran. Writes
// the line that CLGEMM_LOG=1 asks for.
void multiply(const Batch& batch, const std::function<void(const Product&)>& on_cpu) noexcept;

// Does clgemm compute the batch by one call? Otherwise it goes product by product.
bool goes_at_once(const Batch& batch);

// For products that are handed to the next BLAS's own routine for batches: writes what multiply() would have written.
void tell_of_the_next_blas(const Batch& batch, const std::function<void(const Product&)>& on_cpu) noexcept;

// Would OpenCL be tried? May measure, as multiply() may.
bool is_for_opencl(const Batch& batch, const std::function<void(const Product&)>& on_cpu) noexcept;

} // namespace clgemm::doors
