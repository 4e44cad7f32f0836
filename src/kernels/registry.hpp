// The multiplication kernels: one row each, with what the kernel needs of its operands and which sizes it comes in.
#pragma once

#include "device/profile.hpp"
#include "kernels/parameters.hpp"
#include "support/embedded.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace clgemm::core {

// How a kernel wants an operand stored, in column-major terms.
enum class Storage {
    either, // told by TRANS_A, TRANS_B
    not_transposed,
    transposed
};

// What one work-group does; with a scheme for CPUs, one of the tiles in its block.
struct Tiling {
    std::size_t m = 1, n = 1, k = 1;      // the tile of C it computes, and the depth of the tiles of A and B
    std::size_t items_m = 1, items_n = 1; // its work-items in dimensions 0 and 1
    std::size_t local_bytes = 0;          // local memory it takes
    std::size_t width = 1;                // operands' columns must start at multiples of this many floats
    std::size_t retargeted_bytes = 0;     // of local_bytes, what its program has after retargeting (execute/retarget.hpp)
};

// Which plan goes with a kernel, and which geometry: what its work-groups do.
enum class Scheme {
    tiles,         // each computes one tile
    tensor,        // the same, on tensor cores, of operands that are split into pieces before
    tensor_direct, // the same, of operands as they are
    cpu_packed,    // the others are for CPUs, where one computes a block of many tiles, in a single work-item; both operands
                   // are packed before
    cpu_fused,     // A is packed within, B read in place
    cpu_vector     // both are read in place: few columns
};

inline bool is_for_cpus(Scheme scheme)
{
    return scheme == Scheme::cpu_packed || scheme == Scheme::cpu_fused || scheme == Scheme::cpu_vector;
}

struct KernelInfo {
    std::string_view name; // the source file's name without .cl, and the public name; starts with its number
    std::string_view idea; // one line for people

    Storage a, b;
    bool whole_tiles_in;  // A and B must be padded with zeros to whole tiles
    bool whole_tiles_out; // C must be, too, and its columns be aligned like theirs

    // Parameters, the fastest on a large GPU first. A device takes the first that fits it; a CPU starts from first_on_cpu,
    // the fastest on PoCL.
    std::vector<Parameters> variants;
    std::size_t first_on_cpu;
    Tiling (*tiling)(const Parameters&);
    // Adds the parameters that follow from the device's features rather than from measurement; may be null.
    void (*add_device_features)(const DeviceProfile&, Parameters&) = nullptr;
    // Whether it is told how its operands lie (WIDE_A, WIDE_B: memory runs along M (N) in aligned groups of four floats;
    // SMALL_M, SMALL_N: less than one tile), and takes a part of K per work-group of dimension 2.
    bool splits_k = false;
    // Whether it may be faster to copy an operand first, so that its memory runs along M (N), aligned.
    bool copies_may_pay = false;
    // Made for fewer columns of C than its tile has; it addresses C by two strides, so that rows can be columns.
    bool few_columns = false;
    // Whether parameters other than the variants' are right, too; null: only the variants are.
    bool (*valid)(const Parameters&) = nullptr;
    Scheme scheme = Scheme::tiles;
    // Whether a device has the instructions that it is made of; null: all have.
    bool (*has_instructions)(const DeviceProfile&) = nullptr;

    // Is it as fast however its operands lie in memory?
    bool takes_operands_alike() const { return scheme == Scheme::tensor; }
    // Does it compute by FP32 multiplications and additions alone (CLGEMM_MATH_STRICT)?
    bool is_strict() const { return scheme != Scheme::tensor && scheme != Scheme::tensor_direct; }
    const KernelSource& source() const { return kernel_source(name); }
};

std::span<const KernelInfo> kernels();

// The number that its name starts with.
std::size_t number_of(const KernelInfo& kernel);

// By name ("09_prefetch") or number ("9", "09"); null if there is none.
const KernelInfo* find_kernel(std::string_view name_or_number);

// "01_naive, 02_tiled, ...": for messages.
std::string kernel_names();

// May the kernel be built with these parameters?
bool is_valid(const KernelInfo& kernel, const Parameters& parameters);

// Is this variant meant for the device? What is made for CPUs comes in sizes for vectors of each width.
bool suits(const KernelInfo& kernel, const Parameters& parameters, const DeviceProfile& device);

// Do this tiling's work-group and local memory fit the device?
bool fits(const Tiling& tiling, const DeviceProfile& device);

// Can the device run the kernel in this size?
bool runs(const KernelInfo& kernel, const Parameters& parameters, const DeviceProfile& device);

} // namespace clgemm::core
