// What a call falls back to: one attempt after the other.
#include "made_up_tuning.hpp"

#include "select/fallbacks.hpp"

#include <gtest/gtest.h>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

constexpr clgemm_math by_default = CLGEMM_MATH_DEFAULT, strict = CLGEMM_MATH_STRICT;

using Attempts = std::vector<Attempt>;

// All of them, if each fails.
Attempts attempts_at(const Attempt& asked, std::size_t callers_workspace)
{
    Attempts result;
    for (std::optional<Attempt> next = asked; next; next = attempt_after(result.back(), callers_workspace))
        result.push_back(*next);
    return result;
}

} // namespace

TEST(Fallbacks, AreFp32AloneNoTemporariesAndTheLastResort)
{
    EXPECT_EQ(attempts_at({}, 0),
              (Attempts{{by_default, {}}, {strict, {nullptr, 0}}, {strict, {nullptr, 1}}, {strict, {nullptr, 1, true}}}));
    // The caller's limit holds for as long as there are temporaries.
    EXPECT_EQ(
        attempts_at({by_default, {nullptr, 500}}, 0),
        (Attempts{
            {by_default, {nullptr, 500}}, {strict, {nullptr, 500}}, {strict, {nullptr, 1}}, {strict, {nullptr, 1, true}}}));
}

TEST(Fallbacks, OfStrictModeStayStrictAndDoNotTryTheSameTwice)
{
    EXPECT_EQ(attempts_at({strict, {}}, 0), (Attempts{{strict, {}}, {strict, {nullptr, 1}}, {strict, {nullptr, 1, true}}}));
    EXPECT_EQ(attempts_at({strict, {nullptr, 500}}, 0),
              (Attempts{{strict, {nullptr, 500}}, {strict, {nullptr, 1}}, {strict, {nullptr, 1, true}}}));
    EXPECT_EQ(attempts_at({strict, {nullptr, 1}}, 0), (Attempts{{strict, {nullptr, 1}}, {strict, {nullptr, 1, true}}}));
}

TEST(Fallbacks, DoNotNeedMoreThanTheWorkspaceThatTheCallerBrought)
{
    EXPECT_EQ(attempts_at({}, 4000),
              (Attempts{{by_default, {}}, {strict, {nullptr, 4000}}, {strict, {nullptr, 1}}, {strict, {nullptr, 1, true}}}));
    EXPECT_EQ(attempts_at({by_default, {nullptr, 500}}, 4000)[0], (Attempt{by_default, {nullptr, 500}}))
        << "the first is as it was asked for";
    EXPECT_EQ(attempts_at({by_default, {nullptr, 500}}, 4000)[1], (Attempt{strict, {nullptr, 500}}));
    EXPECT_EQ(attempts_at({by_default, {nullptr, 1}}, 4000)[1], (Attempt{strict, {nullptr, 1}}));
    EXPECT_EQ(attempts_at({}, 1)[1], (Attempt{strict, {nullptr, 1}})) << "a workspace of one byte is one, too";
}

// Who asks for a kernel gets this one or an error.
TEST(Fallbacks, ThereAreNoneForAKernelThatIsAskedFor)
{
    for (const auto& kernel : kernels())
        for (const clgemm_math accuracy : {by_default, strict})
            for (const std::size_t limit : {0U, 500U})
                for (const std::size_t workspace : {0U, 4000U}) {
                    const Attempt asked{accuracy, {&kernel, limit}};
                    EXPECT_EQ(attempts_at(asked, workspace), Attempts{asked});
                }
}

// On every device each of them can be selected, and takes no more than it says; the last one runs anywhere.
TEST(Fallbacks, CanBeHadEverywhere)
{
    Problem p = make_problem(uneven(1000, 999, 998, CLGEMM_TRANS));
    for (const auto& device : {large_gpu(), tiny_gpu(), made_up_cpu(), hopper_gpu(), ampere_gpu()})
        for (const Tuning& tuning : {derived_tuning(device), Tuning{}})
            for (const clgemm_math accuracy : {by_default, strict})
                for (const std::size_t workspace : {0U, 1'000'000U}) {
                    const auto attempts = attempts_at({accuracy, {}}, workspace);
                    for (std::size_t i = 0; i < attempts.size(); i++) {
                        p.arithmetic.accuracy = attempts[i].accuracy;
                        const Selection selection = select(p, device, tuning, attempts[i].options);
                        EXPECT_TRUE(runs(selection.variant, device));
                        const std::size_t bytes = made_plan(p, device, selection).workspace_bytes;
                        if (i > 0) {
                            EXPECT_TRUE(is_strict(selection.variant.family()));
                            EXPECT_TRUE(workspace == 0 || bytes <= workspace);
                        }
                        if (attempts[i].options.workspace_limit == 1) {
                            EXPECT_EQ(bytes, 0u);
                        }
                        if (i + 1 == attempts.size()) {
                            EXPECT_EQ(selection.variant.kernel, &last_resort());
                        }
                    }
                }
}
