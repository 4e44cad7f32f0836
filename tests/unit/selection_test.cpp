// Selection: the fastest by the cost model of what was measured, within what the device and the caller allow, and that every
// device gets something it can run.
#include "made_up.hpp"

#include "plan/plan.hpp"
#include "select/selection.hpp"
#include "support/error.hpp"
#include "tuning/derived_tuning.hpp"

#include <gtest/gtest.h>

#include <algorithm>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

// With nothing measured: by the guesses.
Selection select(const Problem& problem, const DeviceProfile& device, const KernelInfo* wanted)
{
    return select(problem, device, derived_tuning(device), {wanted});
}

std::string_view chosen(const Problem& problem, const DeviceProfile& device)
{
    return select(problem, device, nullptr).kernel->name;
}

DeviceProfile small_gpu()
{
    DeviceProfile device = large_gpu();
    device.max_work_group_size = 64;
    device.local_memory = 16 << 10;
    return device;
}

// A kernel's first size on operands of these letters, so many ns for a step.
Measurement measured(const char* name, const char* operands, double ns)
{
    const KernelInfo* kernel = find_kernel(name);
    return {kernel, kernel->variants.front(), operands, {{1, ns}}, 1, {{1, 1000}}};
}

Measurement kernel_13(const char* operands, double ns)
{
    return measured("13", operands, ns);
}

Tuning tuning_of(std::vector<Measurement> measurements)
{
    return {"made up", 3000, 4000, 1000, std::move(measurements)};
}

} // namespace

TEST(Selection, EveryShapeOnEveryDeviceGetsAVariantThatFits)
{
    const std::size_t sizes[] = {1, 15, 16, 100, 1000, 5000};
    for (const auto& device : {large_gpu(), small_gpu(), tiny_gpu(), made_up_cpu()})
        for (const auto m : sizes)
            for (const auto n : sizes)
                for (const auto k : sizes) {
                    const Selection selection = select(problem(m, n, k), device, nullptr);
                    EXPECT_TRUE(fits(selection.tiling, device)) << selection.kernel->name << " on " << device.name;
                    EXPECT_FALSE(selection.reason.empty());
                    EXPECT_GT(selection.estimate_ns, 0);
                }
}

TEST(Selection, OfWhatWasMeasuredTheFastestByTheModelIsChosen)
{
    const DeviceProfile device = large_gpu();
    const Tuning tuning = derived_tuning(device);
    for (const auto& p :
         {problem(1, 4096, 4096), problem(100, 100, 100), problem(128, 128, 16384), problem(999, 1001, 77)}) {
        const Selection selection = select(p, device, tuning, {});
        const Measurement* measurement = fastest_measurement(p, device, tuning, {});
        ASSERT_NE(measurement, nullptr);
        EXPECT_EQ(selection.kernel, measurement->kernel);
        EXPECT_EQ(selection_of(*measurement->kernel, measurement->parameters, device, "").parameters.text(),
                  selection.parameters.text());
        EXPECT_EQ(selection.estimate_ns, estimate(p, device, tuning, *measurement, selection.tiling, selection.way));
        for (const auto& other : tuning.measurements) {
            const Tiling tiling = other.kernel->tiling(other.parameters);
            for (const Way& way : possible_ways(p, device, *other.kernel, tiling))
                EXPECT_LE(selection.estimate_ns, estimate(p, device, tuning, other, tiling, way)) << other.kernel->name;
        }
    }
}

TEST(Selection, ATinyDeviceFallsBackToTheNaiveKernel)
{
    EXPECT_EQ(chosen(problem(1000, 1000, 1000), tiny_gpu()), "01_naive");
}

TEST(Selection, WithoutAnyMeasurementTheNaiveKernelRuns)
{
    const Selection selection = select(problem(1000, 1000, 1000), large_gpu(), Tuning{}, {});
    EXPECT_EQ(selection.kernel->name, "01_naive");
    EXPECT_EQ(selection.reason, "nothing else fits the device");
    EXPECT_EQ(selection.estimate_ns, 0);
    EXPECT_EQ(fastest_measurement(problem(1000, 1000, 1000), large_gpu(), Tuning{}, {}), nullptr);
}

