// How far a computed product lies from the exact one, next to how far FP32 arithmetic may.
#pragma once

#include "inputs.hpp"

namespace bench {

// The errors |c - exact| of elements in units of u sum |a||b|, where u = 2^-24, half the distance from 1 to the next float.
// A dot product of length k in FP32, in any order of summation, has at most k of them (Higham, Accuracy and Stability of
// Numerical Algorithms, section 3.1). A result may underflow, so 2^-149, the smallest float, is added to the unit.
struct Errors {
    double mean = 0, max = 0;
    std::size_t misclassified = 0; // NaN, infinite or finite where it should be something else; these have no error
};

class ExactProduct {
public:
    // In double precision, some rows of C, spread evenly.
    ExactProduct(const Operands& operands, std::size_t rows);

    // c: m x n, column-major without gaps.
    Errors errors_of(const std::vector<float>& c) const;

private:
    std::size_t m_ = 0, n_ = 0;
    std::vector<std::size_t> rows_;
    std::vector<double> values_, magnitudes_; // [row][column]; sum of a b, and of |a||b|
};

} // namespace bench
