// The triple loop, for programs that have no BLAS besides this library.
#pragma once

#include "product.hpp"

namespace clgemm::doors {

// Right, and no more than that: it says once, on standard error, that it is in use.
void plain_sgemm(const Product& product);

} // namespace clgemm::doors
