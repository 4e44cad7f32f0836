// What the command line asks of clgemm-tune.
#pragma once

#include "families/family.hpp"

#include <string>
#include <vector>

namespace clgemm::tune {

struct Asked {
    std::string output; // empty: the user's own file
    double budget = 60; // seconds
    bool budget_is_given = false;
    const core::KernelInfo* only = nullptr; // of all kernels
    bool dry_run = false;
    std::string compared;           // this file with what the library chooses without it; empty: the device is tuned
    std::vector<std::size_t> sizes; // for that: M, N, K, M, N, K, ...; empty: those that tuning compares
    std::string calls;              // those of this record are tuned one by one; empty: the device is tuned
};

} // namespace clgemm::tune
