// Products on host memory that a device computes in place fail after their first launch: the caller is told that C is lost.
#include "support/case_on_device.hpp"
#include "support/failing_opencl.hpp"
#include "support/with_selection.hpp"

#include "clgemm/clgemm.h"

#include <string>

using namespace clgemm::test;

namespace {

// By kernel 13, which writes a C that is not aligned by a launch for each 512 of k, where it has no workspace.
constexpr SgemmCase three_launches{
    CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 40, 30, 1100, 1, 0.5f, {0, 0, 1}, {}, CLGEMM_MATH_REPRODUCIBLE};

clgemm_status multiply(Operands& operands)
{
    const SgemmCase& x = three_launches;
    clgemm_options options = CLGEMM_OPTIONS_INIT;
    options.kernel = "13_warp_tiled";
    options.math = x.math;
    options.workspace_limit = 1;
    return clgemm_sgemm_host_ex(x.layout, x.trans_a, x.trans_b, x.m, x.n, x.k, x.alpha,
                                operands.a.elements.data() + operands.a.offset, operands.a.ld,
                                operands.b.elements.data() + operands.b.offset, operands.b.ld, x.beta,
                                operands.c.elements.data() + operands.c.offset, operands.c.ld, nullptr, &options);
}

} // namespace

TEST(InPlace, AFailureAfterTheFirstLaunchIsIncompleteAndBeforeItLeavesCAsItWas)
{
    const Operands before(three_launches);
    Operands operands(three_launches);
    const clgemm_status status = multiply(operands);
    if (status == CLGEMM_KERNEL_NOT_SUPPORTED || !test_profile().shares_host_memory)
        GTEST_SKIP() << "nothing is computed in place here by kernel 13";
    ASSERT_EQ(status, CLGEMM_SUCCESS) << clgemm_last_error();
    for (long nth = 1; nth <= 3; nth++) {
        Operands again(three_launches);
        fail_opencl({"clEnqueueNDRangeKernel", nth, nth, CL_OUT_OF_RESOURCES});
        const clgemm_status failed = multiply(again);
        ASSERT_EQ(stop_failing_opencl().caught, "clEnqueueNDRangeKernel") << "there is no launch " << nth;
        EXPECT_EQ(failed, nth == 1 ? CL_OUT_OF_RESOURCES : CLGEMM_INCOMPLETE)
            << "launch " << nth << ": " << clgemm_last_error();
        if (nth == 1) {
            EXPECT_TRUE(again.c.same_bits(before.c));
        } else {
            const std::string said = clgemm_last_error();
            EXPECT_EQ(said.find("C may have been computed in part when the device failed: "), 0u)
                << "it is not known how far the first launch came: " << said;
        }
    }
}
