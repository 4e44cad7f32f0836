// regression_bench with two libraries of which one is much slower: it says which. (What it decides by is in unit_test.)
#include "run_process.hpp"

using namespace clgemm::test;

namespace {

using RegressionProcess = Process;

Outcome compare(const std::string& older, const std::string& newer)
{
    return run_program({}, REGRESSION_BENCH, "--shapes 64 --rounds 8 --old '" + older + "' --new '" + newer + "' 2>&1");
}

TEST_F(RegressionProcess, ASlowerLibraryFails)
{
    const Outcome outcome = compare(LIBRARY, SLOW_LIBRARY);
    EXPECT_EQ(outcome.code, 1) << outcome.output;
    EXPECT_NE(outcome.output.find("\nSlower: "), std::string::npos) << outcome.output;
    EXPECT_NE(outcome.output.find("| 64x64x64 TN | **"), std::string::npos) << outcome.output;
    EXPECT_NE(outcome.output.find("| 64x64x64 NN on host memory | **"), std::string::npos) << outcome.output;
}

TEST_F(RegressionProcess, AFasterOnePasses)
{
    const Outcome outcome = compare(SLOW_LIBRARY, LIBRARY);
    EXPECT_EQ(outcome.code, 0) << outcome.output;
    EXPECT_NE(outcome.output.find("\nNo slower: "), std::string::npos) << outcome.output;
}

// A name without a folder may be the soname of a library that is loaded already, which is not the file that is meant.
TEST_F(RegressionProcess, AFileIsFoundByItsNameInTheCurrentFolder)
{
    const std::filesystem::path slow = SLOW_LIBRARY;
    const Outcome outcome = run_program({}, "env",
                                        "-C '" + slow.parent_path().string() +
                                            "' '" REGRESSION_BENCH "' --shapes 64 --rounds 8 --old '" LIBRARY "' --new " +
                                            slow.filename().string() + " 2>&1");
    EXPECT_EQ(outcome.code, 1) << outcome.output;
    EXPECT_NE(outcome.output.find("\nSlower: "), std::string::npos) << outcome.output;
}

TEST_F(RegressionProcess, AFileThatIsNoLibraryIsNamed)
{
    const Outcome outcome = compare(LIBRARY, "/proc/self/status");
    EXPECT_EQ(outcome.code, 1);
    EXPECT_NE(outcome.output.find("/proc/self/status"), std::string::npos) << outcome.output;
}

TEST_F(RegressionProcess, OneFileIsNoComparison)
{
    const Outcome outcome = compare(LIBRARY, LIBRARY);
    EXPECT_EQ(outcome.code, 1);
    EXPECT_NE(outcome.output.find("one file"), std::string::npos) << outcome.output;
}

} // namespace
