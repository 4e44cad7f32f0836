// Which steps: launches of kernels over the caller's matrices and one workspace, with their geometry. Plain data.
#pragma once

#include "problem/matrix.hpp"
#include "support/embedded.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
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

    bool leaves_c_as_it_is = false; // though it is given C: it copies it

    // Any other step that is given C writes it. Until the first such step is enqueued, C is as it was.
    bool writes_c() const
    {
        return !leaves_c_as_it_is && std::find(buffers.begin(), buffers.end(), Memory::c) != buffers.end();
    }
};

// Do two steps launch the same program? How far a program is retargeted follows from its options, and need not be compared.
inline bool are_of_one_program(const Step& one, const Step& other)
{
    return one.source == other.source && one.options == other.options;
}

// Do they launch the same kernel function of the same program?
inline bool are_of_one_function(const Step& one, const Step& other)
{
    return are_of_one_program(one, other) && std::string_view(one.function) == other.function;
}

// What a plan's kernel wants of a prepared operand, with the step that makes it from the operand alone. This is no step of
// the plan, since the image is kept between calls. Where each product of a batch has a prepared operand of its own, the one
// step makes what is wanted of all of them: each work-group of dimension 2 takes one operand.
struct Image {
    Memory operand = Memory::b; // of which operand it is; the image itself lies in image_of(operand)
    Step making;
    std::size_t bytes = 0;

    // Would both have the same contents if they were made of one operand? (Steps do not say which operand of the caller's it
    // is: one matrix may be A in one call and B in another.)
    bool is_made_like(const Image& other) const
    {
        return are_of_one_function(making, other.making) && making.groups == other.making.groups &&
               making.group_size == other.making.group_size && making.arguments == other.making.arguments &&
               bytes == other.bytes;
    }
};

struct Plan {
    std::vector<Step> steps; // each after the one before
    std::size_t workspace_bytes = 0;
    std::vector<Image> images = {}; // of operands that are prepared, one of each at most
};

// Whatever the plan may launch: its steps, and those that make its images. They live in the plan.
inline std::vector<const Step*> steps_and_makings(const Plan& plan)
{
    std::vector<const Step*> result;
    for (const Step& step : plan.steps)
        result.push_back(&step);
    for (const Image& image : plan.images)
        result.push_back(&image.making);
    return result;
}

} // namespace clgemm::core
