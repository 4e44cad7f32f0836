// Kernel 4, wide types: each work-item computes WIDTH neighbouring rows as one vector.
//
//             col                   The TS x TS tile of C belongs to (TS / WIDTH) x TS work-items. Every access to
//            +-|-+                  global and local memory moves a vector of WIDTH floats, so that there are fewer
//  row WIDTH | x |                  and wider load and store instructions.
//            | x |
//            +---+                  Against kernel 3: the work per work-item grows along M, where
//                                   neighbours lie next to each other in memory, instead of along N.
//
// Takes: A and B not transposed, padded to whole tiles in M, N and K, with columns that start at multiples of WIDTH floats.
// C must be the same: whole tiles, and columns that start at multiples of WIDTH floats.
// Source: "Tutorial: OpenCL SGEMM tuning for Kepler" by Cedric Nugteren, kernel 4.
//
// Parameters: TS, the tile's side; WIDTH, 2, 4, 8 or 16, which divides TS; TS * TS / WIDTH must fit a work-group.
#include "arguments.h"

#ifndef TS
#define TS 64
#endif
#ifndef WIDTH
#define WIDTH 4
#endif
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
typedef JOIN(float, WIDTH) floatX;

kernel __attribute__((reqd_work_group_size(TS / WIDTH, TS, 1)))
void multiply(const global float* restrict A, const global float* restrict B, global float* restrict C,
              const Multiplication call)
{
    const ulong K = call.K;
    const float alpha = call.alpha, beta = call.beta;
    // How far apart the columns of each matrix begin.
    const ulong lda = call.A.column, ldb = call.B.column, ldc = call.C.column;

    const int row = get_local_id(0); // of vectors, each WIDTH rows of the matrix
    const int col = get_local_id(1);
    const ulong globalRow = get_group_id(0) * TS + row * WIDTH;
    const ulong globalCol = get_group_id(1) * TS + col;

    local floatX Asub[TS][TS / WIDTH]; // [k][m]
    local floatX Bsub[TS][TS / WIDTH]; // [n][k]
    const local float* columnOfB = (const local float*)Bsub[col];

    const global float* a = A + call.A.offset + col * lda + globalRow;
    const global float* b = B + call.B.offset + globalCol * ldb + row * WIDTH;

    floatX sum = (floatX)(0.0f);
    for (ulong k0 = 0; k0 < K; k0 += TS) {
        Asub[col][row] = *(const global floatX*)a;
        Bsub[col][row] = *(const global floatX*)b;
        a += TS * lda;
        b += TS;
        barrier(CLK_LOCAL_MEM_FENCE);

        for (int k = 0; k < TS; k++)
            sum += Asub[k][row] * columnOfB[k];
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    global floatX* c = (global floatX*)(C + call.C.offset + globalCol * ldc + globalRow);
    floatX result = alpha * sum;
    if (beta != 0.0f)
        result += beta * *c;
    *c = result;
}
