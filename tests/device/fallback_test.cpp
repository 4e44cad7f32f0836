// When the way that was chosen turns out not to be had on the device, the library takes another one, unless the caller
// asked for that kernel.
#include "engine/device_state.hpp"
#include "support/case_on_device.hpp"
#include "support/error.hpp"
#include "support/one_pocl_worker.hpp"
#include "support/with_selection.hpp"

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

// It builds, but has nothing in it that could be retargeted, on no device.
constexpr std::string_view plain_text[] = {"kernel void multiply(global float* x) { x[0] = 1; }"};
constexpr std::string_view broken_text[] = {"kernel void multiply("};

void build(ProgramCache& programs, const KernelSource& source, const std::string& options, std::size_t retargeted_bytes)
{
    Step step;
    step.source = &source;
    step.options = options;
    step.retargeted_local_bytes = retargeted_bytes;
    const Step* const steps[] = {&step};
    programs.programs(steps);
}

std::string reason_why_unavailable(ProgramCache& programs, const KernelSource& source, const std::string& options)
{
    try {
        build(programs, source, options, 100'000);
    } catch (const Unavailable& reason) {
        EXPECT_EQ(reason.status(), CLGEMM_KERNEL_NOT_SUPPORTED);
        return reason.what();
    } catch (const Error& error) {
        return std::string("another error: ") + error.what();
    }
    return "nothing";
}

class Fallback : public testing::Test {
protected:
    ~Fallback() override { clgemm_teardown(context()); }

    // From now on the step's program cannot be had in this context.
    void make_unavailable(const Step& step)
    {
        EXPECT_NE(reason_why_unavailable(state->programs, {step.source->name, plain_text}, step.options), "nothing");
    }

    const cl::Device device = test_device().device;
    const cl::Context context{device}; // and so a program cache of its own
    const cl::CommandQueue queue{context, device};
    const std::shared_ptr<DeviceState> state = device_state(context(), device());
};

TEST_F(Fallback, AProgramThatCannotBeRetargetedIsUnavailableAndNotTriedAgain)
{
    const std::string first = reason_why_unavailable(state->programs, {"made_up", plain_text}, "-DX=1");
    EXPECT_NE(first.find("made_up"), std::string::npos) << first;
    EXPECT_EQ(reason_why_unavailable(state->programs, {"made_up", broken_text}, "-DX=1"), first) << "it was built again";
    // Others are not concerned.
    EXPECT_NE(reason_why_unavailable(state->programs, {"made_up", broken_text}, "-DX=2").find("does not build"),
              std::string::npos);
    EXPECT_NO_THROW(build(state->programs, {"made_up", plain_text}, "-DX=3", 0));
}

// Here by an option that no compiler knows; PoCL 1.3 builds nothing on CPUs that its LLVM does not know.
TEST_F(Fallback, ADriverThatBuildsNothingIsSaidToBeOneInOneLine)
{
    DeviceProfile profile = test_profile();
    profile.language = "nonsense";
    const DiskCache nowhere(std::nullopt);
    ProgramCache programs(context, device, profile, nowhere);
    try {
        build(programs, {"made_up", plain_text}, "", 0);
        FAIL() << "the compiler takes any option";
    } catch (const Error& error) {
        const std::string said = error.what();
        EXPECT_EQ(said.find("the OpenCL driver builds no program at all"), 0u) << said;
        EXPECT_NE(said.find(profile.platform_version), std::string::npos) << said;
        EXPECT_EQ(said.find('\n'), std::string::npos) << said;
    }
}

// Each in a context of its own, since what one problem falls back to may be what is chosen for the next.
class FallbackFor : public Fallback, public testing::WithParamInterface<SgemmCase> {};

TEST_P(FallbackFor, AProblemIsTakenByACallOfTheLibrarysChoiceAlone)
{
    const SgemmCase& x = GetParam();
    const CaseOnDevice on_device(x, context);
    const Problem problem = problem_of(x, on_device.before);
    const auto [chosen_selection, chosen, products] = state->planner->plan(problem, {});
    const auto [other_selection, other, other_products] = state->planner->plan(strictly(problem), {nullptr, 1});
    EXPECT_EQ(other.workspace_bytes, 0u);
    EXPECT_TRUE(is_strict(other_selection->variant.family()));
    const Step& unavailable = chosen.steps.front();
    make_unavailable(unavailable);

    EXPECT_EQ(on_device.call(queue, chosen_selection->variant.kernel->name.data()), CLGEMM_KERNEL_NOT_SUPPORTED);
    EXPECT_NE(std::string(clgemm_last_error()).find(unavailable.source->name), std::string::npos) << clgemm_last_error();
    EXPECT_TRUE(on_device.read(queue).c.same_bits(on_device.before.c));
    ASSERT_EQ(on_device.call(queue), CLGEMM_SUCCESS) << clgemm_last_error();
    EXPECT_TRUE(on_device.is_right(queue));
}

// Problems that are solved by various kernels, on some devices with temporaries. Where nothing without them is computed by
// another program, the last resort is taken.
INSTANTIATE_TEST_SUITE_P(
    Various, FallbackFor,
    testing::Values(
        SgemmCase{CLGEMM_COLUMN_MAJOR, CLGEMM_TRANS, CLGEMM_NO_TRANS, 1000, 1000, 500, -1.5f, 0.5f, {1, 2, 3}, {1, 0, 2}},
        SgemmCase{CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_TRANS, 400, 400, 400, 1, 0, {}, {}},
        SgemmCase{CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_TRANS, 64, 64, 4096, 1, 0, {}, {}}));

} // namespace
