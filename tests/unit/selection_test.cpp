// Selection: the fastest by the cost model of what was measured, within what the device and the caller allow, and that every
// device gets something it can run.
#include "made_up_tuning.hpp"

#include "select/fastest.hpp"

#include "select/cost_model.hpp"
#include "support/error.hpp"
#include "support/opencl.hpp"

#include <gtest/gtest.h>

#include <algorithm>

using namespace clgemm::core;
using namespace clgemm::test;

TEST(Selection, EveryShapeOnEveryDeviceGetsAVariantThatFits)
{
    const std::size_t sizes[] = {1, 15, 16, 100, 1000, 5000};
    for (const auto& device : {large_gpu(), small_gpu(), tiny_gpu(), made_up_cpu()})
        for (const auto m : sizes)
            for (const auto n : sizes)
                for (const auto k : sizes) {
                    const Selection selection = select(problem(m, n, k), device, nullptr);
                    EXPECT_TRUE(runs(selection.variant, device)) << selection.variant.kernel->name << " on " << device.name;
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
        const auto estimate_of = [&](const Measurement& one, const Way& way) {
            return estimate(one.variant.family().outline(p, device, one.variant, way), tuning, one);
        };
        EXPECT_EQ(selection.variant.kernel, measurement->variant.kernel);
        EXPECT_EQ(with_device_features(measurement->variant, device).parameters.text(), selection.variant.parameters.text());
        EXPECT_EQ(selection.estimate_ns, estimate_of(*measurement, selection.way));
        for (const auto& other : tuning.measurements)
            for (const Way& way : ways_within(p, device, other.variant))
                EXPECT_LE(selection.estimate_ns, estimate_of(other, way)) << other.variant.kernel->name;
    }
}

TEST(Selection, ATinyDeviceFallsBackToTheNaiveKernel)
{
    EXPECT_EQ(chosen(problem(1000, 1000, 1000), tiny_gpu()), "01_naive");
}

TEST(Selection, WithoutAnyMeasurementTheNaiveKernelRuns)
{
    const Selection selection = select(problem(1000, 1000, 1000), large_gpu(), Tuning{}, {});
    EXPECT_EQ(selection.variant.kernel->name, "01_naive");
    EXPECT_EQ(selection.reason, "nothing else could be had");
    EXPECT_EQ(selection.estimate_ns, 0);
    EXPECT_EQ(fastest_measurement(problem(1000, 1000, 1000), large_gpu(), Tuning{}, {}), nullptr);
}

// Whatever was measured, and with no workspace at all.
TEST(Selection, AsALastResortTheNaiveKernelRuns)
{
    for (const auto& device : {large_gpu(), tiny_gpu(), made_up_cpu(), hopper_gpu()})
        for (const std::size_t limit : {0U, 1U}) {
            const Options options{.workspace_limit = limit, .last_resort = true};
            const Problem p = make_problem(uneven(1000, 999, 998));
            const Selection selection = select(p, device, derived_tuning(device), options);
            EXPECT_EQ(selection.variant.kernel->name, "01_naive");
            EXPECT_EQ(selection.way, Way{});
            EXPECT_EQ(made_plan(p, device, selection).workspace_bytes, 0u);
            EXPECT_EQ(fastest_measurement(p, device, derived_tuning(device), options), nullptr);
        }
}

TEST(Selection, AMeasuredSizeThatDoesNotFitTheDeviceIsPassedOver)
{
    const Measurement too_large{first_variant("13"), "", {{1, 1}}, 1, {{1, 1}}};
    const Selection selection = select(problem(1000, 1000, 1000), small_gpu(), tuning_of({too_large}), {});
    EXPECT_EQ(selection.variant.kernel->name, "01_naive");
}

