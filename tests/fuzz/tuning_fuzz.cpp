// Tuning files of any contents: what cannot be read is refused or left out in words, and by what is read every problem can
// be planned.
#include "fuzz_target.hpp"

#include "select/planner.hpp"
#include "support/embedded.hpp"
#include "support/error.hpp"
#include "tuning/derived_tuning.hpp"
#include "tuning/tuning_file.hpp"
#include "unit/made_up.hpp"

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

// One of each kind; the text says which device it is about.
std::vector<DeviceProfile> devices()
{
    std::vector<DeviceProfile> result{large_gpu(), hopper_gpu(), made_up_cpu()};
    for (auto& device : result)
        device.platform_name = "made-up platform";
    return result;
}

// Read, and written again.
std::string rewritten(const std::string& text, const DeviceProfile& device)
{
    try {
        return to_text(parse_tuning(text, device, "again"), device);
    } catch (const TuningFileError& error) {
        return error.what();
    }
}

void plan(Planner& planner, std::size_t m, std::size_t n, std::size_t k)
{
    try {
        const Plan made = planner.plan(problem(m, n, k), {}).plan;
        require(!made.steps.empty() && made.steps.back().writes_c(), "a plan that does not end with C");
        require(planner.workspace_bytes(problem(m, n, k), {}) == made.workspace_bytes, "the query and the call disagree");
        for (const Step& step : made.steps)
            for (const std::size_t groups : step.groups)
                require(groups > 0, "a step of no work-groups");
    } catch (const Error&) {
        return; // more memory than there is, say
    }
}

} // namespace

std::vector<std::string> clgemm::test::examples()
{
    std::vector<std::string> result;
    for (const auto& device : devices())
        result.push_back(to_text(derived_tuning(device), device));
    return result;
}

std::string clgemm::test::next_input(std::string input, std::mt19937& random)
{
    return changed_tuning(std::move(input), random);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const auto all = devices();
    const std::string text(reinterpret_cast<const char*>(data), size);
    for (const auto& device : all)
        try {
            Tuning tuning = parse_tuning(text, device, "fuzzed");
            for (const std::string& reason : tuning.left_out)
                require(reason.find('\n') == std::string::npos, "a reason of several lines");
            require(!tuning.measurements.empty() || !tuning.calls.empty() || !tuning.left_out.empty(),
                    "a file of nothing was read");
            taken += tuning.measurements.empty() ? 0 : 1;
            const std::string again = to_text(tuning, device);
            require(tuning.measurements.empty() || rewritten(again, device) == again, "what was written is read otherwise");
            Planner planner(device, std::move(tuning));
            plan(planner, 1, 1, 1);
            plan(planner, 129, 63, 4097);
            plan(planner, 5000, 3, 17);
            plan(planner, 2048, 2048, 2048);
        } catch (const TuningFileError& error) {
            require(std::string(error.what()).find('\n') == std::string::npos, "a complaint of several lines");
        }
    return 0;
}
