#include "tune/chosen.hpp"

#include "select/fastest.hpp"

#include <set>

namespace clgemm::tune {

using namespace core;

Tuning only_chosen(const Tuning& tuning, const DeviceProfile& device, const std::vector<Target>& calls)
{
    std::set<const Measurement*> chosen;
    const auto choose = [&](const Problem& problem) { chosen.insert(fastest_measurement(problem, device, tuning, {})); };
    constexpr std::size_t sizes[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 384, 512, 768, 1024, 1536, 2048, 4096, 8192};
    constexpr std::size_t depths[] = {4, 16, 64, 256, 512, 1024, 2048, 4096, 16384};
    const auto accuracies = accuracies_for(device);
    for (const char* letters : letters_for(device))
        for (const std::size_t m : sizes)
            for (const std::size_t n : sizes)
                for (const std::size_t k : depths)
                    for (const clgemm_math accuracy : accuracies)
                        choose(with_accuracy(problem_of({m, n, k}, letters), accuracy));
    for (const Target& call : calls)
        choose(call.problem);
    Tuning result = tuning;
    result.measurements.clear();
    for (const auto& measurement : tuning.measurements)
        if (chosen.count(&measurement) > 0)
            result.measurements.push_back(measurement);
    return result;
}

} // namespace clgemm::tune
