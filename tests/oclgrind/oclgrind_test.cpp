// Under Oclgrind, which interprets each work-item, no kernel and no helper reads or writes beyond a buffer or local memory,
// reads what nobody wrote, or races for it. (Kernels of inline PTX do not run there.)
#include "process/run_process.hpp"

using namespace clgemm::test;

namespace {

class Oclgrind : public Process {
protected:
    void SetUp() override
    {
        Process::SetUp();
        if (*CLGEMM_OCLGRIND == '\0')
            GTEST_SKIP() << "oclgrind is not installed";
    }

    // kernels_process, which lies beside this program. Oclgrind's own compiler gets these options, too; it does not
    // optimise, since its search for uninitialised values does not know all instructions that optimised programs have.
    Outcome run_watched(const std::string& what, const std::string& options, const std::string& arguments) const
    {
        const fs::path program = fs::read_symlink("/proc/self/exe").parent_path() / "kernels_process";
        return run_program({"CLGEMM_CACHE_DIR=" + (folder / "cache").string(), "CLGEMM_DEVICE"}, CLGEMM_OCLGRIND,
                           what + " --log '" + reports.string() + "' --build-options '-cl-opt-disable " + options + "' '" +
                               program.string() + "' " + arguments + " 2>&1");
    }

    void expect_nothing_to_report(const std::string& arguments) const
    {
        const Outcome outcome = run_watched("--data-races --uninitialized", "", arguments);
        EXPECT_EQ(outcome.code, 0) << outcome.output;
        EXPECT_EQ(contents(reports).substr(0, 5000), "");
        std::printf("%s", outcome.output.c_str());
    }

    const fs::path reports = folder / "reports";
};

TEST_F(Oclgrind, HasNothingToReportOfAnyKernelOrHelper)
{
    expect_nothing_to_report("");
}

TEST_F(Oclgrind, HasNothingToReportOfOtherSizes)
{
    expect_nothing_to_report("sizes");
}

// So that the test above means something.
TEST_F(Oclgrind, ReportsKernelsWithoutTheirBarriers)
{
    for (const char* const kernel : {"02_tiled", "13_warp_tiled"}) {
        fs::remove(reports);
        run_watched("--data-races", "-Dbarrier(flags)=", kernel);
        EXPECT_NE(contents(reports).find("data race"), std::string::npos) << kernel;
    }
}

} // namespace
