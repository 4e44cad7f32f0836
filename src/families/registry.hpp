// The registry: all kernels of all families.
#pragma once

#include "families/family.hpp"

namespace clgemm::core {

// Sorted by number. Kernels that never had one come last.
std::span<const KernelInfo> kernels();

// The same kernels in the order that decides between equal estimates (families/families.hpp).
std::span<const KernelInfo* const> kernels_by_preference();

// By name ("09_prefetch", "skinny"), former name ("15_skinny") or the number of one of these ("9", "09", "15"); null if
// there is none.
const KernelInfo* find_kernel(std::string_view name_or_number);

// The kernel that computes what no other one can: it runs everywhere and needs no workspace.
const KernelInfo& last_resort();

// "01_naive, 02_tiled, ...": for messages.
std::string kernel_names();

Variant variant_of(const KernelInfo& kernel, Parameters parameters);

// The arithmetic for which the kernel is measured: the default one, or what the kernel computes where that is less accurate.
Arithmetic usual_arithmetic(const KernelInfo& kernel);

// May the kernel be built with these parameters?
bool is_valid(const KernelInfo& kernel, const Parameters& parameters);

// Can the device compute the problem by the kernel in this size, as accurately as it asks for: arithmetic, instructions,
// work-group, local memory? And does the kernel's family take the problem (Family::takes())? For the latter, K and the way
// operands lie may matter.
Answer takes(const Problem& problem, const Variant& variant, const DeviceProfile& device);

// The kernel's variants by which the device can compute the problem, in the order in which they are tried there: a CPU
// begins with the one that was fastest on CPUs. Where there are variants for vectors of several widths, only those for the
// device's own.
std::vector<Variant> variants_for(const KernelInfo& kernel, const Problem& problem, const DeviceProfile& device);

// Are there any such variants? If not, the answer says what stands against the last one, which needs least.
Answer takes(const Problem& problem, const KernelInfo& kernel, const DeviceProfile& device);

// A problem of one tile of C and one step along K. It stands for all problems where none is at hand.
Problem one_tile(const Variant& variant, const Arithmetic& arithmetic = {});

} // namespace clgemm::core
