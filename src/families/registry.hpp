// The registry: all kernels of all families.
#pragma once

#include "families/family.hpp"

namespace clgemm::core {

// By number.
std::span<const KernelInfo> kernels();

// The same kernels in the order in which equal estimates decide: where memory limits everything, the kernel comes first that
// is made for that.
std::span<const KernelInfo* const> kernels_by_preference();

// By name ("09_prefetch") or number ("9", "09"); null if there is none.
const KernelInfo* find_kernel(std::string_view name_or_number);

// The kernel that computes what no other one can: it runs everywhere and needs no workspace.
const KernelInfo& last_resort();

// "01_naive, 02_tiled, ...": for messages.
std::string kernel_names();

Variant variant_of(const KernelInfo& kernel, Parameters parameters);

// May the kernel be built with these parameters?
bool is_valid(const KernelInfo& kernel, const Parameters& parameters);

// Can the device run the kernel in this size: instructions, work-group, local memory?
bool runs(const Variant& variant, const DeviceProfile& device);

// The kernel's variants that the device can run and that suit it, in the order in which they are tried there: a CPU begins
// with the one that was fastest on CPUs.
std::vector<Variant> variants_for(const KernelInfo& kernel, const DeviceProfile& device);

} // namespace clgemm::core
