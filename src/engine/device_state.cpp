#include "engine/device_state.hpp"

#include "device/query_profile.hpp"
#include "engine/known_buffers.hpp"
#include "engine/memory_speed.hpp"
#include "support/environment.hpp"
#include "support/made_once.hpp"
#include "tuning/tuning_sources.hpp"

#include <utility>

namespace clgemm::core {
namespace {

// These are never destroyed: at exit the OpenCL driver may be gone before us, and the process's end frees everything.
using States = MadeOnce<std::pair<cl_context, cl_device_id>, DeviceState>;

States& states()
{
    static auto* const process = new States(16);
    return *process;
}

// What all contexts of a device share; and the device, so that the handle by which it is known cannot become another one's.
struct KnownDevice {
    KnownDevice(cl::Device its_device, const DeviceProfile& profile, const MeasureMemory& measure_memory)
        : device(std::move(its_device)), planner(profile, tuning_for(profile, measure_memory)),
          temporaries(std::make_shared<KeptMemory>(profile.memory_for_temporaries()))
    {
    }

    cl::Device device;
    Planner planner;
    std::shared_ptr<KeptMemory> temporaries;
};
using KnownDevices = MadeOnce<cl_device_id, KnownDevice>;

KnownDevices& known_devices()
{
    static auto* const process = new KnownDevices(64);
    return *process;
}

// `context`: as planner_for() has it.
std::shared_ptr<KnownDevice> known(cl_device_id device, const cl::Context& context = {})
{
    return known_devices().get(device, [&] {
        const cl::Device held(device, true);
        const DeviceProfile profile = query_profile(held);
        const auto measure_memory = [&] { return memory_bytes_per_ns(context, held, profile, disk_cache()); };
        return std::make_shared<KnownDevice>(held, profile, measure_memory);
    });
}

// A driver that keeps programs by itself does so better (device/quirks.cpp). There the library keeps them only on request.
const DiskCache& disk_cache_for(const DeviceProfile& profile)
{
    static const auto* const none = new DiskCache(std::nullopt);
    return profile.keeps_programs && !environment().cache_directory_was_asked_for ? *none : disk_cache();
}

std::shared_ptr<DeviceState> new_state(cl_context context, cl_device_id device)
{
    const cl::Context held(context, true);
    const DiskCache& disk = disk_cache_for(planner_for(device, held)->device());
    return std::make_shared<DeviceState>(held, cl::Device(device, true), disk);
}

} // namespace

DeviceState::DeviceState(cl::Context its_context, cl::Device its_device, const DiskCache& disk)
    : context(std::move(its_context)), device(std::move(its_device)), planner(planner_for(device(), context)),
      programs(context, device, profile(), disk), workspaces(context, known(device())->temporaries),
      tells_when_buffers_go(core::tells_when_buffers_go(context))
{
}

std::shared_ptr<DeviceState> device_state(cl_context context, cl_device_id device)
{
    return states().get({context, device}, [&] { return new_state(context, device); });
}

std::shared_ptr<DeviceState> device_state(const CallersQueue& queue, cl_mem buffer)
{
    return states().get({queue.context, queue.device}, [&] {
        check_is_not_the_context(queue, buffer);
        return new_state(queue.context, queue.device);
    });
}

std::shared_ptr<Planner> planner_for(cl_device_id device, const cl::Context& context)
{
    const auto it = known(device, context);
    return {it, &it->planner};
}

void drop_device_states(cl_context context)
{
    // Planners first: a state that is made meanwhile gets the new one, as queries do.
    if (!context)
        known_devices().drop([](cl_device_id) { return true; });
    states().drop([&](const auto& key) { return !context || key.first == context; });
}

} // namespace clgemm::core