TEST(Selection, AMeasuredSizeThatDoesNotFitTheDeviceIsPassedOver)
{
    const KernelInfo* kernel = find_kernel("13");
    const Measurement too_large{kernel, kernel->variants.front(), "", {{1, 1}}, 1, {{1, 1}}};
    const Selection selection = select(problem(1000, 1000, 1000), small_gpu(), tuning_of({too_large}), {});
    EXPECT_EQ(selection.kernel->name, "01_naive");
}

TEST(Selection, AGpuMultipliesFewRowsOrColumnsByTheKernelForThem)
{
    EXPECT_EQ(chosen(problem(5000, 1, 5000), large_gpu()), "15_skinny");
    EXPECT_EQ(chosen(problem(5000, 15, 5000), large_gpu()), "15_skinny");
    EXPECT_FALSE(select(problem(5000, 3, 5000), large_gpu(), nullptr).way.exchanged);
    EXPECT_EQ(chosen(problem(1, 5000, 5000), large_gpu()), "15_skinny");
    EXPECT_TRUE(select(problem(3, 5000, 5000), large_gpu(), nullptr).way.exchanged);
    EXPECT_EQ(chosen(problem(5000, 5000, 5000), large_gpu()), "13_warp_tiled");
}

TEST(Selection, ACpuIsNotGivenTheGpusKernels)
{
    for (const std::size_t m : {1, 20, 5000})
        for (const std::size_t n : {1, 20, 5000}) {
            EXPECT_NE(chosen(problem(m, n, 5000), made_up_cpu()), "13_warp_tiled");
            EXPECT_NE(chosen(problem(m, n, 5000), made_up_cpu()), "15_skinny");
        }
    EXPECT_NE(chosen(problem(500, 500, 500), made_up_cpu()), "01_naive");
}

// Where a tile is larger than what the kernel has columns for, the kernel cannot be chosen.
TEST(Selection, MoreColumnsThanTheTileHasAreNotForKernel15)
{
    const KernelInfo* kernel = find_kernel("15");
    const Measurement few{kernel, kernel->variants.front(), "", {{1, 1}}, 1, {{1, 1}}}; // one column
    ASSERT_EQ(kernel->tiling(few.parameters).n, 1u);
    const auto name = [&](std::size_t m, std::size_t n) {
        return select(problem(m, n, 1000), large_gpu(), tuning_of({few}), {}).kernel->name;
    };
    EXPECT_EQ(name(1000, 1), "15_skinny");
    EXPECT_EQ(name(1, 1000), "15_skinny");
    EXPECT_EQ(name(1000, 2), "01_naive");
    EXPECT_EQ(name(2, 1000), "01_naive");
}

TEST(Selection, AGpuGetsSmallerTilesForSmallerProblems)
{
    for (const auto* name : {"09_prefetch", "13_warp_tiled"}) { // by rule, and by the guesses
        const KernelInfo* kernel = find_kernel(name);
        const auto elements = [&](std::size_t size) {
            const Tiling tiling = select(problem(size, size, 256), large_gpu(), kernel).tiling;
            return tiling.m * tiling.n;
        };
        EXPECT_GT(elements(4096), elements(1024)) << name;
        EXPECT_GT(elements(1024), elements(256)) << name;
    }
}

TEST(Selection, NeverASmallerTileThatGivesNoMoreWorkGroups)
{
    DeviceProfile one_unit = hopper_gpu();
    one_unit.compute_units = 1;
    for (const auto& kernel : kernels()) // nothing measured: the registry's order decides
        EXPECT_EQ(select(problem(256, 256, 64), one_unit, Tuning{}, {&kernel}).parameters.text(),
                  select(problem(8192, 8192, 64), hopper_gpu(), Tuning{}, {&kernel}).parameters.text());
}

TEST(Selection, KIsSplitWhereThereAreFewTilesAndManySteps)
{
    const KernelInfo* kernel = find_kernel("13");
    EXPECT_GT(select(problem(128, 128, 16384), large_gpu(), kernel).way.splits, 1u);
    EXPECT_EQ(select(problem(128, 128, 128), large_gpu(), kernel).way.splits, 1u) << "starting and adding costs more";
    EXPECT_EQ(select(problem(4096, 4096, 4096), large_gpu(), kernel).way.splits, 1u) << "the device is full";
    EXPECT_EQ(select(problem(128, 128, 16384), large_gpu(), find_kernel("09")).way.splits, 1u) << "it cannot";
}

