#include "next_blas.hpp"

#include "keep_loaded.hpp"
#include "settings.hpp"

#include <cstddef>
#include <cstdio>
#include <dlfcn.h>
#include <link.h>
#include <string>
#include <vector>

// By this symbol one copy of this library knows another.
extern "C" {
extern const char clgemm_door[];
const char clgemm_door[] = "a door of clgemm";
}

namespace clgemm::doors {
namespace {

// The beginning of the library in which the address lies; null if it lies in none.
void* library_of(const void* address)
{
    Dl_info where{};
    return dladdr(address, &where) != 0 ? where.dli_fbase : nullptr;
}

// Is this routine one of ours, or of another copy of this library? Then calling it would be going in circles.
bool is_of_a_door(void* routine)
{
    Dl_info where{};
    if (dladdr(routine, &where) == 0)
        return false;
    void* const library = dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (!library)
        return false; // the program itself
    void* const mark = dlsym(library, "clgemm_door");
    dlclose(library); // it stays loaded, as it was before
    return mark && library_of(mark) == where.dli_fbase;
}

// The first of the names that `library` or what it was linked with has.
void* find_in(void* library, const RoutineNames& names)
{
    for (const char* const name : names)
        if (void* const address = name ? dlsym(library, name) : nullptr; address && !is_of_a_door(address))
            return address;
    return nullptr;
}

bool has_sgemm(void* library)
{
    return find_in(library, cblas_names) || find_in(library, cblas_64_names) || find_in(library, fortran_names) ||
           find_in(library, fortran_64_names);
}

// The library that CLGEMM_CPU_BLAS names, never closed; null if it names none, or no BLAS.
void* load_named_library()
{
    const std::string& file = settings().cpu_blas;
    if (file.empty())
        return nullptr;
    void* const library = dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (library && has_sgemm(library))
        return library;
    std::string reason = "has no SGEMM";
    if (!library)
        reason = std::string("cannot be loaded: ") + dlerror(); // NOLINT(concurrency-mt-unsafe): of this thread's own calls
    else if (dlsym(library, "clgemm_door"))
        reason = "is a part of clgemm";
    std::fprintf(stderr, "clgemm: CLGEMM_CPU_BLAS is '%s', which %s; the next BLAS in line is used\n", file.c_str(),
                 reason.c_str());
    return nullptr;
}

// (The loader, which calls this, lets no exception through.)
int add_name(dl_phdr_info* info, std::size_t, void* names) noexcept
try {
    static_cast<std::vector<std::string>*>(names)->emplace_back(info->dlpi_name);
    return 0;
} catch (const std::exception&) {
    return 1; // there is no memory: these were all
}

void* find_in_loaded(const RoutineNames& names)
{
    std::vector<std::string> files;
    dl_iterate_phdr(add_name, &files);
    for (const auto& file : files) {
        void* const library = dlopen(file.c_str(), RTLD_LAZY | RTLD_NOLOAD);
        if (!library)
            continue; // the program itself, which RTLD_NEXT has seen, or the kernel's own
        if (void* const address = find_in(library, names))
            return address; // and the library stays open, so that nobody unloads it
        dlclose(library);
    }
    return nullptr;
}

} // namespace

void* NextRoutine::address() noexcept
try {
    if (was_looked_for_)
        return address_;
    void* found = nullptr;
    // (Two threads may both load it, which only counts a reference. A static that is initialized at its first use would take
    // a lock.)
    static std::atomic<void*> named{nullptr};
    static std::atomic<bool> was_loaded{false};
    if (!was_loaded) {
        named = load_named_library();
        was_loaded = true;
    }
    if (named)
        found = find_in(named, names_);
    if (!found) {
        found = find_in(RTLD_NEXT, names_);
        keep_loaded(found);
    }
    if (!found)
        found = find_in_loaded(names_);
    address_ = found;
    was_looked_for_ = true;
    return found;
} catch (const std::exception&) { // There is no memory for it now.
    return nullptr;
}

} // namespace clgemm::doors
