#include "execute/device_state.hpp"

#include "support/environment.hpp"
#include "tuning/tuning_sources.hpp"

#include <algorithm>
#include <list>
#include <mutex>

namespace clgemm::core {
namespace {

constexpr std::size_t most_states = 16;

struct States {
    std::mutex mutex;
    std::list<std::shared_ptr<DeviceState>> recent; // the last used first
};

// Never destroyed: at exit the OpenCL driver may be gone before us, and the process's end frees everything.
States& states()
{
    static auto* const process = new States;
    return *process;
}

// An eighth of the device's memory for temporaries that are not in use.
std::size_t workspace_limit(const DeviceProfile& profile)
{
    return profile.global_memory / 8;
}

// PoCL keeps what it compiles by itself, and to give a binary away it compiles the program once more, which takes twice as
// long as the compilation that the call needs: only on request.
const DiskCache& disk_cache_for(const DeviceProfile& profile)
{
    static const auto* const none = new DiskCache(std::nullopt);
    const bool keeps_its_own = profile.platform_name == "Portable Computing Language";
    return keeps_its_own && !environment().cache_directory_was_asked_for ? *none : disk_cache();
}

} // namespace

DeviceState::DeviceState(cl::Context its_context, cl::Device its_device)
    : context(std::move(its_context)), device(std::move(its_device)), profile(profile_device(device)),
      decider(profile, tuning_for(profile)), programs(context, device, profile, disk_cache_for(profile)),
      workspaces(context, workspace_limit(profile))
{
}

std::shared_ptr<DeviceState> device_state(cl_context context, cl_device_id device)
{
    auto& all = states();
    std::shared_ptr<DeviceState> dropped; // freed after the lock, since drivers may take their time
    const std::lock_guard lock(all.mutex);
    auto found = std::find_if(all.recent.begin(), all.recent.end(),
                              [&](const auto& state) { return state->context() == context && state->device() == device; });
    if (found == all.recent.end()) {
        all.recent.push_front(std::make_shared<DeviceState>(cl::Context(context, true), cl::Device(device, true)));
        if (all.recent.size() > most_states) {
            dropped = std::move(all.recent.back());
            all.recent.pop_back();
        }
    } else {
        all.recent.splice(all.recent.begin(), all.recent, found);
    }
    return all.recent.front();
}

void drop_device_states(cl_context context)
{
    auto& all = states();
    std::list<std::shared_ptr<DeviceState>> dropped;
    const std::lock_guard lock(all.mutex);
    for (auto it = all.recent.begin(); it != all.recent.end();) {
        const auto next = std::next(it);
        if (!context || (*it)->context() == context)
            dropped.splice(dropped.end(), all.recent, it);
        it = next;
    }
}

} // namespace clgemm::core