TEST(Selection, EveryPartOfKHasSomeSteps)
{
    const KernelInfo& kernel = *find_kernel("13");
    for (const auto& variant : kernel.variants) {
        const Tiling tiling = kernel.tiling(variant);
        for (const std::size_t k : {std::size_t{1}, tiling.k, 4 * tiling.k, 8 * tiling.k, 1000 * tiling.k + 1})
            for (const Way& way : possible_ways(problem(100, 100, k), large_gpu(), kernel, tiling))
                if (way.splits > 1) {
                    EXPECT_GE(k / way.splits, 4 * tiling.k);
                }
    }
}

TEST(Selection, ACopyIsChosenOnceItPays)
{
    const DeviceProfile device = large_gpu();
    const Tuning tuning = tuning_of({kernel_13("NT", 1000), kernel_13("TT", 1500), kernel_13("NN", 1000)});
    const auto way = [&](std::size_t size, clgemm_transpose trans_a, clgemm_transpose trans_b) {
        return select(problem(size, size, size, trans_a, trans_b), device, tuning, {}).way;
    };
    EXPECT_FALSE(way(4096, CLGEMM_NO_TRANS, CLGEMM_TRANS).copy_a) << "nothing to gain";
    EXPECT_FALSE(way(4096, CLGEMM_NO_TRANS, CLGEMM_TRANS).copy_b);
    EXPECT_TRUE(way(4096, CLGEMM_TRANS, CLGEMM_TRANS).copy_a);
    EXPECT_FALSE(way(4096, CLGEMM_TRANS, CLGEMM_TRANS).copy_b);
    EXPECT_FALSE(way(64, CLGEMM_TRANS, CLGEMM_TRANS).copy_a) << "less work than one more launch";
    EXPECT_FALSE(way(4096, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS).copy_b) << "as fast without";
    // What was not measured at all can still be copied to what was.
    EXPECT_TRUE(way(64, CLGEMM_TRANS, CLGEMM_NO_TRANS).copy_a);
}

// Which measurement holds depends on how the operands lie once they are copied.
TEST(Selection, AMeasurementCountsForOperandsThatLieAsItsOwn)
{
    const auto choose = [](const Arguments& arguments, const char* measured) {
        const auto best = select(make_problem(arguments), large_gpu(), tuning_of({kernel_13(measured, 1000)}), {});
        return std::string(best.kernel->name == "13_warp_tiled" ? "yes" : "no") + (best.way.copy_a ? ", copies A" : "") +
               (best.way.copy_b ? ", copies B" : "");
    };
    Arguments nt = arguments(1000, 1000, 1000, CLGEMM_NO_TRANS, CLGEMM_TRANS);
    EXPECT_EQ(choose(nt, "NT"), "yes");
    EXPECT_EQ(choose(nt, ""), "yes") << "holds for all";
    EXPECT_EQ(choose(nt, "nt"), "no") << "an aligned operand is not copied to look unaligned";
    EXPECT_EQ(choose(nt, "TT"), "no");
    nt.lda = 1001;
    EXPECT_EQ(choose(nt, "NT"), "yes, copies A");
    EXPECT_EQ(choose(nt, "nt"), "yes") << "one of the two unaligned counts as both";
    nt.ldb = 1001;
    EXPECT_EQ(choose(nt, "NT"), "yes, copies A, copies B");
    EXPECT_EQ(choose(nt, "nt"), "yes");
    nt.lda = 1000;
    EXPECT_EQ(choose(nt, "NT"), "yes, copies B");
    EXPECT_EQ(choose(nt, "nt"), "yes");
    const Arguments tn = arguments(1000, 1000, 1000, CLGEMM_TRANS, CLGEMM_NO_TRANS);
    EXPECT_EQ(choose(tn, "TN"), "yes");
    EXPECT_EQ(choose(tn, "NN"), "yes, copies A");
    EXPECT_EQ(choose(tn, "TT"), "yes, copies B");
    EXPECT_EQ(choose(tn, "NT"), "yes, copies A, copies B");
}

