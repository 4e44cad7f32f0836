#define CL_HPP_ENABLE_EXCEPTIONS
#include "tools/selftest/choices.hpp"

#include <algorithm>

namespace clgemm::selftest {
namespace {

// There is less time than selection_bench has, and memory may be needed by others.
bench::CallLimits limits_for(const core::DeviceProfile& device)
{
    constexpr std::size_t most_elements = std::size_t{1} << 26;
    const auto [elements, flops] = bench::usual_limits(device);
    return {std::min(elements, most_elements), flops / 4};
}

} // namespace

std::vector<bench::JudgedCall> judged_choices(const cl::Device& device, unsigned long seed,
                                              const std::function<bool(std::size_t)>& goes_on)
{
    std::vector<bench::JudgedCall> judged;
    if (!goes_on(0))
        return judged;
    constexpr std::size_t most_calls = 1000;
    const auto planner = core::planner_for(device());
    const auto calls = bench::draw_calls(seed, most_calls, limits_for(planner->device()));
    bench::Sizes sizes;
    for (const bench::DrawnCall& call : calls)
        sizes.make_room_for(call.product);
    const bench::HostMatrices host(sizes);
    const bench::DeviceMatrices on_device(cl::CommandQueue(cl::Context(device), device), host);
    bench::ContestRules rules;
    rules.pruning = bench::usual_pruning(planner->tuning());
    bench::Contest contest(host, on_device, rules);
    for (const bench::DrawnCall& call : calls) {
        if (!goes_on(judged.size()))
            break;
        judged.push_back({call, contest.judge(call.product)});
    }
    return judged;
}

} // namespace clgemm::selftest
