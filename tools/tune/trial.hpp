// The trial of new tuning data. Whole calls for which it chooses otherwise than the library does now are timed side by side.
// Where it promises what it does not keep, it is corrected, and what cannot be mended goes back, call by call, until the new
// data is as fast everywhere as what was before.
#pragma once

#include "tune/budget.hpp"
#include "tune/targets.hpp"

#include "select/selection.hpp"

#include <functional>
#include <list>
#include <optional>
#include <string>
#include <vector>

namespace clgemm::tune {

// What a call takes by the data before and by the new.
struct Times {
    double before_ns = 0, now_ns = 0; // 0: not timed
    double speed_up = 1;              // before / now
};

// A call as it is chosen by the data before and by the new.
struct Comparison {
    Target target;
    core::Selection before, now;
    bool chooses_the_same = false;
    std::optional<Times> times; // none where there was no time to find out

    bool is_slower() const;
};

bool choose_as_before(const std::vector<Comparison>& comparisons); // all of them

// The new data as whole calls have corrected it, and what they take by it.
struct Verdict {
    core::Tuning tuning;
    std::vector<Comparison> comparisons;

    bool is_slower_somewhere() const;
};

// Times two whole calls in turn, for about so many seconds, and returns what each takes in ns. Where calls take longer than
// that, they are made as few times as possible. Throws core::Error where one of the calls cannot be had.
using SideBySide = std::function<std::pair<double, double>(const core::Problem&, const core::Selection& first,
                                                           const core::Selection& second, double seconds)>;

// Is told which calls will probably be timed soon, the first ones first, so that their programs can be built meanwhile.
using WholeCall = std::pair<core::Problem, core::Selection>;
using ExpectCalls = std::function<void(const std::vector<WholeCall>&)>;
inline void nobody_expects(const std::vector<WholeCall>&) {}

// What is told of each call that was timed.
struct TrialNews {
    std::string text;
    std::size_t number = 0, count = 0; // of the calls that are timed one after the other
    bool is_again = false;             // they have been timed before: this is the comparison
};

class Trial {
public:
    // Targets whose calls take too long are left out. The functions: what times calls; what is told of each call that was
    // timed; what ends all before its time; what is told of calls before they are timed.
    Trial(core::DeviceProfile device, core::Tuning before, const std::vector<Target>& targets, SideBySide side_by_side,
          std::function<void(const TrialNews&)> on_news, std::function<bool()> is_interrupted,
          ExpectCalls expect = nobody_expects);

    // Corrects the new data, and compares it with the old. What stays slower goes back to what was chosen before, and so
    // does what could not be compared within so many seconds: with the data that is returned no call is slower.
    Verdict judge(const core::Tuning& found, double seconds);

    // Times every call for which this tuning chooses otherwise than the data before, unless an earlier comparison has done
    // so.
    std::vector<Comparison> compare(const core::Tuning& tuning, const Budget& budget);

private:
    // A way to compute a target, beside the way that was chosen before.
    struct Timing {
        std::size_t target = 0;
        core::Selection selection;
        double speed_up = 1; // the geometric mean of all comparisons of the two
        int times = 0;
        std::optional<Times> last = {};
        double weight = 1;                  // in corrections
        std::optional<Times> compared = {}; // the last word

        bool is_sure() const;
        bool is_worth_a_change() const;
    };

    core::Selection choice(const core::Tuning& tuning, std::size_t target) const;
    Timing& timing_of(std::size_t target, const core::Selection& selection);
    bool is_over(const Budget& budget) const;
    bool has_time_for(const Timing& timing, const Budget& budget) const;
    std::string describe_call(const Timing& timing) const;
    // By both ways, these calls are about to be timed.
    void expect(const std::vector<const Timing*>& timings) const;
    Times time(Timing& timing, double seconds);
    // The last word on a way, as number `number` of `count` that are asked for one after the other. None if it has never
    // been timed, and there is no time for it.
    std::optional<Times> compared(Timing& timing, const Budget& budget, std::size_t number, std::size_t count);
    // Corrects the data until every choice that differs is known to be as fast, or there is no more time.
    core::Tuning corrected(const core::Tuning& found, const Budget& budget);
    core::Tuning corrected_by_timings(const core::Tuning& found) const;
    // The data without what is slower or was not compared: call by call, what was chosen before takes its place.
    core::Tuning without_losses(core::Tuning tuning, double scale, const Budget& budget);
    bool is_no_loss(std::size_t target, const core::Selection& now, const Budget& budget);
    // The data without what is new and chosen for none of the targets: no whole call has shown what that is worth.
    core::Tuning proven(const core::Tuning& tuning) const;
    bool is_newcomer(const core::Variant& variant) const;
    // Adds what was known before, times `scale`, of those choices of which the search has found nothing for want of time or
    // because of noise. The order is that of the data before; what is new comes last.
    core::Tuning with_choices_before(const core::Tuning& found, double scale) const;

    const core::DeviceProfile device_;
    const core::Tuning before_;
    std::vector<Target> targets_;
    std::vector<core::Selection> chosen_before_; // for each target
    SideBySide side_by_side_;
    std::function<void(const TrialNews&)> on_news_;
    std::function<bool()> is_interrupted_;
    ExpectCalls expect_;
    std::list<Timing> timings_;
    double slowness_ = 1; // of the last call that was timed: what it took by the choice before, to the estimate of that
};

} // namespace clgemm::tune