TEST(Selection, ToKernel15OnlyAsAlignmentMatters)
{
    const KernelInfo* kernel = find_kernel("15");
    const auto is_chosen = [&](const Arguments& arguments, const char* measured) {
        const Measurement few{kernel, kernel->variants.front(), measured, {{1, 1}}, 1, {{1, 1}}};
        return select(make_problem(arguments), large_gpu(), tuning_of({few}), {}).kernel == kernel;
    };
    Arguments x = arguments(1000, 1, 1000, CLGEMM_NO_TRANS, CLGEMM_TRANS); // one row of B is no whole vector
    EXPECT_TRUE(is_chosen(x, "NT"));
    EXPECT_FALSE(is_chosen(x, "nt"));
    x.lda = 1001;
    EXPECT_FALSE(is_chosen(x, "NT"));
    EXPECT_TRUE(is_chosen(x, "nt"));
    // Exchanged, A's part is B's: its memory runs along N, the new M.
    x = arguments(1, 1000, 1000, CLGEMM_NO_TRANS, CLGEMM_TRANS);
    EXPECT_TRUE(is_chosen(x, "NT"));
    EXPECT_FALSE(is_chosen(x, "TT"));
}

// Of any size, each with as many parts of K as its depth allows; nothing is copied.
TEST(Selection, Kernel20MayComputeEveryProblemExchanged)
{
    const KernelInfo& kernel = *find_kernel("20");
    const DeviceProfile device = hopper_gpu();
    for (const auto& variant : kernel.variants) {
        const Tiling tiling = kernel.tiling(variant);
        for (const std::size_t m : {1, 100, 3000})
            for (const std::size_t n : {1, 100, 3000})
                for (const auto trans : {CLGEMM_NO_TRANS, CLGEMM_TRANS})
                    for (const std::size_t k : {1, 127, 300, 5000}) {
                        std::vector<std::size_t> plain, exchanged;
                        for (const Way& way : possible_ways(problem(m, n, k, trans, trans), device, kernel, tiling)) {
                            (way.exchanged ? exchanged : plain).push_back(way.splits);
                            EXPECT_FALSE(way.copy_a || way.copy_b);
                            EXPECT_EQ(way.block_m + way.block_n, 0u);
                            EXPECT_TRUE(way.splits == 1 || k / way.splits >= 4 * tiling.k)
                                << way.splits << " parts of " << k;
                        }
                        EXPECT_EQ(plain, exchanged);
                        ASSERT_FALSE(plain.empty());
                        EXPECT_EQ(plain.front(), 1u);
                        EXPECT_EQ(plain.size() > 1, k > 256);
                    }
    }
}

