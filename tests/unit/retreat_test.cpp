// The way back from new data, step by step, by made-up measurements.
#include "made_up_tuning.hpp"

#include "tools/tune/estimated.hpp"
#include "tools/tune/retreat.hpp"
#include "tools/tune/targets.hpp"

#include <gtest/gtest.h>

using namespace clgemm::core;
using namespace clgemm::tune;
using namespace clgemm::test;

namespace {

// A size of kernel 13 was known; another one is new, and promises to be faster.
class TunersRetreat : public testing::Test {
protected:
    static Measurement kernel_13(std::size_t size, const char* operands, double ns)
    {
        const KernelInfo& kernel = *find_kernel("13");
        return {variant_of(kernel, kernel.variants[size]), operands, {{1, ns}}, 1, {{1, 1000}}, {}};
    }

    void promise(double step_ns) { tuning.measurements = {known_now, kernel_13(1, "NT", step_ns)}; }

    Selection choice() const { return clgemm::core::select(call, device, tuning, {}); }
    bool step_back() { return retreat.step_back(tuning, call, chosen_before, choice()); }

    static constexpr double scale = 0.5;
    const DeviceProfile device = large_gpu();
    const Tuning before = tuning_of({kernel_13(0, "", 4000)});
    const Measurement known_now = kernel_13(0, "NT", 1900); // nearly as it was, at the scale of the new
    const Problem call = problem_of({4096, 4096, 4096}, "NT");
    const Selection chosen_before = clgemm::core::select(call, device, before, {});
    Tuning tuning = tuning_of({});
    Retreat retreat{device, before, scale};
};

TEST_F(TunersRetreat, WhatWinsByLittleIsRaisedByAsMuchAsItTakes)
{
    promise(1900);
    const double lost = estimate_of(call, chosen_before, device, tuning)->ns;
    for (double step_ns = 1900; !(lost > estimate_of(call, choice(), device, tuning)->ns); promise(step_ns))
        step_ns *= 0.8;
    const double promised = tuning.measurements.back().step_ns.front().second;
    int steps = 0;
    while (!choice().computes_like(chosen_before) && steps++ < 100)
        ASSERT_TRUE(step_back());
    ASSERT_EQ(tuning.measurements.size(), 2u);
    EXPECT_GT(tuning.measurements.back().step_ns.front().second, promised);
    EXPECT_LT(tuning.measurements.back().step_ns.front().second, 1.5 * promised);
    EXPECT_EQ(tuning.measurements.front().step_ns, known_now.step_ns) << "nothing else is changed";
}

TEST_F(TunersRetreat, WhatIsNewAndMustBeRaisedAgainAndAgainIsDropped)
{
    promise(1);
    const Selection newcomer = choice();
    ASSERT_FALSE(newcomer.computes_like(chosen_before));
    int steps = 0;
    for (; tuning.measurements.size() == 2; steps++)
        ASSERT_TRUE(retreat.step_back(tuning, call, chosen_before, newcomer));
    EXPECT_GT(steps, 10);
    EXPECT_EQ(tuning.measurements.front().step_ns, known_now.step_ns);
    EXPECT_TRUE(choice().computes_like(chosen_before));
}

// Memory is held to be so slow that the same kernel divides K otherwise.
TEST_F(TunersRetreat, WhereNothingElseHelpsAllIsAsItWasAtTheScaleOfTheNew)
{
    tuning.measurements = {known_now};
    tuning.bytes_per_ns = 1e-3;
    Selection other = chosen_before;
    other.way.split_k = chosen_before.way.split_k + 1;
    ASSERT_TRUE(retreat.step_back(tuning, call, chosen_before, other));
    EXPECT_DOUBLE_EQ(tuning.measurements.front().step_ns.front().second, scale * 4000);
    EXPECT_DOUBLE_EQ(tuning.bytes_per_ns, 1e-3) << "one step at a time";
    ASSERT_TRUE(retreat.step_back(tuning, call, chosen_before, other));
    EXPECT_DOUBLE_EQ(tuning.launch_ns, scale * before.launch_ns);
    EXPECT_DOUBLE_EQ(tuning.enqueue_ns, scale * before.enqueue_ns);
    EXPECT_DOUBLE_EQ(tuning.bytes_per_ns, before.bytes_per_ns / scale);
    EXPECT_FALSE(retreat.step_back(tuning, call, chosen_before, other)) << "there is nothing left";
}

} // namespace
