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

// One call after the other, with two devices where the driver is PoCL's.
TEST(Info, OneDeviceThatCannotBeAskedHidesNoOther)
{
#if defined(__SANITIZE_ADDRESS__)
    GTEST_SKIP() << "the sanitizer must be loaded first";
#endif
    const std::string two_devices = "POCL_DEVICES=basic pthread";
    const std::string line_of_each = "\n    compute units"; // elsewhere the text may tell of another device's
    if (occurrences(run_program({two_devices}, info, "").output, line_of_each) < 2)
        GTEST_SKIP() << "there is one device only";
    bool told = false;
    for (int call = 1; !told; call += 3) {
        ASSERT_LT(call, 200) << "no failure was told of";
        const Outcome outcome =
            run_program({two_devices, "LD_PRELOAD=" FAILING_OPENCL, "FAILING_OPENCL_FUNCTION=clGetDeviceInfo",
                         "FAILING_OPENCL_CALL=" + std::to_string(call)},
                        info, "2>&1");
        EXPECT_EQ(outcome.code, 0) << outcome.output;
        told = outcome.output.find("a device that cannot be asked: clGetDeviceInfo") != std::string::npos;
        EXPECT_EQ(occurrences(outcome.output, line_of_each), told ? 1u : 2u) << outcome.output;
    }
}

// Another driver's device may have the name of one that was measured, and less than that one has.
TEST(Info, TellsWhatOfTheTuningIsLeftOutOnASmallerDevice)
{
#if defined(__SANITIZE_ADDRESS__)
    GTEST_SKIP() << "the sanitizer must be loaded first";
#endif
    if (run_program({}, info, "").output.find("tuning          measured") == std::string::npos)
        GTEST_SKIP() << "the library has no data of this device";
    EXPECT_EQ(run_program({}, info, "").output.find("left out"), std::string::npos);
    std::size_t left_out = 0;
    for (const auto* bytes : {"65536", "16384", "1"}) {
        const Environment small{"LD_PRELOAD=" SMALL_DEVICE, std::string("SMALL_DEVICE_LOCAL_MEMORY=") + bytes};
        const Outcome told = run_program(small, info, "2>&1");
        EXPECT_EQ(told.code, 0) << told.output;
        left_out += occurrences(told.output, "    left out        ");
        EXPECT_EQ(occurrences(told.output, "left out"), occurrences(told.output, "bytes of local memory, of which") > 0)
            << told.output;
        EXPECT_EQ(run_program(small, info, "--json").output.find("\"left_out\": \"") != std::string::npos,
                  told.output.find("left out") != std::string::npos);
        const Outcome multiplied = run(small, "multiply");
        EXPECT_EQ(multiplied.code, 0) << multiplied.output;
        EXPECT_EQ(multiplied.output, "");
    }
    EXPECT_GT(left_out, 0u) << "nothing that was measured takes local memory?";
}

TEST(Info, WritesJsonOfADeviceWhoseNameIsNoUtf8)
{
#if defined(__SANITIZE_ADDRESS__)
    GTEST_SKIP() << "the sanitizer must be loaded first";
#endif
    for (const auto* arguments : {"--json", "--json --size 5 6 7"}) {
        const Outcome told =
            run_program({"LD_PRELOAD=" SMALL_DEVICE, "SMALL_DEVICE_ODD_NAME=1"}, info, arguments + std::string(" 2>&1"));
        EXPECT_EQ(told.code, 0) << told.output;
        EXPECT_NE(told.output.find("\"\xEF\xBF\xBD"), std::string::npos) << told.output;
    }
}

TEST(Info, AdvisesAffinityWherePoCLHasNone)
{
    if (run_program({}, info, "").output.find("Portable Computing Language") == std::string::npos)
        GTEST_SKIP() << "PoCL is not there";
    EXPECT_NE(run_program({"POCL_AFFINITY"}, info, "").output.find("set POCL_AFFINITY=1"), std::string::npos);
    EXPECT_EQ(run_program({"POCL_AFFINITY=1"}, info, "").output.find("advice"), std::string::npos);
}

} // namespace
