#include "engine/default_queue.hpp"

#include "device/default_device.hpp"
#include "support/environment.hpp"
#include "support/warning.hpp"

#include <cstddef>
#include <mutex>
#include <string>

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
        const std::size_t wanted = environment().most_devices;
        const auto devices = choose_devices(environment().device, wanted);
        if (wanted != Environment::all_devices && devices.size() < wanted)
            warn_once("CLGEMM_DEVICES is " + std::to_string(wanted) +
                      ", but the default device's platform has no more devices of its type than " +
                      std::to_string(devices.size()));
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
