// For tests whose launches overlap: PoCL computes with one thread only.
//
// PoCL 3.1 aborts ("pocl_release_dlhandle_cache: Assertion `found->ref_count > 0' failed") now and then when launches of one
// kernel with different grids run at once: it looks up what it releases without the grid's size. A plain program that
// launches one kernel on three queues with grids of random sizes aborts in one run of four, and with one thread never. With
// one thread launches of different queues still alternate. Other platforms do not know the variable.
#pragma once

#include <cstdlib>

namespace clgemm::test {

// Before main(), since PoCL reads it when it is loaded.
[[maybe_unused]] static const int one_pocl_worker = setenv("POCL_MAX_PTHREAD_COUNT", "1", 1);

} // namespace clgemm::test
