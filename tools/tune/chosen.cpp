#include "tune/chosen.hpp"

#include "select/fastest.hpp"
#include "support/side_by_side.hpp"

#include <array>
#include <set>
#include <vector>

namespace clgemm::tune {

using namespace core;

namespace {

// The grid of sizes, aligned and transposed in every way that is measured, in each accuracy.
std::vector<Problem> grid(const DeviceProfile& device)
{
    constexpr std::size_t sizes[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 384, 512, 768, 1024, 1536, 2048, 4096, 8192};
    constexpr std::size_t depths[] = {4, 16, 64, 256, 512, 1024, 2048, 4096, 16384};
    const auto accuracies = accuracies_for(device);
    std::vector<Problem> result;
    for (const char* letters : letters_for(device))
        for (const std::size_t m : sizes)
            for (const std::size_t n : sizes)
                for (const std::size_t k : depths)
                    for (const clgemm_math accuracy : accuracies)
                        result.push_back(with_accuracy(problem_of({m, n, k}, letters), accuracy));
    return result;
}

} // namespace

Tuning only_chosen(const Tuning& tuning, const DeviceProfile& device, const std::vector<Target>& calls)
{
    std::vector<Problem> problems = grid(device);
    for (const Target& call : calls)
        problems.push_back(call.problem);
    // For a file of 200 kernels this takes 17 seconds of one processor's time.
    constexpr std::size_t jobs = 64;
    std::array<std::set<const Measurement*>, jobs> chosen_in;
    side_by_side(jobs, jobs, [&](std::size_t job) {
        for (std::size_t i = job; i < problems.size(); i += jobs)
            chosen_in[job].insert(fastest_measurement(problems[i], device, tuning, {}));
    });
    std::set<const Measurement*> chosen;
    for (auto& each : chosen_in)
        chosen.merge(each);
    Tuning result = tuning;
    result.measurements.clear();
    for (const auto& measurement : tuning.measurements)
        if (chosen.count(&measurement) > 0)
            result.measurements.push_back(measurement);
    return result;
}

} // namespace clgemm::tune
