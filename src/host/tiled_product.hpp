// Multiplication on host memory by devices with memory of their own. Several threads copy pieces of the tiles between the
// caller's memory and pinned blocks, the bus carries blocks in both directions, and the devices multiply, all at once.
#pragma once

#include "engine/device_state.hpp"
#include "engine/request.hpp"
#include "host/host_operands.hpp"
#include "host/schedule.hpp"

#include <memory>
#include <vector>

namespace clgemm::core {

// The devices that take part. All are in one context.
using Devices = std::vector<std::shared_ptr<DeviceState>>;

// How the work is divided.
struct TiledWork {
    Partition partition;
    std::vector<Share> shares; // of each device, none of them empty
    std::size_t threads = 1;   // that copy
};

// Returns when C is computed. Throws; the status is CLGEMM_INCOMPLETE where parts of C had been received by then.
void multiply_in_tiles(const Problem& problem, const HostOperands& host, const Devices& devices, const Request& request,
                       const TiledWork& work);

} // namespace clgemm::core
