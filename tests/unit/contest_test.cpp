// What the tuner measures first, by made-up measurements.
#include "made_up_tuning.hpp"

#include "tools/tune/contest.hpp"
#include "tools/tune/key.hpp"

#include <gtest/gtest.h>

using namespace clgemm::core;
using namespace clgemm::tune;
using namespace clgemm::test;

namespace {

class TunersContest : public testing::Test {
protected:
    static std::vector<Target> calls(std::initializer_list<const char*> letters)
    {
        std::vector<Target> result;
        for (const char* each : letters)
            result.push_back({problem_of({1024, 1024, 1024}, each), each});
        return result;
    }

    void enter(const Measurement& measurement) { contest.enter(measurement, among); }
    void is_measured(const Measurement& measurement) { contest.is_measured(measurement, among); }
    std::string next(double doubt = 1) const
    {
        const auto found = contest.next(doubt);
        return found.empty() ? "" : key_of(*found.front());
    }

    const DeviceProfile device = large_gpu();
    const Tuning among = tuning_of({});
    Contest contest{device, calls({"NT", "NT", "TN", "NN"})};
    static Measurement kernel_13(std::size_t size, const char* operands, double ns)
    {
        const KernelInfo& kernel = *find_kernel("13");
        return {variant_of(kernel, kernel.variants[size]), operands, {{1, ns}}, 1, {{1, 1000}}, {}};
    }
    const Measurement nt = kernel_13(0, "NT", 4000), fast_nt = kernel_13(1, "NT", 40), tn = kernel_13(0, "TN", 20);
};

TEST_F(TunersContest, WhatDecidesMostCallsIsFirst)
{
    EXPECT_EQ(next(), "");
    enter(tn);
    EXPECT_EQ(next(), key_of(tn));
    enter(nt);
    EXPECT_EQ(next(), key_of(nt)) << "three calls, one of them by a copy, against one";
    enter(fast_nt);
    EXPECT_EQ(next(), key_of(fast_nt));
    is_measured(fast_nt);
    EXPECT_EQ(next(), key_of(tn));
    is_measured(tn);
    EXPECT_EQ(next(), "") << "what is left would be chosen for nothing";
}

TEST_F(TunersContest, WhatIsSlowerThanPresumedLeavesItsCallsToTheNextBest)
{
    enter(nt);
    enter(fast_nt);
    const Measurement other = kernel_13(2, "TN", 30);
    for (const Measurement& as_presumed : {tn, other}) {
        enter(as_presumed);
        is_measured(as_presumed);
    }
    is_measured(kernel_13(1, "NT", 100'000));
    EXPECT_EQ(next(), key_of(nt));
}

TEST_F(TunersContest, WhatCannotBeUsedIsOut)
{
    enter(nt);
    enter(fast_nt);
    contest.is_out(key_of(fast_nt));
    EXPECT_EQ(next(), key_of(nt));
}

TEST_F(TunersContest, OfWhatIsPresumedOnlyProportionsMatter)
{
    enter(nt);
    enter(fast_nt);
    is_measured(kernel_13(1, "NT", 100'000)); // all is slower than presumed, then
    EXPECT_EQ(next(), "");
}

TEST_F(TunersContest, EachKernelHasAScaleOfItsOwn)
{
    contest = Contest(device, calls({"NT"}));
    const Measurement slow = kernel_13(0, "NT", 4'000'000), slower = kernel_13(0, "", 5'000'000);
    enter(measured("10", "NT", 50'000));
    enter(slow);
    enter(slower);
    EXPECT_EQ(next(), key_of(measured("10", "NT", 0)));
    is_measured(measured("10", "NT", 5'000'000));
    EXPECT_EQ(next(2), "") << "all else is as much slower than presumed";
    ASSERT_EQ(contest.next_of_unknown_kernels().size(), 1u);
    EXPECT_EQ(key_of(*contest.next_of_unknown_kernels().front()), key_of(slow));
    is_measured(slow); // as presumed
    EXPECT_TRUE(contest.next_of_unknown_kernels().empty());
    EXPECT_EQ(next(2), key_of(slower));
}

TEST_F(TunersContest, DoubtMakesOthersWorthATry)
{
    enter(nt);
    enter(fast_nt);
    is_measured(fast_nt);
    EXPECT_EQ(next(), "");
    EXPECT_EQ(next(1.25), "");
    EXPECT_EQ(next(100), key_of(nt));
}

} // namespace
