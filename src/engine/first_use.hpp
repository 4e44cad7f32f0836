// The first use of a kernel that nobody has tried on such a device. Kernels that do not compute in FP32 are made for certain
// hardware, whose drivers may have defects that no test of ours has met. So before the library chooses one by a guess alone,
// it computes a small problem with it and compares. The caller's call is then the first that can go wrong, and does not.
// Where results must be reproducible, every kernel is checked in this way, and every bit compared: whether a compiler makes
// fused multiply-adds of products and sums, and leaves their order alone, is not a matter of hardware.
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
    // Returns where all programs of the call that must be known to be right are: those of its kernel, and where bits count
    // those of all its steps. Throws Unavailable where one is not, or where that cannot be found out. It is found out once,
    // in milliseconds, by small calls on a queue of the check's own: it waits for nothing of the caller's. Later calls only
    // look it up, and so do later processes where compiled programs are kept on disk. What the check and the call need is
    // built side by side. Other threads that ask meanwhile wait.
    void check(DeviceState& state, const Problem& problem, const PlannedCall& call);

    // Whether that is known, now or from an earlier process, to end in Unavailable. Builds nothing.
    bool has_found_wrong(const DeviceState& state, const Problem& problem, const PlannedCall& call);

private:
    // What is wrong with a program; empty: nothing.
    using Verdict = std::string;
    // Of these the mutex is held. None: nobody has found it out.
    const Verdict* known(const DeviceState& state, const Step& program);
    void keep(const DeviceState& state, const Step& program, const Verdict& verdict);
    // Afterwards it is known.
    void try_out(DeviceState& state, const Step& program, const Problem& problem, const PlannedCall& call);

    std::mutex mutex_;
    std::map<const KernelSource*, std::map<std::string, Verdict>> known_; // by source and options, as are_of_one_program()
};

} // namespace clgemm::core