// Their times are on another scale: a measurement that holds is taken, however slow it is beside a guess.
TEST(Selection, GuessesAreAskedWhereNoMeasurementHoldsAndOnlyThere)
{
    const DeviceProfile device = large_gpu();
    const Tuning incomplete = tuning_of({measured("15", "", 1e9)}), tuning = completed_by_guesses(incomplete, device);
    const auto expect_like = [&](const Tuning& other, const Problem& p, const Options& options) {
        const Selection selection = select(p, device, tuning, options), expected = select(p, device, other, options);
        EXPECT_EQ(selection.variant.kernel, expected.variant.kernel);
        EXPECT_EQ(selection.variant.parameters.text(), expected.variant.parameters.text());
        EXPECT_EQ(selection.way, expected.way);
        EXPECT_EQ(selection.estimate_ns, expected.estimate_ns);
    };
    expect_like(incomplete, problem(1000, 1, 1000), {});
    for (const std::size_t limit : {std::size_t{0}, std::size_t{1}}) {
        const Options options{.workspace_limit = limit};
        const Problem p = problem(1000, 1000, 1000);
        ASSERT_EQ(fastest_measurement(p, device, tuning, options), nullptr);
        expect_like(derived_tuning(device), p, options);
        EXPECT_NE(select(p, device, tuning, options).variant.kernel, &last_resort());
        EXPECT_NE(select(p, device, tuning, options).reason.find("nothing that was measured holds"), std::string::npos);
    }
    // Who asks for a kernel, or for the last resort, gets what a device without guesses gets.
    expect_like(incomplete, problem(1000, 1000, 1000), {find_kernel("13")});
    expect_like(incomplete, problem(1000, 1000, 1000), {.workspace_limit = 1, .last_resort = true});
}

// So they are checked before they are used, as on a device of which nothing was measured.
TEST(Selection, AGuessThatDoesNotComputeInFp32IsUnprovenBesideMeasurements)
{
    const DeviceProfile device = hopper_gpu();
    const Problem large = problem(4096, 4096, 4096);
    const Selection guessed = select(large, device, completed_by_guesses(tuning_of({}), device), {});
    ASSERT_FALSE(is_strict(guessed.variant.family()));
    EXPECT_TRUE(guessed.is_unproven);
    const Tuning known = completed_by_guesses(tuning_of({measured("14", "", 1000)}), device);
    EXPECT_FALSE(select(large, device, known, {}).is_unproven);
}

TEST(Selection, AGpuMultipliesFewRowsOrColumnsByTheKernelForThem)
{
    EXPECT_EQ(chosen(problem(5000, 1, 5000), large_gpu()), "skinny");
    EXPECT_EQ(chosen(problem(5000, 15, 5000), large_gpu()), "skinny");
    EXPECT_FALSE(select(problem(5000, 3, 5000), large_gpu(), nullptr).way.transposed);
    EXPECT_EQ(chosen(problem(1, 5000, 5000), large_gpu()), "skinny");
    EXPECT_TRUE(select(problem(3, 5000, 5000), large_gpu(), nullptr).way.transposed);
    EXPECT_EQ(chosen(problem(5000, 5000, 5000), large_gpu()), "13_warp_tiled");
}

TEST(Selection, ACpuIsNotGivenTheGpusKernels)
{
    for (const std::size_t m : {1U, 20U, 5000U})
        for (const std::size_t n : {1U, 20U, 5000U}) {
            EXPECT_NE(chosen(problem(m, n, 5000), made_up_cpu()), "13_warp_tiled");
            EXPECT_NE(chosen(problem(m, n, 5000), made_up_cpu()), "skinny");
        }
    EXPECT_NE(chosen(problem(500, 500, 500), made_up_cpu()), "01_naive");
}

// Where a tile is larger than what the kernel has columns for, the kernel cannot be chosen.
TEST(Selection, MoreColumnsThanTheTileHasAreNotForKernel15)
{
    const Measurement few{first_variant("15"), "", {{1, 1}}, 1, {{1, 1}}}; // one column
    ASSERT_EQ(few.variant.tiling.n, 1u);
    const auto name = [&](std::size_t m, std::size_t n) {
        return select(problem(m, n, 1000), large_gpu(), tuning_of({few}), {}).variant.kernel->name;
    };
    EXPECT_EQ(name(1000, 1), "skinny");
    EXPECT_EQ(name(1, 1000), "skinny");
    EXPECT_EQ(name(1000, 2), "01_naive");
    EXPECT_EQ(name(2, 1000), "01_naive");
}

TEST(Selection, AGpuGetsSmallerTilesForSmallerProblems)
{
    for (const auto* name : {"09_prefetch", "13_warp_tiled"}) { // by rule, and by the guesses
        const KernelInfo* kernel = find_kernel(name);
        const auto elements = [&](std::size_t size) {
            const Tiling tiling = select(problem(size, size, 256), large_gpu(), kernel).variant.tiling;
            return tiling.m * tiling.n;
        };
        EXPECT_GT(elements(4096), elements(1024)) << name;
        EXPECT_GT(elements(1024), elements(256)) << name;
    }
}

