// What to measure next: of all kernels and sizes that were not measured here, the one that would be chosen for most calls.
// So what decides most is measured first, and what turns out slower than presumed leaves its calls to the next best.
#pragma once

#include "tune/targets.hpp"
#include "tuning/tuning.hpp"

#include <functional>
#include <string>
#include <vector>

namespace clgemm::tune {

class Contest {
public:
    Contest(const core::DeviceProfile& device, std::vector<Target> calls) : device_(&device), calls_(std::move(calls)) {}

    // Enters a candidate by what is presumed of it. `among`: the tuning by whose launches and memory it is estimated. As
    // soon as one size of a kernel has been measured, only the proportions of what is presumed of its sizes matter.
    void enter(const core::Measurement& presumed, const core::Tuning& among);

    // Puts what was measured of a candidate in the place of what was presumed.
    void is_measured(const core::Measurement& measured, const core::Tuning& among);
    // The candidate cannot be used.
    void is_out(const std::string& key);

    // The candidates that would be chosen for any call, of those that are not measured, if these were `doubt` times as fast
    // as presumed: first the one for most calls.
    std::vector<const core::Measurement*> next(double doubt) const;
    // Of each kernel of which nothing has been measured, the candidate that would be chosen for most calls if there were no
    // other kernel.
    std::vector<const core::Measurement*> next_of_unknown_kernels() const;

private:
    struct Entry {
        core::Measurement measurement;
        std::vector<double> ns; // of each call; infinity where it cannot be
        bool is_measured = false;
        double ratio = 0; // of what was measured to what was presumed; 0: unknown
    };

    std::vector<double> times(const core::Measurement& measurement, const core::Tuning& among) const;
    Entry* find(const std::string& key);
    // What is not measured and would be chosen, if the times of each entry were this multiple of what they are: first what
    // would be for most calls. An entry whose multiple is infinite does not take part.
    std::vector<const core::Measurement*> chosen(const std::function<double(const Entry&)>& multiple) const;
    // The median ratio of what was measured to what was presumed, for this kernel; 0 if nothing of it was measured.
    double scale_of(const core::KernelInfo* kernel) const;
    double scale_of_all() const; // 1 if nothing was measured

    const core::DeviceProfile* device_;
    std::vector<Target> calls_;
    std::vector<Entry> entries_;
};

} // namespace clgemm::tune
