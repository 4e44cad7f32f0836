#include "device/profile.hpp"

namespace clgemm::core {

const char* to_string(DeviceType type)
{
    switch (type) {
    case DeviceType::cpu: return "CPU";
    case DeviceType::gpu: return "GPU";
    case DeviceType::accelerator: break;
    }
    return "accelerator";
}

} // namespace clgemm::core
