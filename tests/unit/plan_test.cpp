// Plan: helper steps where a kernel needs them and nowhere else, geometry that covers everything, workspace without overlap.
#include "made_up.hpp"

#include "plan/plan.hpp"
#include "support/error.hpp"

#include <gtest/gtest.h>

#include <algorithm>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

Plan plan_of(const Problem& problem, const char* kernel)
{
    const DeviceProfile device = large_gpu();
    return plan_multiply(problem, device, select(problem, device, Tuning{}, find_kernel(kernel)));
}

std::vector<std::string> purposes(const Plan& plan)
{
    std::vector<std::string> result;
    for (const auto& step : plan.steps)
        result.push_back(step.purpose);
    return result;
}

using Purposes = std::vector<std::string>;

std::uint64_t number(const Step& step, std::size_t index)
{
    return std::get<std::uint64_t>(step.arguments[index]);
}

Memory memory(const Step& step, std::size_t index)
{
    return std::get<Memory>(step.arguments[index]);
}

// The multiply step's arguments, by position.
enum MultiplyArgument {
    arg_m,
    arg_n,
    arg_k,
    arg_alpha,
    arg_a,
    arg_offset_a,
    arg_lda,
    arg_b,
    arg_offset_b,
    arg_ldb,
    arg_beta,
    arg_c
};

} // namespace

TEST(Plan, WhatAKernelTakesCostsNoStep)
{
    EXPECT_EQ(purposes(plan_of(problem(100, 101, 103, CLGEMM_TRANS, CLGEMM_TRANS), "01_naive")), Purposes{"multiply"});
    EXPECT_EQ(purposes(plan_of(problem(128, 256, 64), "02_tiled")), Purposes{"multiply"});
    EXPECT_EQ(purposes(plan_of(problem(256, 512, 64, CLGEMM_NO_TRANS, CLGEMM_TRANS), "09_prefetch")), Purposes{"multiply"});
    EXPECT_EQ(purposes(plan_of(problem(256, 512, 64, CLGEMM_TRANS, CLGEMM_NO_TRANS), "11_vector_dot")),
              Purposes{"multiply"});
    EXPECT_EQ(plan_of(problem(128, 256, 64), "02_tiled").workspace_bytes, 0u);
}

TEST(Plan, OnlyTheOperandThatDoesNotFitIsCopied)
{
    EXPECT_EQ(purposes(plan_of(problem(256, 512, 64), "09_prefetch")), (Purposes{"transpose B", "multiply"}));
    EXPECT_EQ(purposes(plan_of(problem(256, 512, 64, CLGEMM_TRANS, CLGEMM_TRANS), "09_prefetch")),
              (Purposes{"transpose A", "multiply"}));
    // M is incomplete: A and C are affected, B is not, and kernel 9 stores incomplete tiles of C itself.
    EXPECT_EQ(purposes(plan_of(problem(257, 512, 64, CLGEMM_NO_TRANS, CLGEMM_TRANS), "09_prefetch")),
              (Purposes{"pad A", "multiply"}));
    EXPECT_EQ(purposes(plan_of(problem(257, 512, 64, CLGEMM_NO_TRANS, CLGEMM_TRANS), "10_incomplete_tiles")),
              (Purposes{"pad A", "multiply", "unpad C"}));
}

TEST(Plan, PaddingAndTransposingAreOneStep)
{
    EXPECT_EQ(purposes(plan_of(problem(100, 101, 103, CLGEMM_TRANS), "10_incomplete_tiles")),
              (Purposes{"transpose A", "transpose B", "multiply", "unpad C"}));
}

TEST(Plan, UnalignedOperandsOfVectorKernelsAreCopied)
{
    Arguments x = arguments(256, 512, 64, CLGEMM_NO_TRANS, CLGEMM_TRANS);
    x.offset_a = 2;
    EXPECT_EQ(purposes(plan_of(make_problem(x), "07_wide_loads")), (Purposes{"pad A", "multiply"}));
    EXPECT_EQ(purposes(plan_of(make_problem(x), "06_register_blocking")), Purposes{"multiply"}) << "loads single floats";
    x.offset_a = 4;
    EXPECT_EQ(purposes(plan_of(make_problem(x), "07_wide_loads")), Purposes{"multiply"});
    x.ldb = 513;
    EXPECT_EQ(purposes(plan_of(make_problem(x), "07_wide_loads")), (Purposes{"pad B", "multiply"}));
}

TEST(Plan, Kernel13IsToldWhichOperandsAreAligned)
{
    const auto options = [](const Arguments& x) { return plan_of(make_problem(x), "13_warp_tiled").steps.at(0).options; };
    Arguments x = arguments(101, 104, 52, CLGEMM_NO_TRANS, CLGEMM_TRANS);
    EXPECT_NE(options(x).find("-DTRANS_A=0 -DTRANS_B=1 -DWIDE_A=0 -DWIDE_B=1"), std::string::npos) << options(x);
    x.lda = 104;
    x.offset_b = 1;
    EXPECT_NE(options(x).find("-DTRANS_A=0 -DTRANS_B=1 -DWIDE_A=0 -DWIDE_B=0"), std::string::npos)
        << "101 rows are no whole vectors: " << options(x);
    x.m = 100;
    EXPECT_NE(options(x).find("-DTRANS_A=0 -DTRANS_B=1 -DWIDE_A=1 -DWIDE_B=0"), std::string::npos) << options(x);
    x = arguments(104, 104, 104, CLGEMM_TRANS, CLGEMM_NO_TRANS);
    EXPECT_NE(options(x).find("-DTRANS_A=1 -DTRANS_B=0 -DWIDE_A=0 -DWIDE_B=0"), std::string::npos) << "memory runs along K";
}

