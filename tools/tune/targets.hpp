// The calls that a tuned device should be fast at: those for which the search looks for kernels, and others, by which what
// it found is compared with what the library chose before.
#pragma once

#include "device/profile.hpp"
#include "problem/problem.hpp"

#include <span>
#include <string>
#include <vector>

namespace clgemm::tune {

struct Shape {
    std::size_t m, n, k;
    std::size_t count = 1; // of products: a batch, whose matrices follow one another
};

// A shape, with its operands stored in one way (families/operands.hpp).
struct Target {
    core::Problem problem;
    std::string letters;
};

// The ways in which operands can lie that make a difference to the device's kernels; the first is the most usual one.
std::vector<const char*> letters_for(const core::DeviceProfile& device);

// The accuracies that make a difference to these kernels: the default one, and those to which some of them keep, but more or
// fewer than to the default.
std::vector<clgemm_math> accuracies_for(const core::DeviceProfile& device);

// A problem of this shape whose operands lie as the letters say, without offsets.
core::Problem problem_of(const Shape& shape, const std::string& letters, float alpha = 1, float beta = 0);
core::Problem with_accuracy(core::Problem problem, clgemm_math accuracy);

std::vector<Target> targets_to_search(const core::DeviceProfile& device);
std::vector<Target> targets_to_compare(const core::DeviceProfile& device);
// The same for these shapes instead.
std::vector<Target> targets_to_compare(const core::DeviceProfile& device, std::span<const Shape> shapes);

} // namespace clgemm::tune
