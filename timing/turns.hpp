// How long contenders on one device and in one context take for a product, so that they can be compared: in turns, in
// random order. Nothing changes there between contenders but who multiplies, so short turns do.
#pragma once

#include "timing/contender.hpp"

#include <vector>

namespace timing {

// Of a whole call.
double seconds_of_a_call(Contender& contender, const Product& product);

// For each contender, so many times the median seconds of the few calls of a turn. One by one the turns are independent of
// one another, as calls are not. All have called multiply(product) before, so that they are warm.
std::vector<std::vector<double>> take_turns(const std::vector<Contender*>& contenders, const Product& product, int rounds);

} // namespace timing
