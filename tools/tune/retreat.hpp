// The way back from new data to what was known before, for single calls that the new data would make slower. It takes away
// as little as it can. First the measurement that wins the call is held to be slower at this call's load, by just as much as
// is needed. Then that measurement goes back to what was known before, or is dropped. In the end everything has gone back.
#pragma once

#include "select/selection.hpp"
#include "tune/correction.hpp"

#include <map>
#include <set>
#include <string>

namespace clgemm::tune {

class Retreat {
public:
    // `scale`: the ratio of the new times to those before.
    Retreat(const core::DeviceProfile& device, const core::Tuning& before, double scale)
        : device_(device), before_(before), scale_(scale)
    {
    }

    // One step, by which `chosen_before` comes nearer to being chosen for this problem instead of `chosen_now`, which is
    // what `tuning` chooses. False if all has gone back already.
    bool step_back(core::Tuning& tuning, const core::Problem& problem, const core::Selection& chosen_before,
                   const core::Selection& chosen_now);

private:
    bool raise(core::Tuning& tuning, const core::Measurement& winner, const Observation& slower);
    bool go_back(core::Tuning& tuning, const core::Measurement& measurement);

    const core::DeviceProfile& device_;
    const core::Tuning& before_;
    const double scale_;
    std::map<std::string, int> raises_;
    std::set<std::string> went_back_;
    bool rates_went_back_ = false;
};

} // namespace clgemm::tune
