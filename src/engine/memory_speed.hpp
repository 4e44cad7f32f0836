// How fast a device moves memory, from a measurement so short that a first call can wait for it.
#pragma once

#include "device/profile.hpp"
#include "execute/disk_cache.hpp"
#include "support/opencl.hpp"

#include <optional>

namespace clgemm::core {

// The bytes that a copy within global memory reads and writes in a ns, together. It is rounded to steps of a fifth, since
// selections must not change with the noise of a measurement. `kept` keeps it for this device and driver. None where the
// device cannot be measured. The measurement takes some ms, on a queue of its own in this context; null: in a context of its
// own, which some drivers take a second to make.
std::optional<double> memory_bytes_per_ns(const cl::Context& context, const cl::Device& device, const DeviceProfile& profile,
                                          const DiskCache& kept);

} // namespace clgemm::core
