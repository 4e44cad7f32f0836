// Makes chosen allocations of a test fail, by its own operator new: those that this thread makes outside of OpenCL, which
// are the library's and the C++ runtime's on its behalf; and counts those that live. A test that steers it is compiled with
// it and with failing_opencl.
#pragma once

#include <cstddef>
#include <limits>

namespace clgemm::test {

// The `first` of this thread's allocations from now on fails, and those after it up to the `last`.
void fail_allocations(long first, long last);

// Allocations succeed again. How many there were since fail_allocations(), the failed ones among them.
long stop_failing_allocations();

// How many blocks of memory live that this thread took outside of OpenCL since it asked for the first time.
std::size_t living_allocations();

} // namespace clgemm::test
