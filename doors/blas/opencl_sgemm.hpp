// Products through OpenCL, by libclgemm, and when to stop trying.
#pragma once

#include "product.hpp"

namespace clgemm::doors {

// Why nothing runs through OpenCL any more in this process, as words for the log; null while it may. That is so
//   - after a failure that will not pass (no device, a variable that means nothing), or three in a row, not counting those
//     that say nothing of other products (lack of memory, matrices that clgemm does not take);
//   - in a child after fork(): OpenCL's threads and its link to the device have stayed with the parent.
const char* why_no_opencl();

// C = alpha * op(A) * op(B) + beta * C, if OpenCL can; true if it did. Where it did not, somebody else can compute the whole
// product: C is as it was before, or beta is 0 and C is not read. Where C is lost in part (CLGEMM_INCOMPLETE) and beta is
// not 0, the process ends. The process's first failure is told on standard error. Thread-safe.
// The batch must be a strided one, and its beta 0 unless it is of one product: a batch may fail when some of its products
// are computed, and then only those whose C is not read can be computed anew.
bool opencl_sgemm(const Batch& batch);

} // namespace clgemm::doors
