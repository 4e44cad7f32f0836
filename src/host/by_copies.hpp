// Multiplication on host memory by way of copies on devices: how it is done, and how much of the devices' memory it takes.
#pragma once

#include "engine/request.hpp"
#include "host/host_operands.hpp"
#include "host/tiled_product.hpp"
#include "problem/problem.hpp"

#include <vector>

namespace clgemm::core {

// What a call may take. Tests allow less than there is.
struct HostLimits {
    RoomForTiles room;       // on each device
    std::size_t threads = 1; // for the whole call
    bool small_products = true;
};

HostLimits limits_of(const Devices& devices);

// Returns when C is computed. The devices are in one context. If they lack memory, the call takes less of it.
void multiply_by_copies(const Problem& problem, const HostOperands& host, const Devices& devices, const Request& request,
                        const HostLimits& limits);

// The different products that devices compute for such a call, provided that they have enough memory.
std::vector<Problem> different_products(const Problem& problem, const Devices& devices, const Request& request,
                                        const HostLimits& limits);

} // namespace clgemm::core
