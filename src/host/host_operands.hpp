// The memory of a call on host memory. A matrix's offset counts from these pointers.
#pragma once

#include "problem/matrix.hpp"

namespace clgemm::core {

struct HostOperands {
    const float* a = nullptr;
    const float* b = nullptr;
    float* c = nullptr;

    const float* in(Memory memory) const { return memory == Memory::a ? a : memory == Memory::b ? b : c; }
};

} // namespace clgemm::core
