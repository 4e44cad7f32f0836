// What accuracy is measured on, by name: ordinary matrices, and such as are hard on arithmetic that is not plain FP32.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace bench {

// A is m x k. B is n x k and enters the product transposed. Both are column-major without gaps, so that their columns are
// the steps along k.
struct Operands {
    std::size_t m = 0, n = 0, k = 0;
    float *a = nullptr, *b = nullptr;
};

struct Input {
    std::string name, says;
    std::function<void(const Operands&)> fill; // the same numbers in every run

    enum class Kind {
        rounded, // errors are those of rounding
        exact,   // integers, and every partial sum one below 2^24: there is nothing to round
        special  // what counts is which elements are NaN or infinite, and there are few of them
    } kind = Kind::rounded;
};

const std::vector<Input>& all_inputs();

} // namespace bench
