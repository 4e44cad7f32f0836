// CBLAS's arguments in terms of SGEMM's, and back again to say which one is wrong.
#pragma once

#include "product.hpp"

namespace clgemm::doors {

// What is wrong with the arguments that only CBLAS has, by CBLAS's number; 0 if nothing is.
int first_wrong_enumerator(int layout, int trans_a, int trans_b);

// A CBLAS call whose enumerators are right. As in the reference, row-major matrices are taken for their transposes:
// C' = op(B)' op(A)'.
Product product_of(int layout, int trans_a, int trans_b, std::int64_t m, std::int64_t n, std::int64_t k, float alpha,
                   const float* a, std::int64_t lda, const float* b, std::int64_t ldb, float beta, float* c,
                   std::int64_t ldc);

// CBLAS's number for the argument that has this number in SGEMM; 0 stays 0. The form for strided batches has more arguments
// between those.
int cblas_number(int layout, int fortran_number);
int cblas_strided_number(int layout, int fortran_number);

// `count` products of CBLAS's that differ in their matrices alone, which lie a stride apart.
Batch batch_of(int layout, const Product& first, std::int64_t stride_a, std::int64_t stride_b, std::int64_t stride_c,
               std::int64_t count);

// A list of matrices as a batch, where they lie as in one array with nothing between them but what their leading dimensions
// leave; otherwise a batch of no products.
Batch batch_of(int layout, const Product& first, const float* const* a, const float* const* b, float* const* c,
               std::int64_t count);

} // namespace clgemm::doors
