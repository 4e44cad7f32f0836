// Kernel 2, tiled: a work-group shares square tiles of A and B in local memory.
//
//                   TS              A work-group of TS x TS work-items computes a TS x TS tile of C, one element each.
//                 +----+            It walks along K in steps of TS: all work-items together load one tile
//                 |Bsub| TS         of A and one of B, wait for each other, and multiply the tiles.
//                 +----+
//   K             |    |            Against kernel 1: an element loaded from global memory is used
// +----+--------+ +----+            TS times instead of once. B is read along its columns, coalesced.
// |Asub| -->    | |Csub| TS
// +----+--------+ +----+
//   TS
//
// Takes: A and B not transposed, padded to whole tiles in M, N and K. Any C.
// Source: "Tutorial: OpenCL SGEMM tuning for Kepler" by Cedric Nugteren, kernel 2.
//
// Parameters: TS, the tile's side; TS * TS work-items must fit a work-group.
#include "arguments.h"

#ifndef TS
#define TS 32
#endif

kernel __attribute__((reqd_work_group_size(TS, TS, 1)))
void multiply(const global float* restrict A, const global float* restrict B, global float* restrict C,
              const Multiplication call)
{
    const ulong M = call.M, N = call.N, K = call.K;
    const float alpha = call.alpha, beta = call.beta;
    // How far apart the columns of each matrix begin.
    const ulong lda = call.A.column, ldb = call.B.column, ldc = call.C.column;

    const int row = get_local_id(0);
    const int col = get_local_id(1);
    const ulong globalRow = get_global_id(0);
    const ulong globalCol = get_global_id(1);

    local float Asub[TS][TS]; // [k][m]
    local float Bsub[TS][TS]; // [n][k]

    // This work-item's element of the first tiles; both move along K.
    const global float* a = A + call.A.offset + col * lda + globalRow;
    const global float* b = B + call.B.offset + globalCol * ldb + row;

    float sum = 0.0f;
    for (ulong k0 = 0; k0 < K; k0 += TS) {
        Asub[col][row] = *a;
        Bsub[col][row] = *b;
        a += TS * lda;
        b += TS;
        barrier(CLK_LOCAL_MEM_FENCE); // From here on the tiles are complete.

        for (int k = 0; k < TS; k++)
            sum += Asub[k][row] * Bsub[col][k];
        barrier(CLK_LOCAL_MEM_FENCE); // Nobody needs them any more, so the next ones may take their place.
    }

    if (globalRow >= M || globalCol >= N)
        return;
    global float* c = C + call.C.offset + globalCol * ldc + globalRow;
    float result = alpha * sum;
    if (beta != 0.0f)
        result += beta * *c;
    *c = result;
}
