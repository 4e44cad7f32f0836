// libclgemm_blas.so under ScaLAPACK: one product by four processes, each of which multiplies its blocks through OpenCL.
#include "process/run_process.hpp"

using namespace clgemm::test;

namespace {

class ScaLAPACK : public Process {};

TEST_F(ScaLAPACK, MultipliesOnFourProcesses)
{
#ifdef PSGEMM
    // The two variables allow root to run it, as in containers.
    const Environment environment{"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"};
    const Outcome outcome =
        run_program(environment, MPIRUN,
                    "-n 4 --oversubscribe -x LD_PRELOAD=" DOOR " -x CLGEMM_OFFLOAD=always -x CLGEMM_LOG=1 " PSGEMM " 2>&1");
    EXPECT_EQ(outcome.code, 0) << outcome.output;
    EXPECT_GE(occurrences(outcome.output, " by OpenCL (CLGEMM_OFFLOAD is always)"), 4u) << outcome.output;
    EXPECT_EQ(occurrences(outcome.output, " by the CPU"), 0u) << outcome.output;
#else
    GTEST_SKIP() << "there is no MPI, or no ScaLAPACK";
#endif
}

} // namespace
