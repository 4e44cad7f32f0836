// What was measured of a device: which kernels are worth considering there, and how long their work-groups take. The cost
// model (select/cost_model.hpp) turns it into estimates for any problem.
#pragma once

#include "families/family.hpp"
#include "tuning/single_call.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace clgemm::core {

using Curve = std::vector<std::pair<double, double>>;

// One kernel in one size, on operands that lie in one way.
struct Measurement {
    Variant variant;
    std::string operands; // letters (families/operands.hpp); empty: holds for all
    // By work-groups on each compute unit, ascending: the time in ns in which all of them advance by Tiling::k. Few
    // work-groups wait for memory most of the time, many compete: the curve holds both.
    Curve step_ns;
    // So many work-groups run on a compute unit at one time; more run in rounds.
    double resident = 1;
    // By work-groups on each compute unit: what a call takes besides the steps, that is, its way to the device and back, the
    // first loads, and storing C.
    Curve start_ns;
    // What was asked for in the measurement, which holds for all problems that the kernel computes in the same way.
    Arithmetic arithmetic = {};
    // What a call of one tile and one step takes in all; none takes less. 0: not measured.
    double least_ns = 0;
};

struct Tuning {
    std::string origin;       // for people: where it comes from
    double launch_ns = 2000;  // between two launches, on the device
    double enqueue_ns = 4000; // for each launch, on the host
    double bytes_per_ns = 1;  // from and to global memory
    std::vector<Measurement> measurements;
    bool is_a_guess = false;  // nobody has run these kernels on such a device
    bool is_borrowed = false; // they were measured on a relative (tuning/relatives.hpp)
    // For calls for which no measurement holds; none where null. Their times are never weighed against measured ones.
    std::shared_ptr<const Tuning> guesses = nullptr;
    // Entries of the data, measurements or single calls, that are of no use on this device or in this version of the
    // library: which, and why not.
    std::vector<std::string> left_out = {};
    // What was measured for single calls, and where that comes from. It is chosen for these calls before anything is
    // estimated.
    std::vector<TunedCall> calls = {};
    std::string origin_of_calls = {};

    bool is_of_this_device() const { return !is_a_guess && !is_borrowed; }
};

// Multiplies all times by `factor`, as if everything took so many times as long.
void scale_times(Measurement& measurement, double factor);

// The first one's entries for single calls, if it has any, all else of the second, and what was left out of either.
Tuning completed_by(Tuning of_single_calls, Tuning rest);

// The entry for this call; null where there is none.
const TunedCall* find_call(const Tuning& tuning, const SingleCall& call);

// How many were left out, and the first of them, in one line for people; empty where none were.
std::string left_out_in_short(const Tuning& tuning);

} // namespace clgemm::core
