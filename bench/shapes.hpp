// Which products are measured: the suites that gather them, and how people name them.
#pragma once

#include "timing/product.hpp"

#include <string>
#include <vector>

namespace bench {

struct Suite {
    std::string name;
    std::vector<timing::Product> products; // without transposes, which whoever measures adds
};

// The suites of that name; "gpu", "cpu", "batches" and "regression", say, stand for several each. Throws
// std::invalid_argument.
std::vector<Suite> suites_named(const std::string& name);

// "4096x16x4096", or "4096" for 4096x4096x4096. Throws std::invalid_argument.
timing::Shape parse_shape(const std::string& text);

// A shape, or a batch of them: "1000*64x64x8". Throws std::invalid_argument.
timing::Product parse_product(const std::string& text);

// Reads "NN", "NT", "TN" or "TT".
timing::Transposes parse_transposes(const std::string& text);

} // namespace bench