TEST(Plan, OnlyTheLastStepWritesC)
{
    for (const auto& kernel : kernels())
        for (const auto m : {64, 100})
            for (const auto trans : {CLGEMM_NO_TRANS, CLGEMM_TRANS}) {
                const Plan plan = plan_of(problem(static_cast<std::size_t>(m), 99, 77, trans, trans), kernel.name.data());
                for (std::size_t i = 0; i < plan.steps.size(); i++) {
                    const auto& arguments = plan.steps[i].arguments;
                    const bool has_c = std::count(arguments.begin(), arguments.end(), StepArgument(Memory::c)) > 0;
                    EXPECT_EQ(has_c, i + 1 == plan.steps.size()) << kernel.name << ", " << plan.steps[i].purpose;
                }
            }
}

TEST(Plan, BetaIsAppliedOnce)
{
    Arguments x = arguments(100, 100, 100);
    x.beta = 0.5f;
    const Plan whole = plan_of(make_problem(x), "09_prefetch");
    EXPECT_EQ(std::get<float>(whole.steps.back().arguments[arg_beta]), 0.5f);
    const Plan padded = plan_of(make_problem(x), "10_incomplete_tiles");
    const auto& multiply = padded.steps[padded.steps.size() - 2];
    EXPECT_EQ(multiply.purpose, "multiply");
    EXPECT_EQ(std::get<float>(multiply.arguments[arg_beta]), 0.0f) << "the padded C is not initialised";
    EXPECT_EQ(std::get<float>(padded.steps.back().arguments[5]), 0.5f);
}

TEST(Plan, LaunchesCoverTheWholeProblem)
{
    for (const auto& kernel : kernels()) {
        const Problem p = problem(1000, 333, 77);
        const DeviceProfile device = large_gpu();
        const Selection selection = select(p, device, Tuning{}, &kernel);
        const Plan plan = plan_multiply(p, device, selection);
        for (const auto& step : plan.steps) {
            EXPECT_GT(step.groups[0] * step.groups[1], 0u);
            EXPECT_LE(step.group_size[0] * step.group_size[1], device.max_work_group_size);
            if (step.purpose == "multiply" && kernel.scheme == Scheme::tiles) {
                EXPECT_GE(step.groups[0] * selection.tiling.m, p.m);
                EXPECT_LT((step.groups[0] - 1) * selection.tiling.m, p.m);
                EXPECT_GE(step.groups[1] * selection.tiling.n, p.n);
                EXPECT_LT((step.groups[1] - 1) * selection.tiling.n, p.n);
            }
        }
    }
}

TEST(Plan, WorkspaceMatricesDoNotOverlap)
{
    const Plan plan = plan_of(problem(100, 200, 300, CLGEMM_TRANS), "10_incomplete_tiles");
    ASSERT_EQ(plan.steps.size(), 4u);
    const Step& multiply = plan.steps[2];
    EXPECT_EQ(memory(multiply, arg_a), Memory::workspace);
    EXPECT_EQ(memory(multiply, arg_b), Memory::workspace);
    EXPECT_EQ(memory(multiply, arg_c), Memory::workspace);
    struct Range {
        std::uint64_t begin, end;
    };
    const Range a{number(multiply, arg_offset_a),
                  number(multiply, arg_offset_a) + number(multiply, arg_lda) * number(multiply, arg_k)};
    const Range b{number(multiply, arg_offset_b),
                  number(multiply, arg_offset_b) + number(multiply, arg_ldb) * number(multiply, arg_k)};
    const std::uint64_t offset_c = number(multiply, arg_c + 1), ldc = number(multiply, arg_c + 2);
    const Range c{offset_c, offset_c + ldc * number(multiply, arg_n)};
    EXPECT_LE(a.end, b.begin);
    EXPECT_LE(b.end, c.begin);
    EXPECT_LE(c.end * sizeof(float), plan.workspace_bytes);
    EXPECT_LT(plan.workspace_bytes, c.end * sizeof(float) + 256) << "no more than the last matrix's alignment is wasted";
}

TEST(Plan, ScalingIsOneStepWithoutWorkspace)
{
    const Plan plan = plan_scale(problem(100, 200, 0), large_gpu());
    EXPECT_EQ(purposes(plan), Purposes{"scale C"});
    EXPECT_EQ(plan.workspace_bytes, 0u);
}

TEST(Plan, HelpersFitATinyDevice)
{
    const DeviceProfile device = tiny_gpu();
    const Problem p = problem(100, 200, 300, CLGEMM_TRANS);
    const Plan plan = plan_multiply(p, device, select(p, device, Tuning{}, find_kernel("02_tiled")));
    for (const auto& step : plan.steps)
        EXPECT_EQ(step.group_size[0] * step.group_size[1], 1u) << step.purpose;
}

TEST(Plan, WorkspaceTooLargeToCountIsAnAllocationFailure)
{
    // A is one column of 2^60 elements: whole tiles of it would be 2^60 x 16.
    const Problem p = problem(std::size_t{1} << 60, 1, 1);
    try {
        plan_of(p, "09_prefetch");
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.status(), CL_MEM_OBJECT_ALLOCATION_FAILURE);
    }
}
