// A list of products on host memory, with a pointer to each matrix: one strided batch after the other.
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

// `list`: without offsets, which follow from the pointers. Checks every argument, and returns when all matrices C are
// computed. `queue`: the caller's; null: the default device's. Throws.
void multiply_on_host(ProductList list, const HostPointers& pointers, cl_command_queue queue, const Request& request);

} // namespace clgemm::core
