// Whole processes: the environment's variables, a machine without OpenCL, the disk cache between processes, and exit.
#include "run_process.hpp"

#include "support/case_on_device.hpp"
#include "support/driver_defects.hpp"

#include "engine/device_state.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <fstream>
#include <functional>
#include <map>
#include <sys/stat.h>
#include <thread>
#include <tuple>

using namespace clgemm::test;

namespace {

// The cache of such a device keeps how fast its memory is.
bool borrows_data()
{
    return clgemm::core::planner_for(test_device().device())->tuning().is_borrowed;
}

struct WrongVariable {
    const char* name;
    const char* value; // EMPTY_FOLDER: made by the test
    clgemm_status status;
    std::vector<std::string> said; // parts of the message
};

// What a caller without rights says must not decide what a program that has them reads, writes and computes by.
#ifndef __SANITIZE_ADDRESS__ // whose search for leaks needs rights over the process that it is in
TEST_F(Process, AsASetUidProgramGoesByNoVariable)
{
    const fs::path program = fs::read_symlink("/proc/self/exe").parent_path() / "sgemm_process", cache = folder / "cache";
    const Environment wrong{"CLGEMM_KERNEL=nonsense", "CLGEMM_TUNING=/no/such/file"},
        right{"CLGEMM_LOG=1", "CLGEMM_CACHE_DIR=" + cache.string()};
    EXPECT_EQ(run(wrong, "queries").code, 2);
    EXPECT_NE(run(right, "multiply").output, "");
    EXPECT_TRUE(fs::exists(cache));
    fs::remove_all(cache);

    const auto asked = run_set_uid(wrong, program, "queries 2>&1", folder);
    if (!asked)
        GTEST_SKIP() << "there can be no set-uid program here";
    EXPECT_EQ(asked->code, 0) << asked->output;
    EXPECT_EQ(occurrences(asked->output, "CLGEMM"), 0u) << asked->output;
    // (PoCL does not always let a set-uid program compile. The cache would be made before that.)
    const auto multiplied = run_set_uid(right, program, "multiply 2>&1", folder);
    EXPECT_EQ(occurrences(multiplied->output, "clgemm: "), 0u) << multiplied->output;
    EXPECT_FALSE(fs::exists(cache));
}
#endif

class WrongVariables : public Process, public testing::WithParamInterface<WrongVariable> {};

TEST_P(WrongVariables, AreErrorsThatNameThem)
{
    const WrongVariable& wrong = GetParam();
    fs::create_directory(folder / "EMPTY_FOLDER");
    const std::string value = wrong.value == std::string("EMPTY_FOLDER") ? folder / wrong.value : fs::path(wrong.value);

    const auto expect_error = [&](const Outcome& outcome, const std::string& function) {
        EXPECT_EQ(outcome.code, 2) << outcome.output;
        EXPECT_NE(outcome.output.find(function + ": " + std::to_string(wrong.status) + " "), std::string::npos)
            << outcome.output;
        for (const auto& part : wrong.said)
            EXPECT_NE(outcome.output.find(part), std::string::npos) << "nothing of '" << part << "' in: " << outcome.output;
    };
    const Environment environment{std::string(wrong.name) + "=" + value};
    const Outcome outcome = run(environment, "multiply");
    if (std::string(wrong.name) == "OCL_ICD_VENDORS" && outcome.code == 0)
        GTEST_SKIP() << "this ICD loader finds platforms elsewhere too";
    expect_error(outcome, "clgemm_sgemm_host_ex");
    for (const char* const function : {"clgemm_default_device", "clgemm_sgemm_workspace_size", "clgemm_explain"})
        expect_error(run(environment, "queries"), function);
}

INSTANTIATE_TEST_SUITE_P(
    Of, WrongVariables,
    testing::Values(
        WrongVariable{"OCL_ICD_VENDORS", "EMPTY_FOLDER", CLGEMM_NO_DEVICE, {"no OpenCL device", "pocl-opencl-icd"}},
        WrongVariable{"CLGEMM_DEVICE", "nonsense", CLGEMM_NO_DEVICE, {"CLGEMM_DEVICE", "'nonsense'", "there are: '"}},
        WrongVariable{"CLGEMM_DEVICES", "none", CLGEMM_INVALID_ENVIRONMENT, {"CLGEMM_DEVICES", "'none'", "'all'"}},
        WrongVariable{"CLGEMM_DEVICES", "0", CLGEMM_INVALID_ENVIRONMENT, {"CLGEMM_DEVICES", "'0'", "'all'"}},
        WrongVariable{"CLGEMM_AMX", "yes", CLGEMM_INVALID_ENVIRONMENT, {"CLGEMM_AMX", "'yes'", "'model'"}},
        WrongVariable{"CLGEMM_KERNEL", "nonsense", CLGEMM_INVALID_ENVIRONMENT, {"CLGEMM_KERNEL", "'nonsense'", "01_naive"}},
        WrongVariable{"CLGEMM_KERNEL", "0", CLGEMM_INVALID_ENVIRONMENT, {"CLGEMM_KERNEL", "'0'", "01_naive"}},
        WrongVariable{"CLGEMM_MATH", "nonsense", CLGEMM_INVALID_ENVIRONMENT, {"CLGEMM_MATH", "'nonsense'", "'strict'"}}),
    [](const auto& tested) { return std::string(tested.param.name) + "_" + std::to_string(tested.index); });

TEST_F(Process, AsksForMoreDevicesThanThereAreAndIsToldOnce)
{
    const Outcome many = run({"CLGEMM_DEVICES=1000"}, "threads"); // which calls several times
    EXPECT_EQ(many.code, 0) << many.output;
    EXPECT_EQ(occurrences(many.output,
                          "clgemm: warning: CLGEMM_DEVICES is 1000, but the default device's platform has no more "
                          "devices of its type than "),
              1u)
        << many.output;
    for (const char* all : {"CLGEMM_DEVICES=all", "CLGEMM_DEVICES=1"})
        EXPECT_EQ(run({all}, "multiply").output, "") << all;
}

// Results do not depend on the log, the cache and the tuning: the call is computed, and a warning says what is wrong, once.
TEST_F(Process, WithABrokenLogOrCacheOrTuningWarnsOnceAndMultiplies)
{
    const std::string file = folder / "file", too_long = "/tmp/" + std::string(5000, 'x'); // for a path
    std::ofstream(file) << "a file";
    const std::tuple<const char*, std::string, const char*> cases[] = {
        {"CLGEMM_LOG", "nonsense", "but must be '0' or '1'"},
        {"CLGEMM_CACHE_DIR", file, "which is no directory and cannot be made one (Not a directory)"},
        {"CLGEMM_CACHE_DIR", file + "/below", "which is no directory"},
        {"CLGEMM_CACHE_DIR", "/proc/no/such/folder", "which is no directory"},
        {"CLGEMM_CACHE_DIR", too_long, "which is no directory"},
        {"CLGEMM_TUNING", folder / "missing.json", "but must be a regular file that can be read"},
    };
    const bool queries_keep_files = borrows_data(); // else they keep nothing
    for (const auto& [name, value, said] : cases)
        for (const char* const command : {"multiply", "queries"}) {
            const Outcome outcome = run({std::string(name) + "=" + value}, command);
            EXPECT_EQ(outcome.code, 0) << outcome.output;
            const bool must_warn =
                command == std::string("multiply") || name != std::string("CLGEMM_CACHE_DIR") || queries_keep_files;
            const auto warnings =
                occurrences(outcome.output, "clgemm: warning: " + std::string(name) + " is '" + value + "', ");
            EXPECT_EQ(warnings, must_warn ? 1u : 0u) << outcome.output;
            EXPECT_EQ(occurrences(outcome.output, said), warnings) << outcome.output;
        }
}

// As PoCL does where it cannot write.
TEST_F(Process, OnAPlatformWithoutDevicesSaysSo)
{
    const Outcome outcome = run({"POCL_CACHE_DIR=/proc/no/such/folder", "HOME=/proc/no/such/folder"}, "multiply");
    if (outcome.code == 0)
        GTEST_SKIP() << "this driver has a device nevertheless";
    EXPECT_NE(outcome.output.find(std::to_string(CLGEMM_NO_DEVICE) + " no OpenCL device found: platform '"),
              std::string::npos)
        << outcome.output;
    EXPECT_NE(outcome.output.find("found, but without devices. "), std::string::npos) << outcome.output;
    EXPECT_NE(outcome.output.find("POCL_CACHE_DIR"), std::string::npos) << outcome.output;
}

TEST_F(Process, WithGoodOrEmptyVariablesIsSilentAndRight)
{
    for (const Environment& environment :
         {Environment{}, Environment{"CLGEMM_KERNEL=", "CLGEMM_MATH=", "CLGEMM_LOG="}, Environment{"CLGEMM_MATH=strict"},
          Environment{"CLGEMM_MATH=default", "CLGEMM_LOG=0"}}) {
        const Outcome outcome = run(environment, "multiply");
        EXPECT_EQ(outcome.code, 0);
        EXPECT_EQ(outcome.output, "");
    }
}

namespace {

// Kernels are in the order of the numbers that they have, or had before they were found by name alone. Later ones have none.
std::string number_or_name_of(const std::string& kernel)
{
    constexpr std::ptrdiff_t last_with_a_number = 20;
    const auto all = every_kernel();
    const auto found = std::find_if(all.begin(), all.end(), [&](const char* each) { return each == kernel; });
    const auto number = found - all.begin() + 1;
    return number <= last_with_a_number ? std::to_string(number) : kernel;
}

} // namespace

TEST_F(Process, UsesTheKernelThatTheEnvironmentNamesUnlessTheCallNamesOne)
{
    const auto kernels = kernels_here();
    for (std::size_t i = 0; i < kernels.size(); i++) {
        const std::string name = kernels[i], other = kernels[(i + 1) % kernels.size()];
        const Outcome by_number = run({"CLGEMM_LOG=1", "CLGEMM_KERNEL=" + number_or_name_of(name)}, "multiply");
        EXPECT_EQ(by_number.code, 0);
        EXPECT_EQ(occurrences(by_number.output, "because: "), 1u) << "one line for the call: " << by_number.output;
        EXPECT_EQ(occurrences(by_number.output, "clgemm: "), occurrences(by_number.output, "\n")) << by_number.output;
        EXPECT_NE(by_number.output.find(name), std::string::npos) << by_number.output;

        const Outcome overruled = run({"CLGEMM_LOG=1", "CLGEMM_KERNEL=" + name}, "multiply " + other);
        EXPECT_EQ(overruled.code, 0);
        EXPECT_NE(overruled.output.find(other), std::string::npos) << overruled.output;
        EXPECT_EQ(overruled.output.find(name), std::string::npos) << overruled.output;
    }
}

TEST_F(Process, TellsOfEachProgramWhatItTook)
{
    const auto built = [](const std::string& log) {
        return occurrences(log, " compiled in ") + occurrences(log, " loaded ");
    };
    for (const char* const kernel : {"CLGEMM_KERNEL=", "CLGEMM_KERNEL=10"}) {
        const Outcome outcome = run({"CLGEMM_LOG=1", kernel}, "warm_up");
        EXPECT_EQ(outcome.code, 0) << outcome.output;
        const std::size_t multiplies = outcome.output.find("multiply\n");
        ASSERT_NE(multiplies, std::string::npos) << outcome.output;
        const std::string before = outcome.output.substr(0, multiplies), then = outcome.output.substr(multiplies);
        EXPECT_GE(built(before), kernel == std::string("CLGEMM_KERNEL=10") ? 3u : 1u) << before;
        EXPECT_EQ(occurrences(before, " call is warmed up on "), 1u) << before;
        EXPECT_EQ(built(then), 0u) << then;
    }
}

TEST_F(Process, EndsWellWithoutTeardownAndWithCallsInStaticDestructors)
{
    if (!lives_until_the_process_ends())
        GTEST_SKIP() << "the driver ends before the process does";
    const Outcome outcome = run({}, "exit");
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ(outcome.output, "late destructor: right\nearly destructor: right\n");
}

// The disk cache, from process to process.
// PoCL's threads do not come along: a call in the child would wait for ever.
TEST_F(Process, ForkedAfterUseIsToldSoInTheChildAndGoesOnInTheParent)
{
    const Outcome outcome = run({}, "fork");
    EXPECT_EQ(outcome.code, 0) << outcome.output;
    for (const char* const function : {"clgemm_sgemm_host_ex", "clgemm_default_device", "clgemm_sgemm_workspace_size",
                                       "clgemm_explain", "clgemm_teardown"})
        EXPECT_NE(outcome.output.find(std::string(function) + ": " + std::to_string(CLGEMM_FORKED_CHILD) +
                                      " this process was forked"),
                  std::string::npos)
            << outcome.output;
}

// The lock of who is in the function came along, held; its holder did not.
TEST_F(Process, ForkedWhileAThreadLogsSetsTheLogInTheChildAtOnce)
{
    const Outcome outcome = run({}, "fork logging");
    EXPECT_EQ(outcome.code, 0) << outcome.output;
}

TEST_F(Process, ForkedBeforeUseWorksOnBothSides)
{
    const Outcome outcome = run({}, "fork first");
    EXPECT_EQ(outcome.code, 0) << outcome.output;
}

TEST_F(Process, OutlivesTheCancellationOfAThreadThatMultiplies)
{
    const Outcome outcome = run({}, "cancel");
    EXPECT_EQ(outcome.code, 0) << outcome.output;
}

TEST_F(Process, OutlivesAPreparedMatrixThatACancelledThreadReleases)
{
    const Outcome outcome = run({}, "cancel prepared");
    EXPECT_EQ(outcome.code, 0) << outcome.output;
}

class Cache : public Process {
protected:
    struct Entry {
        std::uintmax_t size;
        ino_t file; // another one once it was written anew
        bool operator==(const Entry&) const = default;
    };
    using Entries = std::map<fs::path, Entry>;

