// All command-line programs as users start them: they refuse what means nothing, say why they fail, and their exit status
// means the same everywhere.
#include "run_process.hpp"

#include "clgemm/clgemm.h"

#include <nlohmann/json.hpp>

#include <csignal>
#include <thread>

using namespace clgemm::test;

namespace {

enum ExitStatus { success = 0, failure = 1, wrong_usage = 2, no_device = 3, interrupted = 130 };

constexpr const char* folder_of_programs[] = CLGEMM_PROGRAMS; // paths, from CMake

std::string name_of(const std::string& program)
{
    return fs::path(program).filename();
}

std::string program_named(const std::string& name)
{
    for (const std::string program : folder_of_programs)
        if (name_of(program) == name)
            return program;
    ADD_FAILURE() << "no program " << name;
    return "";
}

class Programs : public testing::TestWithParam<const char*> {
protected:
    const std::string program = GetParam();
    const std::string name = name_of(program);
};

TEST_P(Programs, TellTheirVersionAndHelp)
{
    const Outcome version = run_program({}, program, "--version");
    EXPECT_EQ(version.code, success);
    EXPECT_EQ(version.output, name + " " + clgemm_version() + "\n");
    const Outcome help = run_program({}, program, "--help");
    EXPECT_EQ(help.code, success);
    for (const auto* part : {"Usage: ", "--device", "--version", "Exit status: "})
        EXPECT_NE(help.output.find(part), std::string::npos) << help.output;
}

TEST_P(Programs, RefuseWhatIsNoOption)
{
    for (const auto* arguments : {"--nonsense", "nonsense", "--devices=x"}) {
        const Outcome outcome = run_program({}, program, std::string(arguments) + " 2>&1");
        EXPECT_EQ(outcome.code, wrong_usage) << arguments;
        EXPECT_TRUE(outcome.output.starts_with(name + ": ")) << outcome.output;
        EXPECT_NE(outcome.output.find(name + " --help"), std::string::npos) << outcome.output;
    }
}

TEST_P(Programs, WithoutADeviceSaySo)
{
    const Outcome outcome = run_program({"OCL_ICD_VENDORS=/proc/no/such/folder"}, program, "2>&1 >/dev/null");
    if (outcome.code == success)
        GTEST_SKIP() << "this ICD loader finds platforms elsewhere too";
    EXPECT_EQ(outcome.code, no_device);
    EXPECT_NE(outcome.output.find(name + ": no OpenCL device found: install "), std::string::npos) << outcome.output;
}

// The message names what the user gave: the option or the variable.
TEST_P(Programs, SayWhoNamedADeviceThatThereIsNot)
{
    const Outcome option = run_program({}, program, "--device nonsense 2>&1 >/dev/null");
    EXPECT_EQ(option.code, no_device);
    EXPECT_NE(option.output.find(name + ": --device is 'nonsense', which is part of no device's name"), std::string::npos)
        << option.output;
    const Outcome variable = run_program({"CLGEMM_DEVICE=nonsense"}, program, "2>&1 >/dev/null");
    EXPECT_EQ(variable.code, no_device);
    EXPECT_NE(variable.output.find(name + ": CLGEMM_DEVICE is 'nonsense', which"), std::string::npos) << variable.output;
}

TEST_P(Programs, RefuseAVariableThatMeansNothing)
{
    const Outcome outcome = run_program({"CLGEMM_MATH=nonsense"}, program, "2>&1 >/dev/null");
    EXPECT_EQ(outcome.code, wrong_usage);
    EXPECT_NE(outcome.output.find(name + ": CLGEMM_MATH is 'nonsense', but must be"), std::string::npos) << outcome.output;
}

INSTANTIATE_TEST_SUITE_P(Of, Programs, testing::ValuesIn(folder_of_programs), [](const auto& tested) {
    std::string name = name_of(tested.param);
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
});

struct WrongValue {
    const char *program, *arguments;
    const char* named; // the option that the message names
};

TEST(ProgramsOptions, RefuseValuesThatMeanNothing)
{
    for (const auto& [program, arguments, named] :
         {WrongValue{"clgemm-info", "--size 1 2", "--size"},
          WrongValue{"clgemm-info", "--size 1 2 -3", "--size: '-3' is no whole number from 0 to "},
          WrongValue{"clgemm-info", "--size 1 2 ''", "--size: '' is no whole number"},
          WrongValue{"clgemm-info", "--size 1 2 ' -3'", "--size: ' -3' is no whole number"},
          WrongValue{"clgemm-info", "--size 1 2 010", "--size: '010' is no whole number"},
          WrongValue{"clgemm-info", "--size 1 2 99999999999999999999", "--size: '99999999999999999999' is no whole number"},
          WrongValue{"clgemm-info", "--size 1 2 3 --kernel 99", "--kernel"},
          WrongValue{"clgemm-info", "--trans-a", "--trans-a"},
          WrongValue{"clgemm-tune", "--only 99", "--only"},
          WrongValue{"clgemm-tune", "--only 06:TSM", "--only: '06:TSM' must be a kernel, a colon and parameters"},
          WrongValue{"clgemm-tune", "--only 06:TSM=7", "--only: '06:TSM=7' must be 06_register_blocking with parameters"},
          WrongValue{"clgemm-tune", "--budget nan", "--budget"},
          WrongValue{"clgemm-tune", "--compare nothing --size 1 0 2", "--size: '0' is no whole number from 1 to "},
          WrongValue{"clgemm-tune", "--compare ''", "--compare: is empty"},
          WrongValue{"clgemm-tune", "--calls ''", "--calls: is empty"},
          WrongValue{"clgemm-tune", "--output ''", "--output: is empty"},
          WrongValue{"clgemm-selftest", "--output ''", "--output: is empty"},
          WrongValue{"clgemm-selftest", "--seconds nan", "--seconds: 'nan' is no positive number"},
          WrongValue{"clgemm-selftest", "--seed -1", "--seed: '-1' is no whole number"},
          WrongValue{"kernels_bench", "--sizes -5", "--sizes"},
          WrongValue{"kernels_bench", "--sizes 0", "--sizes"},
          WrongValue{"kernels_bench", "--sizes 64,x", "--sizes"},
          WrongValue{"kernels_bench", "--sizes 1e9", "--sizes"},
          WrongValue{"kernels_bench", "--kernels 1,99", "--kernels"},
          WrongValue{"kernels_bench", "--budget 0", "--budget"},
          WrongValue{"kernels_bench", "--parameters TS=8", "--parameters"},
          WrongValue{"kernels_bench", "--kernels 1,2 --parameters TS=8", "--parameters"},
          WrongValue{"kernels_bench", "--kernel 2 --parameters TSX=8",
                     "options->kernel is '02_tiled:TSX=8', but must be 02_tiled with some of its parameters, TS"},
          WrongValue{"kernels_bench", "--kernel 3 --parameters WPT=3",
                     "options->kernel is '03_work_per_thread:WPT=3', but must be 03_work_per_thread with parameters"},
          WrongValue{"sgemm_bench", "--suite nonsense", "--suite"},
          WrongValue{"sgemm_bench", "--shapes 1x2", "--shapes"},
          WrongValue{"sgemm_bench", "--shapes 0", "--shapes"},
          WrongValue{"sgemm_bench", "--transposes NX", "--transposes"},
          WrongValue{"sgemm_bench", "--kernel 99", "--kernel"},
          WrongValue{"accuracy_bench", "--inputs nonsense", "--inputs"},
          WrongValue{"accuracy_bench", "--k 1", "--k"},
          WrongValue{"accuracy_bench", "--kernel 21", "--kernel"},
          WrongValue{"selection_bench", "--calls 0", "--calls"},
          WrongValue{"selection_bench", "--shapes 1x2", "--shapes"},
          WrongValue{"selection_bench", "--math sloppy", "--math"},
          WrongValue{"selection_bench", "--transposes NN", "--transposes requires --shapes"},
          WrongValue{"selection_bench", "--shapes 64 --seed 9", "--shapes excludes --seed"},
          WrongValue{"selection_bench", "--within 0.5", "--within"},
          WrongValue{"selection_bench", "--seconds 0", "--seconds"},
          WrongValue{"selection_bench", "--seed ''", "--seed: '' is no whole number"},
          WrongValue{"regression_bench", "--mean nan", "--mean: 'nan' is no positive number"}}) {
        const Outcome outcome = run_program({}, program_named(program), std::string(arguments) + " 2>&1");
        EXPECT_EQ(outcome.code, wrong_usage) << program << " " << arguments << ": " << outcome.output;
        // (A busy machine is warned of before.)
        EXPECT_NE(outcome.output.find(std::string(program) + ": " + named), std::string::npos) << outcome.output;
    }
}

TEST(ProgramsOptions, TheTunerSaysWhyItWouldFindNothing)
{
    const std::string tuner = program_named("clgemm-tune");
    if (run_program({}, program_named("clgemm-info"), "--size 512 512 512 --kernel 14 2>&1").code == success)
        GTEST_SKIP() << "kernel 14 runs here";
    const Outcome outcome = run_program({}, tuner, "--only 14 --budget 2 --dry-run 2>&1");
    EXPECT_EQ(outcome.code, failure);
    EXPECT_TRUE(outcome.output.starts_with(
        "clgemm-tune: --only 14_tensor_cores would find nothing: this kernel needs Hopper's tensor cores, "))
        << outcome.output;
}

// What is printed is JSON as a whole, and says what the text says.
TEST(ProgramsJson, IsWellFormed)
{
    using nlohmann::json;
    const json info = json::parse(run_program({}, program_named("clgemm-info"), "--json").output);
    EXPECT_EQ(info["clgemm"], clgemm_version());
    ASSERT_FALSE(info["devices"].empty());
    for (const auto* key : {"name", "platform", "driver", "compute_units", "tuned", "tuning"})
        EXPECT_TRUE(info["devices"][0].contains(key)) << key;
    EXPECT_EQ(info["kernels"].size(), clgemm_kernel_count());

    for (const json& kernel : info["kernels"]) {
        if (!kernel["runs_here"])
            continue;
        const auto name = kernel["name"].get<std::string>();
        const json plan =
            json::parse(run_program({}, program_named("clgemm-info"), "--size 30 20 10 --json --kernel " + name).output);
        EXPECT_EQ(plan["kernel"], name);
        EXPECT_EQ(plan["idea"], kernel["idea"]);
        EXPECT_TRUE(plan["parameters"].is_object());
        ASSERT_FALSE(plan["steps"].empty());
        EXPECT_GE(plan["steps"][0]["work_groups"][0], 1);
        EXPECT_TRUE(plan["workspace_bytes"].is_number());
    }

    const json kernels = json::parse(
        run_program({}, program_named("kernels_bench"), "--sizes 64 --kernels 1,2 --budget 0.01 --json 2>&-").output);
    EXPECT_GT(kernels["peak_gflops"], kernels["kernels"][0]["gflops"]["64"]);
    EXPECT_EQ(kernels["kernels"].size(), 2u);
    const Outcome changed = run_program({}, program_named("kernels_bench"),
                                        "--sizes 64 --kernel 6 --parameters TSM=32,WPTM=2 --budget 0.01 2>&1");
    EXPECT_EQ(changed.code, success) << changed.output;
    EXPECT_NE(changed.output.find("At 64: TSM=32, TSN=32, TSK=16, WPTM=2, WPTN=4.\n"), std::string::npos) << changed.output;

    const json speeds =
        json::parse(run_program({}, program_named("sgemm_bench"),
                                "--shapes 64x32x16 --transposes NT --contenders clgemm --budget 0.01 --json 2>&-")
                        .output);
    const json& product = speeds["suites"][0]["products"][0];
    EXPECT_EQ(product["m"], 64);
    EXPECT_EQ(product["transposes"], "NT");
    EXPECT_GT(product["gflops"]["clgemm"], 0.0);
    EXPECT_EQ(speeds["interrupted"], false);
    EXPECT_TRUE(speeds["device"].contains("driver"));

    const json errors = json::parse(
        run_program({}, program_named("accuracy_bench"), "--inputs uniform --k 16 --size 32 --json 2>&-").output);
    EXPECT_GT(errors["products"][0]["errors"]["clgemm"]["max"], 0.0);
    EXPECT_LT(errors["products"][0]["errors"]["clgemm"]["max"], 16.0);
}

class SelectionBench : public Process {};

// For small calls, which take no time. The file says what the text says, and the seed decides which calls they are.
TEST_F(SelectionBench, ComparesWhatIsChosenWithTheRest)
{
    using nlohmann::json;
    const std::string bench = program_named("selection_bench");
    const auto measured = [&](const std::string& arguments) {
        const fs::path file = folder / "selection.json";
        const Outcome outcome =
            run_program({}, bench, "--most-gflop 0.002 --rounds 5 --json '" + file.string() + "' " + arguments + " 2>&-");
        EXPECT_EQ(outcome.code, success) << outcome.output;
        EXPECT_NE(outcome.output.find("| chosen / best "), std::string::npos) << outcome.output;
        EXPECT_NE(outcome.output.find("\n| all "), std::string::npos) << outcome.output;
        const json result = json::parse(contents(file));
        EXPECT_EQ(occurrences(outcome.output, "   - chosen: "), occurrences(outcome.output, "   - best: "));
        return result;
    };
    const json some = measured("--calls 3 --seed 5");
    EXPECT_EQ(some["seed"], 5);
    EXPECT_EQ(some["interrupted"], false);
    EXPECT_TRUE(some["device"].contains("driver"));
    EXPECT_EQ(some["chosen_by_best"]["calls"], 3);
    ASSERT_EQ(some["calls"].size(), 3u);
    for (const json& call : some["calls"]) {
        ASSERT_GE(call["timed"].size(), 1u);
        EXPECT_GE(call["weighed"], call["timed"].size());
        EXPECT_GT(call["timed"][0]["us"], 0.0);
        EXPECT_GT(call["share"], 0.0);
        EXPECT_LE(call["share"], 1.0);
        EXPECT_LE(call["best"]["us"], call["chosen"]["us"]);
        EXPECT_LE(2e-9 * call["m"].get<double>() * call["n"].get<double>() * call["k"].get<double>(), 0.002);
        EXPECT_TRUE(call["failures"].empty());
    }
    const json first = measured("--calls 1 --seed 5 --math strict --all"), another = measured("--calls 1 --seed 6");
    EXPECT_EQ(first["math"], "strict");
    const auto sizes = [](const json& measurement) {
        const json& call = measurement["calls"][0];
        return json{call["m"], call["n"], call["k"], call["transposes"], call["columns"]};
    };
    EXPECT_EQ(sizes(first), sizes(some));
    EXPECT_NE(sizes(another), sizes(some));
}

TEST_F(SelectionBench, TakesCallsInsteadOfDrawingThem)
{
    const fs::path file = folder / "selection.json";
    const Outcome outcome =
        run_program({}, program_named("selection_bench"),
                    "--shapes 64,30x20x10 --transposes NT,TN --rounds 5 --json '" + file.string() + "' 2>&-");
    EXPECT_EQ(outcome.code, success) << outcome.output;
    const auto calls = nlohmann::json::parse(contents(file))["calls"];
    ASSERT_EQ(calls.size(), 4u);
    EXPECT_EQ(calls[0]["m"], 64);
    EXPECT_EQ(calls[3]["m"], 30);
    EXPECT_EQ(calls[3]["n"], 20);
    EXPECT_EQ(calls[3]["k"], 10);
    EXPECT_EQ(calls[3]["transposes"], "TN");
}

TEST_F(SelectionBench, EndsWhenItsTimeIsOver)
{
    const Outcome outcome =
        run_program({}, program_named("selection_bench"), "--calls 1000 --seconds 0.001 --most-gflop 0.001 --rounds 5 2>&-");
    EXPECT_EQ(outcome.code, success);
    EXPECT_NE(outcome.output.find("| all                      |     1 |"), std::string::npos) << outcome.output;
}

TEST_F(SelectionBench, WithNothingToTimeOrNowhereToWriteIsNoSuccess)
{
    const std::string bench = program_named("selection_bench");
    const Outcome outcome = run_program({}, bench, "--calls 1 --most-gflop 1e-9 2>&1 >/dev/null");
    EXPECT_EQ(outcome.code, failure);
    EXPECT_NE(outcome.output.find("selection_bench: there is nothing to time: the limits leave hardly any call of the kind"),
              std::string::npos)
        << outcome.output;
    const Outcome unwritten = run_program({}, bench,
                                          "--calls 1 --most-gflop 0.001 --rounds 5 --json '" +
                                              (folder / "no/folder").string() + "' 2>&1 >/dev/null");
    EXPECT_EQ(unwritten.code, failure);
    EXPECT_NE(unwritten.output.find("selection_bench: --json: cannot write "), std::string::npos) << unwritten.output;
}

// Contenders on host memory have ratios to clgemm's own call on it. One that the device does not have is named as absent.
TEST(ProgramsContenders, OnHostMemoryAreCompared)
{
    const std::string bench = program_named("sgemm_bench");
    const std::string arguments = "--shapes 64 --transposes NT --budget 0.01 --contenders clgemm-host,cublas-host,";
    const Outcome outcome = run_program({}, bench, arguments + "openblas 2>&-");
    EXPECT_EQ(outcome.code, success);
    EXPECT_NE(outcome.output.find("- clgemm-host: clgemm"), std::string::npos) << outcome.output;
    EXPECT_EQ(outcome.output.find("- clgemm: "), std::string::npos) << outcome.output;
    EXPECT_NE(outcome.output.find("- cublas-host: "), std::string::npos) << outcome.output;
    if (outcome.output.find("- openblas: absent") != std::string::npos)
        GTEST_SKIP() << "OpenBLAS is not installed, or not for this device";
    EXPECT_NE(outcome.output.find("| / openblas |"), std::string::npos) << outcome.output;
}

TEST(ProgramsContenders, OfWhomNoneIsThereAreNoSuccess)
{
    for (const std::string arguments : {"", "--json "}) {
        const Outcome outcome = run_program({"LD_LIBRARY_PATH"}, program_named("sgemm_bench"),
                                            arguments + "--shapes 64 --contenders clblas 2>&1 >/dev/null");
        if (outcome.code == success)
            GTEST_SKIP() << "clBLAS is installed";
        EXPECT_EQ(outcome.code, failure);
        EXPECT_NE(outcome.output.find("sgemm_bench: there is nobody to time: clblas is absent ("), std::string::npos)
            << outcome.output;
    }
}

TEST(ProgramsOnABusyMachine, WarnAndGoOn)
{
#if defined(__SANITIZE_ADDRESS__)
    GTEST_SKIP() << "the sanitizer must be loaded first";
#endif
    for (const auto& [name, arguments] :
         {std::pair{"kernels_bench", "--sizes 64 --kernels 1 --budget 0.01"},
          std::pair{"sgemm_bench", "--shapes 64 --transposes NT --contenders clgemm --budget 0.01"}}) {
        const Outcome outcome =
            run_program({"LD_PRELOAD=" BUSY_MACHINE}, program_named(name), std::string(arguments) + " 2>&1 >/dev/null");
        EXPECT_EQ(outcome.code, success) << outcome.output;
        EXPECT_EQ(occurrences(outcome.output, std::string(name) + ": warning: the machine is busy (load 1000.0 on "), 1u)
            << outcome.output;
    }
}

class ProgramsDemo : public Process {};

TEST_F(ProgramsDemo, SaysOnceThatNothingCanBeComputed)
{
#if defined(__SANITIZE_ADDRESS__)
    GTEST_SKIP() << "the sanitizer must be loaded first";
#endif
    const Outcome outcome =
        run_program({"LD_PRELOAD=" FAILING_OPENCL, "FAILING_OPENCL_FUNCTION=clBuildProgram", "FAILING_OPENCL_CALL=all",
                     "FAILING_OPENCL_CODE=-11", "CLGEMM_CACHE_DIR=" + (folder / "no_programs_yet").string()},
                    program_named("clgemm-demo"), "2>&1");
    EXPECT_EQ(outcome.code, failure);
    // (A busy machine is warned of before.)
    EXPECT_EQ(occurrences(outcome.output, "clgemm-demo: ") - occurrences(outcome.output, "clgemm-demo: warning: "), 1u)
        << outcome.output;
    EXPECT_EQ(occurrences(outcome.output, "FAILED"), 0u) << outcome.output;
}

// It begins with small products. When the next table is under way, Ctrl-C spares the test the rest.
TEST_F(ProgramsDemo, ShowsOneCallForManyProductsNextToSingleCalls)
{
    if (!fs::exists("/usr/share/dict/american-english"))
        GTEST_SKIP() << "there is no list of words";
    const fs::path log = folder / "log", progress = folder / "progress";
    const pid_t process =
        start_program({}, program_named("clgemm-demo"), ">'" + log.string() + "' 2>'" + progress.string() + "'");
    for (int i = 0; i < 15000 && contents(progress).find("] plain loop") == std::string::npos; i++)
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    kill(process, SIGINT);
    EXPECT_EQ(code_within(process, 60), interrupted) << contents(progress);
    const std::string output = contents(log);
    EXPECT_NE(output.find("\n64 times 26 x 26, K = "), std::string::npos) << output;
    for (const std::string row : {"  64 single calls ", "  one call for all "}) {
        const std::size_t begin = output.find("\n" + row);
        ASSERT_NE(begin, std::string::npos) << output;
        const std::string line = output.substr(begin + 1, output.find('\n', begin + 1) - begin - 1);
        EXPECT_NE(line.find(" ms "), std::string::npos) << line;
        EXPECT_TRUE(line.ends_with('#')) << line;
        EXPECT_EQ(line.find("WRONG"), std::string::npos) << line;
    }
    EXPECT_NE(output.find("read off the first C, the middle one and the last: "), std::string::npos) << output;
    EXPECT_NE(output.find(", 0 wrong or failed; "), std::string::npos) << output;
}

class ProgramsInterrupted : public Process {};

// Ctrl-C in the middle: what was measured is printed, with the summary.
TEST_F(ProgramsInterrupted, KeepWhatTheyHave)
{
    struct Case {
        const char *program, *arguments, *summary;
    };
    for (const auto& [name, arguments, summary] :
         {Case{"sgemm_bench", "--shapes 64,65,66,67,68,69 --contenders clgemm,clgemm-host --budget 2", "geometric mean"},
          Case{"sgemm_bench", "--shapes 64,65,66,67,68,69 --contenders clgemm --budget 2 --json", "\"interrupted\": true"},
          Case{"kernels_bench", "--sizes 64,128 --budget 2", "| 01_naive"},
          Case{"accuracy_bench", "--k 65536 --size 256", "The largest mean"},
          Case{"selection_bench", "--calls 10000 --most-gflop 0.1", "| chosen / best "}}) {
        const fs::path log = folder / "log", progress = folder / "progress";
        fs::remove(progress); // the one before's
        const pid_t process = start_program(
            {}, program_named(name), std::string(arguments) + " >'" + log.string() + "' 2>'" + progress.string() + "'");
        for (int i = 0; i < 15000 && contents(progress).find("] 1 of ") == std::string::npos; i++)
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        kill(process, SIGINT);
        EXPECT_EQ(code_within(process, 300), interrupted) << contents(progress); // what it is at may have programs to build
        EXPECT_NE(contents(log).find(summary), std::string::npos) << name << ": " << contents(log);
    }
}

} // namespace
