#include "plain_sgemm.hpp"

#include <atomic>
#include <cstdio>

namespace clgemm::doors {

void plain_sgemm(const Product& x)
{
    static std::atomic_flag was_told;
    if (!was_told.test_and_set())
        std::fputs(
            "clgemm: no BLAS comes after clgemm's, so that a slow loop computes what OpenCL does not; CLGEMM_CPU_BLAS "
            "can name one\n",
            stderr);
    const bool only_scales = x.alpha == 0 || x.k == 0; // A and B are not read then, nor is C where beta is 0
    for (std::int64_t j = 0; j < x.n; j++)
        for (std::int64_t i = 0; i < x.m; i++) {
            float sum = 0;
            for (std::int64_t l = 0; l < x.k && !only_scales; l++)
                sum += (x.trans_a == 'N' ? x.a[l * x.lda + i] : x.a[i * x.lda + l]) *
                       (x.trans_b == 'N' ? x.b[j * x.ldb + l] : x.b[l * x.ldb + j]);
            float& c = x.c[j * x.ldc + i];
            c = (only_scales ? 0 : x.alpha * sum) + (x.beta == 0 ? 0 : x.beta * c);
        }
}

} // namespace clgemm::doors
