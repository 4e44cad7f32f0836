// New measurements next to what was known before, and where there is none.
#pragma once

#include "tuning/tuning.hpp"

#include <span>
#include <string>

namespace clgemm::tune {

// Is the difference between what was measured before and what is measured again mere noise? Then what was known stays, and
// with it every choice that follows from it.
bool is_the_same(double known, double measured);
core::Measurement known_or_new(const core::Measurement& known, const core::Measurement& measured);

// What `before` has of this measurement's kernel in this size and of its operands; null if there is nothing.
const core::Measurement* known_in(const core::Tuning& before, const core::Measurement& measurement);

// How many times as long the steps of the same kernels take in `tuning` as in `before`, in the mean: of guesses, and of
// another device's data, only proportions matter. 1 where both have no kernel in common.
double scale_of(const core::Tuning& tuning, const core::Tuning& before);

// Has something been measured on these operands that computes any problem?
bool takes_everything(const core::Tuning& tuning, const std::string& operands);

// What holds for all operands of a kernel to which it matters how they lie, once for each kind of them: so what is measured
// on one kind can take its place there.
core::Tuning told_apart(const core::Tuning& tuning, std::span<const char* const> all_operands);

// What was measured on the first kind of operands on which everything can be computed stands for those where it cannot, so
// that every call has something.
core::Tuning filled(const core::Tuning& tuning, std::span<const char* const> all_operands);

} // namespace clgemm::tune
