// The kernels for CPUs: sizes for every width of vectors, blocks that cover C, and plans whose parts of K are added once.
#include "made_up.hpp"

#include "plan/plan.hpp"
#include "select/cpu_blocks.hpp"
#include "support/arithmetic.hpp"
#include "tuning/derived_tuning.hpp"

#include <gtest/gtest.h>

#include <algorithm>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

std::vector<const KernelInfo*> kernels_for_cpus()
{
    std::vector<const KernelInfo*> result;
    for (const auto& kernel : kernels())
        if (is_for_cpus(kernel.scheme))
            result.push_back(&kernel);
    return result;
}

Plan plan_of(const Problem& problem, const char* kernel, const Way& way = {})
{
    const DeviceProfile cpu = made_up_cpu();
    Selection selection = selection_of(*find_kernel(kernel), find_kernel(kernel)->variants.front(), cpu, "tested");
    selection.way = way;
    return plan_multiply(problem, cpu, selection);
}

std::uint64_t number(const StepArgument& argument)
{
    return std::get<std::uint64_t>(argument);
}

} // namespace

TEST(CpuKernels, ComeInAValidSizeForVectorsOfEveryWidth)
{
    ASSERT_EQ(kernels_for_cpus().size(), 3u);
    for (const auto* kernel : kernels_for_cpus()) {
        for (const auto& variant : kernel->variants)
            EXPECT_TRUE(is_valid(*kernel, variant)) << kernel->name << " " << variant.text();
        for (const std::size_t width : {1, 2, 4, 8, 16, 32}) {
            DeviceProfile cpu = made_up_cpu();
            cpu.vector_width = width;
            EXPECT_TRUE(std::any_of(kernel->variants.begin(), kernel->variants.end(),
                                    [&](const Parameters& variant) {
                                        return suits(*kernel, variant, cpu) && fits(kernel->tiling(variant), cpu);
                                    }))
                << kernel->name << ", " << width;
            EXPECT_EQ(select(problem(100, 100, 100), cpu, Tuning{}, {kernel}).parameters["WIDTH"],
                      width >= 16 ? 16u : std::max<std::size_t>(width, 4));
        }
    }
}

TEST(CpuKernels, ParametersThatTheSourceForbidsAreNotValid)
{
    const auto with = [](const char* kernel, const std::string& name, std::size_t value) {
        Parameters changed;
        for (const auto& [its, old] : find_kernel(kernel)->variants.front().values())
            changed.add(its, its == name ? value : old);
        return is_valid(*find_kernel(kernel), changed);
    };
    EXPECT_TRUE(with("16", "WPTM", 32));
    EXPECT_FALSE(with("16", "WPTM", 40)) << "no whole vectors";
    EXPECT_FALSE(with("16", "WPTN", 6));
    EXPECT_FALSE(with("16", "WPTN", 16)) << "more registers than there are";
    EXPECT_FALSE(with("16", "TSK", 100));
    EXPECT_FALSE(with("16", "WIDTH", 32));
    EXPECT_FALSE(with("17", "TSM", 200));
    EXPECT_FALSE(with("18", "ROWS", 64)) << "more sums than any CPU has registers";
    EXPECT_FALSE(with("18", "TSM", 0));
}

TEST(CpuKernels, BlocksAreWholeTilesOfAllSizesWithoutOneTooMany)
{
    const std::size_t sizes[] = {1, 7, 16, 17, 48, 100, 1000, 1001, 5000, std::size_t{1} << 28};
    for (const auto* kernel : kernels_for_cpus())
        for (const auto& variant : kernel->variants)
            for (const std::size_t units : {1, 2, 7, 64})
                for (const auto m : sizes)
                    for (const auto n : sizes) {
                        const CpuBlocks blocks = cpu_blocks(*kernel, variant, problem(m, n, 1000), 3, units);
                        SCOPED_TRACE(std::string(kernel->name) + " " + variant.text() + ", " + std::to_string(m) + " x " +
                                     std::to_string(n));
                        ASSERT_GT(blocks.m, 0u);
                        ASSERT_GT(blocks.n, 0u);
                        ASSERT_GT(blocks.tiles_per_unit, 0);
                        EXPECT_EQ(blocks.m % variant["WIDTH"], 0u);
                        EXPECT_EQ(blocks.n % kernel->tiling(variant).n, 0u);
                        EXPECT_LE(divide_up(1000, blocks.k), 3u);
                        if (kernel->scheme == Scheme::cpu_packed) {
                            EXPECT_EQ(blocks.m % variant["WPTM"], 0u);
                        }
                        if (kernel->scheme == Scheme::cpu_vector) {
                            EXPECT_LE(blocks.m, variant["TSM"]);
                        }
                        if (kernel->scheme == Scheme::cpu_fused && blocks.m > variant["WPTM"]) {
                            EXPECT_EQ(blocks.m % variant["WPTM"], 0u);
                        }
                    }
}

