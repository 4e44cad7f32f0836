// The first use of a kernel that nobody has tried on such a device. Kernels that do not compute in FP32 are made for certain
// hardware, whose drivers may have defects that no test of ours has met. So before the library uses one that was chosen by a
// guess alone, it computes a small problem with it and compares the result.
// Where results must be reproducible, every kernel is checked in this way, bit by bit: a compiler of any hardware may leave
// products and sums unfused, or change their order.
//
// What is checked is what runs: a kernel is built in many ways (for lists, for batches, for matrices that are aligned or
// not), and each of these programs is checked by itself, when the first call needs it. What is found is kept on disk beside
// the program, so that another driver, device or version of the library asks anew.
#pragma once

#include "select/planner.hpp"

#include <map>
#include <mutex>
#include <string>

namespace clgemm::core {

struct DeviceState;

class FirstUse {
public:
    // Checks the programs of the call's kernel; where bits count, those of all its steps. Throws Unavailable where one of
    // them computes wrongly, or where that cannot be found out. It is found out once, in milliseconds, by small calls on a
    // queue of the check's own, which wait for nothing of the caller's. Later calls only look it up, and so do later
    // processes where compiled programs are kept on disk. What the check and the call need is built side by side. Other
    // threads that ask meanwhile wait.
    void check(DeviceState& state, const Problem& problem, const PlannedCall& call);

    // Has this process, or an earlier one, found out that a program of the call computes wrongly? Builds nothing.
    bool has_found_wrong(const DeviceState& state, const Problem& problem, const PlannedCall& call);

private:
    // What is wrong with a program; empty: nothing.
    using Verdict = std::string;
    // The mutex is held in all of these.

    // Null where nobody has found it out.
    const Verdict* known(const DeviceState& state, const Step& program);
    void keep(const DeviceState& state, const Step& program, const Verdict& verdict);
    // Finds it out, so that it is known afterwards.
    void try_out(DeviceState& state, const Step& program, const Problem& problem, const PlannedCall& call);

    std::mutex mutex_;
    std::map<const KernelSource*, std::map<std::string, Verdict>> known_; // by source and options, as are_of_one_program()
};

} // namespace clgemm::core
