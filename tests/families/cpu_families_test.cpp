// The kernels for CPUs: sizes for every width of vectors, blocks that cover C, and plans whose parts of K are added once.
#include "unit/multiply_plans.hpp"

#include "support/embedded_tuning.hpp"
#include "support/whole_numbers.hpp"
#include "tuning/derived_tuning.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace clgemm::test {

using namespace core;

namespace {

// Those that nobody would guess to be of use on a GPU, and that run on every CPU.
std::vector<const KernelInfo*> kernels_for_cpus()
{
    std::vector<const KernelInfo*> result;
    for (const auto& kernel : kernels()) {
        const Variant variant = core::variant_of(kernel, kernel.variants.front());
        if (kernel.instructions == Instructions::none && kernel.family->guess(variant, made_up_cpu()) &&
            !kernel.family->guess(variant, hopper_gpu()))
            result.push_back(&kernel);
    }
    return result;
}

Plan made_plan(const Problem& problem, const char* kernel, const Way& way = {})
{
    const DeviceProfile cpu = made_up_cpu();
    return planned(problem, cpu, variant_of(kernel, cpu), way).plan;
}

DeviceProfile cpu_of(std::size_t units)
{
    DeviceProfile cpu = made_up_cpu();
    cpu.compute_units = units;
    return cpu;
}

Problem batch(std::size_t m, std::size_t n, std::size_t k, std::size_t count)
{
    Problem result = problem(m, n, k);
    result.batch.count = count;
    result.a.distance = m * k;
    result.b.distance = k * n;
    result.c.distance = m * n;
    return result;
}

// What kernels 17 and 18 are told; 17 also how many products of a batch a work-group takes.
kernel_arguments::BlockMultiplication told(const Step& step)
{
    if (step.arguments.size() == sizeof(kernel_arguments::BlockMultiplication))
        return numbers_of<kernel_arguments::BlockMultiplication>(step);
    const auto several = numbers_of<kernel_arguments::SeveralBlocksMultiplication>(step);
    return {several.whole, several.blockM, several.blockN};
}

// How a kernel divides C and K among its work-groups.
struct Blocks {
    std::uint64_t m, n, k;
    std::size_t groups; // of all parts of K
};

Blocks blocks_of(const Planned& planned)
{
    const auto& steps = planned.plan.steps;
    const auto step = std::find_if(steps.begin(), steps.end(), [](const Step& each) { return each.purpose == "multiply"; });
    const std::size_t groups = step->groups[0] * step->groups[1] * step->groups[2];
    if (planned.variant.kernel->name == "cpu_packed") { // in panels, of all of K
        const auto of_step = numbers_of<kernel_arguments::PanelMultiplication>(*step);
        return {of_step.panelsM * planned.variant.parameters["WPTM"], of_step.panelsN * planned.variant.parameters["WPTN"],
                of_step.K, groups};
    }
    const auto of_step = told(*step);
    return {of_step.blockM, of_step.blockN, of_step.whole.partK, groups};
}

// The tiles of the compute unit that has the most to do.
double tiles_per_unit(const Problem& problem, const DeviceProfile& cpu, const Variant& variant, const Way& way = {})
{
    return variant.family().outline(problem, cpu, variant, way).busiest_unit();
}

} // namespace

