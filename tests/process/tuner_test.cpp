// clgemm-tune as users start it: what it finds can be used, and it ends well however it ends.
#include "run_process.hpp"

#include "select/fastest.hpp"

#include "support/device.hpp"
#include "support/with_selection.hpp"
#include "tuning/derived_tuning.hpp"
#include "tuning/tuning_file.hpp"
#include "tuning/tuning_sources.hpp"

#include <csignal>
#include <fstream>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <thread>

using namespace clgemm::test;
using namespace clgemm::core;

namespace {

const std::string tuner = CLGEMM_TUNE; // its path, from CMake

class Tuner : public Process {};

TEST_F(Tuner, PrintsAFileWithoutWritingOne)
{
    const Outcome outcome = run_program({std::string("XDG_CONFIG_HOME=") + folder.string()}, tuner,
                                        std::string("--budget 2 --dry-run 2>'") + (folder / "progress").string() + "'");
    EXPECT_EQ(outcome.code, 0);
    // All of standard output is the file, so that `clgemm-tune --dry-run >file` makes one.
    EXPECT_FALSE(parse_tuning(outcome.output, test_profile(), "").measurements.empty());
    EXPECT_FALSE(fs::exists(folder / "clgemm"));
    const std::string progress = contents(folder / "progress");
    EXPECT_NE(progress.find("for 2 seconds"), std::string::npos) << progress;
    EXPECT_NE(progress.find("m x n x k"), std::string::npos)
        << "what was chosen before, and what is chosen now: " << progress;
    EXPECT_NE(progress.find("the time was too short"), std::string::npos) << progress;
}

TEST_F(Tuner, WritesTheUsersFileWhichTheLibraryTakes)
{
    const Environment here{std::string("XDG_CONFIG_HOME=") + folder.string()};
    const Outcome outcome = run_program(here, tuner, "--budget 3 2>&1");
    EXPECT_EQ(outcome.code, 0);
    const fs::path written = folder / "clgemm" / "tuning" / user_tuning_file(test_profile())->filename();
    EXPECT_NE(outcome.output.find(std::string("wrote ") + written.string()), std::string::npos) << outcome.output;
    ASSERT_TRUE(fs::exists(written));
    EXPECT_EQ(std::distance(fs::directory_iterator(written.parent_path()), {}), 1) << "no temporary file is left";

    const Outcome multiply = run({here[0], "CLGEMM_LOG=1"}, "multiply");
    EXPECT_EQ(multiply.code, 0);
    EXPECT_NE(multiply.output.find(std::string("(") + written.string() + ")"), std::string::npos) << multiply.output;
    EXPECT_EQ(occurrences(multiply.output, "\n"), 1u) << multiply.output;
}

TEST_F(Tuner, KeepsWhatItFoundWhenInterrupted)
{
    const fs::path output = folder / "below" / "found.json", log = folder / "log";
    const pid_t process =
        start_program({}, tuner, std::string("--budget 60 --output '") + output.string() + "' >'" + log.string() + "' 2>&1");
    for (int i = 0; i < 1000 && contents(log).find("tuning ") == std::string::npos; i++) // its handler is in place
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::this_thread::sleep_for(std::chrono::seconds(1));
    kill(process, SIGINT);
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(code_within(process, 50), 0) << contents(log);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30)) << "a candidate's time at most";
    EXPECT_NE(contents(log).find(std::string("wrote ") + output.string()), std::string::npos) << contents(log);
    const Tuning found = parse_tuning(contents(output), test_profile(), "");
    for (const auto trans_a : {CLGEMM_NO_TRANS, CLGEMM_TRANS})
        for (const auto trans_b : {CLGEMM_NO_TRANS, CLGEMM_TRANS})
            for (const std::size_t n : {1U, 100U, 101U}) {
                const Problem problem =
                    make_problem({CLGEMM_COLUMN_MAJOR, trans_a, trans_b, n, n, n, 1, 0, n, 0, n, 0, 0, n});
                EXPECT_NE(fastest_measurement(problem, test_profile(), found, {}), nullptr)
                    << describe(problem) << ": also what there was no time for has something";
            }
}

