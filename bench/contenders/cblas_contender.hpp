// A BLAS on the CPU, with CBLAS's interface.
#pragma once

#include "host_contender.hpp"

#include <string>

namespace bench {

constexpr int cblas_column_major = 102, cblas_no_trans = 111, cblas_trans = 112;

using CblasSgemm = void(int layout, int transA, int transB, int m, int n, int k, float alpha, const float* A, int lda,
                        const float* B, int ldb, float beta, float* C, int ldc);

inline int cblas_transpose(bool yes)
{
    return yes ? cblas_trans : cblas_no_trans;
}

class CblasContender : public HostContender {
public:
    CblasContender(timing::HostMatrices& matrices, CblasSgemm* sgemm, std::string description)
        : HostContender(matrices), sgemm_(sgemm), description_(std::move(description))
    {
    }

    std::string description() const override { return description_; }

    void multiply(const timing::Product& product) override
    {
        for (std::size_t i = 0; i < product.count; i++) // CBLAS itself has no batches
            sgemm_(cblas_column_major, cblas_transpose(product.transposes.a), cblas_transpose(product.transposes.b),
                   static_cast<int>(product.shape.m), static_cast<int>(product.shape.n), static_cast<int>(product.shape.k),
                   1.0f, a() + i * product.distance_a(), static_cast<int>(product.lda()), b() + i * product.distance_b(),
                   static_cast<int>(product.ldb()), product.beta, c() + i * product.distance_c(),
                   static_cast<int>(product.ldc()));
    }

private:
    CblasSgemm* sgemm_;
    std::string description_;
};

} // namespace bench