// By tiles of 64 x 128.
TEST(Selection, Kernel20IsExchangedWhereThatMakesFewerTiles)
{
    const DeviceProfile device = hopper_gpu();
    const auto is_exchanged = [&](std::size_t m, std::size_t n) {
        const Measurement only = measured("20", "", 100'000); // more than memory takes
        const Selection selection = select(problem(m, n, 64), device, tuning_of({only}), {find_kernel("20")});
        EXPECT_EQ(selection.kernel, only.kernel);
        return selection.way.exchanged;
    };
    EXPECT_FALSE(is_exchanged(64, 128 * 132));
    EXPECT_TRUE(is_exchanged(128 * 132, 64));
    EXPECT_FALSE(is_exchanged(64, 128)) << "as good either way";
    EXPECT_FALSE(is_exchanged(1000, 1000));
}

// Loads along K are slow without vectors, and were not measured so: the estimate would be wrong. Right it is all the same.
TEST(Selection, AMeasurementOfKernel20IsNotForUnalignedMemoryAlongK)
{
    const KernelInfo* kernel = find_kernel("20");
    const DeviceProfile device = hopper_gpu();
    const auto choose = [&](const Arguments& arguments, const char* letters) {
        const Tuning tuning = tuning_of({measured("20", letters, 1)});
        const Problem p = make_problem(arguments);
        const Selection best = select(p, device, tuning, {});
        const Selection asked_for = select(p, device, tuning, {kernel});
        EXPECT_EQ(asked_for.kernel, kernel);
        EXPECT_EQ(asked_for.estimate_ns > 0, best.kernel == kernel);
        if (best.kernel != kernel) {
            EXPECT_EQ(asked_for.reason, "asked for");
            EXPECT_EQ(plan_multiply(p, device, asked_for).steps.size(), 1u);
        }
        return std::string(best.kernel != kernel ? "no" : best.way.exchanged ? "exchanged" : "yes");
    };
    const auto n = CLGEMM_NO_TRANS, t = CLGEMM_TRANS;
    Arguments nn = arguments(1000, 1000, 100, n, n), tn = arguments(1000, 1000, 100, t, n);
    Arguments tt = arguments(1000, 1000, 100, t, t), nt = arguments(1000, 1000, 100, n, t);
    EXPECT_EQ(choose(nn, "NN"), "yes");
    EXPECT_EQ(choose(nn, "TT"), "exchanged") << "B' runs along K, A' along N";
    EXPECT_EQ(choose(tt, "TT"), "yes");
    EXPECT_EQ(choose(tt, "NN"), "exchanged");
    EXPECT_EQ(choose(tn, "TN"), "yes");
    EXPECT_EQ(choose(nt, "NT"), "yes");
    for (const auto* letters : {"TN", "TT", "NT", "nN"})
        EXPECT_EQ(choose(nn, letters), letters == std::string("TT") ? "exchanged" : "no") << letters;

    // Along K not aligned: by its start, its columns, or because K is no whole vectors.
    for (const auto* letters : {"NN", "TT", "TN", "NT", "nN", "Tt", "nt", "none"})
        for (Arguments x : {nn, tn, tt}) {
            const bool a_along_k = x.trans_a == t, b_along_k = x.trans_b == n;
            Arguments other = x;
            (a_along_k ? other.offset_a : other.offset_b) = 2;
            EXPECT_EQ(choose(other, letters), letters == std::string("none") ? "yes" : "no") << letters;
            other = x;
            (b_along_k ? other.ldb : other.lda) += 1;
            EXPECT_EQ(choose(other, letters), letters == std::string("none") ? "yes" : "no") << letters;
            other = x;
            other.k = 98;
            EXPECT_EQ(choose(other, letters), letters == std::string("none") ? "yes" : "no") << letters;
        }

    // Along M and N letters tell whether it is aligned, and a depth of any size will do.
    nn.lda = 1001;
    EXPECT_EQ(choose(nn, "NN"), "no");
    EXPECT_EQ(choose(nn, "nN"), "yes");
    EXPECT_EQ(choose(nn, "Tt"), "exchanged");
    nt.k = 99;
    EXPECT_EQ(choose(nt, "NT"), "yes");
    nt.ldb = 1001;
    EXPECT_EQ(choose(nt, "NT"), "no");
    EXPECT_EQ(choose(nt, "nt"), "yes") << "one of the two unaligned counts as both";
    // A guess holds for all.
    nn.offset_b = 1;
    EXPECT_EQ(choose(nn, ""), "yes");
}

TEST(Selection, TemporariesStayWithinAnEighthOfMemoryAndOneBuffer)
{
    DeviceProfile device = large_gpu();
    device.global_memory = 64 << 20;
    for (const std::size_t max_allocation : {std::size_t{32} << 20, std::size_t{1} << 20}) {
        device.max_allocation = max_allocation;
        const std::size_t limit = std::min(device.global_memory / 8, max_allocation);
        bool any_copy = false, any_parts = false;
        for (const std::size_t size : {40, 100, 256, 1000, 4000})
            for (const auto& variant : find_kernel("13")->variants) {
                const KernelInfo& kernel = *find_kernel("13");
                const Problem p = problem(size, size, 4000, CLGEMM_TRANS, CLGEMM_NO_TRANS);
                const auto ways = possible_ways(p, device, kernel, kernel.tiling(variant));
                ASSERT_FALSE(ways.empty()) << "without temporaries it always can";
                for (const Way& way : ways) {
                    Selection selection = selection_of(kernel, variant, device, "tested");
                    selection.way = way;
                    // A plan pads to multiples of 4 and of 256 bytes.
                    EXPECT_LE(plan_multiply(p, device, selection).workspace_bytes, limit + (1 << 16));
                    any_copy |= way.copy_a || way.copy_b;
                    any_parts |= way.splits > 1;
                }
            }
        EXPECT_TRUE(any_copy);
        EXPECT_TRUE(any_parts);
    }
}

TEST(Selection, AnA100IsGivenTheTensorCoresForLargeSquaresByGuess)
{
    const DeviceProfile a100 = ampere_gpu(80);
    for (const std::size_t size : {2048U, 3000U, 4096U, 8192U})
        EXPECT_EQ(chosen(problem(size, size, size), a100), "19_tensor_mma") << size;
    for (const std::size_t size : {64U, 128U})
        EXPECT_NE(chosen(problem(size, size, size), a100), "19_tensor_mma") << size;
    EXPECT_EQ(chosen(problem(1, 8192, 8192), a100), "15_skinny");
    EXPECT_EQ(select(problem(4096, 4096, 4096), a100, derived_tuning(a100), {nullptr, true}).kernel->name, "13_warp_tiled");
    for (const unsigned capability : {86U, 89U})
        EXPECT_EQ(chosen(problem(4096, 4096, 4096), ampere_gpu(capability)), "13_warp_tiled") << capability;
}

TEST(Selection, StrictModeNeverChoosesTheTensorCores)
{
    const DeviceProfile device = hopper_gpu();
    const Tuning tuning = derived_tuning(device);
    bool any = false;
    for (const std::size_t m : {1, 64, 1000, 4096})
        for (const std::size_t n : {1, 64, 1000, 4096})
            for (const std::size_t k : {1, 100, 4096}) {
                any |= !select(problem(m, n, k), device, tuning, {}).kernel->is_strict();
                EXPECT_TRUE(select(problem(m, n, k), device, tuning, {nullptr, true}).kernel->is_strict());
                const auto* measurement = fastest_measurement(problem(m, n, k), device, tuning, {nullptr, true});
                ASSERT_NE(measurement, nullptr);
                EXPECT_TRUE(measurement->kernel->is_strict());
            }
    EXPECT_TRUE(any) << "without strict mode they are never chosen, either";
}

TEST(Selection, StrictModeAndAKernelOnTensorCoresExcludeEachOther)
{
    for (const char* const name : {"14_tensor_cores", "19_tensor_mma", "20_tensor_direct"})
        for (const Tuning& tuning : {derived_tuning(hopper_gpu()), Tuning{}})
            try {
                select(problem(1000, 1000, 1000), hopper_gpu(), tuning, {find_kernel(name), true});
                ADD_FAILURE() << name;
            } catch (const Error& error) {
                EXPECT_EQ(error.status(), CLGEMM_KERNEL_NOT_SUPPORTED);
                for (const char* const named : {name, "strict"})
                    EXPECT_NE(std::string(error.what()).find(named), std::string::npos) << error.what();
            }
    for (const auto& kernel : kernels())
        if (kernel.is_strict()) {
            EXPECT_EQ(select(problem(100, 10, 100), hopper_gpu(), Tuning{}, {&kernel, true}).kernel, &kernel);
        }
}

TEST(Selection, TheWorkspaceStaysWithinTheCallersLimit)
{
    for (const DeviceProfile& device : {hopper_gpu(), large_gpu(), made_up_cpu()}) {
        const Tuning tuning = derived_tuning(device);
        std::size_t used = 0;
        for (const std::size_t m : {1, 100, 129, 1000, 5000})
            for (const std::size_t n : {1, 100, 129, 1000, 5000})
                for (const std::size_t k : {1, 33, 1000, 20'000})
                    for (const auto trans : {CLGEMM_NO_TRANS, CLGEMM_TRANS})
                        for (const double limit : {1.0, 4.0, 255.0, 256.0, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9}) {
                            const auto bytes = static_cast<std::size_t>(limit);
                            const Problem p = problem(m, n, k, trans, trans);
                            const Selection selection = select(p, device, tuning, {nullptr, false, bytes});
                            const Plan plan = plan_multiply(p, device, selection);
                            ASSERT_LE(plan.workspace_bytes, bytes)
                                << device.name << ", " << m << "x" << n << "x" << k << ", " << selection.kernel->name;
                            used += plan.workspace_bytes > 0 ? 1 : 0;
                        }
        EXPECT_GT(used, 100u) << device.name << " never takes any";
    }
}

TEST(Selection, OfTheTensorCoresEveryWayStaysWithinTheLimit)
{
    const KernelInfo& kernel = *find_kernel("14");
    const Problem p = problem(300, 200, 5000, CLGEMM_TRANS);
    std::size_t most = 0, least = ~std::size_t{0};
    for (const auto& variant : kernel.variants)
        for (std::size_t limit = 1'000'000; limit < 1 << 27; limit += limit / 10) {
            const auto ways = possible_ways(p, hopper_gpu(), kernel, kernel.tiling(variant), limit);
            for (const Way& way : ways) {
                Selection selection = selection_of(kernel, variant, hopper_gpu(), "");
                selection.way = way;
                EXPECT_LE(plan_multiply(p, hopper_gpu(), selection).workspace_bytes, limit) << way.splits << " parts of K";
            }
            most = std::max(most, ways.size());
            least = std::min(least, ways.size());
        }
    EXPECT_EQ(least, 0u);
    EXPECT_GT(most, 10u) << "parts of K";
}

// Kernel 20 needs none for K whole, so that it always can.
TEST(Selection, OfKernel20EveryWayStaysWithinTheLimitAndOneTakesNothing)
{
    const KernelInfo& kernel = *find_kernel("20");
    const Problem p = problem(300, 200, 5000, CLGEMM_TRANS);
    for (const auto& variant : kernel.variants)
        for (const std::size_t limit : {1, 100'000, 500'000, 2'000'000, 100'000'000}) {
            std::size_t most_parts = 1, without = 0;
            for (const Way& way : possible_ways(p, hopper_gpu(), kernel, kernel.tiling(variant), limit)) {
                Selection selection = selection_of(kernel, variant, hopper_gpu(), "");
                selection.way = way;
                const std::size_t bytes = plan_multiply(p, hopper_gpu(), selection).workspace_bytes;
                EXPECT_LE(bytes, limit) << way.splits << " parts of K";
                most_parts = std::max(most_parts, way.splits);
                without += bytes == 0 ? 1 : 0;
            }
            EXPECT_EQ(without, 2u) << "plain and exchanged";
            EXPECT_EQ(most_parts, limit < 500'000 ? 1u : limit == 500'000 ? 2u : limit == 2'000'000 ? 8u : 32u);
        }
    for (const Tuning& tuning : {derived_tuning(hopper_gpu()), Tuning{}}) {
        const Selection selection = select(p, hopper_gpu(), tuning, {&kernel, false, 1});
        EXPECT_EQ(selection.kernel, &kernel);
        EXPECT_EQ(plan_multiply(p, hopper_gpu(), selection).workspace_bytes, 0u);
    }
}

TEST(Selection, TheTensorCoresComputeInBlocksWhatNeedsMoreWorkspaceThanThereIs)
{
    const KernelInfo& kernel = *find_kernel("14");
    const Problem p = problem(3000, 2000, 1000);
    for (const auto& variant : kernel.variants) {
        const Tiling tiling = kernel.tiling(variant);
        const auto ways = [&](std::size_t limit) { return possible_ways(p, hopper_gpu(), kernel, tiling, limit); };
        EXPECT_TRUE(ways(1).empty());
        EXPECT_TRUE(ways(100'000).empty()) << "not even one tile fits";
        const auto blocks = ways(10'000'000);
        ASSERT_EQ(blocks.size(), 1u);
        EXPECT_LT(blocks[0].block_m * blocks[0].block_n, p.m * p.n);
        EXPECT_EQ(blocks[0].splits, 1u);
        const auto whole = ways(0);
        EXPECT_GT(whole.size(), 1u) << "parts of K";
        for (const Way& way : whole)
            EXPECT_EQ(way.block_m + way.block_n, 0u);
    }

    // Also where nothing was measured, and where that is too little, an error says so.
    const Selection selection = select(p, hopper_gpu(), Tuning{}, {&kernel, false, 10'000'000});
    EXPECT_GT(selection.way.block_m, 0u);
    EXPECT_LE(plan_multiply(p, hopper_gpu(), selection).workspace_bytes, 10'000'000u);
    for (const Tuning& tuning : {derived_tuning(hopper_gpu()), Tuning{}})
        try {
            select(p, hopper_gpu(), tuning, {&kernel, false, 1});
            ADD_FAILURE();
        } catch (const Error& error) {
            EXPECT_EQ(error.status(), CL_MEM_OBJECT_ALLOCATION_FAILURE);
            EXPECT_NE(std::string(error.what()).find("14_tensor_cores"), std::string::npos) << error.what();
        }
}

TEST(Selection, WhatIsAskedForIsTaken)
{
    const Tuning tuning = derived_tuning(hopper_gpu());
    for (const auto& kernel : kernels()) {
        const Selection selection = select(problem(100, 10, 100), hopper_gpu(), tuning, {&kernel});
        EXPECT_EQ(selection.kernel, &kernel);
        const bool measured = std::any_of(tuning.measurements.begin(), tuning.measurements.end(),
                                          [&](const Measurement& one) { return one.kernel == &kernel; });
        EXPECT_EQ(selection.estimate_ns > 0, measured);
        if (measured)
            EXPECT_TRUE(selection.reason.starts_with("asked for; of its sizes the fastest by estimate, "))
                << selection.reason;
        else
            EXPECT_EQ(selection.reason, "asked for");
    }
}

TEST(Selection, TheReasonNamesTheEstimateAndItsOrigin)
{
    const Selection selection =
        select(problem(128, 128, 16, CLGEMM_NO_TRANS, CLGEMM_TRANS), large_gpu(), tuning_of({kernel_13("NT", 500)}), {});
    EXPECT_EQ(selection.reason, "the fastest by estimate, 1.5 us (made up)");
}

TEST(Selection, TheReasonForTheTensorCoresNamesTheEstimateInFp32Too)
{
    const DeviceProfile device = hopper_gpu();
    for (const auto* name : {"14", "20"}) {
        const Problem p = problem(128, 128, 32, CLGEMM_NO_TRANS, CLGEMM_TRANS);
        const Tuning tuning{"made up", 1, 1, 1000, {kernel_13("NT", 5000), measured(name, "", 100)}};
        const auto reason = [&](const Wishes& wishes) { return select(p, device, tuning, wishes).reason; };
        const std::string strict = reason({nullptr, true});
        EXPECT_EQ(strict, "the fastest by estimate, 11 us (made up)");
        const std::string fastest = reason({});
        EXPECT_TRUE(fastest.starts_with("the fastest by estimate, 1.1")) << fastest;
        EXPECT_TRUE(fastest.ends_with(" us (made up); in FP32 alone 13_warp_tiled would take 11 us")) << fastest;
        EXPECT_EQ(reason({find_kernel(name)}).find("FP32"), std::string::npos) << "asked for, nothing was compared";
    }
}

TEST(Selection, AKernelThatCannotRunIsAnError)
{
    for (const auto* name : {"12_async_copy", "13_warp_tiled", "15_skinny"})
        try {
            select(problem(100, 1, 100), tiny_gpu(), find_kernel(name));
            ADD_FAILURE() << name;
        } catch (const Error& error) {
            EXPECT_EQ(error.status(), CLGEMM_KERNEL_NOT_SUPPORTED);
            EXPECT_NE(std::string(error.what()).find(name), std::string::npos);
        }
}

TEST(Selection, Kernels8And13UseWhatTheDeviceHas)
{
    const KernelInfo* kernel = find_kernel("8");
    const auto parameters = [&](const DeviceProfile& device) {
        return select(problem(999, 999, 999), device, kernel).parameters;
    };

    EXPECT_EQ(parameters(large_gpu())["SHUFFLE"], 0u);
    EXPECT_EQ(parameters(large_gpu())["READ_ONLY_LOADS"], 0u);

    DeviceProfile nvidia = large_gpu();
    nvidia.nvidia_ptx = true;
    nvidia.shuffle = Shuffle::nvidia_ptx;
    EXPECT_EQ(parameters(nvidia)["SHUFFLE"], 1u);
    EXPECT_EQ(parameters(nvidia)["READ_ONLY_LOADS"], 1u);

    DeviceProfile ampere = nvidia;
    EXPECT_EQ(select(problem(999, 999, 999), ampere, find_kernel("13")).parameters["ASYNC"], 0u) << "of unknown capability";
    ampere.compute_capability = 80;
    EXPECT_EQ(select(problem(999, 999, 999), ampere, find_kernel("13")).parameters["ASYNC"], 1u);

    DeviceProfile intel = large_gpu();
    intel.shuffle = Shuffle::intel_subgroups;
    EXPECT_EQ(parameters(intel)["SHUFFLE"], 3u);
}
