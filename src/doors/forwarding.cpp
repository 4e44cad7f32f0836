#include "forwarding.hpp"

#include <cstdio>

extern "C" {

// clblasNotImplemented, CLBlastNotImplemented
int clgemm_door_not_implemented()
{
    return -1024;
}

void* clgemm_door_no_handle()
{
    return nullptr;
}

// Called by forwarding.S on a routine's first call. Gives the address to go on at.
void* clgemm_door_resolve(clgemm::doors::Forwarded* routine) noexcept
{
    auto& library = clgemm::doors::next_library();
    void* target = library.find(routine->name);
    if (!target) {
        target = routine->if_missing;
        if (target == reinterpret_cast<void*>(clgemm_door_not_implemented) ||
            target == reinterpret_cast<void*>(clgemm_door_no_handle))
            std::fprintf(stderr, "clgemm: %s is not a routine of clgemm's own, and %s\n", routine->name,
                         library.why_missing().c_str());
    }
    routine->target.store(target, std::memory_order_relaxed);
    return target;
}

} // extern "C"
