#include "tune/neighbours.hpp"

#include "families/registry.hpp"

#include <set>
#include <string>

namespace clgemm::tune {

using namespace core;

std::vector<Parameters> neighbours(const KernelInfo& kernel, const Parameters& of, const DeviceProfile& device)
{
    const auto changed = [&](const Parameters& from) {
        std::vector<Parameters> result;
        for (const auto& [name, value] : from.values()) {
            const std::size_t unit = value < 2 ? 1 : kernel.family->step_of(name, from);
            for (const bool up : {true, false}) {
                if (!up && value < unit)
                    continue;
                result.push_back(from.with(name, unit > 0 ? (up ? value + unit : value - unit)
                                                 : up     ? value * 2
                                                          : value / 2));
            }
        }
        return result;
    };
    const auto can_run = [&](const Variant& variant) {
        return static_cast<bool>(takes(one_tile(variant), variant, device));
    };
    std::vector<Parameters> result;
    std::set<std::string> seen{of.text()};
    const auto keep = [&](const Parameters& next) {
        if (is_valid(kernel, next) && can_run(variant_of(kernel, next)) && seen.insert(next.text()).second)
            result.push_back(next);
    };
    for (const auto& first : changed(of)) {
        keep(first);
        for (const auto& second : changed(first))
            keep(second);
    }
    return result;
}

} // namespace clgemm::tune
