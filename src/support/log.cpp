#include "support/log.hpp"

#include "support/environment.hpp"

#include <cstdio>

namespace clgemm::core {

void log_line(const std::function<std::string()>& text)
{
    if (environment().log)
        std::fprintf(stderr, "clgemm: %s\n", text().c_str()); // one call, so that threads' lines do not mix
}

} // namespace clgemm::core
