#include "engine/default_queue.hpp"

#include "device/default_device.hpp"
#include "support/environment.hpp"
#include "support/warning.hpp"

#include <cstddef>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace clgemm::core {
namespace {

struct Shared {
    std::mutex mutex;
    cl::Context context;    // null until made, as the queue; held, since not every driver's queue holds its own
    cl::CommandQueue queue; // on the context's first device
    struct Keeper {
        std::weak_ptr<const void> object;
        cl_context context; // valid as long as the object lives
    };
    std::vector<Keeper> keepers; // those that stay_in_default_context() was told of
};

// Never destroyed, for the reason in device_state.cpp.
Shared& shared()
{
    static auto* const process = new Shared;
    return *process;
}

cl::Context context_of(const std::vector<cl::Device>& devices, const std::vector<Shared::Keeper>& keepers)
{
    for (const auto& keeper : keepers)
        if (const auto alive = keeper.object.lock()) {
            cl::Context context(keeper.context, true);
            if (context.getInfo<CL_CONTEXT_DEVICES>() == devices)
                return context;
        }
    return {devices};
}

// make_queue() and add_keeper() are called while the mutex is held.
void make_queue(Shared& all)
{
    if (all.queue())
        return;
    const std::size_t wanted = environment().most_devices;
    const auto devices = choose_devices(environment().device, wanted);
    if (wanted != Environment::all_devices && devices.size() < wanted)
        warn_once("CLGEMM_DEVICES is " + std::to_string(wanted) +
                  ", but the default device's platform has no more devices of its type than " +
                  std::to_string(devices.size()));
    all.context = context_of(devices, all.keepers);
    all.queue = cl::CommandQueue(all.context, devices[0]);
}

void add_keeper(Shared& all, cl_context context, std::weak_ptr<const void> as_long_as)
{
    std::erase_if(all.keepers, [](const Shared::Keeper& keeper) { return keeper.object.expired(); });
    all.keepers.push_back({std::move(as_long_as), context});
}

} // namespace

cl::CommandQueue default_queue()
{
    auto& all = shared();
    const std::lock_guard lock(all.mutex);
    make_queue(all);
    return all.queue;
}

void stay_in_default_context(cl_context context, std::weak_ptr<const void> as_long_as)
{
    auto& all = shared();
    const std::lock_guard lock(all.mutex);
    add_keeper(all, context, std::move(as_long_as));
}

QueueThatStays default_queue_that_stays()
{
    auto& all = shared();
    const std::lock_guard lock(all.mutex);
    make_queue(all);
    const auto meanwhile = std::make_shared<const cl::Context>(all.context);
    add_keeper(all, all.context(), meanwhile);
    return {all.queue, meanwhile};
}

void drop_default_queue()
{
    auto& all = shared();
    const std::lock_guard lock(all.mutex);
    all.queue = cl::CommandQueue();
    all.context = cl::Context();
}

} // namespace clgemm::core
