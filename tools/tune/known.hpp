// How new measurements and those that were known before are put together, and what stands in where there are none.
#pragma once

#include "tuning/tuning.hpp"

#include <span>
#include <string>

namespace clgemm::tune {

// Is the difference between what was measured before and what is measured again mere noise? Then what was known stays, and
// with it every choice that follows from it.
bool is_the_same(double known, double measured);
core::Measurement known_or_new(const core::Measurement& known, const core::Measurement& measured);

// The measurement that `before` has of the same kernel in the same size and on such operands; null if there is none.
const core::Measurement* known_in(const core::Tuning& before, const core::Measurement& measurement);

// How many times as long the steps of the same kernels take in `tuning` as in `before`, in the mean: of guesses, and of
// another device's data, only proportions matter. 1 where both have no kernel in common.
double scale_of(const core::Tuning& tuning, const core::Tuning& before);

// Has something been measured on these operands that computes any problem?
bool takes_everything(const core::Tuning& tuning, const std::string& operands);

// Puts one measurement for each kind of operands in the place of one that holds for all kinds, if it matters to the kernel
// how operands lie. So what is measured on one kind can replace what was known of it.
core::Tuning told_apart(const core::Tuning& tuning, std::span<const char* const> all_operands);

// Copies what was measured on the first kind of operands on which any problem can be computed to all kinds on which not
// every problem can, so that every call has something.
core::Tuning filled(const core::Tuning& tuning, std::span<const char* const> all_operands);

} // namespace clgemm::tune
