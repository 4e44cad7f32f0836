// The functions that only tell: workspace, explanation, devices, kernels, version; and teardown.
#include "api/explanation.hpp"
#include "api/guard.hpp"
#include "api/options.hpp"
#include "device/default_device.hpp"
#include "execute/default_queue.hpp"
#include "execute/device_state.hpp"
#include "support/environment.hpp"
#include "support/error.hpp"
#include "tuning/tuning_sources.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>

namespace clgemm::core {
namespace {

DeviceProfile profile_of(cl_device_id callers)
{
    if (!callers)
        return profile_device(choose_device(environment().device));
    try {
        return profile_device(cl::Device(callers, true));
    } catch (const cl::Error&) {
        throw Error(CLGEMM_INVALID_DEVICE, "device is no OpenCL device");
    }
}

// A device's decider, made when first asked for: reading the tuning data takes milliseconds. Never destroyed, as there are
// few devices and queries may come from static destructors.
Decider& decider_of(const DeviceProfile& device)
{
    struct Deciders {
        std::mutex mutex;
        std::map<std::string, Decider> by_device;
    };
    static auto* const process = new Deciders;
    const std::lock_guard lock(process->mutex);
    std::string key = device.platform_name + "\n" + device.name;
    for (const std::size_t limit : {device.compute_units, device.local_memory, device.global_memory, device.max_allocation})
        key.append("\n").append(std::to_string(limit));
    const auto found = process->by_device.find(key);
    return found != process->by_device.end() ? found->second
                                             : process->by_device.try_emplace(key, device, tuning_for(device)).first->second;
}

struct Outlook {
    Problem problem;
    DeviceProfile device;
    std::shared_ptr<const Decision> decision;
};

Outlook look_ahead(const Arguments& arguments, cl_device_id device, const clgemm_options* options)
{
    Outlook result{make_problem(arguments), {}, {}};
    const Request request = read_request(options);
    result.device = profile_of(device);
    result.decision = decider_of(result.device).decide(result.problem, request.wishes);
    return result;
}

} // namespace
} // namespace clgemm::core

using namespace clgemm::core;

extern "C" {

clgemm_status clgemm_sgemm_workspace_size(clgemm_layout layout, clgemm_transpose transA, clgemm_transpose transB, size_t m,
                                          size_t n, size_t k, float alpha, size_t offA, size_t lda, size_t offB, size_t ldb,
                                          float beta, size_t offC, size_t ldc, cl_device_id device,
                                          const clgemm_options* options, size_t* bytes)
{
    return guarded([&] {
        if (!bytes)
            throw Error(CLGEMM_INVALID_POINTER, "bytes is null");
        const Arguments arguments{layout, transA, transB, m, n, k, alpha, offA, lda, offB, ldb, beta, offC, ldc};
        *bytes = look_ahead(arguments, device, options).decision->plan.workspace_bytes;
    });
}

clgemm_status clgemm_explain(clgemm_layout layout, clgemm_transpose transA, clgemm_transpose transB, size_t m, size_t n,
                             size_t k, float alpha, size_t offA, size_t lda, size_t offB, size_t ldb, float beta,
                             size_t offC, size_t ldc, cl_device_id device, const clgemm_options* options, char* text,
                             size_t textSize, size_t* needed)
{
    return guarded([&] {
        if (!text && textSize > 0)
            throw Error(CLGEMM_INVALID_POINTER, "text is null, but textSize is not 0");
        const Arguments arguments{layout, transA, transB, m, n, k, alpha, offA, lda, offB, ldb, beta, offC, ldc};
        const Outlook outlook = look_ahead(arguments, device, options);
        const std::string whole = explain(outlook.problem, outlook.device, *outlook.decision);
        if (textSize > 0) {
            const std::size_t length = std::min(whole.size(), textSize - 1);
            std::memcpy(text, whole.data(), length);
            text[length] = '\0';
        }
        if (needed)
            *needed = whole.size() + 1;
    });
}

clgemm_status clgemm_default_device(cl_device_id* device)
{
    return guarded([&] {
        if (!device)
            throw Error(CLGEMM_INVALID_POINTER, "device is null");
        *device = choose_device(environment().device)();
    });
}

size_t clgemm_kernel_count(void)
{
    return kernels().size();
}

const char* clgemm_kernel_name(size_t index)
{
    return index < kernels().size() ? kernels()[index].name.data() : nullptr; // from literals, so zero-terminated
}

clgemm_status clgemm_teardown(cl_context context)
{
    return guarded([&] {
        drop_device_states(context);
        if (!context)
            drop_default_queue();
    });
}

const char* clgemm_last_error(void)
{
    return last_error();
}

const char* clgemm_version(void)
{
    return CLGEMM_VERSION;
}

} // extern "C"
