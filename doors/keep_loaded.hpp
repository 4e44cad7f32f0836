// Keeps the library loaded in which a symbol lies, for as long as the process lives, since the symbol's address is kept: a
// program may close what it opened itself.
#pragma once

#include <dlfcn.h>

namespace clgemm::doors {

inline void keep_loaded(const void* symbol)
{
    Dl_info where{};
    if (dladdr(symbol, &where) != 0)
        dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
}

} // namespace clgemm::doors
