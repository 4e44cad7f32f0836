// clgemm_warm_up(): builds what calls will need.
#include "engine/warm_up.hpp"

#include "api/answers.hpp"
#include "api/described_call.hpp"
#include "api/guard.hpp"
#include "host/multiply_on_host.hpp"
#include "support/error.hpp"

#include <algorithm>
#include <vector>

namespace clgemm::core {
namespace {

std::vector<Problem> read_calls(std::size_t count, const clgemm_call* calls, bool on_host, const Request& request)
{
    if (count > 0 && !calls)
        throw Error(CLGEMM_INVALID_POINTER, "calls is null, but count is " + std::to_string(count));
    std::vector<Problem> result;
    for (std::size_t i = 0; i < count; i++) {
        const std::string name = "calls[" + std::to_string(i) + "]";
        result.push_back(aligned(read_call(calls, i, name, request), request));
        if (on_host && result.back().batch.listed)
            throw Error(CLGEMM_INVALID_CALL, name + ": indirect is 1, which needs a context: its list is on a device");
    }
    return result;
}

// The devices that the calls will run on: this one of the context or, where it is null, all.
std::vector<cl_device_id> devices_of(cl_context context, cl_device_id device)
{
    std::vector<cl_device_id> all;
    try {
        const cl::Context held(context, true);
        for (const auto& each : held.getInfo<CL_CONTEXT_DEVICES>())
            all.push_back(each());
    } catch (const cl::Error& error) {
        if (error.err() != CL_INVALID_CONTEXT)
            throw;
        throw Error(CLGEMM_INVALID_CONTEXT, "context is no OpenCL context");
    }
    if (!device)
        return all;
    if (std::find(all.begin(), all.end(), device) == all.end())
        throw Error(CLGEMM_INVALID_DEVICE, "device is none of the context's devices");
    return {device};
}

} // namespace
} // namespace clgemm::core

using namespace clgemm::core;

extern "C" clgemm_status clgemm_warm_up(cl_context context, cl_device_id device, size_t count, const clgemm_call* calls,
                                        const clgemm_options* options)
{
    return guarded([&] {
        Request request = read_request(options);
        request.workspace = nullptr;
        const auto problems = read_calls(count, calls, !context, request);
        if (!context && device)
            throw Error(CLGEMM_INVALID_DEVICE, "device is given without a context");
        if (!context) {
            warm_up_on_host(problems, request);
            return;
        }
        for (cl_device_id each : devices_of(context, device))
            warm_up(*device_state(context, each), problems, request);
    });
}
