// What the library keeps between calls: for one device in one context, and for a device wherever it is used.
#pragma once

#include "engine/callers_queue.hpp"
#include "engine/first_use.hpp"
#include "engine/ready_call.hpp"
#include "execute/program_cache.hpp"
#include "execute/workspace_pool.hpp"
#include "select/planner.hpp"
#include "support/attached.hpp"

#include <memory>

namespace clgemm::core {

struct DeviceState {
    // `disk`: where its programs are kept between processes.
    DeviceState(cl::Context its_context, cl::Device its_device, const DiskCache& disk);

    cl::Context context;
    cl::Device device;
    std::shared_ptr<Planner> planner;
    ProgramCache programs;
    WorkspacePool workspaces;
    FirstUse first_use;
    ReadyCalls ready_calls{256};
    const bool tells_when_buffers_go; // engine/known_buffers.hpp
    Attached attached;                // what calls on host memory keep

    const DeviceProfile& profile() const { return planner->device(); }
};

// The state of a context and device, made when first asked for. The last 16 pairs are kept: a program that makes context
// after context does not grow. Whoever holds a state can go on using it after it is dropped.
std::shared_ptr<DeviceState> device_state(cl_context context, cl_device_id device);

// The state of a queue of the caller's. Where the state is new, the queue is checked by a buffer of the call
// (check_is_not_the_context()).
std::shared_ptr<DeviceState> device_state(const CallersQueue& queue, cl_mem buffer);

// The planner of a device. All contexts of the device and the queries share it, so that what is asked before a call holds
// for the call. Its tuning data is read when it is first asked for. Throws cl::Error where `device` is no device. `context`:
// one that has the device, in which its memory may be measured (engine/memory_speed.hpp); null where there is none yet.
std::shared_ptr<Planner> planner_for(cl_device_id device, const cl::Context& context = {});

// Drops the states of a context; null: all, and the planners, too.
void drop_device_states(cl_context context);

} // namespace clgemm::core
