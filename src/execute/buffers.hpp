// The memory of a call, which others own.
#pragma once

#include "problem/matrix.hpp"
#include "support/opencl.hpp"

namespace clgemm::core {

struct Buffers {
    cl_mem a = nullptr, b = nullptr, c = nullptr; // by the names that the problem's matrices have (Matrix::memory)
    cl_mem workspace = nullptr;                   // null: the library's own
    cl_mem image_a = nullptr, image_b = nullptr;  // of operands that are prepared
    cl_mem list = nullptr;                        // of the products of a listed batch
    bool made_for_this_call = false;              // what OpenCL tells of them is not worth remembering
    bool* c_is_touched = nullptr;                 // if given, set once a step that writes C is enqueued

    cl_mem& operator[](Memory which)
    {
        switch (which) {
        case Memory::a: return a;
        case Memory::b: return b;
        case Memory::c: return c;
        case Memory::image_a: return image_a;
        case Memory::image_b: return image_b;
        case Memory::list: return list;
        case Memory::workspace: break;
        }
        return workspace;
    }
    cl_mem operator[](Memory which) const { return const_cast<Buffers&>(*this)[which]; }
};

} // namespace clgemm::core
