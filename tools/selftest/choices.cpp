#define CL_HPP_ENABLE_EXCEPTIONS
#include "tools/selftest/choices.hpp"

#include <algorithm>

namespace clgemm::selftest {
namespace {

// There is less time than selection_bench has, and memory may be needed by others.
timing::CallLimits limits_for(const core::DeviceProfile& device)
{
    constexpr std::size_t most_elements = std::size_t{1} << 26;
    const auto [elements, flops] = timing::usual_limits(device);
    return {std::min(elements, most_elements), flops / 4};
}

} // namespace

std::vector<timing::JudgedCall> judged_choices(const cl::Device& device, unsigned long seed,
                                               const std::function<bool(std::size_t)>& goes_on)
{
    std::vector<timing::JudgedCall> judged;
    if (!goes_on(0))
        return judged;
    constexpr std::size_t most_calls = 1000;
    const auto planner = core::planner_for(device());
    const auto calls = timing::draw_calls(seed, most_calls, limits_for(planner->device()));
    timing::Sizes sizes;
    for (const timing::DrawnCall& call : calls)
        sizes.make_room_for(call.product);
    const timing::HostMatrices host(sizes);
    const timing::DeviceMatrices on_device(cl::CommandQueue(cl::Context(device), device), host);
    timing::ContestRules rules;
    rules.pruning = timing::usual_pruning(planner->tuning());
    rules.builders = build_ahead::builders_for(planner->device());
    timing::Contest contest(host, on_device, rules);
    for (std::size_t i = 0; i < calls.size() && goes_on(i); i++)
        judged.push_back({calls[i], contest.judge(calls[i].product, std::span(calls).subspan(i + 1))});
    return judged;
}

} // namespace clgemm::selftest
