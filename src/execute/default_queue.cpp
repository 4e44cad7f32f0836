#include "execute/default_queue.hpp"

#include "device/default_device.hpp"
#include "support/environment.hpp"

#include <mutex>

namespace clgemm::core {
namespace {

struct Shared {
    std::mutex mutex;
    cl::Context context;    // null until made, as the queue; held, since not every driver's queue holds its own
    cl::CommandQueue queue; // on the context's first device
};

// Never destroyed, for the reason in device_state.cpp.
Shared& shared()
{
    static auto* const process = new Shared;
    return *process;
}

} // namespace

cl::CommandQueue default_queue()
{
    auto& all = shared();
    const std::lock_guard lock(all.mutex);
    if (!all.queue()) {
        const auto devices = choose_devices(environment().device, environment().most_devices);
        all.context = cl::Context(devices);
        all.queue = cl::CommandQueue(all.context, devices[0]);
    }
    return all.queue;
}

void drop_default_queue()
{
    auto& all = shared();
    const std::lock_guard lock(all.mutex);
    all.queue = cl::CommandQueue();
    all.context = cl::Context();
}

} // namespace clgemm::core
