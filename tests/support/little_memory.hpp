// Any device as one with little memory. little_memory.cpp has functions of OpenCL's names, which the program that it is
// linked into calls in place of OpenCL's own; they refuse what is too much.
#pragma once

#include <cstddef>

namespace clgemm::test {

// Drivers look for memory when a buffer is made, or only when a command uses it.
enum class Refusal { when_made, when_used };

// For as long as it lives, all buffers of the program have so many bytes.
class LittleMemory {
public:
    LittleMemory(std::size_t bytes, Refusal refusal);
    LittleMemory(const LittleMemory&) = delete;
    LittleMemory& operator=(const LittleMemory&) = delete;
    ~LittleMemory();
};

} // namespace clgemm::test
