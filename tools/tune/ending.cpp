#include "tune/ending.hpp"

#include "tools/program/interrupt.hpp"
#include "tools/program/program.hpp"

#include <cstdio>
#include <cstdlib>

namespace clgemm::tune {

int exit_status()
{
    if (!program::is_interrupted())
        return program::success;
    std::fprintf(stderr, "clgemm-tune: interrupted\n");
    return program::interrupted;
}

void end_at_once()
{
    std::fflush(nullptr);
    std::_Exit(program::failure);
}

} // namespace clgemm::tune
