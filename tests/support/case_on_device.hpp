// A case whose operands lie in device buffers: a test calls it on whatever queue, as often and with whatever events it
// wants.
#pragma once

#include "device.hpp"
#include "sgemm_case.hpp"

#include <vector>

namespace clgemm::test {

struct CaseOnDevice {
    explicit CaseOnDevice(const SgemmCase& its_case, const cl::Context& context = test_device().context)
        : CaseOnDevice(its_case, Operands(its_case), context)
    {
    }
    CaseOnDevice(const SgemmCase& its_case, Operands operands, const cl::Context& context = test_device().context);

    // clgemm_sgemm_ex() with this kernel (null: automatic), or with these options.
    clgemm_status call(const cl::CommandQueue& queue, const char* kernel = nullptr,
                       const std::vector<cl::Event>& wait_for = {}, cl::Event* event = nullptr) const;
    clgemm_status call(const cl::CommandQueue& queue, const clgemm_options& options,
                       const std::vector<cl::Event>& wait_for = {}, cl::Event* event = nullptr) const;

    // The buffers as they are now. Blocks until the queue has read them; waits for nothing else.
    Operands read(const cl::CommandQueue& queue) const;
    // Is C what the operands that went in make it, and everything else as it was?
    testing::AssertionResult is_right(const cl::CommandQueue& queue) const;

    SgemmCase x;
    Operands before;
    cl::Buffer a, b, c;
};

// The names that clgemm_kernel_name() gives, for tests of every kernel.
std::vector<const char*> every_kernel();
// Can the test device run it, in any of its sizes? A test of a kernel that it cannot run is skipped.
bool runs_here(const char* kernel);
// And with the bits that every device computes? One with little local memory may not run it so.
bool runs_reproducibly_here(const char* kernel);
// Those of every_kernel() that run here, for tests that are about something else.
std::vector<const char*> kernels_here();
std::string name_of_kernel(const testing::TestParamInfo<const char*>& info);

} // namespace clgemm::test
