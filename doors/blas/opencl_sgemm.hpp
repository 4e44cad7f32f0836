// Products through OpenCL, by libclgemm, and when to stop trying.
#pragma once

#include "product.hpp"

namespace clgemm::doors {

// Why nothing runs through OpenCL any more in this process, as words for the log; null while it may. That is so
//   - after a failure that will not pass (no device, a variable that means nothing), or three in a row of any kind but
//     lack of memory, which may be the one product's own;
//   - in a child after fork(): OpenCL's threads and its link to the device have stayed with the parent.
const char* why_no_opencl();

// C = alpha * op(A) * op(B) + beta * C, if OpenCL can; true if it did. Where it did not, C is as it was before, so that
// somebody else can compute the whole product: that is clgemm's promise for every call that fails. The process's first
// failure is told on standard error. Thread-safe.
// The batch must be a strided one, and its beta 0 unless it is of one product: a batch may fail when some of its products
// are computed, and then only those whose C is not read can be computed anew.
bool opencl_sgemm(const Batch& batch);

} // namespace clgemm::doors