// By what is guessed of the device, as a file, with one more measurement of a kernel that there is not.
TEST_F(Tuner, ComparesAFileWithWhatIsChosenWithoutIt)
{
    const fs::path file = folder / "file.json";
    std::string text = to_text(derived_tuning(test_profile()), test_profile());
    const std::size_t begin = text.find("  {\"kernel\""), name = text.find("\":\"", begin) + 3;
    std::string unknown = text.substr(begin, text.find("\n", begin) - begin);
    unknown.insert(name - begin, "unknown_");
    text.insert(begin, unknown + (unknown.ends_with(',') ? "\n" : ",\n"));
    std::ofstream(file) << text;
    const Environment here{std::string("XDG_CONFIG_HOME=") + folder.string()};
    const Outcome outcome =
        run_program(here, tuner, "--compare '" + file.string() + "' --size 64 64 64 --size 33 1 17 2>&1");
    EXPECT_EQ(outcome.code, 0) << outcome.output;
    EXPECT_NE(
        outcome.output.find("left out of " + file.string() + ": 1 measurement: number 1 of kernels: there is no kernel"),
        std::string::npos)
        << outcome.output;
    EXPECT_NE(outcome.output.find("m x n x k"), std::string::npos) << outcome.output;
    const std::string calls = test_profile().type == DeviceType::cpu ? "8 calls: " : "18 calls: ";
    EXPECT_NE(outcome.output.find(calls), std::string::npos) << "of each size, in every way: " << outcome.output;
    EXPECT_FALSE(fs::exists(folder / "clgemm")) << "nothing is written";
}

TEST_F(Tuner, ComparesNothingThatIsNoTuningFile)
{
    std::ofstream(folder / "broken") << "{";
    for (const auto* name : {"broken", "missing", "."}) {
        const std::string file = (folder / name).string();
        const Outcome outcome = run_program({}, tuner, "--compare '" + file + "' 2>&1");
        EXPECT_EQ(outcome.code, 1) << outcome.output;
        EXPECT_TRUE(outcome.output.starts_with("clgemm-tune: --compare " + file + " cannot be used: ")) << outcome.output;
    }
    for (const auto* arguments :
         {"--size 1 1 1", "--compare x --size 1 1", "--compare x --size 0 1 1", "--compare x --size 1 1 1e9",
          "--compare x --output y", "--compare x --only 13", "--compare x --budget 5"}) {
        const Outcome outcome = run_program({}, tuner, std::string(arguments) + " 2>&1");
        EXPECT_EQ(outcome.code, 2) << arguments << ": " << outcome.output;
        EXPECT_NE(outcome.output.find("--help"), std::string::npos) << outcome.output;
    }
}

TEST_F(Tuner, FindsOutAtOnceThatItCannotWrite)
{
    fs::create_directory(folder / "directory");
    for (const fs::path& output :
         {fs::path("/proc/no/such/file"), fs::path("/proc/file"), fs::path(tuner) / "below", folder / "directory"}) {
        const auto begin = std::chrono::steady_clock::now();
        const Outcome outcome = run_program({}, tuner, std::string("--budget 60 --output '") + output.string() + "' 2>&1");
        EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30)) << "after the search";
        EXPECT_EQ(outcome.code, 1);
        EXPECT_TRUE(outcome.output.starts_with("clgemm-tune: cannot ")) << outcome.output;
        EXPECT_NE(outcome.output.find(output.parent_path().string()), std::string::npos) << outcome.output;
        EXPECT_EQ(occurrences(outcome.output, "\n"), 1u) << outcome.output;
    }
}

