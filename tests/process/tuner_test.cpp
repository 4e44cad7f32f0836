// clgemm-tune as users start it: what it finds can be used, and it ends well however it ends.
#include "run_process.hpp"

#include "families/registry.hpp"
#include "select/fastest.hpp"

#include "support/case_on_device.hpp"
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

class Tuner : public Process {
protected:
    static bool on_cpu() { return test_profile().type == DeviceType::cpu; }

    // The kernel of which misled() says too much.
    static const KernelInfo& misleading() { return *find_kernel(on_cpu() ? "cpu_fused" : "10"); }

    static std::string only_misleading() { return "--only " + std::string(misleading().name) + " "; }

    // A tuning file that says of a slow kernel that it is by far the fastest, beside what is guessed of the others: there
    // is something to find, and soon.
    std::string misled() const
    {
        Tuning tuning = derived_tuning(test_profile());
        const KernelInfo& kernel = misleading();
        Parameters parameters = kernel.variants.front();
        if (on_cpu()) // vectors and a tile that are too narrow
            parameters = parameters.with("WIDTH", 4).with("WPTM", 16).with("WPTN", 4);
        tuning.measurements.push_back({variant_of(kernel, std::move(parameters)), "", {{1, 0.1}}, 1, {{1, 1}}, {}});
        return written(tuning);
    }

    std::string written(const Tuning& tuning) const
    {
        const fs::path file = folder / "before.json";
        std::ofstream(file) << to_text(tuning, test_profile());
        return "CLGEMM_TUNING=" + file.string();
    }

    // With more time where a busy machine needs it to find something. Standard error goes to this file.
    Outcome tune(const Environment& environment, const std::string& arguments, const fs::path& said) const
    {
        Outcome outcome{};
        for (const auto* budget : {"4", "16", "64"}) {
            outcome = run_program(environment, tuner,
                                  "--budget " + std::string(budget) + " " + arguments + " 2>'" + said.string() + "'");
            if ((contents(said) + outcome.output).find("nothing is written") == std::string::npos)
                break;
        }
        return outcome;
    }
};

TEST_F(Tuner, PrintsAFileWithoutWritingOne)
{
    const fs::path stderr_file = folder / "stderr";
    const Outcome outcome =
        tune({std::string("XDG_CONFIG_HOME=") + folder.string(), misled()}, only_misleading() + "--dry-run", stderr_file);
    EXPECT_EQ(outcome.code, 0);
    // All of standard output is the file, so that `clgemm-tune --dry-run >file` makes one.
    EXPECT_FALSE(parse_tuning(outcome.output, test_profile(), "").measurements.empty());
    EXPECT_FALSE(fs::exists(folder / "clgemm"));
    const std::string said = contents(stderr_file);
    EXPECT_NE(said.find("with the trial\n"), std::string::npos) << said;
    EXPECT_NE(said.find("m x n x k"), std::string::npos) << "what was chosen before, and what is chosen now: " << said;
}

TEST_F(Tuner, WritesTheUsersFileWhichTheLibraryTakes)
{
    const Environment here{std::string("XDG_CONFIG_HOME=") + folder.string()};
    const Outcome outcome = tune({here[0], misled()}, only_misleading(), folder / "stderr");
    EXPECT_EQ(outcome.code, 0);
    const fs::path written = folder / "clgemm" / "tuning" / user_tuning_file(test_profile())->filename();
    EXPECT_NE(outcome.output.find(std::string("wrote ") + written.string()), std::string::npos) << outcome.output;
    ASSERT_TRUE(fs::exists(written));
    EXPECT_EQ(std::distance(fs::directory_iterator(written.parent_path()), {}), 1) << "no temporary file is left";

    const Outcome multiply = run({here[0], "CLGEMM_LOG=1"}, "multiply");
    EXPECT_EQ(multiply.code, 0);
    EXPECT_NE(multiply.output.find(std::string("(") + written.string() + ")"), std::string::npos) << multiply.output;
    EXPECT_EQ(occurrences(multiply.output, "clgemm: sgemm "), 1u) << multiply.output;
    EXPECT_EQ(occurrences(multiply.output, "warning"), 0u) << multiply.output;
}

