#include "host/multiply_list_on_host.hpp"

#include "engine/callers_queue.hpp"
#include "engine/default_queue.hpp"
#include "engine/device_state.hpp"
#include "engine/multiply_list.hpp"
#include "host/in_groups.hpp"
#include "host/multiply_on_host.hpp"
#include "support/error.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace clgemm::core {
namespace {

// Where the matrices begin, as offsets from the one with the lowest address.
struct Places {
    const float* lowest = nullptr;
    std::vector<std::size_t> offsets;
};

// `is_read`: given a product, says whether its matrix is looked at. If not, the pointer may be null.
template <typename Pointer, typename IsRead>
Places places_of(const Pointer* pointers, std::size_t count, const char* name, clgemm_status invalid, const IsRead& is_read)
{
    const auto refuse = [&](std::size_t product, const char* why) {
        throw Error(invalid, std::string(name) + "[" + std::to_string(product) + "] " + why);
    };
    const auto address = [](const float* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); };
    if (!pointers)
        throw Error(CLGEMM_INVALID_POINTER, std::string(name) + " is null, but count is " + std::to_string(count));
    Places result;
    for (std::size_t i = 0; i < count; i++) {
        if (!pointers[i] && is_read(i))
            refuse(i, "is null");
        if (pointers[i] && (!result.lowest || address(pointers[i]) < address(result.lowest)))
            result.lowest = pointers[i];
    }
    for (std::size_t i = 0; i < count; i++) {
        const std::size_t bytes = pointers[i] ? address(pointers[i]) - address(result.lowest) : 0;
        if (bytes % sizeof(float) != 0)
            refuse(i, "does not lie whole floats away from the other matrices of the list");
        result.offsets.push_back(bytes / sizeof(float));
    }
    return result;
}

} // namespace

void multiply_on_host(ProductList list, const HostPointers& pointers, cl_command_queue queue, const Request& request)
{
    Arguments none = list.shape;
    none.batch.count = 0;
    const Problem nothing = make_problem(none);
    if (list.touches_nothing())
        return multiply_on_host(nothing, {}, queue, request);
    check_scalars(list);
    const auto reads_operands = [&](std::size_t product) {
        return list.shape.k > 0 && list.alpha[list.scalars == 1 ? 0 : product] != 0.0f;
    };
    const Places a = places_of(pointers.a, list.count, "A", CLGEMM_INVALID_A, reads_operands);
    const Places b = places_of(pointers.b, list.count, "B", CLGEMM_INVALID_B, reads_operands);
    const Places c = places_of(pointers.c, list.count, "C", CLGEMM_INVALID_C, [](std::size_t) { return true; });
    list.offset_a = a.offsets.data();
    list.offset_b = b.offsets.data();
    list.offset_c = c.offsets.data();
    check(list);
    const HostOperands host{a.lowest, b.lowest, const_cast<float*>(c.lowest)};
    const std::vector<Stretch> stretches = stretches_of(list);
    for (const Stretch& stretch : stretches)
        check_on_host(make_problem(list, stretch), host);
    const cl::CommandQueue held = queue ? cl::CommandQueue(queue, true) : default_queue();
    const CallersQueue asked = ask(held());
    check_kernel(*device_state(asked.context, asked.device)->planner, list, stretches, request);

    Request for_each = request;
    if (stretches.size() > 1) {
        for_each.is_of_a_list = true;
        for_each.workspace = nullptr; // it is for all products in one piece
    }
    for (const Stretch& stretch : stretches)
        try {
            multiply_on_host(make_problem(list, stretch), host, queue, for_each);
        } catch (const std::exception& failure) {
            if (&stretch == &stretches.front())
                throw;
            fail_incomplete(failure);
        }
}

} // namespace clgemm::core
