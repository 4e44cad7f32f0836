// How far a computed product lies from the exact one, next to how far FP32 arithmetic may.
#pragma once

#include "inputs.hpp"

#include "clgemm/clgemm.h"

namespace bench {

// The errors |c - exact| of elements in units of u sum |a||b|, where u = 2^-24, half the distance from 1 to the next float.
// The error of a dot product of length k in FP32, in any order of summation, is at most k such units (Higham, Accuracy and
// Stability of Numerical Algorithms, section 3.1). A result may underflow, so 2^-149, the smallest float, is added to the
// unit.
struct Errors {
    double mean = 0, max = 0;
    std::size_t misclassified = 0; // NaN, infinite or finite where it should be something else; these have no error
    double of_the_promise = 0;     // the largest error as a part of what its accuracy promises (reference/reference.hpp)
};

class ExactProduct {
public:
    // Computes some rows of C, spread evenly, in double precision.
    ExactProduct(const Operands& operands, std::size_t rows);

    // c: m x n, column-major without gaps.
    Errors errors_of(const std::vector<float>& c, clgemm_math accuracy = CLGEMM_MATH_DEFAULT) const;

private:
    // The magnitudes of a row of A or a column of B.
    struct Line {
        double sum = 0, largest = 0;
        void add(float value);
    };

    std::size_t m_ = 0, n_ = 0, k_ = 0;
    std::vector<std::size_t> rows_;
    std::vector<double> values_, magnitudes_; // [row][column]; sum of a b, and of |a||b|
    std::vector<Line> of_a_, of_b_;           // of the rows, and of the columns
};

} // namespace bench