TEST_F(Tuner, ReplacesNothingButRegularFiles)
{
    const fs::path fifo = folder / "fifo", link = folder / "link", device = folder / "device";
    ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
    fs::create_symlink(fifo, link);
    std::vector<fs::path> outputs{fifo, link};
    if (mknod(device.c_str(), S_IFCHR | 0600, makedev(1, 3)) == 0) // as /dev/null; only root can make one
        outputs.push_back(device);
    for (const fs::path& output : outputs) {
        const auto before = fs::symlink_status(output).type();
        const Outcome outcome = run_program({}, tuner, "--budget 2 --output '" + output.string() + "' 2>&1");
        EXPECT_EQ(outcome.code, 1);
        EXPECT_EQ(outcome.output, "clgemm-tune: cannot write " + output.string() + ": it is no regular file\n");
        EXPECT_EQ(fs::symlink_status(output).type(), before) << output;
    }
    EXPECT_EQ(fs::status(fifo).type(), fs::file_type::fifo);
}

// Two of them at once, which share no temporary file; nor does what somebody else has under such a name hold them up.
TEST_F(Tuner, WritesTheFileThatALinkLeadsTo)
{
    const fs::path file = folder / "below" / "file.json", link = folder / "link.json", second = folder / "second.json";
    fs::create_directory(file.parent_path());
    fs::create_symlink("below/file.json", link);
    fs::create_symlink(link, second);
    for (const fs::path& taken : {file, second})
        fs::create_directory(taken.string() + ".new");
    std::vector<pid_t> tuners;
    for (int i = 0; i < 2; i++)
        tuners.push_back(start_program({}, tuner, "--budget 2 --output '" + second.string() + "' >/dev/null 2>&1"));
    for (const pid_t process : tuners)
        EXPECT_EQ(code_within(process, 100), 0);
    EXPECT_TRUE(fs::is_symlink(second));
    EXPECT_TRUE(fs::is_symlink(link));
    EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(file)));
    EXPECT_FALSE(parse_tuning(contents(file), test_profile(), "").measurements.empty());
    EXPECT_EQ(std::distance(fs::directory_iterator(file.parent_path()), {}), 2) << "no temporary file is left";
}

TEST_F(Tuner, RefusesLinksThatLeadNowhere)
{
    const fs::path link = folder / "link.json", back = folder / "back.json";
    fs::create_symlink(link, back);
    fs::create_symlink(back, link);
    const Outcome outcome = run_program({}, tuner, "--budget 2 --output '" + link.string() + "' 2>&1");
    EXPECT_EQ(outcome.code, 1);
    EXPECT_TRUE(outcome.output.starts_with("clgemm-tune: cannot write " + link.string() + ": ")) << outcome.output;
}

TEST_F(Tuner, FailsWhereTheFileCannotBePrinted)
{
    const Outcome outcome = run_program({}, tuner, "--budget 1 --dry-run 2>&1 >/dev/full");
    EXPECT_EQ(outcome.code, 1);
    EXPECT_NE(outcome.output.find("clgemm-tune: cannot write to standard output\n"), std::string::npos) << outcome.output;
}

TEST_F(Tuner, RefusesWhatMeansNothing)
{
    for (const auto* arguments : {"--budget 0", "--budget -5", "--budget nonsense", "--budget nan", "--budget inf",
                                  "--budget 1e9", "--budget ''", "--budget", "--nonsense", "nonsense"}) {
        const Outcome outcome = run_program({}, tuner, std::string(arguments) + " --dry-run 2>&1");
        EXPECT_GT(outcome.code, 0) << arguments;
        EXPECT_LT(outcome.code, 128) << arguments;
        EXPECT_NE(outcome.output.find("--help"), std::string::npos) << outcome.output;
    }
    const Outcome outcome = run_program({}, tuner, "--device nonsense --dry-run 2>&1");
    EXPECT_EQ(outcome.code, 3) << "no device of that name";
    EXPECT_NE(outcome.output.find("nonsense"), std::string::npos) << outcome.output;
}

} // namespace