TEST_F(Tuner, StartsWhereNoBufferIsLarge)
{
#if defined(__SANITIZE_ADDRESS__)
    GTEST_SKIP() << "the sanitizer must be loaded first";
#endif
    const Outcome outcome = run_program({"XDG_CONFIG_HOME=" + folder.string(), misled(), "LD_PRELOAD=" SMALL_DEVICE,
                                         "SMALL_DEVICE_BUFFER=" + std::to_string(100 << 20)},
                                        tuner, only_misleading() + "--budget 2 --dry-run 2>&1");
    EXPECT_EQ(outcome.code, 0) << outcome.output;
}

TEST_F(Tuner, KeepsTheSingleCallsOfTheFileThatItReplaces)
{
    const fs::path file = folder / "tuning.json";
    Tuning earlier;
    const KernelInfo& tiled = *find_kernel("02_tiled");
    earlier.calls = {{{41, 41, 41, false, true, {1, 1, 1}, {}}, variant_of(tiled, tiled.variants.back()), {}, 1000}};
    std::ofstream(file) << to_text(earlier, test_profile());
    const Outcome outcome = tune({misled()}, only_misleading() + "--output '" + file.string() + "'", folder / "stderr");
    EXPECT_EQ(outcome.code, 0);
    const Tuning written = parse_tuning(contents(file), test_profile(), "");
    EXPECT_FALSE(written.measurements.empty());
    ASSERT_EQ(written.calls.size(), 1u) << "though the library went by another file";
    EXPECT_EQ(written.calls[0].call.m, 41u);
}

TEST_F(Tuner, WritesNothingWhereAllIsDecidedAsBefore)
{
    // What is known is so fast that no kernel can be found that is faster.
    Tuning known = derived_tuning(test_profile());
    const KernelInfo* const another = guesses_for(test_profile()).back().variant.kernel;
    std::erase_if(known.measurements, [&](const Measurement& each) { return each.variant.kernel == another; });
    for (Measurement& measurement : known.measurements)
        for (auto& [load, ns] : measurement.step_ns)
            ns *= 1e-6;
    const fs::path output = folder / "found.json";
    for (const auto* more : {"", " --dry-run"}) {
        const Outcome outcome = run_program({written(known)}, tuner,
                                            "--only " + std::string(another->name) + " --budget 1 --output '" +
                                                output.string() + "'" + more + " 2>&1");
        EXPECT_EQ(outcome.code, 0) << outcome.output;
        EXPECT_NE(outcome.output.find("\nall calls are decided as before, so nothing is written\n"), std::string::npos)
            << outcome.output;
        EXPECT_EQ(outcome.output.find("\"format\""), std::string::npos) << outcome.output;
        EXPECT_FALSE(fs::exists(output));
    }
}

TEST_F(Tuner, KeepsWhatItFoundWhenInterrupted)
{
    const fs::path output = folder / "found.json", log = folder / "log";
    const pid_t process = start_program(
        {misled()}, tuner, std::string("--budget 60 --output '") + output.string() + "' >'" + log.string() + "' 2>&1");
    for (int i = 0; i < 3000 && contents(log).find(" tried") == std::string::npos; i++)
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    kill(process, SIGINT);
    EXPECT_EQ(code_within(process, 120), 130) << contents(log); // a candidate's time and a compilation at most
    EXPECT_NE(contents(log).find("clgemm-tune: interrupted\n"), std::string::npos) << contents(log);
    EXPECT_NE(contents(log).find("kept, not compared"), std::string::npos) << contents(log);
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
    EXPECT_NE(outcome.output.find("left out of " + file.string() + ": 1 entry: number 1 of kernels: there is no kernel"),
              std::string::npos)
        << outcome.output;
    EXPECT_NE(outcome.output.find("m x n x k"), std::string::npos) << outcome.output;
    // A CPU computes each size in four ways. Where it has tiles, on which nothing is computed strictly, it does two of
    // them strictly, too.
    const std::string calls = !on_cpu() ? "\n18 calls: " : runs_here("cpu_amx") ? "\n12 calls: " : "\n8 calls: ";
    EXPECT_NE(outcome.output.find(calls), std::string::npos) << "of each size, in every way: " << outcome.output;
    EXPECT_FALSE(fs::exists(folder / "clgemm")) << "nothing is written";
}

