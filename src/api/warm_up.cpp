// clgemm_warm_up(): builds what calls will need.
#include "engine/warm_up.hpp"

#include "api/guard.hpp"
#include "host/multiply_on_host.hpp"
#include "support/error.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace clgemm::core {
namespace {

// More than any version will need: a larger size is a variable that was never set.
constexpr std::size_t largest_size = 4096;

[[noreturn]] void fail(std::size_t index, clgemm_status status, const std::string& what)
{
    throw Error(status, "calls[" + std::to_string(index) + "]: " + what);
}

// The call at this place as this version knows it. Each takes as many bytes as the first one says.
clgemm_call known_part(const clgemm_call* calls, std::size_t index)
{
    const std::size_t size = calls->size;
    if (size < sizeof(clgemm_call) || size > largest_size)
        fail(0, CLGEMM_INVALID_CALL,
             "size is " + std::to_string(size) + ", but must be sizeof(clgemm_call), " +
                 std::to_string(sizeof(clgemm_call)) + ": start from CLGEMM_CALL_INIT");
    const auto* const bytes = reinterpret_cast<const unsigned char*>(calls) + index * size;
    clgemm_call result = CLGEMM_CALL_INIT;
    std::memcpy(&result, bytes, sizeof result);
    if (result.size != size)
        fail(index, CLGEMM_INVALID_CALL,
             "size is " + std::to_string(result.size) + ", but the first call's is " + std::to_string(size));
    if (std::any_of(bytes + sizeof result, bytes + size, [](unsigned char byte) { return byte != 0; }))
        fail(index, CLGEMM_INVALID_CALL, "it sets a field that this version of the library does not know");
    return result;
}

std::vector<Problem> read_calls(std::size_t count, const clgemm_call* calls, const Request& request)
{
    if (count > 0 && !calls)
        throw Error(CLGEMM_INVALID_POINTER, "calls is null, but count is " + std::to_string(count));
    std::vector<Problem> result;
    for (std::size_t i = 0; i < count; i++) {
        const clgemm_call call = known_part(calls, i);
        try {
            result.push_back(make_problem({call.layout,
                                           call.transA,
                                           call.transB,
                                           call.m,
                                           call.n,
                                           call.k,
                                           call.alpha,
                                           call.offA,
                                           call.lda,
                                           call.offB,
                                           call.ldb,
                                           call.beta,
                                           call.offC,
                                           call.ldc,
                                           {.accuracy = request.accuracy}}));
        } catch (const Error& error) {
            fail(i, error.status(), error.what());
        }
        for (Matrix* matrix : {&result.back().a, &result.back().b, &result.back().c})
            matrix->alignment = request.alignment.value_or(buffer_alignment);
    }
    return result;
}

// Where the calls will run: this device of the context, or, where it is null, each.
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
        const auto problems = read_calls(count, calls, request);
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
