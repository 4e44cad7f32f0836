// clgemm-selftest as users start it.
#include "run_process.hpp"

#include "clgemm/clgemm.h"
#include "clgemm/clgemm.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <set>

using namespace clgemm::test;

namespace {

class SelfTest : public Process {
protected:
    Outcome test(const Environment& environment, const std::string& arguments) const
    {
        return run_program(environment, CLGEMM_SELFTEST, arguments + " --output '" + report.string() + "' 2>&1");
    }
    nlohmann::json reported() const { return nlohmann::json::parse(contents(report)); }

    const fs::path report = folder / "report.json";
};

TEST_F(SelfTest, SaysOfEachKernelWhetherItIsRightOrCannotRun)
{
    const Outcome outcome = test({}, "--seconds 16 --seed 3");
    EXPECT_EQ(outcome.code, 0) << outcome.output;
    EXPECT_NE(outcome.output.find(" products, 0 wrong, in "), std::string::npos) << outcome.output;
    const auto found = reported();
    EXPECT_TRUE(found.at("right"));
    EXPECT_FALSE(found.at("interrupted"));
    EXPECT_TRUE(found.contains("choices"));
    EXPECT_EQ(found.at("random").at("seed"), 3);
    EXPECT_GT(found.at("random").at("products"), 0);
    std::set<std::string> names;
    for (const auto& [name, findings] : found.at("kernels").items()) {
        names.insert(name);
        EXPECT_TRUE(findings.at("wrong").empty()) << name;
        EXPECT_EQ(findings.at("products") == 0 && findings.at("complete"), findings.contains("not_run")) << name;
        EXPECT_LE(findings.at("of_the_bound"), 1) << name;
    }
    const auto all = clgemm::kernel_names();
    EXPECT_EQ(names, std::set<std::string>(all.begin(), all.end()));
}

TEST_F(SelfTest, JudgesChoices)
{
    Outcome outcome{};
    for (const char* const seconds : {"20", "60", "180"}) { // where others use the machine, too, nothing is judged so soon
        outcome = test({}, std::string("--seconds ") + seconds + " --seed 2");
        ASSERT_EQ(outcome.code, 0) << outcome.output;
        if (reported().at("choices").contains("chosen_by_best"))
            break;
    }
    EXPECT_NE(outcome.output.find("| chosen / best "), std::string::npos) << outcome.output;
    const auto choices = reported().at("choices");
    EXPECT_EQ(choices.at("seed"), 2);
    const auto& shares = choices.at("chosen_by_best");
    EXPECT_EQ(shares.at("calls"), choices.at("calls").size());
    EXPECT_LE(shares.at("least"), shares.at("fifth_percentile"));
    EXPECT_LE(shares.at("mean"), 1);
    EXPECT_GT(shares.at("least"), 0);
    EXPECT_LE(choices.at("worst").size(), 10u);
    for (const auto& call : choices.at("worst")) {
        EXPECT_LT(call.at("share"), 1);
        EXPECT_LT(call.at("best").at("us"), call.at("chosen").at("us"));
        EXPECT_NE(call.at("best").at("what"), call.at("chosen").at("what"));
    }
}

// What it checks must not be the copy of the library that it has for judging choices.
TEST_F(SelfTest, ChecksTheLibraryThatIsInstalled)
{
    const Outcome symbols = run_program({}, "nm", "-D '" CLGEMM_SELFTEST "'");
    if (symbols.output.find("clgemm_") == std::string::npos)
        GTEST_SKIP() << "the library is linked statically";
    EXPECT_NE(symbols.output.find(" U clgemm_sgemm_ex"), std::string::npos) << symbols.output;
    EXPECT_EQ(symbols.output.find(" T clgemm_"), std::string::npos) << symbols.output;
}

// So that the first test means something.
TEST_F(SelfTest, TellsOfACallThatFails)
{
#if defined(__SANITIZE_ADDRESS__)
    GTEST_SKIP() << "the sanitizer must be loaded first";
#endif
    std::ofstream(report) << std::string(100'000, ' ') << "of an older report";
    // CLGEMM_AMX=0 keeps the library from asking for tiles. That takes a launch, too, whose failure it survives; and the
    // second launch must be one that multiplies.
    const Outcome outcome =
        test({"CLGEMM_AMX=0", "LD_PRELOAD=" FAILING_OPENCL, "FAILING_OPENCL_FUNCTION=clEnqueueNDRangeKernel",
              "FAILING_OPENCL_CALL=2", "FAILING_OPENCL_CODE=-36"},
             "--seconds 4");
    EXPECT_EQ(outcome.code, 1) << outcome.output;
    EXPECT_NE(outcome.output.find("WRONG: "), std::string::npos) << outcome.output;
    EXPECT_NE(outcome.output.find(" products, 1 wrong, in "), std::string::npos) << outcome.output;
    EXPECT_FALSE(reported().at("right"));
}

TEST_F(SelfTest, TellsOfAResultThatCannotBeRead)
{
#if defined(__SANITIZE_ADDRESS__)
    GTEST_SKIP() << "the sanitizer must be loaded first";
#endif
    const Outcome outcome = test({"LD_PRELOAD=" FAILING_OPENCL, "FAILING_OPENCL_FUNCTION=clEnqueueReadBuffer",
                                  "FAILING_OPENCL_CALL=30", "FAILING_OPENCL_CODE=-36"},
                                 "--seconds 4");
    EXPECT_EQ(outcome.code, 1) << outcome.output;
    EXPECT_NE(outcome.output.find(" products, 1 wrong, in "), std::string::npos) << outcome.output;
    EXPECT_FALSE(reported().at("right"));
}

TEST_F(SelfTest, SaysInOneLineThatNothingCanBeComputed)
{
#if defined(__SANITIZE_ADDRESS__)
    GTEST_SKIP() << "the sanitizer must be loaded first";
#endif
    std::ofstream(report) << "an older report";
    const Outcome outcome =
        test({"LD_PRELOAD=" FAILING_OPENCL, "FAILING_OPENCL_FUNCTION=clBuildProgram", "FAILING_OPENCL_CALL=all",
              "FAILING_OPENCL_CODE=-11", "CLGEMM_CACHE_DIR=" + (folder / "no_programs_yet").string()},
             "--seconds 4");
    EXPECT_EQ(outcome.code, 1) << outcome.output;
    EXPECT_EQ(contents(report), "an older report") << "it goes when there is another one";
    EXPECT_NE(outcome.output.find("\nclgemm-selftest: "), std::string::npos) << outcome.output;
    EXPECT_EQ(std::count(outcome.output.begin(), outcome.output.end(), '\n'), 2) << outcome.output;
}

// What the program prints is no file of its own, even where it is redirected to one.
TEST_F(SelfTest, ReportsBehindWhatItPrints)
{
    const Outcome outcome =
        run_program({}, CLGEMM_SELFTEST, "--seconds 2 --output /dev/stdout >'" + report.string() + "' 2>&1");
    EXPECT_EQ(outcome.code, 0) << contents(report);
    EXPECT_NE(contents(report).find("\"right\": true"), std::string::npos) << contents(report);
}

TEST_F(SelfTest, ReportsOnADeviceWhoseNameIsNoUtf8)
{
#if defined(__SANITIZE_ADDRESS__)
    GTEST_SKIP() << "the sanitizer must be loaded first";
#endif
    const Outcome outcome = test({"LD_PRELOAD=" SMALL_DEVICE, "SMALL_DEVICE_ODD_NAME=1"}, "--seconds 2");
    EXPECT_EQ(outcome.code, 0) << outcome.output;
    EXPECT_EQ(reported().at("device").at("name").get<std::string>().find("\xEF\xBF\xBD"), 0u);
}

TEST_F(SelfTest, LeavesNoFileWhereThereIsNoDevice)
{
    const Outcome outcome = test({"OCL_ICD_VENDORS=/proc/no/such/folder"}, "--seconds 2");
    if (outcome.code == 0)
        GTEST_SKIP() << "this ICD loader finds platforms elsewhere too";
    EXPECT_EQ(outcome.code, 3) << outcome.output;
    EXPECT_FALSE(fs::exists(report));
}

TEST_F(SelfTest, AFileThatCannotBeWrittenIsNamedBeforeAnythingIsTested)
{
    const Outcome outcome = run_program({}, CLGEMM_SELFTEST, "--output /proc/no/such/file 2>&1");
    EXPECT_EQ(outcome.code, 1);
    EXPECT_EQ(outcome.output, "clgemm-selftest: cannot write to /proc/no/such/file\n");
}

} // namespace
