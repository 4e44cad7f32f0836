// How long contenders on one device and in one context take for a product, so that they can be compared: in turns, in random
// order. From one contender to the next nothing changes but who multiplies, so short turns are enough.
#pragma once

#include "timing/contender.hpp"

#include <vector>

namespace timing {

// The time of a whole call.
double seconds_of_a_call(Contender& contender, const Product& product);

// For each contender, the medians of `rounds` turns of a few calls, in seconds. Turns are independent of one another, unlike
// calls. All contenders must have called multiply(product) before, so that they are warm.
std::vector<std::vector<double>> take_turns(const std::vector<Contender*>& contenders, const Product& product, int rounds);

} // namespace timing
