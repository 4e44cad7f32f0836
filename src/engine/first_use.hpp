// The first use of a kernel that nobody has tried on such a device. Kernels that do not compute in FP32 are made for certain
// hardware, whose drivers may have defects that no test of ours has met. So before the library chooses one by a guess alone,
// it computes a small problem with it and compares. The caller's call is then the first that can go wrong, and does not.
#pragma once

#include "select/planner.hpp"

#include <map>
#include <mutex>
#include <string>

namespace clgemm::core {

struct DeviceState;

class FirstUse {
public:
    // Returns where the call's kernel, built as its plan has it, is right on a small problem like this one. Throws
    // Unavailable where it is not. That is found out once, in milliseconds, on a queue of the check's own: it waits for
    // nothing of the caller's. Later calls only look it up. Other threads that ask meanwhile wait.
    void check(DeviceState& state, const Problem& problem, const PlannedCall& call);

private:
    std::mutex mutex_;
    // What is wrong with each program, by its source and options; empty: nothing.
    std::map<const KernelSource*, std::map<std::string, std::string>> known_;
};

} // namespace clgemm::core
