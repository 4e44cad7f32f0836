// One call of SGEMM in the form of the reference BLAS, to which all interfaces are brought: column-major, transposes as
// letters, sizes signed, and nothing checked yet.
#pragma once

#include <cstdint>

namespace clgemm::doors {

struct Product {
    char trans_a, trans_b; // 'N', 'T' or 'C'; anything else is wrong
    std::int64_t m, n, k;
    float alpha;
    const float* a;
    std::int64_t lda;
    const float* b;
    std::int64_t ldb;
    float beta;
    float* c;
    std::int64_t ldc;

    double flops() const { return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k); }
    // What must travel to a device and back.
    double bytes() const;
};

// Products of one shape, whose matrices lie so many elements behind those of the product before.
struct Batch {
    Product first{};
    std::int64_t count = 1;
    std::int64_t distance_a = 0, distance_b = 0, distance_c = 0;

    Product product(std::int64_t i) const;
    double flops() const { return static_cast<double>(count) * first.flops(); }
    double bytes() const { return static_cast<double>(count) * first.bytes(); }
};

// Is it a strided batch as clgemm takes it: no distance is negative, and matrices C do not overlap? (They lie behind one
// another or side by side.)
bool is_strided_batch(const Batch& batch);

// SGEMM's number of the first argument that is wrong, in the order in which the reference looks at them; 0 if none is.
int first_wrong(const Product& product);

} // namespace clgemm::doors
