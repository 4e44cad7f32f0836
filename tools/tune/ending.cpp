#include "tune/ending.hpp"

#include "tools/program/interrupt.hpp"
#include "tools/program/program.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>

namespace clgemm::tune {

int exit_status()
{
    if (!program::is_interrupted())
        return program::success;
    std::fprintf(stderr, "clgemm-tune: interrupted\n");
    return program::interrupted;
}

void stop(const std::string& failure, const std::function<void()>& write)
{
    std::fprintf(stderr, "clgemm-tune: stopped: %s\n", failure.c_str());
    try {
        write();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "clgemm-tune: %s\n", error.what());
    }
    std::fflush(nullptr);
    std::_Exit(program::failure);
}

} // namespace clgemm::tune
