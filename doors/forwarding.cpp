#include "forwarding.hpp"

#include <cstdio>
#include <cstdlib>
#include <cxxabi.h>

namespace {

// A symbol as people write it, without arguments.
std::string readable(const char* symbol)
{
    char* const cpp = abi::__cxa_demangle(symbol, nullptr, nullptr, nullptr);
    std::string name = cpp ? cpp : symbol;
    std::free(cpp);
    return name.substr(0, name.find('('));
}

} // namespace

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
            std::fprintf(stderr, "clgemm: %s is not a routine of clgemm's own, and %s\n", readable(routine->name).c_str(),
                         library.why_missing().c_str());
    }
    routine->target.store(target, std::memory_order_relaxed);
    return target;
}

} // extern "C"
