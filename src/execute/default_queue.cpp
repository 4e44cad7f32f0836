#include "execute/default_queue.hpp"

#include "device/default_device.hpp"
#include "support/environment.hpp"

#include <mutex>

namespace clgemm::core {
namespace {

struct Shared {
    std::mutex mutex;
    cl::Context context;    // held besides the queue, since with some drivers a queue does not keep its context
    cl::CommandQueue queue; // null until made
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
        const cl::Device device = choose_device(environment().device);
        all.context = cl::Context(device);
        all.queue = cl::CommandQueue(all.context, device);
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