TEST(CpuKernels, TwoUnitsShareWhatIsLargeEnough)
{
    for (const auto* kernel : kernels_for_cpus()) {
        const Parameters& variant = kernel->variants.front();
        const Problem large = problem(4096, kernel->few_columns ? 1 : 4096, 4096);
        const double alone = cpu_blocks(*kernel, variant, large, 1, 1).tiles_per_unit;
        EXPECT_NEAR(cpu_blocks(*kernel, variant, large, 1, 2).tiles_per_unit / alone, 0.5, 0.05) << kernel->name;
    }
}

TEST(CpuKernels, PackedOperandsDoNotOverlapAndFitTheWorkspace)
{
    const Plan plan = plan_of(problem(1000, 333, 77, CLGEMM_TRANS), "16");
    ASSERT_EQ(plan.steps.size(), 2u);
    const auto& pack = plan.steps[0].arguments;
    const std::uint64_t a = number(pack[10]), b = number(pack[11]);
    EXPECT_LE(a + 1008 * 77, b);
    EXPECT_LE((b + 336 * 77) * sizeof(float), plan.workspace_bytes);
    EXPECT_EQ(plan.steps[0].groups[0], 1008u / 48 + 336 / 8);
    EXPECT_NE(plan.steps[1].options.find("-DTRANS_A=1 -DTRANS_B=0"), std::string::npos);
}

TEST(CpuKernels, PartsOfKAreAddedOnceWithAlphaAndBeta)
{
    Arguments x = arguments(50, 3, 4000);
    x.alpha = 2;
    x.beta = 0.5f;
    for (const char* kernel : {"17", "18"}) {
        const Plan whole = plan_of(make_problem(x), kernel);
        ASSERT_EQ(whole.steps.size(), 1u);
        EXPECT_EQ(std::get<float>(whole.steps[0].arguments[3]), 2);
        const Plan parts = plan_of(make_problem(x), kernel, {false, false, 4, false});
        ASSERT_EQ(parts.steps.size(), 2u);
        EXPECT_EQ(std::get<float>(parts.steps[0].arguments[3]), 1);
        EXPECT_EQ(std::get<float>(parts.steps[1].arguments[3]), 2);
        EXPECT_EQ(number(parts.steps[1].arguments[2]), 4u);
        EXPECT_EQ(std::get<float>(parts.steps[1].arguments[8]), 0.5f);
        EXPECT_GE(parts.workspace_bytes, 4 * 50 * 3 * sizeof(float));
    }
}

TEST(CpuKernels, OfFewRowsTheOperandsChangePlaces)
{
    const Step step = plan_of(problem(1, 5000, 100), "18", {false, false, 1, true}).steps.at(0);
    EXPECT_EQ(number(step.arguments[0]), 5000u);
    EXPECT_EQ(std::get<Memory>(step.arguments[4]), Memory::b);
    EXPECT_EQ(std::get<Memory>(step.arguments[7]), Memory::a);
    EXPECT_NE(step.options.find("-DTRANS_A=1"), std::string::npos) << "B' along K";
    EXPECT_EQ(number(step.arguments[14]), 1u) << "its rows are columns of C";
    EXPECT_EQ(number(step.arguments[15]), 1u);
}

TEST(CpuKernels, AreWhatAnUnknownCpuGets)
{
    DeviceProfile cpu = made_up_cpu();
    cpu.vector_width = 8;
    const auto chosen = [&](std::size_t m, std::size_t n, std::size_t k) {
        return select(problem(m, n, k), cpu, derived_tuning(cpu), {}).kernel->name;
    };
    EXPECT_EQ(chosen(4096, 4096, 4096), "16_cpu_packed");
    EXPECT_EQ(chosen(128, 128, 128), "17_cpu_fused");
    EXPECT_EQ(chosen(64, 64, 65536), "17_cpu_fused");
    EXPECT_EQ(chosen(5000, 1, 5000), "18_cpu_vector");
    EXPECT_EQ(chosen(1, 5000, 5000), "18_cpu_vector");
}
