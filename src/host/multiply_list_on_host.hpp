// The products of a list on host memory, whose matrices pointers say, one strided batch of them after the other.
#pragma once

#include "engine/request.hpp"
#include "problem/product_list.hpp"
#include "support/opencl.hpp"

namespace clgemm::core {

// Where the matrices of each product begin; `count` of each.
struct HostPointers {
    const float* const* a = nullptr;
    const float* const* b = nullptr;
    float* const* c = nullptr;
};

// `list`: without offsets. Checks every argument, and returns when all C's are computed. `queue`: the caller's; null: the
// default device's. Throws.
void multiply_on_host(ProductList list, const HostPointers& host, cl_command_queue queue, const Request& request);

} // namespace clgemm::core
