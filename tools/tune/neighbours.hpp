// The sizes of a kernel that are next to one of them: where the search for better ones goes on.
#pragma once

#include "device/profile.hpp"
#include "families/family.hpp"

#include <vector>

namespace clgemm::tune {

// One parameter doubled or halved, or changed by the step that its family says; or two of them at a time, since a tile and
// its warps only fit together. Those that can be built and that the device can run, each once.
std::vector<core::Parameters> neighbours(const core::KernelInfo& kernel, const core::Parameters& of,
                                         const core::DeviceProfile& device);

} // namespace clgemm::tune
