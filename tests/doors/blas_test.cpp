// libclgemm_blas.so under programs of our own: every argument, every error, every failure of OpenCL, and for how long.
#include "process/run_process.hpp"

#include <dlfcn.h>
#include <sstream>

using namespace clgemm::test;

namespace {

const std::string always = "CLGEMM_OFFLOAD=always";
const std::string with_log = "CLGEMM_LOG=1";

class BlasDoor : public Process {
protected:
    // Runs the program that has a BLAS behind the door, the one that has none, or the one whose libclgemm fails.
    static Outcome with_next(const Environment& environment, const std::string& arguments)
    {
        return run_program(environment, BLAS_PROCESS, arguments + " 2>&1");
    }
    static Outcome alone(const Environment& environment, const std::string& arguments)
    {
        return run_program(environment, BLAS_PROCESS_ALONE, arguments + " 2>&1");
    }
    static Outcome failing(const Environment& environment, const std::string& arguments)
    {
        return run_program(environment, BLAS_PROCESS_FAILING, arguments + " 2>&1");
    }

    // An OpenCL without any device.
    std::string no_devices() const { return "OCL_ICD_VENDORS=" + folder.string(); }
};

testing::AssertionResult says(const Outcome& outcome, const std::string& part, std::size_t times = 1)
{
    const std::size_t count = occurrences(outcome.output, part);
    if (count == times)
        return testing::AssertionSuccess();
    return testing::AssertionFailure() << "'" << part << "' comes " << count << " times, not " << times << ", in:\n"
                                       << outcome.output;
}

testing::AssertionResult is_right(const Outcome& outcome)
{
    if (outcome.code == 0)
        return testing::AssertionSuccess();
    return testing::AssertionFailure() << "ended with " << outcome.code << ":\n" << outcome.output;
}

// Each list: names of one routine.
TEST_F(BlasDoor, HasEveryNameThatLibrariesHaveForARoutine)
{
    void* const door = dlopen(DOOR, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(door, nullptr) << dlerror();
    for (const std::vector<const char*>& names : std::vector<std::vector<const char*>>{
             {"cblas_sgemm", "scipy_cblas_sgemm"},
             {"cblas_sgemm64_", "cblas_sgemm_64", "scipy_cblas_sgemm64_"},
             {"sgemm_", "scipy_sgemm_"},
             {"sgemm_64_", "sgemm_64", "scipy_sgemm_64_"},
             {"cblas_sgemm_batch", "scipy_cblas_sgemm_batch"},
             {"cblas_sgemm_batch64_", "cblas_sgemm_batch_64", "scipy_cblas_sgemm_batch64_"},
             {"cblas_sgemm_batch_strided", "scipy_cblas_sgemm_batch_strided"},
             {"cblas_sgemm_batch_strided64_", "cblas_sgemm_batch_strided_64", "scipy_cblas_sgemm_batch_strided64_"},
         })
        for (const char* const name : names) {
            EXPECT_NE(dlsym(door, name), nullptr) << name;
            EXPECT_EQ(dlsym(door, name), dlsym(door, names.front())) << name;
        }
    EXPECT_EQ(dlsym(door, "dgemm_"), nullptr);
    dlclose(door);
}

TEST_F(BlasDoor, IsRightForAllArgumentsByOpenCL)
{
    const Outcome outcome = alone({always}, "combinations");
    EXPECT_TRUE(is_right(outcome));
    EXPECT_EQ(outcome.output, "");
}

TEST_F(BlasDoor, IsRightForAllArgumentsByTheNextBlas)
{
    const Outcome outcome = with_next({}, "combinations");
    EXPECT_TRUE(is_right(outcome));
    EXPECT_TRUE(says(outcome, "next BLAS: 0 calls", 0));
}

TEST_F(BlasDoor, IsRightForAllArgumentsByThePlainLoop)
{
    const Outcome outcome = alone({}, "combinations");
    EXPECT_TRUE(is_right(outcome));
    EXPECT_TRUE(says(outcome, "no BLAS comes after clgemm's"));
}

// The numbers are those of the reference BLAS and CBLAS: where several are wrong, row-major calls are looked at as calls
// for the transposed product.
TEST_F(BlasDoor, TellsWhichArgumentIsWrongAsTheReferenceDoes)
{
    std::ostringstream expected;
    for (const std::string width : {"", "64"}) {
        const auto lines = [&](const std::string& form, std::initializer_list<std::pair<const char*, int>> numbers) {
            for (const auto& [what, number] : numbers)
                expected << form << " " << what << ": " << number << " by its own handler\n";
        };
        const std::string cblas = "cblas" + width, fortran = "fortran" + width;
        lines(cblas + " rows", {{"layout", 1},
                                {"trans_a", 2},
                                {"trans_b", 3},
                                {"m", 4},
                                {"n", 5},
                                {"k", 6},
                                {"lda", 9},
                                {"ldb", 11},
                                {"ldc", 14},
                                {"lda=0", 9},
                                {"trans_a,trans_b", 2},
                                {"m,n", 5},
                                {"lda,ldb", 11}});
        lines(cblas + " columns", {{"layout", 1},
                                   {"trans_a", 2},
                                   {"trans_b", 3},
                                   {"m", 4},
                                   {"n", 5},
                                   {"k", 6},
                                   {"lda", 9},
                                   {"ldb", 11},
                                   {"ldc", 14},
                                   {"lda=0", 9},
                                   {"trans_a,trans_b", 2},
                                   {"m,n", 4},
                                   {"lda,ldb", 9}});
    }
    for (const std::string form : {"fortran", "fortran64"})
        for (const auto& [what, number] : {std::pair{"trans_a", 1},
                                           {"trans_b", 2},
                                           {"m", 3},
                                           {"n", 4},
                                           {"k", 5},
                                           {"lda", 8},
                                           {"ldb", 10},
                                           {"ldc", 13},
                                           {"lda=0", 8},
                                           {"trans_a,trans_b", 1},
                                           {"m,n", 3},
                                           {"lda,ldb", 8}})
            expected << form << " columns " << what << ": " << number << " by its own handler\n";
    for (const std::string& environment : {std::string("CLGEMM_OFFLOAD=auto"), always}) {
        const Outcome outcome = alone({environment}, "errors");
        EXPECT_TRUE(is_right(outcome));
        EXPECT_EQ(outcome.output, expected.str());
    }
}

TEST_F(BlasDoor, LeavesWrongArgumentsToTheNextBlas)
{
    const Outcome outcome = with_next({always}, "errors");
    EXPECT_TRUE(is_right(outcome));
    EXPECT_TRUE(says(outcome, ": 0 by nobody handler", 76));
    EXPECT_TRUE(says(outcome, "next BLAS: 76 calls, 0 batches"));
}

TEST_F(BlasDoor, SendsProductsThroughOpenCLAsTheEnvironmentSays)
{
    struct Row {
        Environment environment;
        std::string product;
        std::string by; // what the log says
    };
    const Row rows[] = {
        {{}, "100 100 100", "by the CPU (small)"},
        {{"CLGEMM_OFFLOAD="}, "100 100 100", "by the CPU (small)"},
        {{"CLGEMM_OFFLOAD=auto"}, "220 220 220", "by the CPU (not enough work yet to start OpenCL)"},
        {{"CLGEMM_OFFLOAD=never"}, "300 300 300", "by the CPU (CLGEMM_OFFLOAD is never)"},
        {{"CLGEMM_OFFLOAD=sometimes"}, "300 300 300", "by the CPU (a CLGEMM_ variable means nothing)"},
        {{always}, "3 4 5", "by OpenCL (CLGEMM_OFFLOAD is always)"},
        {{"CLGEMM_OFFLOAD_MIN_FLOPS=2e3"}, "10 10 10", "by OpenCL (CLGEMM_OFFLOAD_MIN_FLOPS is reached)"},
        {{"CLGEMM_OFFLOAD_MIN_FLOPS=2001"}, "10 10 10", "by the CPU (CLGEMM_OFFLOAD_MIN_FLOPS is not reached)"},
        {{"CLGEMM_OFFLOAD=never", "CLGEMM_OFFLOAD_MIN_FLOPS=1"}, "10 10 10", "by the CPU (CLGEMM_OFFLOAD is never)"},
    };
    for (Row row : rows) {
        row.environment.push_back(with_log);
        const Outcome outcome = with_next(row.environment, "products 1 " + row.product);
        EXPECT_TRUE(is_right(outcome));
        EXPECT_TRUE(says(outcome, row.by));
    }
}

TEST_F(BlasDoor, StartsOpenCLWhenTheCpuHasWorkedLongEnough)
{
    // The next BLAS of the tests is so slow that this takes a few products, and any device is faster.
    const Outcome outcome = with_next({with_log}, "products 40 300 300 300");
    EXPECT_TRUE(is_right(outcome));
    EXPECT_NE(outcome.output.find("by OpenCL (faster by estimate: OpenCL "), std::string::npos) << outcome.output;
}

TEST_F(BlasDoor, TellsOfWrongVariablesOnceAndUsesTheCpu)
{
    const std::pair<std::string, std::string> rows[] = {
        {"CLGEMM_OFFLOAD=sometimes", "CLGEMM_OFFLOAD is 'sometimes'"},
        {"CLGEMM_OFFLOAD=1", "CLGEMM_OFFLOAD is '1'"},
        {"CLGEMM_OFFLOAD_MIN_FLOPS=many", "CLGEMM_OFFLOAD_MIN_FLOPS is 'many'"},
        {"CLGEMM_OFFLOAD_MIN_FLOPS=-1", "CLGEMM_OFFLOAD_MIN_FLOPS is '-1'"},
        {"CLGEMM_OFFLOAD_MIN_FLOPS=1e9x", "CLGEMM_OFFLOAD_MIN_FLOPS is '1e9x'"},
        {"CLGEMM_OFFLOAD_MIN_FLOPS=nan", "CLGEMM_OFFLOAD_MIN_FLOPS is 'nan'"},
    };
    for (const auto& [variable, message] : rows) {
        const Outcome outcome = with_next({always, variable}, "products 3 30 30 30");
        EXPECT_TRUE(is_right(outcome));
        EXPECT_TRUE(says(outcome, message));
        EXPECT_TRUE(says(outcome, "clgemm: "));
        EXPECT_TRUE(says(outcome, "next BLAS: 3 calls"));
    }
}

// No result depends on the log.
TEST_F(BlasDoor, TellsOfAWrongLogAndComputesAsItWould)
{
    const std::string message = "CLGEMM_LOG is 'yes', but must be '0' or '1'; nothing is logged\n";
    const Outcome by_opencl = with_next({always, "CLGEMM_LOG=yes"}, "products 3 30 30 30");
    EXPECT_TRUE(is_right(by_opencl));
    EXPECT_TRUE(says(by_opencl, message, 2)) << "the door's and the library's";
    EXPECT_TRUE(says(by_opencl, "next BLAS: 0 calls"));
    const Outcome by_cpu = with_next({"CLGEMM_OFFLOAD=never", "CLGEMM_LOG=yes"}, "products 3 30 30 30");
    EXPECT_TRUE(is_right(by_cpu));
    EXPECT_TRUE(says(by_cpu, message));
}

TEST_F(BlasDoor, UsesTheBlasThatTheEnvironmentNames)
{
    const Outcome named = alone({"CLGEMM_CPU_BLAS=" NEXT_BLAS}, "products 5 30 30 30");
    EXPECT_TRUE(is_right(named));
    EXPECT_TRUE(says(named, "next BLAS: 5 calls"));
    EXPECT_TRUE(says(named, "clgemm: ", 0));

    const Outcome from_here = alone({"CLGEMM_CPU_BLAS=./" + fs::relative(NEXT_BLAS).string()}, "moved");
    EXPECT_TRUE(is_right(from_here));
    EXPECT_TRUE(says(from_here, "next BLAS: 1 calls"));

    const Outcome missing = with_next({"CLGEMM_CPU_BLAS=/no/such/blas.so"}, "products 5 30 30 30");
    EXPECT_TRUE(is_right(missing));
    EXPECT_TRUE(says(missing, "CLGEMM_CPU_BLAS is '/no/such/blas.so', which cannot be loaded"));
    EXPECT_TRUE(says(missing, "next BLAS: 5 calls"));

    const Outcome other = with_next({"CLGEMM_CPU_BLAS=libm.so.6"}, "products 5 30 30 30");
    EXPECT_TRUE(is_right(other));
    EXPECT_TRUE(says(other, "clgemm: CLGEMM_CPU_BLAS is 'libm.so.6', which has no SGEMM; the next BLAS in line is used\n"));
    EXPECT_TRUE(says(other, "next BLAS: 5 calls"));

    // The door itself is not what comes after the door.
    const Outcome itself = with_next({"CLGEMM_CPU_BLAS=" DOOR}, "products 5 30 30 30");
    EXPECT_TRUE(is_right(itself));
    EXPECT_TRUE(says(itself, "CLGEMM_CPU_BLAS is '" DOOR "', which is a part of clgemm; the next BLAS in line is used\n"));
    EXPECT_TRUE(says(itself, "next BLAS: 5 calls"));

    // Nor is a copy of it.
    fs::copy_file(DOOR, folder / "copy.so");
    const std::string copy = "LD_PRELOAD=" + (folder / "copy.so").string();
    const std::string libclgemm = "LD_LIBRARY_PATH=" + fs::path(LIBCLGEMM).parent_path().string();
    const std::string in_any_order = "ASAN_OPTIONS=verify_asan_link_order=0";
    const Outcome copied = alone({copy, libclgemm, in_any_order}, "products 5 30 30 30");
    EXPECT_TRUE(is_right(copied));
    EXPECT_TRUE(says(copied, "no BLAS comes after clgemm's"));
}

TEST_F(BlasDoor, KeepsTheBlasThatTheProgramCloses)
{
    const Outcome outcome = alone({}, "closed " NEXT_BLAS);
    EXPECT_TRUE(is_right(outcome));
    EXPECT_TRUE(says(outcome, "next BLAS: 2 calls"));
}

#ifndef __SANITIZE_ADDRESS__ // whose search for leaks needs rights over the process that it is in
TEST_F(BlasDoor, GoesByNoVariableInASetUidProgram)
{
    const Environment environment{with_log, "CLGEMM_OFFLOAD=sometimes", "CLGEMM_CPU_BLAS=" NEXT_BLAS};
    const std::string arguments = "products 5 30 30 30 2>&1";
    EXPECT_TRUE(says(run_program(environment, BLAS_PROCESS_ALONE, arguments), "next BLAS: 5 calls"));
    const auto outcome = run_set_uid(environment, BLAS_PROCESS_ALONE, arguments, folder);
    if (!outcome)
        GTEST_SKIP() << "there can be no set-uid program here";
    EXPECT_TRUE(is_right(*outcome));
    EXPECT_TRUE(says(*outcome, "next BLAS", 0));
    EXPECT_TRUE(says(*outcome, "clgemm: ", 1));
    EXPECT_TRUE(says(*outcome, "no BLAS comes after clgemm's"));
}
#endif

TEST_F(BlasDoor, TouchesNoOpenCLForSmallProducts)
{
    const Outcome outcome = with_next({no_devices()}, "products 20 200 200 200");
    EXPECT_TRUE(is_right(outcome));
    EXPECT_EQ(outcome.output, "next BLAS: 20 calls, 0 batches\n");
}

TEST_F(BlasDoor, IsRightWithoutAnyDeviceAndSaysSoOnce)
{
    for (const std::string& environment : {no_devices(), std::string("CLGEMM_DEVICE=no such device")}) {
        const Outcome outcome = with_next({always, environment}, "products 5 30 30 30");
        EXPECT_TRUE(is_right(outcome));
        if (occurrences(outcome.output, "next BLAS: 0 calls") > 0 && environment == no_devices())
            GTEST_SKIP() << "this ICD loader finds platforms elsewhere too";
        EXPECT_TRUE(says(outcome, "clgemm: OpenCL cannot multiply, so that the CPU does: "));
        EXPECT_TRUE(says(outcome, "clgemm: "));
        EXPECT_TRUE(says(outcome, "next BLAS: 5 calls"));
    }
    const Outcome plain = alone({always, "CLGEMM_DEVICE=no such device"}, "combinations");
    EXPECT_TRUE(is_right(plain));
}

TEST_F(BlasDoor, IsRightWhereEveryCallFailsAndStopsTrying)
{
    struct Row {
        int status;
        int tries; // of ten
    };
    const Row rows[] = {{-5, 3},  {-11, 3}, {-36, 3},  {-9999, 3},  {-3092, 1}, {-3091, 1},
                        {-4, 10}, {-6, 10}, {-61, 10}, {-3024, 10}, {-3033, 10}};
    for (const auto& [status, tries] : rows) {
        const Environment environment{always, "FAILING_STATUS=" + std::to_string(status)};
        const Outcome outcome = failing(environment, "products 10 30 30 30");
        EXPECT_TRUE(is_right(outcome));
        EXPECT_TRUE(says(outcome, "clgemm: OpenCL cannot multiply, so that the CPU does: it was told to fail"));
        EXPECT_TRUE(says(outcome, "next BLAS: 10 calls"));
        EXPECT_TRUE(says(outcome, "failing clgemm: " + std::to_string(tries) + " calls")) << status;
    }
}

TEST_F(BlasDoor, IsRightWhereMeasuringFails)
{
    const Environment environment{"FAILING_STATUS=-5"};
    const Outcome outcome = failing(environment, "products 40 300 300 300");
    EXPECT_TRUE(is_right(outcome));
    EXPECT_TRUE(says(outcome, "clgemm: OpenCL cannot multiply"));
    EXPECT_TRUE(says(outcome, "failing clgemm: 3 calls"));
}

TEST_F(BlasDoor, IsRightInThreads)
{
    EXPECT_TRUE(is_right(alone({always}, "threads")));
    EXPECT_TRUE(is_right(with_next({"CLGEMM_OFFLOAD_MIN_FLOPS=2e5"}, "threads")));
}

TEST_F(BlasDoor, IsNoCancellationPoint)
{
    const Outcome outcome = with_next({always, with_log}, "cancelled");
    EXPECT_TRUE(is_right(outcome));
    EXPECT_TRUE(says(outcome, "by OpenCL"));
}

TEST_F(BlasDoor, UsesTheCpuInAForkedChild)
{
    const Outcome outcome = with_next({always, with_log}, "fork");
    EXPECT_TRUE(is_right(outcome));
    EXPECT_TRUE(says(outcome, "by OpenCL (CLGEMM_OFFLOAD is always)", 2));
    EXPECT_TRUE(says(outcome, "by the CPU (a child after fork() uses the CPU)", 2));
}

TEST_F(BlasDoor, SendsBatchesWhereTheyBelong)
{
    const Outcome small = with_next({with_log}, "batch 0");
    EXPECT_TRUE(is_right(small));
    EXPECT_TRUE(says(small, "by the CPU", 2 * 3)) << "whoever goes through the batch";
    EXPECT_TRUE(says(small, "next BLAS: 3 calls, 1 batches")); // no batches with 64 bits, so that each product is a call

    const Outcome mixed = with_next({"CLGEMM_OFFLOAD_MIN_FLOPS=1e4", with_log}, "batch 1000");
    EXPECT_TRUE(is_right(mixed));
    EXPECT_TRUE(says(mixed, "1005 x 3 x 4 by OpenCL", 2));
    EXPECT_TRUE(says(mixed, "next BLAS: 4 calls, 0 batches"));

    const Outcome without_next = alone({}, "batch 0 wrong");
    EXPECT_TRUE(is_right(without_next));
    EXPECT_TRUE(says(without_next, "parameter 9\nparameter 16\n", 2));
}

// Of each width of integers and each layout seven batches of seven products. By strides two go at once; the one whose C is
// read and the one that lies backwards go product by product. Of the three lists two go at once.
TEST_F(BlasDoor, ComputesStridedBatchesAtOnceWhereItCan)
{
    const Outcome by_opencl = with_next({always, with_log}, "strided");
    EXPECT_TRUE(is_right(by_opencl));
    EXPECT_TRUE(says(by_opencl, ", 7 products by OpenCL", 2 * 2 * 4));
    EXPECT_TRUE(says(by_opencl, "6 x 6 x 6 by OpenCL", 2 * 2 * 3 * 7));
    EXPECT_TRUE(says(by_opencl, "next BLAS: 0 calls, 0 batches"));

    const Outcome by_next = with_next({with_log}, "strided");
    EXPECT_TRUE(is_right(by_next));
    EXPECT_TRUE(says(by_next, ", 7 products by the CPU", 2 * 2 * 4));
    EXPECT_TRUE(says(by_next, "6 x 6 x 6 by the CPU", 2 * 2 * 3 * 7));
    EXPECT_TRUE(says(by_next, "next BLAS: 98 calls, 14 batches")) << "batches are there with 32 bits alone";

    const Outcome failing_opencl = failing({always, "FAILING_STATUS=-5"}, "strided");
    EXPECT_TRUE(is_right(failing_opencl));

    const Outcome without_next = alone({}, "strided wrong");
    EXPECT_TRUE(is_right(without_next));
    for (const int each_time : {1, 4, 9, 12, 16, 18})
        EXPECT_TRUE(says(without_next, "parameter " + std::to_string(each_time) + "\n",
                         each_time == 9 || each_time == 12 || each_time == 16 ? 4 : 2));
}

// What the address sanitizer keeps of freed memory would look like a leak.
#ifndef __SANITIZE_ADDRESS__
TEST_F(BlasDoor, KeepsNothingOfAMillionSmallCalls)
{
    const Outcome outcome = with_next({}, "flat 1000000 4");
    EXPECT_TRUE(is_right(outcome));
    EXPECT_LT(std::stol(outcome.output), 256) << outcome.output;
}

TEST_F(BlasDoor, KeepsNothingOfTenThousandCallsByOpenCL)
{
    const Outcome outcome = with_next({always}, "flat 10000 16");
    EXPECT_TRUE(is_right(outcome));
    EXPECT_TRUE(says(outcome, "next BLAS: 0 calls"));
    EXPECT_LT(std::stol(outcome.output), 1024) << outcome.output;
}
#endif

} // namespace
