// What OpenCL tells of a caller's buffers: four questions for each of three, in a call that may take microseconds. Buffers
// are mostly used again, so the answers are remembered for as long as the buffer lives.
#pragma once

#include "support/opencl.hpp"

#include <cstddef>

namespace clgemm::core {

struct BufferFacts {
    cl_mem_object_type type = 0;
    cl_context context = nullptr;
    cl_mem_flags flags = 0;
    std::size_t bytes = 0;
    void* host_pointer = nullptr; // where the buffer is in the host's memory: CL_MEM_USE_HOST_PTR
};

// Does OpenCL tell when a buffer of this context goes, before the release returns and by the thread that releases it? If
// not, nothing can be remembered, since the handle may be another buffer's afterwards. This is tried out with a buffer of a
// few bytes.
bool tells_when_buffers_go(const cl::Context& context);

// What OpenCL tells of a memory object, which lives but may be no buffer. `remember`: what tells_when_buffers_go() says of
// its context. Throws cl::Error.
BufferFacts facts_of(cl_mem buffer, bool remember);

// Do two live buffers share memory, as far as OpenCL tells? They do if they are one, or sub-buffers of one that overlap, or
// if both were made in the same memory of the host's. This is asked each time. Throws cl::Error.
bool share_memory(cl_mem one, cl_mem other);

} // namespace clgemm::core
