// libclgemm_blas.so under other people's programs: NumPy and its tests, Octave, Fortran. What is not installed is skipped.
#include "process/run_process.hpp"

using namespace clgemm::test;

namespace {

class BlasPrograms : public Process {
protected:
    // OpenBLAS's idle threads would take PoCL's processors.
    const Environment preloaded{"LD_PRELOAD=" DOOR, "OPENBLAS_THREAD_TIMEOUT=20"};

    static Environment with(Environment environment, std::initializer_list<std::string> more)
    {
        environment.insert(environment.end(), more);
        return environment;
    }
};

// The system's Python: another one may have a NumPy without a BLAS of its own.
const std::string python = "/usr/bin/python3";

bool python_has(const std::string& module)
{
    return run_program({}, python, "-c 'import " + module + "' 2>&1").code == 0;
}

class BlasUnderNumPy : public BlasPrograms {
protected:
    void SetUp() override
    {
        BlasPrograms::SetUp();
        if (!python_has("numpy"))
            GTEST_SKIP() << "there is no python3-numpy";
    }
};

const std::string products = SCRIPTS "/blas_numpy.py ";

TEST_F(BlasUnderNumPy, IsRightByOpenCL)
{
    const Outcome outcome =
        run_program(with(preloaded, {"CLGEMM_OFFLOAD=always", "CLGEMM_LOG=1"}), python, products + "60 2>&1");
    EXPECT_EQ(outcome.code, 0) << outcome.output;
    EXPECT_GT(occurrences(outcome.output, " by OpenCL (CLGEMM_OFFLOAD is always)"), 30u);
    EXPECT_EQ(occurrences(outcome.output, " by the CPU"), 0u);
}

TEST_F(BlasUnderNumPy, NeverTouchesOpenCLForSmallProducts)
{
    const Environment no_devices = with(preloaded, {"OCL_ICD_VENDORS=" + folder.string(), "CLGEMM_LOG=1"});
    const Outcome outcome = run_program(no_devices, python, products + "60 2>&1");
    EXPECT_EQ(outcome.code, 0) << outcome.output;
    EXPECT_GT(occurrences(outcome.output, " by the CPU (small)"), 30u);
    EXPECT_EQ(occurrences(outcome.output, "clgemm: "), occurrences(outcome.output, " by the CPU (small)")) << outcome.output;
}

TEST_F(BlasUnderNumPy, PassesItsOwnTests)
{
    if (!python_has("pytest"))
        GTEST_SKIP() << "there is no python3-pytest";
    // --noconftest: NumPy's settings for its tests need one package more.
    const Outcome outcome =
        run_program(with(preloaded, {"CLGEMM_OFFLOAD=always"}), python,
                    "-m pytest -q --noconftest -p no:cacheprovider -W ignore -m 'not slow' --pyargs numpy.linalg "
                    "numpy.core.tests.test_multiarray -k 'linalg or MatMul or Matmul' 2>&1");
    EXPECT_EQ(outcome.code, 0) << outcome.output;
}

TEST_F(BlasPrograms, IsRightUnderOctave)
{
    if (run_program({}, "octave-cli", "--version 2>&1").code != 0)
        GTEST_SKIP() << "there is no octave";
    const Outcome outcome = run_program(with(preloaded, {"CLGEMM_OFFLOAD=always", "CLGEMM_LOG=1"}), "octave-cli",
                                        "--norc --no-history " SCRIPTS "/blas_octave.m 2>&1");
    EXPECT_EQ(outcome.code, 0) << outcome.output;
    EXPECT_EQ(occurrences(outcome.output, " by OpenCL (CLGEMM_OFFLOAD is always)"), 1u) << outcome.output;
}

TEST_F(BlasPrograms, IsRightUnderFortran)
{
#ifdef BLAS_FORTRAN
    for (const std::string offload : {"never", "always"}) {
        const Outcome outcome = run_program({"CLGEMM_OFFLOAD=" + offload, "CLGEMM_LOG=1"}, BLAS_FORTRAN, "2>&1");
        EXPECT_EQ(outcome.code, 0) << outcome.output;
        EXPECT_EQ(occurrences(outcome.output, " (CLGEMM_OFFLOAD is " + offload + ")"), 1u) << outcome.output;
    }
#else
    GTEST_SKIP() << "there is no Fortran compiler";
#endif
}

} // namespace
