// Selection among the tensor cores' kernels and the others: where they are chosen, transposed, computed in blocks or
// excluded.
#include "unit/made_up_tuning.hpp"

#include "select/fastest.hpp"

#include "support/error.hpp"
#include "support/opencl.hpp"

#include <gtest/gtest.h>

#include <algorithm>

using namespace clgemm::core;
using namespace clgemm::test;

TEST(TensorSelection, Kernel20MayComputeEveryProblemTransposed)
{
    const DeviceProfile device = hopper_gpu();
    for (const auto& variant : variants_of(*find_kernel("20"))) {
        const Tiling& tiling = variant.tiling;
        for (const std::size_t m : {1U, 100U, 3000U})
            for (const std::size_t n : {1U, 100U, 3000U})
                for (const auto trans : {CLGEMM_NO_TRANS, CLGEMM_TRANS})
                    for (const std::size_t k : {1U, 127U, 300U, 5000U}) {
                        std::vector<std::size_t> plain, transposed;
                        for (const Way& way : ways_within(problem(m, n, k, trans, trans), device, variant)) {
                            (way.transposed ? transposed : plain).push_back(way.split_k);
                            EXPECT_EQ(way.form, 0u);
                            EXPECT_TRUE(way.split_k == 1 || k / way.split_k >= 4 * tiling.k)
                                << way.split_k << " parts of " << k;
                        }
                        EXPECT_EQ(plain, transposed);
                        ASSERT_FALSE(plain.empty());
                        EXPECT_EQ(plain.front(), 1u);
                        EXPECT_EQ(plain.size() > 1, k > 256);
                    }
    }
}