TEST_F(Tuner, NamesASizeThatItCannotCompare)
{
    const fs::path file = folder / "file.json";
    std::ofstream(file) << to_text(derived_tuning(test_profile()), test_profile());
    for (const std::string size : {"10000000 10000000 1", "18446744073709551615 18446744073709551615 1"}) {
        const Outcome outcome =
            run_program({}, tuner, "--compare '" + file.string() + "' --size 64 64 64 --size " + size + " 2>&1");
        EXPECT_EQ(outcome.code, 1) << outcome.output;
        EXPECT_EQ(outcome.output, "clgemm-tune: --size " + size + " is too large for the tuner's matrices\n");
    }
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
        const Outcome outcome = run_program({}, tuner, std::string("--budget 60 --output '") + output.string() + "' 2>&1");
        EXPECT_EQ(outcome.code, 1);
        EXPECT_TRUE(outcome.output.starts_with("clgemm-tune: cannot ")) << outcome.output;
        EXPECT_NE(outcome.output.find(output.parent_path().string()), std::string::npos) << outcome.output;
        EXPECT_EQ(occurrences(outcome.output, "\n"), 1u) << "before the search: " << outcome.output;
    }
}

// A name that was mistyped makes no folders.
TEST_F(Tuner, NamesAFolderThatThereIsNot)
{
    const fs::path output = folder / "not" / "there" / "file.json";
    const Outcome outcome = run_program({}, tuner, "--budget 60 --output '" + output.string() + "' 2>&1");
    EXPECT_EQ(outcome.code, 1);
    EXPECT_EQ(outcome.output, "clgemm-tune: cannot write " + output.string() + ": there is no folder " +
                                  output.parent_path().string() + "\n");
    EXPECT_FALSE(fs::exists(folder / "not"));
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

TEST_F(Tuner, DoesNotReplaceWhatIsNoTuningFile)
{
    const fs::path notes = folder / "notes.txt";
    std::ofstream(notes) << "my notes\n";
    const Outcome outcome = run_program({}, tuner, "--budget 2 --output '" + notes.string() + "' 2>&1");
    EXPECT_EQ(outcome.code, 1);
    EXPECT_EQ(outcome.output, "clgemm-tune: --output: " + notes.string() +
                                  " is there, and is no tuning file of this device: it is not replaced\n");
    EXPECT_EQ(contents(notes), "my notes\n");
}

// What somebody else has under the name of a new file does not hold it up. (replace_file_test.cpp has many who write at
// once: two tuners would measure each other.)
TEST_F(Tuner, WritesTheFileThatALinkLeadsTo)
{
    const fs::path file = folder / "below" / "file.json", link = folder / "link.json", second = folder / "second.json";
    fs::create_directory(file.parent_path());
    fs::create_symlink("below/file.json", link);
    fs::create_symlink(link, second);
    for (const fs::path& taken : {file, second})
        fs::create_directory(taken.string() + ".new");
    const Outcome outcome = tune({misled()}, only_misleading() + "--output '" + second.string() + "'", folder / "stderr");
    EXPECT_EQ(outcome.code, 0) << outcome.output;
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
    const fs::path said = folder / "stderr";
    EXPECT_EQ(tune({misled()}, only_misleading() + "--dry-run >/dev/full", said).code, 1);
    EXPECT_NE(contents(said).find("clgemm-tune: cannot write to standard output\n"), std::string::npos) << contents(said);
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