    Entries entries() const
    {
        Entries result;
        for (const auto& file : fs::recursive_directory_iterator(folder)) {
            struct stat about = {};
            if (file.is_regular_file() && stat(file.path().c_str(), &about) == 0)
                result[file.path()] = {file.file_size(), about.st_ino};
        }
        return result;
    }

    void expect_right() const
    {
        // Kernel 10 on a transposed matrix: four programs.
        const Outcome outcome = run({"CLGEMM_CACHE_DIR=" + folder.string()}, "multiply 10");
        EXPECT_EQ(outcome.code, 0);
        EXPECT_EQ(outcome.output, "");
    }

    void fill_or_skip()
    {
        expect_right();
        if (entries().empty())
            GTEST_SKIP() << "the driver gives no binaries";
    }
};

TEST_F(Cache, IsFilledByTheFirstProcessAndLeftAloneByTheSecond)
{
    fill_or_skip();
    const Entries before = entries();
    EXPECT_GE(before.size(), 3u);
    for (const auto& [path, entry] : before)
        EXPECT_EQ(path.extension(), ".program") << path;
    expect_right();
    EXPECT_EQ(entries(), before);
}

TEST_F(Cache, RebuildsDamagedEntriesSilently)
{
    fill_or_skip();
    std::map<fs::path, std::string> intact;
    for (const auto& [path, entry] : entries()) {
        std::ifstream file(path, std::ios::binary);
        intact[path].assign(std::istreambuf_iterator<char>(file), {});
    }
    using Damage = std::function<void(std::string&)>;
    const auto cut_to = [](double share) {
        return Damage(
            [share](std::string& text) { text.resize(static_cast<std::size_t>(static_cast<double>(text.size()) * share)); });
    };
    const auto flip_at = [](double share) {
        return Damage([share](std::string& text) {
            text[static_cast<std::size_t>(static_cast<double>(text.size() - 1) * share)] ^= 0x10;
        });
    };
    const auto flip_byte = [](std::size_t index) { return Damage([index](std::string& text) { text[index] ^= 0x10; }); };
    // A file: 8 bytes of magic, 8 of the key's length, the key, 8 of a checksum, the binary.
    const auto flip_after_key = [](std::size_t index) {
        return Damage([index](std::string& text) {
            std::uint64_t key_length = 0;
            text.copy(reinterpret_cast<char*>(&key_length), sizeof key_length, 8);
            text[16 + key_length + index] ^= 0x10;
        });
    };
    const std::pair<const char*, Damage> damages[] = {
        {"emptied", cut_to(0)},
        {"cut in its head", cut_to(0.001)},
        {"halved", cut_to(0.5)},
        {"its last byte lost", [](std::string& text) { text.pop_back(); }},
        {"a bit of the magic", flip_byte(0)},
        {"a bit of the key's length", flip_byte(8)},
        {"a high bit of the key's length", flip_byte(15)},
        {"a bit of the key", flip_byte(20)},
        {"a bit of the checksum", flip_after_key(0)},
        {"the binary's first bit", flip_after_key(8)},
        {"a bit in the middle", flip_at(0.5)},
        {"the last bit", flip_at(1)},
        {"another entry's contents",
         [&](std::string& text) {
             text = intact.begin()->second == text ? intact.rbegin()->second : intact.begin()->second;
         }},
    };
    for (const auto& [what, damage] : damages) {
        SCOPED_TRACE(what);
        for (const auto& [path, contents] : intact) {
            std::string damaged = contents;
            damage(damaged);
            ASSERT_NE(damaged, contents);
            std::ofstream(path, std::ios::binary) << damaged;
        }
        const Entries before = entries();
        expect_right();
        const Entries rebuilt = entries();
        ASSERT_EQ(rebuilt.size(), before.size());
        for (const auto& [path, entry] : before)
            EXPECT_NE(rebuilt.at(path), entry) << path << " was not rebuilt";
    }
    const Entries rebuilt = entries();
    expect_right();
    EXPECT_EQ(entries(), rebuilt) << "what was rebuilt is not good";
}

TEST_F(Cache, IsFilledByManyProcessesAtOnce)
{
    {
        std::vector<std::jthread> processes;
        for (int i = 0; i < 8; i++)
            processes.emplace_back([this] { expect_right(); });
    }
    for (const auto& [path, entry] : entries())
        EXPECT_EQ(path.extension(), ".program") << "left behind: " << path;
    const Entries before = entries();
    expect_right();
    EXPECT_EQ(entries(), before);
}

TEST_F(Cache, HoldsNothingBadAfterWritersWereKilled)
{
    const std::string program = fs::read_symlink("/proc/self/exe").parent_path() / "sgemm_process";
    for (int i = 0; i < 16; i++) {
        const pid_t process = start_program({"CLGEMM_CACHE_DIR=" + folder.string()}, program, "multiply 10 >/dev/null 2>&1");
        std::this_thread::sleep_for(std::chrono::milliseconds(25 * i));
        kill(process, SIGKILL);
        code_within(process, 10);
        if (i % 4 == 3)
            fs::remove_all(folder); // so that there is something to write
    }
    expect_right();
    expect_right();
}

TEST_F(Cache, ThatOthersCanWriteIsNotUsedWhichIsSaidOnce)
{
    fs::permissions(folder, fs::perms::others_write, fs::perm_options::add);
    const Outcome outcome = run({"CLGEMM_CACHE_DIR=" + folder.string()}, "multiply 10");
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ(outcome.output,
              "clgemm: warning: compiled kernels are not kept in " + folder.string() + ", which other users can write to\n");
    EXPECT_TRUE(entries().empty());
}

TEST_F(Cache, IsDoneWithoutWhereTheDriverDoesNotGiveProgramsAway)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "the sanitizer must be loaded first";
#endif
    // Queries build no program.
    const std::string here = "CLGEMM_CACHE_DIR=" + folder.string();
    EXPECT_EQ(run({here}, "queries").code, 0);
    const Entries before = entries();
    EXPECT_EQ(before.size(), borrows_data() ? 1u : 0u);
    const Outcome outcome =
        run({here, "LD_PRELOAD=" FAILING_OPENCL, "FAILING_OPENCL_FUNCTION=clGetProgramInfo", "FAILING_OPENCL_CALL=1"},
            "multiply 1");
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ(outcome.output, "");
    EXPECT_EQ(entries(), before) << "a program was kept";
    expect_right();
}

