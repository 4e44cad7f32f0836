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
    const core::KernelInfo* only = nullptr;  // null: all kernels are searched for
    const core::KernelInfo* first = nullptr; // this kernel with the sizes that are measured first; null: none is asked for
    bool dry_run = false;
    std::string compared;           // a file to compare with what the library chooses without it; empty: the device is tuned
    std::vector<std::size_t> sizes; // to compare for: M, N, K, M, N, K, ...; empty: those that tuning compares
    std::string calls;              // a record whose calls are tuned one by one; empty: the device is tuned
};

} // namespace clgemm::tune
