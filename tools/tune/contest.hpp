// What to measure next: of the kernels in their sizes that nobody has measured here the one that would be chosen for most
// calls. So what decides most is measured first, and what turns out slower than presumed leaves its calls to the next best.
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

    // What is presumed of a candidate, as part of a tuning by whose launches and memory it is estimated. Of what is presumed
    // of a kernel only proportions matter, as soon as one of its sizes has been measured.
    void enter(const core::Measurement& presumed, const core::Tuning& among);

    // What was measured of it takes the place of what was presumed.
    void is_measured(const core::Measurement& measured, const core::Tuning& among);
    // It cannot be used.
    void is_out(const std::string& key);

    // Null if nothing that is not measured would be chosen for any call, were it `doubt` times as fast as presumed.
    const core::Measurement* next(double doubt) const;
    // Of the first kernel of which nothing has been measured, what would be chosen for most calls if there were no other
    // kernel. Null if there is none.
    const core::Measurement* next_of_unknown_kernel() const;

private:
    struct Entry {
        core::Measurement measurement;
        std::vector<double> ns; // of each call; infinity where it cannot be
        bool is_measured = false;
        double ratio = 0; // of what was measured to what was presumed; 0: unknown
    };

    std::vector<double> times(const core::Measurement& measurement, const core::Tuning& among) const;
    Entry* find(const std::string& key);
    // What is not measured and would be chosen for most calls, if the times of each entry were this multiple of what they
    // are. An entry whose multiple is infinite does not take part.
    const core::Measurement* most_chosen(const std::function<double(const Entry&)>& multiple) const;
    // Of what was measured to what was presumed, of this kernel; 0 if nothing of it was measured.
    double scale_of(const core::KernelInfo* kernel) const;
    double scale_of_all() const; // 1 if nothing was measured

    const core::DeviceProfile* device_;
    std::vector<Target> calls_;
    std::vector<Entry> entries_;
};

} // namespace clgemm::tune
