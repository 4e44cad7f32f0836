// How long contenders take for a product, measured so that they can be compared: in one process, in turns, in random order.
//
// A turn is a burst: one call that is not counted, then a few that are. A GPU changes between an OpenCL and a CUDA context
// when the contenders change, which takes about 100 us, and on a CPU the caches hold another one's data.
#pragma once

#include "timing/contender.hpp"

namespace bench {

struct Effort {
    double seconds = 0; // for a product, all contenders together; a call that takes long takes what it takes
    int rounds = 0;     // turns of each contender; 0: as many as the time allows
};

// In seconds. On a machine that others use, the best is nearer to what the contender can do.
struct CallTimes {
    double median = 0, best = 0;
    std::vector<double> turns; // the median of each turn: turns are independent of one another, unlike calls
};

// To be called once, before the first race.
void prepare_races();

// The times of each contender, over all its calls that count. All must have called multiply(product) before, so that they
// are warm.
std::vector<CallTimes> race(const std::vector<timing::Contender*>& contenders, const timing::Product& product,
                            const Effort& effort);

} // namespace bench
