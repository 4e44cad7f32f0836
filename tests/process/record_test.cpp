// CLGEMM_RECORD: what processes write of their calls, alone and several at once, and that nothing else changes.
#include "run_process.hpp"

#include "support/with_selection.hpp"
#include "tuning/recorded_calls.hpp"

#include <csignal>
#include <fstream>
#include <sys/file.h>
#include <sys/stat.h>

using namespace clgemm::test;
using namespace clgemm::core;

namespace {

class Record : public Process {
protected:
    const fs::path file = folder / "calls.jsonl";
    const Environment here{"CLGEMM_RECORD=" + file.string()};

    // How often the one call of sgemm_process is in the file. Nothing else may be there.
    std::uint64_t count() const
    {
        const RecordedCalls calls = read_record(file);
        EXPECT_EQ(calls.size(), 1u);
        if (calls.size() != 1)
            return 0;
        const auto& [recorded, counts] = *calls.begin();
        EXPECT_EQ(recorded.device, recorded_name(test_profile()));
        const SingleCall& call = recorded.call;
        EXPECT_EQ(call.m, 67u);
        EXPECT_EQ(call.n, 35u);
        EXPECT_EQ(call.k, 29u);
        EXPECT_TRUE(call.trans_a);
        EXPECT_FALSE(call.trans_b);
        EXPECT_EQ(call.arithmetic, Arithmetic{});
        EXPECT_LE(counts.timed, counts.count);
        EXPECT_EQ(counts.total_us > 0, counts.timed > 0);
        return counts.count;
    }

    void expect_right(const Environment& environment, const std::string& command) const
    {
        const Outcome outcome = run(environment, command);
        EXPECT_EQ(outcome.code, 0);
        EXPECT_EQ(outcome.output, "");
    }

    std::ptrdiff_t files() const { return std::distance(fs::directory_iterator(folder), {}); }
};

TEST_F(Record, HasTheCallsOfEachProcessOneAfterTheOther)
{
    expect_right(here, "multiply");
    EXPECT_EQ(count(), 1u);
    expect_right(here, "multiply");
    EXPECT_EQ(count(), 2u);
    EXPECT_EQ(files(), 1) << "nothing else is left there";
    expect_right({}, "multiply");
    EXPECT_EQ(count(), 2u);
}

TEST_F(Record, TellsTheMathModeAndLeavesOutCallsThatNameTheirKernel)
{
    expect_right({here[0], "CLGEMM_MATH=strict"}, "multiply");
    const RecordedCalls calls = read_record(file);
    ASSERT_EQ(calls.size(), 1u);
    EXPECT_EQ(calls.begin()->first.call.arithmetic.accuracy, CLGEMM_MATH_STRICT);
    const std::string before = contents(file);
    expect_right(here, "multiply 10");
    EXPECT_EQ(contents(file), before);
}

TEST_F(Record, HasTheCallsOfManyThreads)
{
    expect_right(here, "threads");
    EXPECT_EQ(count(), 20u);
}

TEST_F(Record, HasTheCallsOfProcessesThatEndAtOnce)
{
    const fs::path program = fs::read_symlink("/proc/self/exe").parent_path() / "sgemm_process";
    constexpr std::size_t processes = 6;
    std::vector<pid_t> started;
    for (std::size_t i = 0; i < processes; i++)
        started.push_back(start_program(here, program, "multiply"));
    for (const pid_t process : started)
        EXPECT_EQ(code_within(process, 100), 0);
    EXPECT_EQ(count(), processes);
    EXPECT_EQ(files(), 1);
}

TEST_F(Record, IsWrittenByTeardownForAProcessThatDoesNotEndInOrder)
{
    expect_right(here, "teardown");
    EXPECT_EQ(count(), 1u) << "the call after teardown is lost";
}

TEST_F(Record, HasNoCallTwiceWhereAProcessForks)
{
    EXPECT_EQ(run(here, "fork").code, 0); // the parent multiplies twice, and the child may not
    EXPECT_EQ(count(), 2u);
    fs::remove(file);
    EXPECT_EQ(run(here, "fork first").code, 0);
    EXPECT_EQ(count(), 1u) << "the child ends by _exit()";
}

TEST_F(Record, ThatCannotBeWrittenGetsOneLineAndTheCallsAreMade)
{
    std::ofstream(folder / "text") << "my notes\n";
    fs::create_directory(folder / "below");
    ASSERT_EQ(mkfifo((folder / "fifo").c_str(), 0600), 0);
    fs::create_symlink("circle", folder / "circle");
    const std::pair<fs::path, const char*> cases[] = {
        {folder / "nowhere" / "calls", "No such file or directory"},
        {folder / "below", "it is a folder"},
        {folder / "fifo", "it is no regular file"},
        {"/dev/full", "it is no regular file"},
        {folder / "circle", "Too many levels of symbolic links"},
        {folder / "text", "line 1: it is no JSON"},
    };
    for (const auto& [path, said] : cases)
        for (const char* const command : {"multiply", "teardown"}) {
            const Outcome outcome = run({"CLGEMM_RECORD=" + path.string()}, command);
            EXPECT_EQ(outcome.code, 0) << outcome.output;
            EXPECT_EQ(outcome.output.find("clgemm: warning: CLGEMM_RECORD is '" + path.string() + "': "), 0u)
                << outcome.output;
            EXPECT_NE(outcome.output.find(said), std::string::npos) << outcome.output;
            EXPECT_EQ(occurrences(outcome.output, "\n"), 1u) << outcome.output;
        }
    EXPECT_EQ(contents(folder / "text"), "my notes\n") << "what is no record stays as it is";
    EXPECT_EQ(files(), 4);
}

TEST_F(Record, IsTheFileThatALinkLeadsToAndThatTheProcessNamedAtItsBeginning)
{
    fs::create_directory(folder / "below");
    fs::create_symlink("below/calls", file);
    expect_right(here, "multiply");
    EXPECT_TRUE(fs::is_symlink(file));
    EXPECT_EQ(count(), 1u);
}

TEST_F(Record, IsNothingThatTheCallerOfASetUidProgramNames)
{
#ifdef __SANITIZE_ADDRESS__ // whose search for leaks needs rights over the process that it is in
    GTEST_SKIP() << "the sanitizer does not let such programs end well";
#endif
    const fs::path program = fs::read_symlink("/proc/self/exe").parent_path() / "sgemm_process";
    if (!run_set_uid(here, program, "multiply 2>&1", folder))
        GTEST_SKIP() << "there can be no set-uid program here";
    EXPECT_FALSE(fs::exists(file));
}

} // namespace
