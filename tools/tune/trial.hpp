// The trial of new tuning data: whole calls for which it chooses differently than what the library goes by now, timed side
// by side. What it promises and does not keep is corrected, until it is as fast everywhere as what was before.
#pragma once

#include "tune/targets.hpp"

#include "select/selection.hpp"

#include <functional>
#include <list>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace clgemm::tune {

// What a call takes by the data before and by the new.
struct Times {
    double before_ns = 0, now_ns = 0; // 0: not timed
    double speed_up = 1;              // before / now
};

// A call by both.
struct Comparison {
    Target target;
    core::Selection before, now;
    bool chooses_the_same = false;
    std::optional<Times> times; // none where there was no time to find out

    bool is_slower() const;
};

// The new data as whole calls have corrected it, and what they take by it.
struct Verdict {
    core::Tuning tuning;
    std::vector<Comparison> comparisons;

    bool is_slower_somewhere() const;
};

// How long two whole calls take that are made in turn, in ns each. Throws core::Error where one of them cannot be had.
using SideBySide = std::function<std::pair<double, double>(const core::Problem&, const core::Selection& first,
                                                           const core::Selection& second)>;

class Trial {
public:
    // Targets whose calls take too long are left out. The functions: what times calls; what is told of each call that was
    // timed; what ends all before its time.
    Trial(core::DeviceProfile device, core::Tuning before, const std::vector<Target>& targets, SideBySide side_by_side,
          std::function<void(const std::string&)> on_news, std::function<bool()> is_interrupted);

    // Corrects the new data, and compares it with the old: again where some call takes longer.
    // Each attempt takes so long at most.
    Verdict judge(const core::Tuning& found, double seconds);

    // Times every call for which it chooses differently anew. What an earlier comparison has already shown to be no slower
    // is taken from there.
    std::vector<Comparison> compare(const core::Tuning& tuning, const std::function<bool()>& is_time_over,
                                    const std::vector<Comparison>& earlier = {});

private:
    // A way to compute a target, beside the way that was chosen before.
    struct Timing {
        std::size_t target = 0;
        core::Selection selection;
        double speed_up = 1; // the geometric mean of all times that both were timed
        int times = 0;
        double weight = 1; // in corrections
    };

    core::Selection choice(const core::Tuning& tuning, std::size_t target) const;
    Timing& timing_of(std::size_t target, const core::Selection& selection);
    Times time(Timing& timing);
    // Until every choice that differs is known to be as fast.
    core::Tuning corrected(const core::Tuning& found, const std::function<bool()>& is_time_over);
    // Without what is new and chosen for none of the targets: no whole call has shown what it is worth.
    core::Tuning proven(const core::Tuning& tuning) const;
    core::Tuning corrected_by_timings(const core::Tuning& found) const;
    bool is_newcomer(const core::Variant& variant) const;
    // What was known before of this measurement's kernel in this size and of its operands; null if nothing was.
    const core::Measurement* known_before(const core::Measurement& measurement) const;
    // So many times the steps known before the new ones take, in the mean: of guesses only proportions matter.
    double scale_of(const core::Tuning& found) const;
    // With what was known, times `scale`, of those choices before that nothing was found of: there was no time, or too much
    // noise. In the order of before, and what is new behind.
    core::Tuning with_choices_before(const core::Tuning& found, double scale) const;
    // Gives up what makes a call slower and cannot be mended: what was known before takes its place, times `scale`.
    void fall_back(core::Tuning& found, const Comparison& slower, double scale);

    const core::DeviceProfile device_;
    const core::Tuning before_;
    std::vector<Target> targets_;
    std::vector<core::Selection> chosen_before_; // for each target
    SideBySide side_by_side_;
    std::function<void(const std::string&)> on_news_;
    std::function<bool()> is_interrupted_;
    std::list<Timing> timings_;
    std::set<std::string> given_up_; // measurements that are as they were before
};

} // namespace clgemm::tune
