// New measurements next to what was known before, and where there is none.
#pragma once

#include "tuning/tuning.hpp"

#include <span>
#include <string>

namespace clgemm::tune {

// Of what was measured before and is measured again: no difference but noise. Then it stays as it was, and with it every
// choice that hangs on it.
bool is_the_same(double known, double measured);
core::Measurement known_or_new(const core::Measurement& known, const core::Measurement& measured);

// Has something been measured on these operands that computes any problem?
bool takes_everything(const core::Tuning& tuning, const std::string& operands);

// What was measured on the first kind of operands on which everything can be computed stands for those where it cannot, so
// that every call has something.
core::Tuning filled(const core::Tuning& tuning, std::span<const char* const> all_operands);

} // namespace clgemm::tune