// By tiles of 64 x 128.
TEST(TensorSelection, Kernel20IsTransposedWhereThatMakesFewerTiles)
{
    const DeviceProfile device = hopper_gpu();
    const auto is_transposed = [&](std::size_t m, std::size_t n) {
        const Measurement only = measured("20", "", 100'000); // more than memory takes
        const Selection selection = select(problem(m, n, 64), device, tuning_of({only}), {find_kernel("20")});
        EXPECT_EQ(selection.variant.kernel, only.variant.kernel);
        return selection.way.transposed;
    };
    EXPECT_FALSE(is_transposed(64, 128 * 132));
    EXPECT_TRUE(is_transposed(128 * 132, 64));
    EXPECT_FALSE(is_transposed(64, 128)) << "as good either way";
    EXPECT_FALSE(is_transposed(1000, 1000));
}

// Along K no letter tells whether memory is aligned: where it is not, copies take longer than those that were measured.
TEST(TensorSelection, Kernel20CountsCopiesOfFloatsAlongK)
{
    const KernelInfo* kernel = find_kernel("20");
    const DeviceProfile device = hopper_gpu();
    const auto choose = [&](const Arguments& arguments, const char* letters) {
        const Tuning tuning = tuning_of({measured("20", letters, 1)});
        const Problem p = make_problem(arguments);
        const Selection best = select(p, device, tuning, {});
        const Selection asked_for = select(p, device, tuning, {kernel});
        EXPECT_EQ(asked_for.variant.kernel, kernel);
        const bool is_best = best.variant.kernel == kernel;
        EXPECT_EQ(asked_for.estimate_ns > 0, is_best);
        if (!is_best) {
            EXPECT_EQ(asked_for.reason, "asked for");
            EXPECT_EQ(made_plan(p, device, asked_for).steps.size(), 1u);
        }
        return std::string(!is_best ? "no" : best.way.transposed ? "transposed" : "yes");
    };
    const auto n = CLGEMM_NO_TRANS, t = CLGEMM_TRANS;
    Arguments nn = arguments(1000, 1000, 100, n, n), tn = arguments(1000, 1000, 100, t, n);
    Arguments tt = arguments(1000, 1000, 100, t, t), nt = arguments(1000, 1000, 100, n, t);
    EXPECT_EQ(choose(nn, "NN"), "yes");
    EXPECT_EQ(choose(nn, "TT"), "transposed") << "B' runs along K, A' along N";
    EXPECT_EQ(choose(tt, "TT"), "yes");
    EXPECT_EQ(choose(tt, "NN"), "transposed");
    EXPECT_EQ(choose(tn, "TN"), "yes");
    EXPECT_EQ(choose(nt, "NT"), "yes");
    for (const auto* letters : {"TN", "TT", "NT", "nN"})
        EXPECT_EQ(choose(nn, letters), letters == std::string("TT") ? "transposed" : "no") << letters;

    // Along K not aligned: by its start, its columns, or because K is no whole vectors.
    const auto estimate = [&](const Arguments& arguments, const char* letters) {
        return select(make_problem(arguments), device, tuning_of({measured("20", letters, 100'000)}), {kernel}).estimate_ns;
    };
    for (const auto& [letters, aligned] : {std::pair{"NN", nn}, {"TN", tn}, {"TT", tt}}) {
        const bool a_along_k = aligned.trans_a == t, b_along_k = aligned.trans_b == n;
        EXPECT_GT(estimate(aligned, letters), 0);
        Arguments other = aligned;
        (a_along_k ? other.offset_a : other.offset_b) = 2;
        EXPECT_EQ(choose(other, letters), "yes");
        EXPECT_GT(estimate(other, letters), estimate(aligned, letters));
        other = aligned;
        (b_along_k ? other.ldb : other.lda) += 1;
        EXPECT_EQ(choose(other, letters), "yes");
        EXPECT_GT(estimate(other, letters), estimate(aligned, letters));
        other = aligned;
        other.k = 98;
        EXPECT_EQ(choose(other, letters), "yes");
        EXPECT_GT(estimate(other, letters), estimate(aligned, letters));
    }

    // Along M and N letters tell whether it is aligned, and a depth of any size will do.
    nn.lda = 1001;
    EXPECT_EQ(choose(nn, "NN"), "no");
    EXPECT_EQ(choose(nn, "nN"), "yes");
    EXPECT_EQ(choose(nn, "Tt"), "transposed");
    nt.k = 99;
    EXPECT_EQ(choose(nt, "NT"), "yes");
    nt.ldb = 1001;
    EXPECT_EQ(choose(nt, "NT"), "no");
    EXPECT_EQ(choose(nt, "nt"), "yes") << "one of the two unaligned counts as both";
    // A guess holds for all.
    nn.offset_b = 1;
    EXPECT_EQ(choose(nn, ""), "yes");
}

TEST(TensorSelection, AnA100IsGivenTheTensorCoresForLargeSquaresByGuess)
{
    const DeviceProfile a100 = ampere_gpu(80);
    for (const std::size_t size : {2048U, 3000U, 4096U, 8192U})
        EXPECT_EQ(chosen(problem(size, size, size), a100), "tensor_mma") << size;
    for (const std::size_t size : {64U, 128U})
        EXPECT_NE(chosen(problem(size, size, size), a100), "tensor_mma") << size;
    EXPECT_EQ(chosen(problem(1, 8192, 8192), a100), "skinny");
    EXPECT_EQ(select(problem(4096, 4096, 4096), a100, derived_tuning(a100), {nullptr, true}).variant.kernel->name,
              "13_warp_tiled");
    for (const unsigned capability : {86U, 89U})
        EXPECT_EQ(chosen(problem(4096, 4096, 4096), ampere_gpu(capability)), "13_warp_tiled") << capability;
}

TEST(TensorSelection, StrictModeNeverChoosesTheTensorCores)
{
    const DeviceProfile device = hopper_gpu();
    const Tuning tuning = derived_tuning(device);
    bool any = false;
    for (const std::size_t m : {1U, 64U, 1000U, 4096U})
        for (const std::size_t n : {1U, 64U, 1000U, 4096U})
            for (const std::size_t k : {1U, 100U, 4096U}) {
                const Problem strict = strictly(problem(m, n, k));
                any |= !is_strict(select(problem(m, n, k), device, tuning, {}).variant.family());
                EXPECT_TRUE(is_strict(select(strict, device, tuning, {}).variant.family()));
                const auto* measurement = fastest_measurement(strict, device, tuning, {});
                ASSERT_NE(measurement, nullptr);
                EXPECT_TRUE(is_strict(measurement->variant.family()));
            }
    EXPECT_TRUE(any) << "without strict mode they are never chosen, either";
}

TEST(TensorSelection, StrictModeAndAKernelOnTensorCoresExcludeEachOther)
{
    for (const char* const name : {"14_tensor_cores", "tensor_mma", "tensor_direct"})
        for (const Tuning& tuning : {derived_tuning(hopper_gpu()), Tuning{}})
            try {
                select(strictly(problem(1000, 1000, 1000)), hopper_gpu(), tuning, {find_kernel(name)});
                ADD_FAILURE() << name;
            } catch (const Error& error) {
                EXPECT_EQ(error.status(), CLGEMM_KERNEL_NOT_SUPPORTED);
                for (const char* const named : {name, "FP32 multiplications and additions alone"})
                    EXPECT_NE(std::string(error.what()).find(named), std::string::npos) << error.what();
            }
    for (const auto& kernel : kernels())
        if (is_strict(*kernel.family)) {
            EXPECT_EQ(select(strictly(problem(100, 10, 100)), hopper_gpu(), Tuning{}, {&kernel}).variant.kernel, &kernel);
        }
}

TEST(TensorSelection, TheWorkspaceStaysWithinTheCallersLimit)
{
    for (const DeviceProfile& device : {hopper_gpu(), large_gpu(), made_up_cpu()}) {
        const Tuning tuning = derived_tuning(device);
        std::size_t used = 0;
        for (const std::size_t m : {1U, 100U, 129U, 1000U, 5000U})
            for (const std::size_t n : {1U, 100U, 129U, 1000U, 5000U})
                for (const std::size_t k : {1U, 33U, 1000U, 20'000U})
                    for (const auto trans : {CLGEMM_NO_TRANS, CLGEMM_TRANS})
                        for (const double limit : {1.0, 4.0, 255.0, 256.0, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9}) {
                            const auto bytes = static_cast<std::size_t>(limit);
                            const Problem p = problem(m, n, k, trans, trans);
                            const Selection selection = select(p, device, tuning, {nullptr, bytes});
                            const Plan plan = made_plan(p, device, selection);
                            ASSERT_LE(plan.workspace_bytes, bytes) << device.name << ", " << m << "x" << n << "x" << k
                                                                   << ", " << selection.variant.kernel->name;
                            used += plan.workspace_bytes > 0 ? 1 : 0;
                        }
        EXPECT_GT(used, 100u) << device.name << " never takes any";
    }
}

TEST(TensorSelection, OfTheTensorCoresEveryWayStaysWithinTheLimit)
{
    const Problem p = problem(300, 200, 5000, CLGEMM_TRANS);
    std::size_t most = 0, least = ~std::size_t{0};
    for (const auto& variant : variants_of(*find_kernel("14")))
        for (std::size_t limit = 1'000'000; limit < 1 << 27; limit += limit / 10) {
            const auto ways = ways_within(p, hopper_gpu(), variant, limit);
            for (const Way& way : ways)
                EXPECT_LE(made_plan(p, hopper_gpu(), variant, way).workspace_bytes, limit) << way.split_k << " parts of K";
            most = std::max(most, ways.size());
            least = std::min(least, ways.size());
        }
    EXPECT_EQ(least, 0u);
    EXPECT_GT(most, 10u) << "parts of K";
}

// Kernel 20 needs none for K whole, so that it always can.
TEST(TensorSelection, OfKernel20EveryWayStaysWithinTheLimitAndOneTakesNothing)
{
    const KernelInfo& kernel = *find_kernel("20");
    const Problem p = problem(300, 200, 5000, CLGEMM_TRANS);
    for (const auto& variant : variants_of(kernel))
        for (const std::size_t limit : {1U, 100'000U, 500'000U, 2'000'000U, 100'000'000U}) {
            std::size_t most_parts = 1, without = 0;
            for (const Way& way : ways_within(p, hopper_gpu(), variant, limit)) {
                const std::size_t bytes = made_plan(p, hopper_gpu(), variant, way).workspace_bytes;
                EXPECT_LE(bytes, limit) << way.split_k << " parts of K";
                most_parts = std::max(most_parts, way.split_k);
                without += bytes == 0 ? 1 : 0;
            }
            EXPECT_EQ(without, 2u) << "plain and transposed";
            EXPECT_EQ(most_parts, limit < 500'000 ? 1u : limit == 500'000 ? 2u : limit == 2'000'000 ? 8u : 32u);
        }
    for (const Tuning& tuning : {derived_tuning(hopper_gpu()), Tuning{}}) {
        const Selection selection = select(p, hopper_gpu(), tuning, {&kernel, 1});
        EXPECT_EQ(selection.variant.kernel, &kernel);
        EXPECT_EQ(made_plan(p, hopper_gpu(), selection).workspace_bytes, 0u);
    }
}

TEST(TensorSelection, TheTensorCoresComputeInBlocksWhatNeedsMoreWorkspaceThanThereIs)
{
    const KernelInfo& kernel = *find_kernel("14");
    const Problem p = problem(3000, 2000, 1000);
    for (const auto& variant : variants_of(kernel)) {
        const auto blocks = [&](std::size_t limit) { return blocks_within(p, hopper_gpu(), variant, limit); };
        EXPECT_FALSE(blocks(1));
        EXPECT_FALSE(blocks(100'000)) << "not even one tile fits";
        ASSERT_TRUE(blocks(10'000'000));
        EXPECT_LT(blocks(10'000'000)->m * blocks(10'000'000)->n, p.m * p.n);
        EXPECT_GT(ways_within(p, hopper_gpu(), variant).size(), 1u) << "parts of K";
    }

    // Also where nothing was measured, and where that is too little, an error says so.
    const Selection selection = select(p, hopper_gpu(), Tuning{}, {&kernel, 10'000'000});
    EXPECT_GT(selection.blocks.m, 0u);
    EXPECT_LE(made_plan(p, hopper_gpu(), selection).workspace_bytes, 10'000'000u);
    for (const Tuning& tuning : {derived_tuning(hopper_gpu()), Tuning{}})
        try {
            select(p, hopper_gpu(), tuning, {&kernel, 1});
            ADD_FAILURE();
        } catch (const Error& error) {
            EXPECT_EQ(error.status(), CL_MEM_OBJECT_ALLOCATION_FAILURE);
            EXPECT_NE(std::string(error.what()).find("14_tensor_cores"), std::string::npos) << error.what();
        }
}

TEST(TensorSelection, TheReasonForTheTensorCoresNamesTheEstimateInFp32Too)
{
    const DeviceProfile device = hopper_gpu();
    for (const auto* name : {"14", "19", "20"}) {
        const Problem p = problem(128, 128, 32, CLGEMM_NO_TRANS, CLGEMM_TRANS);
        const Tuning tuning{"made up", 1, 1, 1000, {kernel_13("NT", 5000), measured(name, "", 100)}};
        const auto reason = [&](const Options& options) { return select(p, device, tuning, options).reason; };
        EXPECT_EQ(select(strictly(p), device, tuning, {}).reason, "the fastest by estimate, 11 us (made up)");
        const std::string fastest = reason({});
        EXPECT_TRUE(fastest.starts_with("the fastest by estimate, 1.1")) << fastest;
        EXPECT_TRUE(fastest.ends_with(" us (made up); in FP32 alone 13_warp_tiled would take 11 us")) << fastest;
        EXPECT_EQ(reason({find_kernel(name)}).find("FP32"), std::string::npos) << "asked for, nothing was compared";
    }
}

// Estimates are no better than that, and FP32 is more accurate.
TEST(TensorSelection, TheTensorCoresAreNotTakenForNextToNothing)
{
    const DeviceProfile device = hopper_gpu();
    const Problem p = problem(128, 128, 96, CLGEMM_NO_TRANS, CLGEMM_TRANS); // too shallow for parts of K
    const auto chosen = [&](double ns) {
        const Tuning tuning{"made up", 1, 1, 1000, {kernel_13("NT", 5000), measured("20", "", ns)}};
        return select(p, device, tuning, {});
    };
    const double steps_20_for_one_of_13 = 0.5; // its steps are twice as deep
    const double as_long = 5000 / steps_20_for_one_of_13;
    EXPECT_EQ(chosen(0.95 * as_long).variant.kernel->name, "tensor_direct");
    EXPECT_EQ(chosen(0.99 * as_long).variant.kernel->name, "13_warp_tiled");
    EXPECT_NE(chosen(0.99 * as_long).reason.find("not by enough faster: tensor_direct"), std::string::npos);
    EXPECT_EQ(chosen(1.05 * as_long).reason.find("tensor_direct"), std::string::npos);
}
