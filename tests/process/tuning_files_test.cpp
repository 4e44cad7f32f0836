// Where a process finds its tuning, and what becomes of files that are of no use.
#include "run_process.hpp"

#include "clgemm/clgemm.h"
#include "device/quirks.hpp"
#include "families/registry.hpp"
#include "support/with_selection.hpp"
#include "tuning/derived_tuning.hpp"
#include "tuning/tuning_file.hpp"
#include "tuning/tuning_sources.hpp"

#include <fstream>
#include <sys/stat.h>

using namespace clgemm::test;
using namespace clgemm::core;

namespace {

class TuningFiles : public Process {
protected:
    // A good file for the test device: its one kernel is the naive one.
    static std::string good_text()
    {
        Tuning tuning = derived_tuning(test_profile());
        std::erase_if(tuning.measurements, [](const Measurement& one) { return one.variant.kernel->name != "01_naive"; });
        return to_text(tuning, test_profile());
    }

    fs::path write(const fs::path& name, const std::string& text) const
    {
        const fs::path path = folder / name;
        fs::create_directories(path.parent_path());
        std::ofstream(path) << text;
        return path;
    }

    // The user's file below a configuration folder.
    static fs::path users_name() { return fs::path("clgemm") / "tuning" / user_tuning_file(test_profile())->filename(); }

    // With this environment, the result is right and the log says that the choice comes from `origin`.
    void expect_origin(Environment environment, const std::string& origin) const
    {
        environment.emplace_back("CLGEMM_LOG=1");
        const Outcome outcome = run(environment, "multiply");
        EXPECT_EQ(outcome.code, 0);
        EXPECT_NE(outcome.output.find("(" + origin + ")"), std::string::npos) << outcome.output;
        EXPECT_EQ(outcome.output.find("warning"), std::string::npos) << outcome.output;
    }

    // What the library says without files.
    static std::string origin_without_files() { return tuning_among(tuning_texts(), test_profile()).origin; }

