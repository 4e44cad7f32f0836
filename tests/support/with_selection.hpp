// A call whose kernel, parameters and way the test decides.
#pragma once

#include "select/selection.hpp"
#include "support/runs.hpp"
#include "support/sgemm_case.hpp"

namespace clgemm::test {

// The test device as the library sees it.
const core::DeviceProfile& test_profile();

// The same as if it were of another type: plans differ in their helpers.
core::DeviceProfile test_profile_as(core::DeviceType type);

// The problem that a case poses.
core::Problem problem_of(const SgemmCase& x, const Operands& operands);

// A kernel of these parameters, as it is built on the test device, and a way.
core::Selection tested(const core::KernelInfo& kernel, const core::Parameters& parameters, const core::Way& way = {});

// The case for those who ask for what the kernel computes.
inline SgemmCase asked_of(const core::KernelInfo& kernel, SgemmCase x)
{
    x.math = usual_arithmetic(kernel).accuracy;
    return x;
}

// What of Way a kernel can do.
struct Abilities {
    bool splits_k = false, transposes = false, copies = false;
};
Abilities abilities_of(const core::KernelInfo& kernel);

// The way of a call from its plan on, with this selection, on the test device's in-order queue. The plan may be that of
// another device.
Multiply with_selection(const core::Selection& selection, const core::DeviceProfile& planned_for = test_profile());

} // namespace clgemm::test
