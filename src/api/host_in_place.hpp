// Multiplication on host memory by a device that shares it: where the matrices lie, without copies.
#pragma once

#include "api/options.hpp"
#include "device/profile.hpp"
#include "problem/problem.hpp"

namespace clgemm::core {

// Can the device's buffers be the caller's memory?
bool works_in_place(const Problem& problem, const DeviceProfile& device);

// As clgemm_sgemm_host(), with `problem` made of `arguments`; returns when C is computed.
void multiply_in_place(const Arguments& arguments, const Problem& problem, const float* a, const float* b, float* c,
                       const cl::CommandQueue& queue, const Request& request);

} // namespace clgemm::core
