#include "shared_library.hpp"

#include "timing/contender.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstdlib>
#include <filesystem>

namespace bench {

SharedLibrary::SharedLibrary(const std::vector<std::string>& names)
{
    std::string all;
    for (const auto& name : names) {
        // RTLD_LOCAL: OpenBLAS and BLIS both call their function cblas_sgemm.
        handle_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (handle_)
            return;
        all += (all.empty() ? "" : ", ") + name;
    }
    throw timing::Absent("none of " + all + " can be loaded");
}

void* SharedLibrary::symbol(const char* name) const
{
    void* const found = dlsym(handle_, name);
    if (!found)
        throw timing::Absent(file() + " has no " + name);
    return found;
}

std::string SharedLibrary::file() const
{
    const link_map* map = nullptr;
    if (dlinfo(handle_, RTLD_DI_LINKMAP, static_cast<void*>(&map)) != 0 || !map)
        return "?";
    std::error_code error;
    const auto path = std::filesystem::canonical(map->l_name, error);
    return error ? map->l_name : path.filename().string();
}

void set_environment(const char* name, const char* value)
{
    // NOLINTBEGIN(concurrency-mt-unsafe): done before the library that reads it is loaded
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
    // NOLINTEND(concurrency-mt-unsafe)
}

} // namespace bench
