#include "api/described_call.hpp"

#include "support/error.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>

namespace clgemm::core {
namespace {

// The earlier versions of the structure end before these fields; later ones only add to its end.
constexpr std::size_t earlier_sizes[] = {offsetof(clgemm_call, batch), offsetof(clgemm_call, indirect)};
// More than any version will need: a larger size is a variable that was never set.
constexpr std::size_t largest_size = 4096;

[[noreturn]] void fail(const std::string& what)
{
    throw Error(CLGEMM_INVALID_CALL, what);
}

// The call at this place as this version knows it. A field that only a newer caller knows must be zero, which stands for
// what happens without it.
clgemm_call known_part(const clgemm_call* calls, std::size_t index)
{
    const std::size_t size = calls->size;
    const bool is_earlier = std::find(std::begin(earlier_sizes), std::end(earlier_sizes), size) != std::end(earlier_sizes);
    if ((size < sizeof(clgemm_call) && !is_earlier) || size > largest_size)
        fail("size is " + std::to_string(size) + ", but must be sizeof(clgemm_call), " +
             std::to_string(sizeof(clgemm_call)) + ": start from CLGEMM_CALL_INIT");
    const auto* const bytes = reinterpret_cast<const unsigned char*>(calls) + index * size;
    const std::size_t known = std::min(sizeof(clgemm_call), size);
    clgemm_call result = CLGEMM_CALL_INIT;
    std::memcpy(&result, bytes, known);
    if (result.size != size)
        fail("size is " + std::to_string(result.size) + ", but the first call's is " + std::to_string(size));
    if (std::any_of(bytes + known, bytes + size, [](unsigned char byte) { return byte != 0; }))
        fail("it sets a field that this version of the library does not know");
    return result;
}

Arguments arguments_of(const clgemm_call& call, const Request& request)
{
    const Arithmetic arithmetic = request.arithmetic_for(call.k);
    if (call.indirect > 1)
        fail("indirect is " + std::to_string(call.indirect) + ", but must be 0 or 1");
    if (call.indirect == 1)
        return of_a_list({call.layout,
                          call.transA,
                          call.transB,
                          call.m,
                          call.n,
                          call.k,
                          1,
                          0,
                          call.lda,
                          0,
                          call.ldb,
                          1,
                          0,
                          call.ldc,
                          arithmetic,
                          {call.batch, true}},
                         request);
    return {call.layout, call.transA, call.transB, call.m,
            call.n,      call.k,      call.alpha,  call.offA,
            call.lda,    call.offB,   call.ldb,    call.beta,
            call.offC,   call.ldc,    arithmetic,  call.batch == 0 ? Batch{} : Batch{call.batch},
            call.distA,  call.distB,  call.distC};
}

// What `read` returns; its errors begin with the argument's name.
template <typename Read> auto named(const std::string& name, const Read& read)
{
    try {
        return read();
    } catch (const Error& error) {
        throw Error(error.status(), name + ": " + error.what());
    }
}

} // namespace

Arguments read_arguments(const clgemm_call* calls, std::size_t index, const std::string& name, const Request& request)
{
    return named(name, [&] {
        const clgemm_call call = known_part(calls, index);
        return arguments_of(call, request);
    });
}

Problem read_call(const clgemm_call* calls, std::size_t index, const std::string& name, const Request& request)
{
    const Arguments arguments = read_arguments(calls, index, name, request);
    return named(name, [&] { return make_problem(arguments); });
}

} // namespace clgemm::core
