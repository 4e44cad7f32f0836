// One product by whichever way is best, with the CPU's behind OpenCL's.
#pragma once

#include "product.hpp"

#include <functional>

namespace clgemm::doors {

// The product's arguments are right. `on_cpu` multiplies with the next BLAS. No exception gets out: callers are C and
// Fortran. Writes the line that CLGEMM_LOG=1 asks for.
void multiply(const Product& product, const std::function<void(const Product&)>& on_cpu) noexcept;

// Would OpenCL be tried? May measure, as multiply() may.
bool is_for_opencl(const Product& product, const std::function<void(const Product&)>& on_cpu) noexcept;

} // namespace clgemm::doors
