// Where a door looks for the real library, by a program that calls a routine of clBLAS's that clgemm does not have.
#include "process/run_process.hpp"

using namespace clgemm::test;

namespace {

// Run where no library lies: a door that is not installed may have the process's own folder among those that it looks
// through.
class NextLibrary : public Process {
protected:
    void SetUp() override
    {
        Process::SetUp();
        fs::current_path(folder);
    }
    void TearDown() override
    {
        fs::current_path(before_);
        Process::TearDown();
    }

private:
    const fs::path before_ = fs::current_path();
};

Outcome call(const Environment& environment)
{
    return run_program(environment, CLBLAS_PROCESS, "2>&1");
}

TEST_F(NextLibrary, IsTheOneThatTheVariableNames)
{
    const Outcome outcome = call({"CLGEMM_REAL_CLBLAS=" FAKE_CLBLAS});
    EXPECT_EQ(outcome.output, "42\n");
    EXPECT_EQ(outcome.code, 0);
}

TEST_F(NextLibrary, StaysWhereTheProgramClosesIt)
{
    const Outcome outcome = run_program({}, CLBLAS_PROCESS, FAKE_CLBLAS " 2>&1");
    EXPECT_EQ(outcome.output, "42\n42\n");
    EXPECT_EQ(outcome.code, 0);
}

TEST_F(NextLibrary, IsMissingForTheReasonThatIsSaid)
{
    const std::string routine = "clgemm: clblasAddScratchImage is not a routine of clgemm's own, and ", result = "0\n";
    struct Row {
        const char* variable;
        std::string reason;
    };
    const Row rows[] = {
        {"CLGEMM_REAL_CLBLAS", "no libclBLAS.so.2 was found to take it from: CLGEMM_REAL_CLBLAS can name its file"},
        {"CLGEMM_REAL_CLBLAS=/no/such/file.so",
         "CLGEMM_REAL_CLBLAS is '/no/such/file.so', which cannot be loaded: "
         "/no/such/file.so: cannot open shared object file: No such file or directory"},
        {"CLGEMM_REAL_CLBLAS=libm.so.6", "CLGEMM_REAL_CLBLAS is 'libm.so.6', which has none either"},
        {"CLGEMM_REAL_CLBLAS=" DOOR, "CLGEMM_REAL_CLBLAS is '" DOOR "', which is a part of clgemm"},
    };
    for (const auto& row : rows)
        EXPECT_EQ(call({row.variable}).output, routine + row.reason + "\n" + result);
}

#ifndef __SANITIZE_ADDRESS__ // whose search for leaks needs rights over the process that it is in
TEST_F(NextLibrary, IsNoneThatTheCallerOfASetUidProgramNames)
{
    const auto outcome = run_set_uid({"CLGEMM_REAL_CLBLAS=" FAKE_CLBLAS}, CLBLAS_PROCESS, "2>&1", folder);
    if (!outcome)
        GTEST_SKIP() << "there can be no set-uid program here";
    EXPECT_NE(outcome->output.find("no libclBLAS.so.2 was found"), std::string::npos) << outcome->output;
}
#endif

} // namespace
