// What the caller asks for beyond the problem, as far as a selection depends on it.
#pragma once

#include "families/family.hpp"

namespace clgemm::core {

struct Options {
    const KernelInfo* kernel = nullptr; // this one; null: the library chooses
    std::size_t workspace_limit = 0;    // of a choice, in bytes; 0: what the device's profile says
    bool last_resort = false;           // the kernel that runs everywhere, since nothing else could be had (fallbacks.hpp)

    bool operator==(const Options&) const = default;
};

// The same options, with a limit of at most so many bytes of temporaries; 0: as they are.
inline Options limited(Options options, std::size_t bytes)
{
    if (bytes > 0)
        options.workspace_limit = options.workspace_limit > 0 ? std::min(options.workspace_limit, bytes) : bytes;
    return options;
}

// The bytes of temporaries that a choice may take. They must fit one buffer.
inline std::size_t bytes_allowed(const DeviceProfile& device, std::size_t limit)
{
    return std::min(device.max_allocation, limit > 0 ? limit : device.memory_for_temporaries());
}

} // namespace clgemm::core
