#include "api/described_call.hpp"

#include "engine/grown_structure.hpp"
#include "support/error.hpp"

#include <cstddef>
#include <cstring>

namespace clgemm::core {
namespace {

// The earlier versions of the structure end before these fields.
constexpr std::size_t earlier_sizes[] = {offsetof(clgemm_call, batch), offsetof(clgemm_call, indirect)};
constexpr GrownStructure<clgemm_call> described{
    CLGEMM_CALL_INIT, earlier_sizes, CLGEMM_INVALID_CALL, "clgemm_call", "start from CLGEMM_CALL_INIT", "it", "size"};

[[noreturn]] void fail(const std::string& what)
{
    throw Error(CLGEMM_INVALID_CALL, what);
}

// The call at this place as this version knows it.
clgemm_call known_part(const clgemm_call* calls, std::size_t index)
{
    const std::size_t size = calls->size;
    described.check_size(size);
    const auto* const bytes = reinterpret_cast<const unsigned char*>(calls) + index * size;
    std::size_t its_size = 0;
    std::memcpy(&its_size, bytes + offsetof(clgemm_call, size), sizeof its_size);
    if (its_size != size)
        fail("size is " + std::to_string(its_size) + ", but the first call's is " + std::to_string(size));
    return described.known_part(bytes, size);
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
