#include "support/log.hpp"

#include "support/environment.hpp"

#include <cstdio>

namespace clgemm::core {

bool is_logging()
{
    return environment().log;
}

void write_log_line(const std::string& line)
{
    std::fprintf(stderr, "clgemm: %s\n", line.c_str()); // one call, so that threads' lines do not mix
}

} // namespace clgemm::core
