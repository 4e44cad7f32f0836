// Kernel 11, vector dot: an element of C is a dot product, so multiply along K by vectors of eight.
//
//        K ->                        K ->            Both operands are stored with K running along memory. Tiles of
//   A: |12345678|12345678|      B: |12345678|...     TS rows by TSK floats stand in local memory as float8s;
//       row of op(A)                column of op(B)  work-item (row, col) multiplies whole vectors,
//                                                    s8 += a8 * b8, TSK / 8 of them unrolled, and adds the eight
//   C(row, col) = s8.0 + s8.1 + ... + s8.7           lanes of s8 only once, at the end, by dot(s, 1).
//
// Against kernel 2: one wide local load brings eight values, and eight independent sums hide the latency of addition.
// (The course says that vectors "send fewer commands to the queue". They do not. They need fewer instructions per product,
// since a CPU has SIMD units and a GPU has wide loads.)
//
// Takes: A transposed, B not transposed, padded to whole tiles in M, N and K, columns starting at multiples of 8 floats.
// Any C.
// Source: "Further Optimizing an OpenCL Program" (an OpenCL course), "SIMDs" and "Unrolling".
//
// Parameters: TS, the tile's side: TS * TS work-items must fit a work-group; TSK, its depth, a multiple of 8.
#include "arguments.h"

#ifndef TS
#define TS 16
#endif
#ifndef TSK
#define TSK 32
#endif
#define VECTORS (TSK / 8) // vectors in a row of a tile
#define PAD 1             // in vectors, so that neighbouring rows start in different banks

kernel __attribute__((reqd_work_group_size(TS, TS, 1)))
void multiply(const global float* restrict A, const global float* restrict B, global float* restrict C,
              const Multiplication call)
{
    const ulong M = call.M, N = call.N, K = call.K;
    const float alpha = call.alpha, beta = call.beta;
    // From one row to the next in A, from one column to the next in B and C.
    const ulong lda = call.A.row, ldb = call.B.column, ldc = call.C.column;

    const int row = get_local_id(0);
    const int col = get_local_id(1);
    const int tid = col * TS + row;
    const ulong tileM = get_group_id(0) * TS;
    const ulong tileN = get_group_id(1) * TS;

    local float8 Asub[TS][VECTORS + PAD]; // [m][k]
    local float8 Bsub[TS][VECTORS + PAD]; // [n][k]

    const global float* a = A + call.A.offset + tileM * lda;
    const global float* b = B + call.B.offset + tileN * ldb;

    float8 sum = (float8)(0.0f);
    for (ulong k0 = 0; k0 < K; k0 += TSK) {
        for (int id = tid; id < TS * VECTORS; id += TS * TS) {
            const int k = id % VECTORS;
            const int line = id / VECTORS;
            Asub[line][k] = *(const global float8*)(a + line * lda + k * 8);
            Bsub[line][k] = *(const global float8*)(b + line * ldb + k * 8);
        }
        a += TSK;
        b += TSK;
        barrier(CLK_LOCAL_MEM_FENCE);

        #pragma unroll
        for (int k = 0; k < VECTORS; k++)
            sum += Asub[row][k] * Bsub[col][k];
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    const ulong m = tileM + row;
    const ulong n = tileN + col;
    if (m >= M || n >= N)
        return;
    global float* c = C + call.C.offset + n * ldc + m;
    float result = alpha * (dot(sum.lo, (float4)(1.0f)) + dot(sum.hi, (float4)(1.0f)));
    if (beta != 0.0f)
        result += beta * *c;
    *c = result;
}
