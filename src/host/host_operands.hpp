// The memory of a call on host memory. A matrix's offset counts from these pointers.
#pragma once

#include "problem/matrix.hpp"

namespace clgemm::core {

struct HostOperands {
    const void* a = nullptr;
    const void* b = nullptr;
    void* c = nullptr;

    const void* operator[](Memory memory) const { return memory == Memory::a ? a : memory == Memory::b ? b : c; }
};

} // namespace clgemm::core
