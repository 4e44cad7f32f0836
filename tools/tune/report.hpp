// What a trial of tuning data has shown, for people.
#pragma once

#include "tune/trial.hpp"

#include <cstdio>

namespace clgemm::tune {

void print(std::FILE* out, const std::vector<Comparison>& comparisons);

} // namespace clgemm::tune
