// What is multiplied: shapes, the suites that gather them, and products, which add the transposes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace bench {

// op(A) is m x k, op(B) is k x n, C is m x n.
struct Shape {
    std::size_t m = 0, n = 0, k = 0;
};

struct Transposes {
    bool a = false, b = false;
};

// One multiplication: column-major, columns without gaps between them, alpha = 1, beta = 0.
struct Product {
    Shape shape;
    Transposes transposes;

    std::size_t lda() const { return transposes.a ? shape.k : shape.m; }
    std::size_t ldb() const { return transposes.b ? shape.n : shape.k; }
    std::size_t ldc() const { return shape.m; }
    double flops() const;
};

struct Suite {
    std::string name;
    std::vector<Shape> shapes;
};

// The suites of that name; "gpu" and "cpu" stand for several each. Throws std::invalid_argument.
std::vector<Suite> suites_named(const std::string& name);

// "4096x16x4096", or "4096" for 4096x4096x4096. Throws std::invalid_argument.
Shape parse_shape(const std::string& text);

// Of "NN", "NT", "TN" or "TT".
Transposes parse_transposes(const std::string& text);

std::string to_string(const Shape& shape);
std::string to_string(const Transposes& transposes);

} // namespace bench
