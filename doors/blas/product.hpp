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

// SGEMM's number of the first argument that is wrong, in the order in which the reference looks at them; 0 if none is.
int first_wrong(const Product& product);

} // namespace clgemm::doors
