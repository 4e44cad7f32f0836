// Measures one kernel in one size on the device: is it right, and how long do its work-groups take.
#pragma once

#include "engine/device_state.hpp"
#include "select/selection.hpp"
#include "tune/beginnings.hpp"
#include "tune/budget.hpp"
#include "tune/trial.hpp"

#include "timing/build_ahead/builders.hpp"

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace clgemm::tune {

// Why a candidate cannot be used: it does not build, its results are wrong, or it cannot be timed.
class Unusable : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// The candidate may be right and fast, but its compilation and its checks take so long here that others would not get their
// turn.
class TakesTooLong : public Unusable {
public:
    using Unusable::Unusable;
};

class Probe {
public:
    // What one candidate may take, from its compilation to the last of its measurements.
    static constexpr double usual_patience_seconds = 60;

    // `on_run` is called whenever the device has done what it was told: as long as this goes on, nothing hangs. `builders`:
    // how many processes build ahead what expect() names.
    explicit Probe(
        const cl::Device& device, std::function<void()> on_run = [] {}, double patience_seconds = usual_patience_seconds,
        std::size_t builders = 0);

    const core::DeviceProfile& profile() const { return state_->profile(); }
    // What the library goes by now.
    const core::Tuning& tuning() const { return state_->planner->tuning(); }

    // What one more launch costs the device and the host, and what global memory delivers.
    double launch_ns();
    double enqueue_ns();
    double bytes_per_ns();

    // A kernel that measure() may soon be asked for, with the letters of its operands.
    using Expected = std::pair<core::Variant, std::string>;
    // These will be measured soon, as it seems, the first ones first; what was expected before no longer is. Their programs
    // are built meanwhile: a step's time is the difference of two calls, and level_beginnings() puts the beginnings right,
    // when nothing is built any more.
    void expect(const std::vector<Expected>& candidates);
    // The same of whole calls that will be checked, or timed in turn. (Those for which the matrices are too small are not
    // built.)
    void expect(const std::vector<WholeCall>& calls);

    // Builds, checks and times a kernel on operands of these letters (families/operands.hpp; empty: it takes all alike).
    // Throws Unusable, which may be TakesTooLong, and cl::Error where the device fails.
    core::Measurement measure(const core::Variant& variant, const std::string& letters);

    // Compares what this selection computes of a call with the reference loop: all of C, or some elements of a large one.
    // Throws Unusable where it is wrong, and Error where it cannot be had.
    void check_call(const core::Problem& problem, const core::Selection& selection);

    // Times calls in turn, as level_beginnings() wants it: 0 for those for which the tuner's matrices are too small, and for
    // those that the driver does not build or run.
    std::vector<double> times_in_turn(const std::vector<PlainCall>& calls);
    // Times two whole calls in turn (tune/trial.hpp).
    SideBySide side_by_side();
    // The targets for which the tuner's matrices are large enough.
    std::vector<Target> of_these_it_can_time(std::vector<Target> targets) const;

private:
    // A call by which a kernel is checked.
    struct Check {
        core::Problem problem;
        core::Plan plan;
    };
    // Calls of sizes around the tile.
    std::vector<Check> checks_of(const core::Variant& variant, const std::string& letters) const;
    // Plans of all programs that it takes to check and to time a kernel.
    std::vector<core::Plan> plans_to_build(const core::Variant& variant, const std::string& letters) const;
    // Against the reference loop.
    void check(const core::Variant& variant, const std::string& letters);
    void check(const core::Problem& problem, core::Plan plan);
    // Builds the programs of all these plans, several at a time. Throws TakesTooLong where measure() has no time left.
    void build(const std::vector<core::Plan>& plans);
    core::ReadyPlan ready_for(core::Plan plan);
    void enqueue(const core::ReadyPlan& plan);
    void run(const core::ReadyPlan& plan); // to its end
    // Throws TakesTooLong where measure() has no time left.
    void run_candidate(const core::ReadyPlan& plan);
    core::ReadyPlan scaling(const core::Problem& problem);
    // A point of the curves.
    struct Point {
        double load = 0, step_ns = 0, start_ns = 0;
    };
    // None where the device is too slow for it, or the tuner's matrices are too small; point_within_memory() gives none also
    // where the device has no memory for it.
    std::optional<Point> measure_point(const core::Variant& variant, const std::string& letters, std::size_t per_unit);
    bool has_matrices_for(const core::Problem& problem) const;
    std::optional<Point> point_within_memory(const core::Variant& variant, const std::string& letters, std::size_t per_unit);

    std::function<void()> on_run_;
    double patience_seconds_;
    build_ahead::Builders builders_;
    Budget candidates_time_{0}; // left to the candidate that is being measured
    cl::Context context_;
    cl::CommandQueue queue_;
    std::shared_ptr<core::DeviceState> state_;
    std::vector<float> values_; // random; the operands' contents
    cl::Buffer a_, b_, c_;
};

} // namespace clgemm::tune