TEST(CpuKernels, ComeInAValidSizeForVectorsOfEveryWidth)
{
    for (const auto* name : {"cpu_packed", "cpu_fused", "cpu_vector"})
        EXPECT_EQ(std::ranges::count(kernels_for_cpus(), find_kernel(name)), 1) << name;
    for (const auto* kernel : kernels_for_cpus()) {
        for (const auto& variant : kernel->variants)
            EXPECT_TRUE(is_valid(*kernel, variant)) << kernel->name << " " << variant.text();
        for (const std::size_t width : {1U, 2U, 4U, 8U, 16U, 32U}) {
            DeviceProfile cpu = made_up_cpu();
            cpu.vector_width = width;
            EXPECT_FALSE(variants_for(*kernel, cpu).empty()) << kernel->name << ", " << width;
            EXPECT_EQ(select(problem(100, 100, 100), cpu, Tuning{}, {kernel}).variant.parameters["WIDTH"],
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
        for (const auto& parameters : kernel->variants)
            for (const std::size_t units : {1U, 2U, 7U, 64U})
                for (const auto m : sizes)
                    for (const auto n : sizes) {
                        const DeviceProfile cpu = cpu_of(units);
                        const Variant variant = core::variant_of(*kernel, parameters);
                        const Planned three = planned(problem(m, n, 1000), cpu, variant, {.split_k = 3});
                        const Blocks blocks = blocks_of(three);
                        SCOPED_TRACE(std::string(kernel->name) + " " + parameters.text() + ", " + std::to_string(m) + " x " +
                                     std::to_string(n));
                        ASSERT_GT(blocks.m, 0u);
                        ASSERT_GT(blocks.n, 0u);
                        ASSERT_GT(tiles_per_unit(three.problem, cpu, variant, {.split_k = 3}), 0);
                        EXPECT_EQ(blocks.m % parameters["WIDTH"], 0u);
                        EXPECT_EQ(blocks.n % variant.tiling.n, 0u);
                        EXPECT_LE(divide_up(1000, blocks.k), 3u);
                        EXPECT_EQ(blocks.groups, divide_up(m, blocks.m) * divide_up(n, blocks.n) * divide_up(1000, blocks.k))
                            << "they cover C, and none has nothing to do";
                        if (kernel == find_kernel("16")) {
                            EXPECT_EQ(blocks.m % parameters["WPTM"], 0u);
                        }
                        if (kernel == find_kernel("18")) {
                            EXPECT_LE(blocks.m, parameters["TSM"]);
                        }
                        if (kernel == find_kernel("17") && blocks.m > parameters["WPTM"]) {
                            EXPECT_EQ(blocks.m % parameters["WPTM"], 0u);
                        }
                    }
}

// A tile is computed for as many k as there are, whether they are a part of K or all of it.
TEST(CpuKernels, TheLastStepCountsByItsDepth)
{
    for (const auto* kernel : kernels_for_cpus()) {
        const Variant variant = core::variant_of(*kernel, kernel->variants.front());
        const auto steps = [&](std::size_t k, std::size_t parts = 1) {
            const auto launches = outline_of(problem(500, 1, k), cpu_of(2), variant, {.split_k = parts}).launches;
            const auto multiplication = std::find_if(launches.begin(), launches.end(),
                                                     [](const Outline::Launch& launch) { return launch.load.steps > 0; });
            return static_cast<double>(multiplication->load.steps) - multiplication->steps_saved;
        };
        const auto depth = static_cast<double>(variant.tiling.k);
        for (const std::size_t k : {1U, 15U, 16U, 17U, 1000U})
            EXPECT_DOUBLE_EQ(steps(k), static_cast<double>(k) / depth) << kernel->name << ", " << k;
        if (kernel != find_kernel("16")) {
            EXPECT_DOUBLE_EQ(steps(1000, 4), 256 / depth) << kernel->name << ": parts are multiples of 16";
        }
    }
}

TEST(CpuKernels, TwoUnitsShareWhatIsLargeEnough)
{
    for (const auto* kernel : kernels_for_cpus()) {
        const Variant variant = core::variant_of(*kernel, kernel->variants.front());
        const Problem large = problem(4096, kernel->family->probing().one_tile_of_columns ? 1 : 4096, 4096);
        const double alone = tiles_per_unit(large, cpu_of(1), variant);
        EXPECT_NEAR(tiles_per_unit(large, cpu_of(2), variant) / alone, 0.5, 0.05) << kernel->name;
    }
}

// A few rows by a matrix whose panels are there: a narrow panel of A takes less, and nothing is packed but A.
TEST(CpuKernels, APreparedBMakesFewRowsCheap)
{
    const KernelInfo& kernel = *find_kernel("16");
    const Variant variant = core::variant_of(kernel, kernel.variants.front());
    const auto load = [&](std::size_t m, bool is_prepared) {
        Problem x = problem(m, 4096, 4096);
        x.b.prepared = is_prepared;
        return tiles_per_unit(x, cpu_of(2), variant);
    };
    const double tiles = 256; // of a panel of A and half of B's 512
    EXPECT_NEAR(load(48, true), tiles, 0.05 * tiles);
    EXPECT_NEAR(load(64, true), 1.5 * tiles, 0.05 * 1.5 * tiles) << "one of three vectors, and B's elements";
    EXPECT_LT(load(16, true), load(32, true));
    for (const std::size_t m : {16U, 64U, 256U, 1000U})
        EXPECT_LT(load(m, true), load(m, false)) << m;
}

TEST(CpuKernels, PackedOperandsDoNotOverlapAndFitTheWorkspace)
{
    const Plan plan = made_plan(problem(1000, 333, 77, CLGEMM_TRANS), "16");
    ASSERT_EQ(plan.steps.size(), 2u);
    const Step &pack = plan.steps[0], &multiply = plan.steps[1];
    EXPECT_EQ(pack.buffers, (std::vector{Memory::a, Memory::b, Memory::workspace}));
    EXPECT_EQ(multiply.buffers, (std::vector{Memory::workspace, Memory::workspace, Memory::c}));
    const auto packed = numbers_of<kernel_arguments::Packing>(pack);
    EXPECT_LE(packed.packedA + 1008 * 77, packed.packedB);
    EXPECT_LE((packed.packedB + 336 * 77) * sizeof(float), plan.workspace_bytes);
    const auto multiplied = numbers_of<kernel_arguments::PanelMultiplication>(multiply);
    EXPECT_EQ(multiplied.packedA, packed.packedA);
    EXPECT_EQ(multiplied.packedB, packed.packedB);
    EXPECT_EQ(pack.groups[0], 1008u / 48 + 336 / 8);
    EXPECT_TRUE(has_option(multiply, "TRANS_A=1"));
    EXPECT_TRUE(has_option(multiply, "TRANS_B=0"));
}

TEST(CpuKernels, PartsOfKAreAddedOnceWithAlphaAndBeta)
{
    Arguments x = arguments(50, 3, 4000);
    x.alpha = 2;
    x.beta = 0.5f;
    for (const char* kernel : {"17", "18"}) {
        const Plan whole = made_plan(make_problem(x), kernel);
        ASSERT_EQ(whole.steps.size(), 1u);
        EXPECT_EQ(told(whole.steps[0]).whole.alpha, 2);
        EXPECT_EQ(told(whole.steps[0]).whole.beta, 0.5f);
        const Plan parts = made_plan(make_problem(x), kernel, {.split_k = 4});
        ASSERT_EQ(parts.steps.size(), 2u);
        EXPECT_EQ(told(parts.steps[0]).whole.alpha, 1);
        EXPECT_EQ(told(parts.steps[0]).whole.beta, 0);
        const auto sum = numbers_of<kernel_arguments::BlockReducing>(parts.steps[1]).whole;
        EXPECT_EQ(sum.alpha, 2);
        EXPECT_EQ(sum.parts, 4u);
        EXPECT_EQ(sum.beta, 0.5f);
        EXPECT_GE(parts.workspace_bytes, 4 * 50 * 3 * sizeof(float));
    }
}

// A launch of several work-groups wakes threads, so that a small C is one block. Without gaps C is one column.
TEST(CpuKernels, PartsOfKAreAddedInBlocksThatCoverC)
{
    for (const std::size_t units : {1U, 2U, 16U}) {
        const DeviceProfile cpu = cpu_of(units);
        for (const auto& [m, n, gap] : {std::array<std::size_t, 3>{64, 5, 0},
                                        {50, 3, 0},
                                        {1001, 700, 0},
                                        {1024, 700, 0},
                                        {3, 40000, 0},
                                        {100000, 1, 0},
                                        {300000, 3, 7}}) {
            Arguments x = arguments(m, n, 4000);
            x.ldc += gap;
            const Plan plan = planned(make_problem(x), cpu, variant_of("17", cpu), {.split_k = 4}).plan;
            const Step& step = plan.steps.at(1);
            const auto [whole, rows, columns] = numbers_of<kernel_arguments::BlockReducing>(step);
            const bool is_one_column = m % 4 == 0 && gap == 0;
            EXPECT_EQ(whole.rows, is_one_column ? m * n : m);
            EXPECT_EQ(whole.columns, is_one_column ? 1 : n);
            EXPECT_EQ(step.groups,
                      (std::array<std::size_t, 3>{divide_up(whole.rows, rows), divide_up(whole.columns, columns), 1}));
            EXPECT_LE(step.groups[0] * step.groups[1], 2 * units) << m << "x" << n;
            if (4 * m * n < 100'000) {
                EXPECT_EQ(step.groups[0] * step.groups[1], 1u) << m << "x" << n;
            } else if (units > 1) {
                EXPECT_GE(step.groups[0] * step.groups[1], 2u) << m << "x" << n;
            }
        }
    }
}

TEST(CpuKernels, OfFewRowsTheOperandsChangePlaces)
{
    Arguments x = arguments(1, 5000, 100);
    x.ldc = 3;
    const Step step = made_plan(make_problem(x), "18", {.transposed = true}).steps.at(0);
    const Multiplication multiply(step, told(step).whole);
    EXPECT_EQ(multiply.arguments.M, 5000u);
    EXPECT_EQ(multiply.a.memory, Memory::b);
    EXPECT_EQ(multiply.b.memory, Memory::a);
    EXPECT_TRUE(has_option(step, "TRANS_A=1")) << "B' along K";
    EXPECT_EQ(multiply.c, Operand(Memory::c, 0, 3, 1)) << "its rows are columns of C";
}

TEST(CpuKernels, WithFewColumnsNoUnitIsWithoutWork)
{
    DeviceProfile cpu = cpu_of(2);
    cpu.vector_width = 16;
    for (const Problem& few :
         {problem(1024, 16, 1024), problem(16, 1024, 1024), problem(1024, 8, 2048), problem(1500, 4, 700)}) {
        const Selection selection = select(few, cpu, derived_tuning(cpu), {});
        EXPECT_EQ(selection.variant.kernel->name, "cpu_vector") << describe(few);
        const Plan plan = plan_of(few, cpu, selection.variant, selection.way, selection.blocks);
        EXPECT_EQ(plan.steps.size(), 1u) << describe(few) << ": nothing is to be added afterwards";
        const auto& groups = plan.steps.front().groups;
        EXPECT_GE(groups[0] * groups[1] * groups[2], cpu.compute_units) << describe(few);
    }
}

TEST(CpuKernels, DivideKOnlyWhereUnitsLackTilesOrKIsVeryDeep)
{
    const auto ways = [](const Problem& problem, std::size_t units) {
        DeviceProfile cpu = cpu_of(units);
        cpu.vector_width = 16;
        const KernelInfo& kernel = *find_kernel("17");
        return kernel.family->ways(problem, cpu, core::variant_of(kernel, kernel.variants.front())).size();
    };
    EXPECT_EQ(ways(problem(900, 900, 900), 2), 1u);
    EXPECT_GT(ways(problem(900, 900, 9000), 2), 1u);
    EXPECT_GT(ways(problem(100, 100, 3000), 2), 1u);
    EXPECT_GT(ways(problem(100, 100, 3000), 64), 1u);
    EXPECT_EQ(ways(problem(100, 100, 3000), 1), 1u) << "nobody is there to share with";
}

TEST(CpuKernels, AWorkGroupTakesSeveralSmallProductsOfABatchAndLeavesNoneOut)
{
    const DeviceProfile cpu = cpu_of(2);
    const Variant variant = variant_of("17", cpu);
    const auto several = [&](const Problem& problem) {
        const Plan plan = plan_of(problem, cpu, variant, {});
        EXPECT_EQ(plan.steps.size(), 1u);
        const auto told = numbers_of<kernel_arguments::SeveralBlocksMultiplication>(plan.steps.front());
        const std::size_t groups = plan.steps.front().groups[1];
        EXPECT_EQ(told.parts, problem.batch.count);
        EXPECT_GE(groups * told.together, told.parts);
        EXPECT_LT((groups - 1) * told.together, told.parts) << "none has nothing to do";
        return told.together;
    };
    for (const std::size_t count : {2U, 3U, 17U, 1000U, 1'000'000U}) {
        EXPECT_GE(several(batch(1, 1, 1, count)), 1u);
        EXPECT_LE(several(batch(8, 8, 8, count)), std::max<std::size_t>(1, count / 2)) << "both units have work";
        EXPECT_EQ(several(batch(128, 128, 128, count)), 1u) << "large enough for a work-group of their own";
    }
    EXPECT_GT(several(batch(8, 8, 8, 20'000)), 5u);
    const Problem single = problem(64, 64, 65536);
    const auto parts_of_k =
        numbers_of<kernel_arguments::SeveralBlocksMultiplication>(made_plan(single, "17", {.split_k = 4}).steps.front());
    EXPECT_EQ(parts_of_k.parts, 4u);
    EXPECT_EQ(parts_of_k.together, 1u);
}

// Lines that lie a multiple of 4 KB apart, or nearly, share a set.
TEST(CpuKernels, ColumnsOfATransposedBAreCopiedWhereTheirLinesShareSetsOfTheCache)
{
    const auto copies = [](const Problem& problem) {
        return has_option(made_plan(problem, "17").steps.front(), "COPY_B=1");
    };
    EXPECT_TRUE(copies(problem(1024, 1024, 1024, CLGEMM_NO_TRANS, CLGEMM_TRANS)));
    EXPECT_TRUE(copies(problem(64, 64, 65536, CLGEMM_NO_TRANS, CLGEMM_TRANS)));
    EXPECT_TRUE(copies(problem(2049, 2049, 2049, CLGEMM_TRANS, CLGEMM_TRANS)));
    EXPECT_FALSE(copies(problem(1000, 1000, 1000, CLGEMM_TRANS, CLGEMM_TRANS)));
    EXPECT_FALSE(copies(problem(64, 64, 64, CLGEMM_NO_TRANS, CLGEMM_TRANS)));
    EXPECT_FALSE(copies(problem(1024, 1024, 1024))) << "its columns are streams";
}

TEST(CpuKernels, ASmallAOfABatchIsReadWhereItLies)
{
    const auto has = [](const Problem& problem, const char* option) {
        return has_option(made_plan(problem, "17").steps.front(), option);
    };
    EXPECT_TRUE(has(batch(32, 32, 32, 100), "A_IN_PLACE=1"));
    EXPECT_TRUE(has(batch(64, 100, 64, 100), "A_IN_PLACE=1"));
    EXPECT_FALSE(has(batch(33, 32, 32, 100), "A_IN_PLACE=1")) << "not of whole vectors";
    EXPECT_FALSE(has(batch(64, 64, 65, 100), "A_IN_PLACE=1")) << "more than half of the first-level cache";
    EXPECT_FALSE(has(problem(32, 32, 32), "A_IN_PLACE=1")) << "a single one, of which all may be far apart";
    Problem shared = batch(32, 32, 32, 100);
    shared.a.distance = 0;
    EXPECT_FALSE(has(shared, "A_IN_PLACE=1")) << "copied once for all";
    const Variant wide =
        core::variant_of(*find_kernel("17"), {{"WIDTH", 16}, {"WPTM", 96}, {"WPTN", 4}, {"TSM", 192}, {"TSK", 384}});
    EXPECT_FALSE(has_option(planned(batch(64, 8, 64, 100), made_up_cpu(), wide, {}).plan.steps.front(), "A_IN_PLACE=1"))
        << "a tile of six vectors reads all of them, of which four exist";
    Problem turned = batch(32, 32, 32, 100);
    turned.a.transposed = true;
    EXPECT_FALSE(has(turned, "A_IN_PLACE=1"));
    EXPECT_TRUE(has(turned, "FETCH_NEXT=1"));
    EXPECT_FALSE(has(batch(32, 32, 32, 100), "FETCH_NEXT=1")) << "nothing waits for all of A";
    EXPECT_TRUE(has(batch(64, 64, 64, 100), "FETCH_NEXT=1"));
    EXPECT_FALSE(has(problem(64, 64, 64), "FETCH_NEXT=1"));
}

// By the library's own data of the EPYC on which this was measured.
TEST(CpuKernels, BatchesOfSmallSquaresAreComputedByTheKernelThatTakesSeveral)
{
    const auto texts = tuning_texts();
    const auto of_epyc = std::ranges::find_if(texts, [](const EmbeddedText& file) {
        const DeviceProfile device = device_of(file);
        return device.type == DeviceType::cpu && device.name.ends_with("AMD EPYC");
    });
    ASSERT_NE(of_epyc, texts.end());
    const DeviceProfile epyc = device_of(*of_epyc);
    const Tuning tuning = tuning_of(*of_epyc);
    for (const std::size_t size : {1U, 2U, 4U, 7U, 8U, 13U, 16U, 24U, 31U, 33U, 64U, 100U, 128U})
        for (const bool is_transposed : {false, true}) {
            Problem all = batch(size, size, size, 5000);
            all.a.transposed = all.b.transposed = is_transposed;
            EXPECT_EQ(select(all, epyc, tuning, {}).variant.kernel->name, "cpu_fused") << size << ", " << is_transposed;
        }
}

TEST(CpuKernels, AreWhatAnUnknownCpuGets)
{
    DeviceProfile cpu = made_up_cpu();
    cpu.vector_width = 8;
    const auto chosen = [&](std::size_t m, std::size_t n, std::size_t k) {
        return select(problem(m, n, k), cpu, derived_tuning(cpu), {}).variant.kernel->name;
    };
    EXPECT_EQ(chosen(4096, 4096, 4096), "cpu_packed");
    EXPECT_EQ(chosen(128, 128, 128), "cpu_fused");
    EXPECT_EQ(chosen(64, 64, 65536), "cpu_fused");
    EXPECT_EQ(chosen(5000, 1, 5000), "cpu_vector");
    EXPECT_EQ(chosen(1, 5000, 5000), "cpu_vector");
}

} // namespace clgemm::test
