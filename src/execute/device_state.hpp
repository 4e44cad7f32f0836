// What the library keeps between calls for one device in one context.
#pragma once

#include "device/profile.hpp"
#include "execute/program_cache.hpp"
#include "execute/workspace_pool.hpp"
#include "plan/decision.hpp"

#include <memory>

namespace clgemm::core {

struct DeviceState {
    DeviceState(cl::Context its_context, cl::Device its_device);

    cl::Context context;
    cl::Device device;
    DeviceProfile profile;
    Decider decider;
    ProgramCache programs;
    WorkspacePool workspaces;
};

// The state of a context and device, made when first asked for. The last 16 pairs are kept: a program that makes context
// after context does not grow. Whoever holds a state can go on using it after it is dropped.
std::shared_ptr<DeviceState> device_state(cl_context context, cl_device_id device);

// Drops the states of a context; null: all.
void drop_device_states(cl_context context);

} // namespace clgemm::core