// The driver's own cache is told apart, so that only clgemm's depends on HOME.
TEST_F(Cache, LiesInTheUsersCacheFolderOrNowhere)
{
    const std::string drivers_own = "POCL_CACHE_DIR=" + (folder / "driver").string();
    const auto multiplies = [&](Environment environment) {
        environment.push_back(drivers_own);
        environment.push_back("CLGEMM_CACHE_DIR");
        const Outcome outcome = run(environment, "multiply 1"); // one program: the driver's cache is cold, too
        EXPECT_EQ(outcome.output, "");
        return outcome.code == 0;
    };
    const std::string home = folder / "home", xdg = folder / "xdg";
    EXPECT_TRUE(multiplies({"XDG_CACHE_HOME=" + xdg, "HOME=" + home}));
    const bool has_binaries = fs::exists(xdg + "/clgemm");
    EXPECT_FALSE(fs::exists(home + "/.cache/clgemm"));
    EXPECT_TRUE(multiplies({"XDG_CACHE_HOME", "HOME=" + home}));
    EXPECT_EQ(fs::exists(home + "/.cache/clgemm"), has_binaries);
    EXPECT_TRUE(multiplies({"XDG_CACHE_HOME", "HOME"}));
    EXPECT_TRUE(multiplies({"XDG_CACHE_HOME", "HOME=/proc/no/such/folder"}));
}

} // namespace
