// What is multiplied: a shape, the transposes, and where columns begin; one product or a batch of them.
#pragma once

#include <cstddef>
#include <string>

namespace timing {

// op(A) is m x k, op(B) is k x n, C is m x n.
struct Shape {
    std::size_t m = 0, n = 0, k = 0;
};

struct Transposes {
    bool a = false, b = false;
};

// Where the matrices' columns begin: one after the other without gaps; at multiples of 64 bytes; or an odd number of
// elements apart, so that most of them are not even aligned to two.
enum class Columns { without_gaps, aligned, unaligned };

// One multiplication: column-major, alpha = 1. Of several products of a shape (a batch) the matrices lie one after the
// other.
struct Product {
    Shape shape;
    Transposes transposes = {};
    Columns columns = Columns::without_gaps;
    std::size_t count = 1;
    float beta = 0;

    std::size_t lda() const { return leading_dimension(transposes.a ? shape.k : shape.m); }
    std::size_t ldb() const { return leading_dimension(transposes.b ? shape.n : shape.k); }
    std::size_t ldc() const { return leading_dimension(shape.m); }
    // Elements from the start of a matrix to that of the next product's, its gaps included.
    std::size_t distance_a() const { return lda() * (transposes.a ? shape.m : shape.k); }
    std::size_t distance_b() const { return ldb() * (transposes.b ? shape.k : shape.n); }
    std::size_t distance_c() const { return ldc() * shape.n; }
    // Elements that the matrices of all products take.
    std::size_t elements_of_a() const { return count * distance_a(); }
    std::size_t elements_of_b() const { return count * distance_b(); }
    std::size_t elements_of_c() const { return count * distance_c(); }
    double flops() const; // of all products

private:
    std::size_t leading_dimension(std::size_t rows) const;
};

std::string to_string(const Shape& shape);
std::string to_string(const Transposes& transposes);
std::string to_string(const Product& product); // without its transposes

} // namespace timing
