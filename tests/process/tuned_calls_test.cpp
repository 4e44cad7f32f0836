// From a program's calls to entries that it goes by: CLGEMM_RECORD, clgemm-tune --calls, and the program again.
#include "run_process.hpp"

#include "families/registry.hpp"
#include "select/selection.hpp"
#include "support/with_selection.hpp"
#include "tuning/derived_tuning.hpp"
#include "tuning/recorded_calls.hpp"
#include "tuning/tuning_file.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <sys/stat.h>
#include <thread>

using namespace clgemm::test;
using namespace clgemm::core;

namespace {

const std::string tuner = CLGEMM_TUNE; // its path, from CMake

class ProgramsCalls : public Process {
protected:
    const fs::path record = folder / "calls.jsonl", output = folder / "tuning.json";

    static RecordedCall call_of_size(std::size_t size, const std::string& device = recorded_name(test_profile()))
    {
        return {{size, size, size, false, true, {1, 1, 1}, {}}, device};
    }

    Outcome tune(const std::string& more) const
    {
        return run_program({"XDG_CONFIG_HOME=" + folder.string()}, tuner, "--calls '" + record.string() + "' " + more);
    }

    void write_record(const std::string& text) const { std::ofstream(record) << text; }

    // A file that makes the naive kernel the choice for the calls of these tests: others are faster. It is hardly more than
    // the choice, since candidates that are estimated to take several times as long are not tried.
    Tuning slow_tuning() const
    {
        for (double factor = 1;; factor /= 2) {
            Tuning tuning = derived_tuning(test_profile());
            tuning.is_a_guess = false;
            for (Measurement& measurement : tuning.measurements)
                for (auto& [load, ns] : measurement.step_ns)
                    ns *= measurement.variant.kernel->name == "01_naive" ? factor : 1;
            const auto takes_the_naive = [&](const SingleCall& call) {
                return select(problem_of(call), test_profile(), tuning, {}).variant.kernel->name == "01_naive";
            };
            const SingleCall of_the_program{67, 35, 29, true, false, {1, 1, 1}, {}}; // sgemm_process.cpp's
            if (factor < 1e-6 || (takes_the_naive(of_the_program) && takes_the_naive(call_of_size(40).call)))
                return tuning;
        }
    }
};

TEST_F(ProgramsCalls, AreRecordedTunedAndThenMadeByTheirEntries)
{
    const std::string to_record = "CLGEMM_RECORD=" + record.string();
    ASSERT_EQ(run({to_record}, "multiply").code, 0);
    std::ofstream(output) << to_text(slow_tuning(), test_profile());
    const std::string tuning = "CLGEMM_TUNING=" + output.string();
    const Outcome before = run({tuning, "CLGEMM_LOG=1"}, "multiply");
    ASSERT_NE(before.output.find("01_naive"), std::string::npos) << before.output;

    const Outcome tuned =
        run_program({tuning}, tuner, "--calls '" + record.string() + "' --budget 4 --output '" + output.string() + "' 2>&1");
    EXPECT_EQ(tuned.code, 0) << tuned.output;
    EXPECT_NE(tuned.output.find("tuning 1 recorded calls on "), std::string::npos) << tuned.output;
    EXPECT_NE(tuned.output.find(", 1 single calls"), std::string::npos) << tuned.output;
    EXPECT_EQ(tuned.output.find("CLGEMM_TUNING names"), std::string::npos) << tuned.output;
    const Tuning written = parse_tuning(contents(output), test_profile(), "");
    ASSERT_EQ(written.calls.size(), 1u);
    EXPECT_EQ(written.measurements.size(), slow_tuning().measurements.size()) << "what the file had stays";

    const Outcome after = run({tuning, "CLGEMM_LOG=1"}, "multiply");
    EXPECT_EQ(after.code, 0) << after.output;
    EXPECT_NE(after.output.find("because: measured for this very call, "), std::string::npos) << after.output;
    EXPECT_NE(after.output.find("(" + output.string() + ")"), std::string::npos) << after.output;
}

// A file of entries alone takes nothing away: all else comes from the sources behind it.
TEST_F(ProgramsCalls, AreAllThatANewFileIsAbout)
{
    write_record(to_text({{call_of_size(40), {1, 1, 10}}, {call_of_size(41), {1, 1, 5}}}));
    const Outcome outcome = tune("--budget 2 --dry-run 2>'" + (folder / "report").string() + "'");
    EXPECT_EQ(outcome.code, 0) << contents(folder / "report");
    EXPECT_FALSE(fs::exists(folder / "clgemm"));
    const std::string report = contents(folder / "report");
    EXPECT_NE(report.find("tuning 2 recorded calls"), std::string::npos) << report;
    EXPECT_NE(report.find("for 2 seconds"), std::string::npos) << report;
    if (outcome.output.empty()) { // nothing was faster than what is guessed
        EXPECT_NE(report.find("nothing is written"), std::string::npos) << report;
        return;
    }
    const Tuning printed = parse_tuning(outcome.output, test_profile(), "");
    EXPECT_TRUE(printed.measurements.empty());
    EXPECT_FALSE(printed.calls.empty());
    std::ofstream(output) << outcome.output;
    const Outcome multiply = run({"CLGEMM_TUNING=" + output.string(), "CLGEMM_LOG=1"}, "multiply");
    EXPECT_EQ(multiply.code, 0);
    EXPECT_EQ(occurrences(multiply.output, "warning"), 0u) << multiply.output;
    EXPECT_EQ(occurrences(multiply.output, output.string()), 0u) << "another call: " << multiply.output;
}

// An entry is to be faster than what is chosen without it. This one never was.
TEST_F(ProgramsCalls, LoseEntriesThatAreNotWorthItAndAFileThatHasNothingElse)
{
    write_record(to_text({{call_of_size(200), {1, 1, 10}}}));
    Tuning earlier;
    const KernelInfo& naive = *find_kernel("01_naive");
    earlier.calls = {{call_of_size(200).call, variant_of(naive, naive.variants.back()), {}, 1000}};
    std::ofstream(output) << to_text(earlier, test_profile());
    const std::string arguments = "--budget 2 --output '" + output.string() + "' 2>&1";
    const Outcome printed = tune("--dry-run " + arguments), outcome = tune(arguments);
    EXPECT_EQ(printed.code, 0) << printed.output;
    EXPECT_EQ(outcome.code, 0) << outcome.output;
    if (fs::exists(output)) { // something else was faster
        const Tuning written = parse_tuning(contents(output), test_profile(), "");
        ASSERT_EQ(written.calls.size(), 1u);
        EXPECT_NE(written.calls[0].variant.kernel, &naive) << outcome.output;
    } else {
        EXPECT_NE(outcome.output.find(": removed " + output.string()), std::string::npos) << outcome.output;
    }
}

// Two tuners may have searched at the same time.
TEST_F(ProgramsCalls, AreAddedToWhatTheFileHasWhenTheyAreFound)
{
    write_record(to_text({{call_of_size(40), {1, 1, 10}}}));
    const fs::path slow = folder / "slow.json", report = folder / "report", others = folder / "others.json";
    std::ofstream(slow) << to_text(slow_tuning(), test_profile());
    Tuning another;
    const KernelInfo& tiled = *find_kernel("02_tiled");
    another.calls = {{call_of_size(41).call, variant_of(tiled, tiled.variants.back()), {}, 1000}};
    std::ofstream(others) << to_text(another, test_profile());
    const pid_t process = start_program({"CLGEMM_TUNING=" + slow.string()}, tuner,
                                        "--calls '" + record.string() + "' --budget 4 --output '" + output.string() +
                                            "' >'" + report.string() + "' 2>&1");
    for (int i = 0; i < 3000 && contents(report).find("tuning 1 recorded calls") == std::string::npos; i++)
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    fs::rename(others, output);
    EXPECT_EQ(code_within(process, 100), 0) << contents(report);
    EXPECT_EQ(parse_tuning(contents(output), test_profile(), "").calls.size(), 2u) << contents(report);
    EXPECT_NE(contents(report).find("CLGEMM_TUNING names another file"), std::string::npos) << contents(report);
}

TEST_F(ProgramsCalls, AreNotWrittenToAFileThatTheLibraryWouldNotRead)
{
    write_record(to_text({{call_of_size(40), {1, 1, 10}}}));
    const fs::path slow = folder / "slow.json";
    std::ofstream(slow) << to_text(slow_tuning(), test_profile());
    Tuning large;
    const KernelInfo& tiled = *find_kernel("02_tiled");
    for (std::size_t size = 100; size < 8100; size++)
        large.calls.push_back({call_of_size(size).call, variant_of(tiled, tiled.variants.back()), {}, 1000});
    const std::string text = to_text(large, test_profile());
    ASSERT_GT(text.size(), std::size_t{1} << 20);
    std::ofstream(output) << text;
    const Outcome outcome =
        run_program({"CLGEMM_TUNING=" + slow.string()}, tuner,
                    "--calls '" + record.string() + "' --budget 4 --output '" + output.string() + "' 2>&1");
    EXPECT_EQ(outcome.code, 1);
    EXPECT_NE(outcome.output.find("clgemm-tune: the file would have "), std::string::npos) << outcome.output;
    EXPECT_TRUE(contents(output) == text) << "it has changed";
}

TEST_F(ProgramsCalls, ThatNoMemoryHoldsKeepNoneOfTheOthersFromBeingTuned)
{
    RecordedCall large = call_of_size(std::size_t{1} << 40);
    write_record(to_text({{large, {1, 1, 10}}, {call_of_size(40), {1, 1, 5}}}));
    const Outcome outcome = tune("--budget 2 --dry-run 2>&1");
    EXPECT_EQ(outcome.code, 0) << outcome.output;
    EXPECT_NE(outcome.output.find("1 calls are too large for the tuner's matrices, the first of them "), std::string::npos)
        << outcome.output;
    EXPECT_NE(outcome.output.find("\n1 call: "), std::string::npos) << outcome.output;
}

// The record has such a name as UTF-8, and the tuner must know the device by that.
TEST_F(ProgramsCalls, AreFoundOnADeviceWhoseNameIsNoUtf8)
{
#if defined(__SANITIZE_ADDRESS__)
    GTEST_SKIP() << "the sanitizer must be loaded first";
#endif
    const Environment odd{"LD_PRELOAD=" SMALL_DEVICE, "SMALL_DEVICE_ODD_NAME=1"};
    const Outcome multiplied = run({odd[0], odd[1], "CLGEMM_RECORD=" + record.string()}, "multiply");
    ASSERT_EQ(multiplied.code, 0) << multiplied.output;
    const Outcome outcome = run_program(odd, tuner, "--calls '" + record.string() + "' --budget 2 --dry-run 2>&1");
    EXPECT_EQ(outcome.code, 0) << outcome.output;
    EXPECT_NE(outcome.output.find("tuning 1 recorded calls on \xEF\xBF\xBD"), std::string::npos) << outcome.output;
}

TEST_F(ProgramsCalls, ThatAreWrittenWronglyAreNamedByFileAndLine)
{
    const std::string good = to_text({{call_of_size(40), {1, 1, 10}}});
    const std::string named = "clgemm-tune: --calls " + record.string();
    const std::pair<std::string, std::string> cases[] = {
        {good + "nonsense\n", named + ", line 2: it is no JSON"},
        {good + "\n{}\n", named + ", line 3: m is missing"},
        {"", named + " has no calls on " + recorded_name(test_profile()) + "\n"},
        {to_text({{call_of_size(40, "another/device"), {1, 1, 10}}}),
         named + " has no calls on " + recorded_name(test_profile()) + ", but some on another/device"},
    };
    for (const auto& [text, said] : cases) {
        write_record(text);
        const Outcome outcome = tune("--dry-run 2>&1");
        EXPECT_EQ(outcome.code, 1) << outcome.output;
        EXPECT_EQ(outcome.output.find(said), 0u) << outcome.output;
        EXPECT_EQ(occurrences(outcome.output, "\n"), 1u) << outcome.output;
    }
    fs::remove(record);
    EXPECT_EQ(tune("--dry-run 2>&1").output, named + " is no regular file that can be read\n");
}

TEST_F(ProgramsCalls, AreNotAddedToAFileThatIsOfNoUse)
{
    write_record(to_text({{call_of_size(40), {1, 1, 10}}}));
    std::ofstream(output) << "my notes\n";
    const Outcome outcome = tune("--output '" + output.string() + "' 2>&1");
    EXPECT_EQ(outcome.code, 1);
    EXPECT_EQ(outcome.output.find("clgemm-tune: entries cannot be added to " + output.string() + ": it is no JSON"), 0u)
        << outcome.output;
    EXPECT_EQ(contents(output), "my notes\n");

    const fs::path fifo = folder / "fifo", report = folder / "report";
    ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0); // nobody ever writes into it
    for (const fs::path& no_file : {fifo, folder}) {
        const pid_t process = start_program({}, tuner,
                                            "--calls '" + record.string() + "' --dry-run --output '" + no_file.string() +
                                                "' >'" + report.string() + "' 2>&1");
        EXPECT_EQ(code_within(process, 20), 1) << no_file;
        EXPECT_EQ(contents(report), "clgemm-tune: entries cannot be added to " + no_file.string() +
                                        ": it is no regular file that can be read\n");
    }
}

TEST_F(ProgramsCalls, AreNeitherComparedNorOfOneKernel)
{
    for (const auto* const arguments : {"--compare x", "--only 13"}) {
        const Outcome outcome = tune(std::string(arguments) + " 2>&1");
        EXPECT_EQ(outcome.code, 2) << outcome.output;
        EXPECT_NE(outcome.output.find("--help"), std::string::npos) << outcome.output;
    }
}

} // namespace
