// Which steps: launches of kernels over the caller's matrices and one workspace, with their geometry. Plain data.
#pragma once

#include "problem/matrix.hpp"
#include "support/embedded.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace clgemm::core {

// One of the structures of kernels/arguments.h, as bytes.
class ArgumentBytes {
public:
    ArgumentBytes() = default;
    template <typename Structure> explicit ArgumentBytes(const Structure& structure) : bytes_(sizeof(Structure))
    {
        static_assert(std::is_trivially_copyable_v<Structure>);
        std::memcpy(bytes_.data(), &structure, sizeof structure);
    }
    template <typename Structure> Structure as() const
    {
        Structure result;
        std::memcpy(&result, bytes_.data(), std::min(sizeof result, bytes_.size()));
        return result;
    }
    const void* data() const { return bytes_.data(); }
    std::size_t size() const { return bytes_.size(); }
    bool operator==(const ArgumentBytes&) const = default;

private:
    std::vector<std::byte> bytes_;
};

// One launch.
struct Step {
    std::string purpose; // for people: "transpose B"
    const KernelSource* source = nullptr;
    const char* function = ""; // the kernel function in the source
    std::string options;       // for the compiler
    std::array<std::size_t, 3> groups{1, 1, 1};
    std::array<std::size_t, 2> group_size{1, 1}; // the third is 1
    std::vector<Memory> buffers;                 // the kernel's arguments: first buffers, in its own order,
    ArgumentBytes arguments;                     // then one structure
    // The local memory of a program that must be retargeted (execute/retarget.hpp), in bytes; 0: it is built as it is.
    std::size_t retargeted_local_bytes = 0;

    // No kernel is given C but to write it. What fails before the first step that does leaves C as it was.
    bool writes_c() const { return std::find(buffers.begin(), buffers.end(), Memory::c) != buffers.end(); }
};

struct Plan {
    std::vector<Step> steps; // each after the one before
    std::size_t workspace_bytes = 0;
};

} // namespace clgemm::core
