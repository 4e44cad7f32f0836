// A BLAS that takes part, seen from the race: it multiplies, and shows its result.
#pragma once

#include "timing/product.hpp"

#include "clgemm/clgemm.h"

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace timing {

class Contender {
public:
    Contender() = default;
    Contender(const Contender&) = delete;
    Contender& operator=(const Contender&) = delete;
    virtual ~Contender() = default;

    // Which library, which version, set up how: a line for the header.
    virtual std::string description() const = 0;

    // How exact its results must be.
    virtual clgemm_math accuracy() const { return CLGEMM_MATH_DEFAULT; }

    // The whole call: returns when C is complete. Throws std::exception.
    virtual void multiply(const Product& product) = 0;

    // Makes the first `elements` of C something no product of ours has, but finite: some BLAS multiply it by beta = 0.
    virtual void spoil_c(std::size_t elements) = 0;
    // Elements of C from `first` on.
    virtual std::vector<float> read_c(std::size_t first, std::size_t count) = 0;

    // The operands in host memory, and in DeviceMatrices, have changed as far as the product reads them: a contender that
    // keeps copies makes them anew.
    virtual void reload(const Product& /*product*/) {}
};

constexpr float spoilt = 3e38f;

// A contender that is not installed, or has no business on this device; says which.
class Absent : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

} // namespace timing
