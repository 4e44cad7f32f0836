// Kernel 1, naive: one work-item computes one element of C, by the loop of the textbook:
//
//     float sum = 0.0f;
//     for (ulong k = 0; k < K; k++)
//         sum += A(m, k) * B(k, n);
//     C(m, n) = alpha * sum + beta * C(m, n);
//
//            n                   Work-item (m, n) walks along row m of op(A) and down column n of op(B).
//        +---|---+               Neighbours in dimension 0 have neighbouring m, so for column-major A and C
//        | B v   |               their accesses coalesce; B's element is the same for all of them.
//        +-------+
// +---+  +-------+               Every product costs two loads from global memory: only the caches
// |---m->|   x   |               stand between this kernel and the memory's bandwidth. All later
// | A |  | C     |               kernels are about reading less.
// +---+  +-------+
//
// Takes: any sizes, A and B transposed or not, any leading dimension and offset. It never needs a helper step.
// Source: "Tutorial: OpenCL SGEMM tuning for Kepler" by Cedric Nugteren, kernel 1.
//
// Parameters: TSM x TSN work-items in a work-group; TRANS_A, TRANS_B: 1 where the operand is stored transposed;
// REPRODUCIBLE, CONTRACTED: see reproducible.clh; LISTED: see product_list.clh.
#include "arguments.h"
#include "product_list.clh"
#include "reproducible.clh"

#ifndef TSM
#define TSM 128
#endif
#ifndef TSN
#define TSN 4
#endif
#ifndef TRANS_A
#define TRANS_A 0
#endif
#ifndef TRANS_B
#define TRANS_B 0
#endif

kernel __attribute__((reqd_work_group_size(TSM, TSN, 1)))
void multiply(const global float* restrict A, const global float* restrict B, global float* restrict C,
              LIST const Multiplication GIVEN)
{
    TAKE_OWN_PRODUCT(get_global_id(2))
    const ulong m = get_global_id(0);
    const ulong n = get_global_id(1);
    if (m >= call.M || n >= call.N)
        return;

    // `call` has the kernel's arguments besides its buffers: the sizes, alpha and beta, and where each matrix lies in its
    // buffer (arguments.h declares it). Element (i, j) of a matrix is at offset + i * row + j * column there. Memory runs
    // along one of the two directions, where the distance is 1: TRANS_A and TRANS_B tell the compiler which one that is.
    const ulong strideA = TRANS_A ? 1 : call.A.column; // from one k to the next
    const ulong strideB = TRANS_B ? call.B.row : 1;
    const global float* a = A + call.A.offset + m * (TRANS_A ? call.A.row : 1);
    const global float* b = B + call.B.offset + n * (TRANS_B ? 1 : call.B.column);
#define PLACE_IN_C (C + call.C.offset + n * call.C.column + m)

    // The second loop here is the textbook's, and takes the last k. The first one adds the same products in the same order,
    // but eight k at a time, with all loads before the first product, so that the loads are under way together.
    // Compilers do that by themselves for 32-bit counters, but not for the 64-bit ones that large matrices need. What the
    // second loop alone loses is in docs/notes/kernels.md.
    float sum = 0.0f;
    ulong k = 0;
#if REPRODUCIBLE // One block of K after the other, whose sums are added up in a register.
    global float* c = PLACE_IN_C;
    float total = scaled_alone(call.beta, c);
    for (ulong end = 0; end < call.K;) {
        end = min(end + REPRODUCIBLE, call.K);
#define END_OF_K end
#else
#define END_OF_K call.K
#endif
    for (; k + 8 <= END_OF_K; k += 8) {
        float valuesA[8], valuesB[8];
        #pragma unroll
        for (int i = 0; i < 8; i++) {
            valuesA[i] = a[i * strideA];
            valuesB[i] = b[i * strideB];
        }
        #pragma unroll
        for (int i = 0; i < 8; i++)
            ADD_PRODUCT(sum, valuesA[i], valuesB[i]);
        a += 8 * strideA;
        b += 8 * strideB;
    }
    for (; k < END_OF_K; k++) {
        ADD_PRODUCT(sum, *a, *b);
        a += strideA;
        b += strideB;
    }

#if REPRODUCIBLE
        total = result_float(call.alpha, sum, total);
        sum = 0.0f;
    }
    *c = total;
#else
    global float* c = PLACE_IN_C; // not before: it would hold registers all the way
    float result = call.alpha * sum;
    if (call.beta != 0.0f)
        result += call.beta * *c;
    *c = UNLESS_ALPHA_IS_0(call.alpha, scaled_alone(call.beta, c), result); // which it may be in a list of products
#endif
}
