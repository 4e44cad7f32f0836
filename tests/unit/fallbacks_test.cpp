// What a call falls back to: a list, in order.
#include "made_up_tuning.hpp"

#include "select/fallbacks.hpp"

#include <gtest/gtest.h>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

using Attempts = std::vector<Options>;

} // namespace

TEST(Fallbacks, AreFp32AloneNoTemporariesAndTheLastResort)
{
    EXPECT_EQ(attempts_at({}, 0), (Attempts{{}, {nullptr, true, 0}, {nullptr, true, 1}, {nullptr, true, 1, true}}));
    // The caller's limit holds for as long as there are temporaries.
    EXPECT_EQ(attempts_at({nullptr, false, 500}, 0),
              (Attempts{{nullptr, false, 500}, {nullptr, true, 500}, {nullptr, true, 1}, {nullptr, true, 1, true}}));
}

TEST(Fallbacks, OfStrictModeStayStrictAndDoNotTryTheSameTwice)
{
    EXPECT_EQ(attempts_at({nullptr, true}, 0), (Attempts{{nullptr, true}, {nullptr, true, 1}, {nullptr, true, 1, true}}));
    EXPECT_EQ(attempts_at({nullptr, true, 500}, 0),
              (Attempts{{nullptr, true, 500}, {nullptr, true, 1}, {nullptr, true, 1, true}}));
}

TEST(Fallbacks, DoNotNeedMoreThanTheWorkspaceThatTheCallerBrought)
{
    EXPECT_EQ(attempts_at({}, 4000), (Attempts{{}, {nullptr, true, 4000}, {nullptr, true, 1}, {nullptr, true, 1, true}}));
    EXPECT_EQ(attempts_at({nullptr, false, 500}, 4000)[0], (Options{nullptr, false, 500}))
        << "the first is as it was asked for";
}

// Who asks for a kernel gets this one or an error.
TEST(Fallbacks, ThereAreNoneForAKernelThatIsAskedFor)
{
    for (const auto& kernel : kernels())
        for (const bool strict : {false, true})
            for (const std::size_t limit : {0U, 500U})
                for (const std::size_t workspace : {0U, 4000U}) {
                    const Options asked{&kernel, strict, limit};
                    EXPECT_EQ(attempts_at(asked, workspace), Attempts{asked});
                }
}

// On every device each of them can be selected, and takes no more than it says; the last one runs anywhere.
TEST(Fallbacks, CanBeHadEverywhere)
{
    const Problem p = make_problem(uneven(1000, 999, 998, CLGEMM_TRANS));
    for (const auto& device : {large_gpu(), tiny_gpu(), made_up_cpu(), hopper_gpu(), ampere_gpu()})
        for (const Tuning& tuning : {derived_tuning(device), Tuning{}})
            for (const bool strict : {false, true})
                for (const std::size_t workspace : {0U, 1'000'000U}) {
                    const auto attempts = attempts_at({nullptr, strict}, workspace);
                    for (std::size_t i = 0; i < attempts.size(); i++) {
                        const Selection selection = select(p, device, tuning, attempts[i]);
                        EXPECT_TRUE(runs(selection.variant, device));
                        const std::size_t bytes = plan_of(p, device, selection).workspace_bytes;
                        if (i > 0) {
                            EXPECT_TRUE(selection.variant.family().is_strict());
                            EXPECT_TRUE(workspace == 0 || bytes <= workspace);
                        }
                        if (attempts[i].workspace_limit == 1) {
                            EXPECT_EQ(bytes, 0u);
                        }
                        if (i + 1 == attempts.size()) {
                            EXPECT_EQ(selection.variant.kernel, &last_resort());
                        }
                    }
                }
}
