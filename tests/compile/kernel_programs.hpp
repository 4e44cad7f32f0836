// The programs that the library builds for a device, as its families plan them: of all kernels, in every size that the
// registry and the compiled-in tuning data have.
#pragma once

#include "device/profile.hpp"
#include "families/family.hpp"

#include <array>
#include <string>
#include <tuple>
#include <vector>

namespace clgemm::test {

struct Program {
    const core::KernelSource* source = nullptr;
    std::string options;
    std::size_t retargeted_local_bytes = 0; // as a Step has it
    std::array<std::size_t, 2> group_size{1, 1};

    auto key() const { return std::tie(source->name, options, retargeted_local_bytes); }
    bool operator<(const Program& other) const { return key() < other.key(); }
    bool operator==(const Program& other) const { return key() == other.key(); }
    // Which it is, for people.
    std::string text() const { return std::string(source->name) + " " + options; }
};

// The registry's sizes, or those of the compiled-in tuning data, that the device can run.
std::vector<core::Variant> registered_variants(const core::DeviceProfile& device);
std::vector<core::Variant> tuned_variants(const core::DeviceProfile& device);

// The first size of each kernel that the device can run; and what the library takes by itself on a device that nobody
// measured.
std::vector<core::Variant> usual_variants(const core::DeviceProfile& device);
std::vector<core::Variant> believed_variants(const core::DeviceProfile& device);

// Of the registry's, however the operands lie, and of the helpers before and after them; also for batches, by kernels that
// compute several products in one launch. Sorted, each once.
std::vector<Program> every_program(const core::DeviceProfile& device);

// The multiplications of these variants alone, on operands that are transposed so, aligned and larger than a tile; of those
// that are made for batches alone, also for a batch that lies without gaps and unaligned. `exchanged`: of those that compute
// C' = B' A' besides, that. Sorted, each once.
std::vector<Program> programs_where(clgemm_transpose trans_a, clgemm_transpose trans_b, const core::DeviceProfile& device,
                                    const std::vector<core::Variant>& variants, bool exchanged = false);

// The same in all transposes, exchanged and not.
std::vector<Program> typical_programs(const core::DeviceProfile& device, const std::vector<core::Variant>& variants);

// The multiplications of these variants alone, in all transposes, where neither operand is aligned, or both are for pairs of
// floats. Sorted, each once.
std::vector<Program> unaligned_programs(const core::DeviceProfile& device, const std::vector<core::Variant>& variants);

// What these variants and the helpers are where the result must be reproducible, in all transposes, aligned and not, with K
// whole and in blocks side by side. Sorted, each once.
std::vector<Program> reproducible_programs(const core::DeviceProfile& device, const std::vector<core::Variant>& variants);
// Those whose work-groups go through several tiles of C, or several blocks of K, one after the other.
std::vector<Program> looping_programs(const core::DeviceProfile& device, const std::vector<core::Variant>& variants);

} // namespace clgemm::test