TEST(Selection, NeverASmallerTileThatGivesNoMoreWorkGroups)
{
    for (const auto& kernel : kernels()) { // nothing measured: the registry's order decides
        const DeviceProfile device = large_device_for(kernel);
        DeviceProfile one_unit = device;
        one_unit.compute_units = 1;
        EXPECT_EQ(select(asked_of(kernel, problem(256, 256, 64)), one_unit, Tuning{}, {&kernel}).variant.parameters.text(),
                  select(asked_of(kernel, problem(8192, 8192, 64)), device, Tuning{}, {&kernel}).variant.parameters.text());
    }
}

TEST(Selection, KIsSplitWhereThereAreFewTilesAndManySteps)
{
    const KernelInfo* kernel = find_kernel("13");
    EXPECT_GT(select(problem(128, 128, 16384), large_gpu(), kernel).way.split_k, 1u);
    EXPECT_EQ(select(problem(128, 128, 128), large_gpu(), kernel).way.split_k, 1u) << "starting and adding costs more";
    EXPECT_EQ(select(problem(4096, 4096, 4096), large_gpu(), kernel).way.split_k, 1u) << "the device is full";
    EXPECT_EQ(select(problem(128, 128, 16384), large_gpu(), find_kernel("09")).way.split_k, 1u) << "it cannot";
}

TEST(Selection, EveryPartOfKHasSomeSteps)
{
    bool any_parts = false;
    for (const auto& variant : variants_of(*find_kernel("13"))) {
        const Tiling& tiling = variant.tiling;
        for (const std::size_t k : {std::size_t{1}, tiling.k, 4 * tiling.k, 8 * tiling.k, 1000 * tiling.k + 1})
            for (const Way& way : ways_within(problem(100, 100, k), large_gpu(), variant))
                if (way.split_k > 1) {
                    any_parts = true;
                    EXPECT_GE(k / way.split_k, 4 * tiling.k);
                }
    }
    EXPECT_TRUE(any_parts);
}

TEST(Selection, ACopyIsChosenOnceItPays)
{
    const DeviceProfile device = large_gpu();
    const Tuning tuning = tuning_of({kernel_13("NT", 1000), kernel_13("TT", 1500), kernel_13("NN", 1000)});
    const auto way = [&](std::size_t size, clgemm_transpose trans_a, clgemm_transpose trans_b) {
        return select(problem(size, size, size, trans_a, trans_b), device, tuning, {}).way;
    };
    EXPECT_FALSE(copies_a(way(4096, CLGEMM_NO_TRANS, CLGEMM_TRANS))) << "nothing to gain";
    EXPECT_FALSE(copies_b(way(4096, CLGEMM_NO_TRANS, CLGEMM_TRANS)));
    EXPECT_TRUE(copies_a(way(4096, CLGEMM_TRANS, CLGEMM_TRANS)));
    EXPECT_FALSE(copies_b(way(4096, CLGEMM_TRANS, CLGEMM_TRANS)));
    EXPECT_FALSE(copies_a(way(64, CLGEMM_TRANS, CLGEMM_TRANS))) << "less work than one more launch";
    EXPECT_FALSE(copies_b(way(4096, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS))) << "as fast without";
    // What was not measured at all can still be copied to what was.
    EXPECT_TRUE(copies_a(way(64, CLGEMM_TRANS, CLGEMM_NO_TRANS)));
}

