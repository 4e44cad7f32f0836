// A case of the reference's (reference/sgemm_case.hpp), run on the test device and checked.
#pragma once

#include "reference/sgemm_case.hpp"
#include "support/opencl.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace clgemm::test {

using reference::element_of_op;
using reference::exchanged;
using reference::GuardedMatrix;
using reference::Operands;
using reference::SgemmCase;

// Computes the case on the given buffers, blocking, and returns a status.
using Multiply = std::function<clgemm_status(const SgemmCase&, const Operands&, cl_mem a, cl_mem b, cl_mem c)>;

// clgemm_sgemm_ex() with this kernel (null: automatic) on the test device's in-order queue.
Multiply by_api(const char* kernel);

// Runs the case and checks every element of C, all canaries, and that A and B are as they were.
testing::AssertionResult is_right(const SgemmCase& c, const Multiply& multiply);

// The same check for a result that was computed in any other way: `before` went in, `after` came out.
testing::AssertionResult is_right(const SgemmCase& c, const Operands& before, const Operands& after);

} // namespace clgemm::test
