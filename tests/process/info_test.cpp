// clgemm-info as users start it.
#include "run_process.hpp"

using namespace clgemm::test;

namespace {

const std::string info = CLGEMM_INFO; // its path, from CMake

TEST(Info, FailsWhereWhatItSaysCannotBeWritten)
{
    for (const auto* arguments : {"", "--size 5 6 7", "--version", "--help"}) {
        const Outcome written = run_program({}, info, arguments);
        EXPECT_EQ(written.code, 0) << arguments;
        EXPECT_NE(written.output, "") << arguments;
        const Outcome full = run_program({}, info, arguments + std::string(" 2>&1 >/dev/full"));
        EXPECT_EQ(full.code, 1) << arguments;
        EXPECT_EQ(full.output, "clgemm-info: cannot write to standard output\n") << arguments;
    }
}

} // namespace