    const std::string nowhere = "XDG_CONFIG_HOME=" + (folder / "nowhere").string();
};

TEST_F(TuningFiles, TheEnvironmentsComesFirstThenTheUsersThenTheLibrarysOwn)
{
    const fs::path named = write("named.json", good_text());
    const fs::path users = write("config" / users_name(), good_text());
    const fs::path at_home = write("home/.config" / users_name(), good_text());
    const std::string tuning = "CLGEMM_TUNING=" + named.string();
    const std::string config = "XDG_CONFIG_HOME=" + (folder / "config").string(),
                      home = "HOME=" + (folder / "home").string();
    expect_origin({tuning, config, home}, named);
    expect_origin({tuning, nowhere}, named);
    expect_origin({config, home}, users);
    expect_origin({"CLGEMM_TUNING=", config}, users);
    expect_origin({"XDG_CONFIG_HOME", home}, at_home);
    expect_origin({"XDG_CONFIG_HOME=", home}, at_home);
    expect_origin({nowhere, home}, origin_without_files());
    expect_origin({"XDG_CONFIG_HOME", "HOME"}, origin_without_files());
}

// The same CPU with one compute unit, as PoCL's own variables make it, is a relative of the one that was measured.
TEST_F(TuningFiles, ARelativesIsBorrowedAndTheMemoryMeasuredOnce)
{
    if (tuning_among(tuning_texts(), test_profile()).origin != "measured on this kind of device" ||
        test_profile().compute_units == 1)
        GTEST_SKIP() << "nobody has measured this device with other compute units";
    const Environment environment{nowhere, "CLGEMM_LOG=1", "CLGEMM_CACHE_DIR=" + (folder / "cache").string(),
                                  "POCL_MAX_PTHREAD_COUNT=1", // its name until PoCL 5
                                  "POCL_CPU_MAX_CU_COUNT=1"};
    const std::string borrowed = "(borrowed from " + lasting_name(test_profile().platform_name, test_profile().name) +
                                 ", the same device elsewhere, with " + std::to_string(test_profile().compute_units) +
                                 " compute units)";
    const std::string measured = "the memory of " + test_profile().name + " moves ";
    for (const bool first : {true, false}) {
        const Outcome outcome = run(environment, "multiply");
        EXPECT_EQ(outcome.code, 0);
        EXPECT_NE(outcome.output.find(borrowed), std::string::npos) << outcome.output;
        EXPECT_EQ(outcome.output.find(measured) != std::string::npos, first) << outcome.output;
    }
#if !defined(__SANITIZE_ADDRESS__) // which must be loaded first
    // In the caller's context: to make another one takes NVIDIA's driver more than a second. (CLGEMM_AMX=0 keeps the library
    // from asking a CPU for tiles, which it does in a context of its own.)
    Environment with_one_context = environment;
    with_one_context.insert(with_one_context.end(),
                            {"CLGEMM_AMX=0", "LD_PRELOAD=" FAILING_OPENCL, "FAILING_OPENCL_FUNCTION=clCreateContext",
                             "FAILING_OPENCL_CALL=2", "CLGEMM_CACHE_DIR=" + (folder / "another").string()});
    const Outcome outcome = run(with_one_context, "multiply");
    EXPECT_EQ(outcome.code, 0);
    EXPECT_NE(outcome.output.find(measured), std::string::npos) << outcome.output;
#endif
}

// A file of entries for single calls alone, as clgemm-tune --calls writes a new one: all else is the next source's.
TEST_F(TuningFiles, OfSingleCallsAloneLeaveTheRestToTheNextSource)
{
    const auto entry_for = [](std::size_t m) {
        Tuning alone;
        const KernelInfo& tiled = *find_kernel("02_tiled");
        alone.calls = {{{m, 35, 29, true, false, {1, 1, 1}, {}}, variant_of(tiled, tiled.variants.back()), {}, 1000}};
        return to_text(alone, test_profile());
    };
    const fs::path for_this = write("this.json", entry_for(67)), for_another = write("another.json", entry_for(68));
    const fs::path users = write("config" / users_name(), good_text());
    const std::string config = "XDG_CONFIG_HOME=" + (folder / "config").string();
    expect_origin({"CLGEMM_TUNING=" + for_this.string(), config}, for_this);
    expect_origin({"CLGEMM_TUNING=" + for_this.string(), nowhere}, for_this);
    expect_origin({"CLGEMM_TUNING=" + for_another.string(), config}, users);
    expect_origin({"CLGEMM_TUNING=" + for_another.string(), nowhere}, origin_without_files());
    write("config" / users_name(), entry_for(67));
    expect_origin({config}, users);
    expect_origin({"CLGEMM_TUNING=" + for_another.string(), config}, origin_without_files());
}

// A tuner that runs meanwhile replaces the file. After teardown queries and calls both go by the new one.
TEST_F(TuningFiles, AreReadAgainAfterTeardownByQueriesAndCallsAlike)
{
    const fs::path path = write("config" / users_name(), good_text());
    Tuning other = derived_tuning(test_profile());
    std::erase_if(other.measurements, [](const Measurement& one) { return one.variant.kernel->name == "01_naive"; });
    ASSERT_FALSE(other.measurements.empty());
    const fs::path newer = write("newer.json", to_text(other, test_profile()));
    const Outcome outcome = run({"XDG_CONFIG_HOME=" + (folder / "config").string(), "CLGEMM_TUNING", "CLGEMM_LOG=1"},
                                "retune " + newer.string() + " " + path.string());
    EXPECT_EQ(outcome.code, 0) << outcome.output;
    EXPECT_NE(outcome.output.find("before: kernel:     01_naive"), std::string::npos) << outcome.output;
    const std::string start = "after: kernel:     ";
    const auto after = outcome.output.find(start);
    ASSERT_NE(after, std::string::npos) << outcome.output;
    const auto name = outcome.output.substr(after + start.size(), outcome.output.find('\n', after) - after - start.size());
    EXPECT_NE(name, "01_naive");
    EXPECT_NE(outcome.output.find(": " + name + " ("), std::string::npos) << "the call's log: " << outcome.output;
}

TEST_F(TuningFiles, AreThoseThatTheProcessNamedAtItsBeginningWhereverItGoes)
{
    write("named.json", good_text());
    write("config" / users_name(), good_text());
    fs::create_directory(folder / "elsewhere");
    const std::string move = "move " + folder.string() + " " + (folder / "elsewhere").string();
    for (const auto* const variable : {"CLGEMM_TUNING=named.json", "XDG_CONFIG_HOME=config"}) {
        const Outcome outcome = run({nowhere, variable, "CLGEMM_LOG=1"}, move);
        EXPECT_EQ(outcome.code, 0) << outcome.output;
        EXPECT_EQ(occurrences(outcome.output, ": 01_naive (TSM"), 2u) << outcome.output;
        EXPECT_EQ(occurrences(outcome.output, "warning"), 0u) << outcome.output;
    }
}

TEST_F(TuningFiles, ANameThatCannotBeReadGetsOneLineThatNamesTheVariable)
{
    fs::create_directory(folder / "directory");
    const fs::path users = write("config" / users_name(), good_text());
    ASSERT_EQ(mkfifo((folder / "fifo").c_str(), 0600), 0); // nobody ever writes into it
    for (const fs::path& path : {folder / "missing.json", folder / "directory", write("file", "") / "below", folder / "fifo",
                                 fs::path("/dev/zero")}) {
        const Outcome outcome =
            run({"CLGEMM_TUNING=" + path.string(), "CLGEMM_LOG=1", "XDG_CONFIG_HOME=" + (folder / "config").string()},
                "multiply");
        EXPECT_EQ(outcome.code, 0);
        EXPECT_TRUE(outcome.output.starts_with("clgemm: warning: CLGEMM_TUNING is '" + path.string() +
                                               "', but must be a regular file that can be read; tuning is taken from "
                                               "elsewhere\n"))
            << outcome.output;
        EXPECT_NE(outcome.output.find("(" + users.string() + ")"), std::string::npos)
            << "the next source: " << outcome.output;
        EXPECT_EQ(occurrences(outcome.output, "warning"), 1u) << outcome.output;
        EXPECT_EQ(occurrences(outcome.output, "clgemm: sgemm "), 1u) << outcome.output;
    }
}

TEST_F(TuningFiles, WhatIsOfNoUseGetsOneLineAndTheNextSourceIsAsked)
{
    DeviceProfile other = test_profile();
    other.name = "another device";
    const std::string good = good_text();
    std::string unknown = good;
    unknown.replace(unknown.find("01_naive"), 8, "01_wrong");
    const std::pair<std::string, std::string> cases[] = {
        {"", "no JSON"},
        {"nonsense", "no JSON"},
        {good.substr(0, good.size() / 2), "no JSON"},
        {"{}", "no format number"},
        {to_text(derived_tuning(other), other), "it is about {\"platform\""},
        {unknown, "all of it is left out, 1 entry: number 1 of kernels: there is no kernel \"01_wrong\""},
        {good + std::string(1 << 20, ' '), "it has more than 1048576 bytes"},
    };
    for (const auto& [text, said] : cases)
        for (const bool users : {false, true}) {
            const fs::path path = write(users ? "config" / users_name() : "named.json", text);
            const Environment environment{users ? "XDG_CONFIG_HOME=" + (folder / "config").string() : nowhere,
                                          users ? "CLGEMM_TUNING=" : "CLGEMM_TUNING=" + path.string()};
            for (const auto* command : {"multiply", "queries"}) { // the latter asks twice
                const Outcome outcome = run(environment, command);
                EXPECT_EQ(outcome.code, 0);
                const std::string start = "clgemm: warning: tuning file " + path.string() + " is not used: ";
                EXPECT_EQ(occurrences(outcome.output, start), 1u) << outcome.output;
                EXPECT_EQ(occurrences(outcome.output, "warning"), 1u) << outcome.output;
                const auto line = outcome.output.substr(outcome.output.find(start));
                EXPECT_NE(line.substr(0, line.find('\n')).find(said), std::string::npos) << outcome.output;
                if (command == std::string("multiply")) {
                    EXPECT_EQ(occurrences(outcome.output, "\n"), 1u) << outcome.output;
                }
            }
        }

    // A bad file of the environment's still leaves the user's.
    const fs::path users = write("config" / users_name(), good);
    const Outcome outcome = run({"CLGEMM_TUNING=" + write("named.json", "nonsense").string(), "CLGEMM_LOG=1",
                                 "XDG_CONFIG_HOME=" + (folder / "config").string()},
                                "multiply");
    EXPECT_EQ(outcome.code, 0);
    EXPECT_NE(outcome.output.find("(" + users.string() + ")"), std::string::npos) << outcome.output;
}

// One measurement that is of no use leaves the others, and is told of.
TEST_F(TuningFiles, WhatOfThemIsOfNoUseIsLeftOutAndLogged)
{
    const std::string good = good_text(),
                      line = good.substr(good.find("  {\"kernel\""), good.find("\n ]") - good.find("  {\"kernel\""));
    std::string unknown = line, text = good;
    unknown.replace(unknown.find("01_naive"), 8, "01_wrong");
    text.replace(text.find(line), line.size(), unknown + ",\n" + line);
    const fs::path named = write("named.json", text);
    const std::string tuning = "CLGEMM_TUNING=" + named.string();
    expect_origin({tuning, nowhere}, named);
    const std::string said = "1 entry: number 1 of kernels: there is no kernel \"01_wrong\"\n";
    const Outcome logged = run({tuning, nowhere, "CLGEMM_LOG=1"}, "multiply");
    EXPECT_EQ(occurrences(logged.output, "(" + named.string() + ") leaves out " + said), 1u) << logged.output;
    const Outcome silent = run({tuning, nowhere}, "multiply");
    EXPECT_EQ(silent.code, 0);
    EXPECT_EQ(silent.output, "");
}

// Small numbers of a file are no promise: whatever they say, the result is right.
TEST_F(TuningFiles, ThatExaggerateDoNoHarm)
{
    Tuning tuning = derived_tuning(test_profile());
    tuning.launch_ns = 1e-2;
    tuning.bytes_per_ns = 1e15;
    for (auto& measurement : tuning.measurements) {
        measurement.step_ns = {{1, 1e12}, {1000, 1e15}};
        measurement.resident = 1e6;
        measurement.start_ns = {{1, 1e12}, {2, 1}};
    }
    const Environment environment{"CLGEMM_TUNING=" + write("named.json", to_text(tuning, test_profile())).string(), nowhere};
    const Outcome outcome = run(environment, "multiply");
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ(outcome.output, "");
}

} // namespace
