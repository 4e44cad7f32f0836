// The registry: all kernels of all families.
#pragma once

#include "families/family.hpp"

namespace clgemm::core {

// By number; behind these, those that never had one.
std::span<const KernelInfo> kernels();

// The same kernels in the order in which equal estimates decide: where memory limits everything, the kernel comes first that
// is made for that.
std::span<const KernelInfo* const> kernels_by_preference();

// By name ("09_prefetch", "skinny"), former name ("15_skinny") or the number of one of these ("9", "09", "15"); null if
// there is none.
const KernelInfo* find_kernel(std::string_view name_or_number);

// The kernel that computes what no other one can: it runs everywhere and needs no workspace.
const KernelInfo& last_resort();

// "01_naive, 02_tiled, ...": for messages.
std::string kernel_names();

Variant variant_of(const KernelInfo& kernel, Parameters parameters);

// What the kernel is measured for: what callers get who ask for nothing, or, where it is less accurate than that, what it
// computes.
Arithmetic usual_arithmetic(const KernelInfo& kernel);

// May the kernel be built with these parameters?
bool is_valid(const KernelInfo& kernel, const Parameters& parameters);

// Can the device compute the problem by the kernel in this size, as accurately as it asks for: arithmetic, instructions,
// work-group, local memory? And has the kernel's family nothing against the problem (Family::takes())? For that K and the
// way operands lie may matter.
Answer takes(const Problem& problem, const Variant& variant, const DeviceProfile& device);

// The kernel's variants by which the device can compute the problem, in the order in which they are tried there: a CPU
// begins with the one that was fastest on CPUs. Of those for vectors of several widths, only those for the device's own.
std::vector<Variant> variants_for(const KernelInfo& kernel, const Problem& problem, const DeviceProfile& device);

// Whether there are any; if not, what stands against the last one, which asks for least.
Answer takes(const Problem& problem, const KernelInfo& kernel, const DeviceProfile& device);

// One tile of C, and one step along K: it stands for all problems where none is at hand.
Problem one_tile(const Variant& variant, const Arithmetic& arithmetic = {});

} // namespace clgemm::core