// Which measurement holds depends on how the operands lie once they are copied.
TEST(Selection, AMeasurementCountsForOperandsThatLieAsItsOwn)
{
    const auto choose = [](const Arguments& arguments, const char* measured) {
        const auto best = select(make_problem(arguments), large_gpu(), tuning_of({kernel_13(measured, 1000)}), {});
        return std::string(best.variant.kernel->name == "13_warp_tiled" ? "yes" : "no") +
               (copies_a(best.way) ? ", copies A" : "") + (copies_b(best.way) ? ", copies B" : "");
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
    const auto is_chosen = [](const Arguments& arguments, const char* measured) {
        const Measurement few{first_variant("15"), measured, {{1, 1}}, 1, {{1, 1}}};
        return select(make_problem(arguments), large_gpu(), tuning_of({few}), {}).variant.kernel == few.variant.kernel;
    };
    Arguments x = arguments(1000, 1, 1000, CLGEMM_NO_TRANS, CLGEMM_TRANS); // one row of B is no whole vector
    EXPECT_TRUE(is_chosen(x, "NT"));
    EXPECT_FALSE(is_chosen(x, "nt"));
    x.lda = 1001;
    EXPECT_FALSE(is_chosen(x, "NT"));
    EXPECT_TRUE(is_chosen(x, "nt"));
    // Transposed, A's part is B's: its memory runs along N, the new M.
    x = arguments(1, 1000, 1000, CLGEMM_NO_TRANS, CLGEMM_TRANS);
    EXPECT_TRUE(is_chosen(x, "NT"));
    EXPECT_FALSE(is_chosen(x, "TT"));
}

// Of any size, each with as many parts of K as its depth allows, with copies and without.
TEST(Selection, TemporariesStayWithinAnEighthOfMemoryAndOneBuffer)
{
    DeviceProfile device = large_gpu();
    device.global_memory = 64 << 20;
    EXPECT_EQ(device.memory_for_temporaries(), device.global_memory / 8);
    for (const std::size_t max_allocation : {std::size_t{32} << 20, std::size_t{1} << 20}) {
        device.max_allocation = max_allocation;
        const std::size_t limit = std::min(device.global_memory / 8, max_allocation);
        bool any_copy = false, any_parts = false, any_left_out = false;
        for (const std::size_t size : {40U, 100U, 256U, 1000U, 4000U})
            for (const auto& variant : variants_of(*find_kernel("13"))) {
                const Problem p = problem(size, size, 4000, CLGEMM_TRANS, CLGEMM_NO_TRANS);
                const auto ways = ways_within(p, device, variant);
                ASSERT_FALSE(ways.empty()) << "without temporaries it always can";
                for (const Way& way : ways) {
                    EXPECT_LE(made_plan(p, device, variant, way).workspace_bytes, limit);
                    any_copy |= way.form != 0;
                    any_parts |= way.split_k > 1;
                }
                // And of the measured ones select() takes none of the others, however fast that were.
                for (const char* const operands : {"TN", "NT"}) {
                    const Tuning tuning = tuning_of({{variant, operands, {{1, 1000}}, 1, {{1, 1000}}}});
                    const Selection selection = select(p, device, tuning, {});
                    EXPECT_LE(made_plan(p, device, selection).workspace_bytes, limit);
                    any_left_out |= selection.estimate_ns == 0;
                }
            }
        EXPECT_TRUE(any_copy);
        EXPECT_TRUE(any_parts);
        EXPECT_TRUE(any_left_out) << "copies of any size fit";
    }
}

// The outline that a selection is weighed by says exactly what the plan takes.
TEST(Selection, APlanTakesTheWorkspaceThatItsOutlineSays)
{
    std::size_t with_workspace = 0;
    for (const auto& kernel : kernels())
        for (const auto& variant : variants_of(kernel))
            for (const auto& x : {uneven(100, 1, 1000), uneven(1, 130, 999, CLGEMM_TRANS), arguments(128, 128, 128),
                                  uneven(333, 257, 4001, CLGEMM_NO_TRANS, CLGEMM_TRANS)}) {
                const Problem p = make_problem(x);
                for (const Way& way : kernel.family->ways(p, hopper_gpu(), variant)) {
                    const auto outline = kernel.family->outline(p, hopper_gpu(), variant, way);
                    ASSERT_EQ(made_plan(p, hopper_gpu(), variant, way).workspace_bytes, outline.workspace_bytes)
                        << kernel.name << " " << variant.parameters.text() << ", " << way.split_k << " parts of K";
                    with_workspace += outline.workspace_bytes > 0 ? 1 : 0;
                }
            }
    EXPECT_GT(with_workspace, 1000u);
}

TEST(Selection, WhatIsAskedForIsTaken)
{
    for (const auto& kernel : kernels()) {
        const DeviceProfile device = large_device_for(kernel);
        const Tuning tuning = derived_tuning(device);
        const Problem asked = asked_of(kernel, problem(100, 10, 100));
        const Selection selection = select(asked, device, tuning, {&kernel});
        EXPECT_EQ(selection.variant.kernel, &kernel);
        const bool measured = // as a kernel that is made for such a problem
            std::any_of(tuning.measurements.begin(), tuning.measurements.end(), [&](const Measurement& one) {
                return one.variant.kernel == &kernel && !kernel.family->ways(asked, device, one.variant).empty();
            });
        EXPECT_EQ(selection.estimate_ns > 0, measured);
        if (measured)
            EXPECT_TRUE(selection.reason.starts_with("asked for; of its sizes the fastest by estimate, "))
                << selection.reason;
        else
            EXPECT_EQ(selection.reason, "asked for");
    }
}

// Asked for, a kernel keeps to the limit, but kernels 1 to 12 have no other way than the one that takes what it takes.
TEST(Selection, WhatIsAskedForKeepsToTheLimitIfItCan)
{
    for (const auto& kernel : kernels()) {
        const Problem p = asked_of(kernel, make_problem(uneven(1000, 999, 998)));
        const DeviceProfile device = large_device_for(kernel);
        for (const Tuning& tuning : {derived_tuning(device), Tuning{}}) {
            SCOPED_TRACE(kernel.name);
            const auto workspace = [&](std::size_t limit) {
                return made_plan(p, device, select(p, device, tuning, {.kernel = &kernel, .workspace_limit = limit}))
                    .workspace_bytes;
            };
            if (!kernel.family->keeps_to_limit()) { // the documentation promises it of kernels 2 to 12
                EXPECT_EQ(workspace(1), workspace(0));
                EXPECT_EQ(workspace(1) == 0, kernel.is_last_resort);
                continue;
            }
            for (const std::size_t limit : {10'000'000U, 100'000U, 1U})
                try {
                    EXPECT_LE(workspace(limit), limit);
                } catch (const Error& error) {
                    EXPECT_EQ(error.status(), CL_MEM_OBJECT_ALLOCATION_FAILURE);
                    EXPECT_NE(std::string(error.what()).find(kernel.name), std::string::npos) << error.what();
                    EXPECT_NE(std::string(error.what()).find(" the " + std::to_string(limit) + " bytes that the options "),
                              std::string::npos)
                        << error.what();
                    EXPECT_TRUE(kernel.family->computes_in_blocks() || kernel.name == "cpu_packed" ||
                                kernel.name == "tensor_rounded")
                        << "it can do without";
                }
        }
    }
}

// A kernel that is asked for without a limit takes what it must have, even where the library would not choose to take it.
TEST(Selection, WithoutALimitWhatIsAskedForTakesWhatTheDeviceHas)
{
    DeviceProfile device = made_up_cpu();
    const KernelInfo& kernel = *find_kernel("16");
    const Problem p = problem(1000, 1000, 1000); // its panels take 8 MB and a little
    device.global_memory = 16 << 20;
    device.max_allocation = 10 << 20;
    for (const Tuning& tuning : {derived_tuning(device), Tuning{}}) {
        const Selection selection = select(p, device, tuning, {&kernel});
        EXPECT_EQ(selection.variant.kernel, &kernel);
        EXPECT_GT(made_plan(p, device, selection).workspace_bytes, device.memory_for_temporaries());
        EXPECT_NE(select(p, device, tuning, {}).variant.kernel, &kernel);
    }
    device.max_allocation = 7 << 20;
    EXPECT_THROW(select(p, device, Tuning{}, {&kernel}), Error) << "one buffer cannot hold it";
}

TEST(Selection, TheReasonNamesTheEstimateAndItsOrigin)
{
    const Selection selection =
        select(problem(128, 128, 16, CLGEMM_NO_TRANS, CLGEMM_TRANS), large_gpu(), tuning_of({kernel_13("NT", 500)}), {});
    EXPECT_EQ(selection.reason, "the fastest by estimate, 1.5 us (made up)");
}

TEST(Selection, AKernelThatCannotRunIsAnError)
{
    for (const auto* name : {"12_async_copy", "13_warp_tiled", "skinny"})
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
        return select(problem(999, 999, 999), device, kernel).variant.parameters;
    };

    EXPECT_EQ(parameters(large_gpu())["SHUFFLE"], 0u);
    EXPECT_EQ(parameters(large_gpu())["READ_ONLY_LOADS"], 0u);

    DeviceProfile nvidia = large_gpu();
    nvidia.nvidia_ptx = true;
    nvidia.shuffle = Shuffle::nvidia_ptx;
    EXPECT_EQ(parameters(nvidia)["SHUFFLE"], 1u);
    EXPECT_EQ(parameters(nvidia)["READ_ONLY_LOADS"], 1u);

    DeviceProfile ampere = nvidia;
    EXPECT_EQ(select(problem(999, 999, 999), ampere, find_kernel("13")).variant.parameters["ASYNC"], 0u)
        << "of unknown capability";
    ampere.compute_capability = 80;
    for (const auto& [driver, async] : {std::pair{"460.32.03", 0U}, {"470.57.02", 1U}}) {
        ampere.driver_version = driver;
        ampere.instructions = find_instructions(ampere);
        EXPECT_EQ(select(problem(999, 999, 999), ampere, find_kernel("13")).variant.parameters["ASYNC"], async) << driver;
    }

    DeviceProfile intel = large_gpu();
    intel.shuffle = Shuffle::intel_subgroups;
    EXPECT_EQ(parameters(intel)["SHUFFLE"], 3u);
}
