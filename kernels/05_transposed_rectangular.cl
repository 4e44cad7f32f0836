// Kernel 5, B transposed and rectangular tiles: A and B are read the same way, in tiles that are longer in M and N than in
// K. It continues kernel 3, whose work-items compute several columns each; kernel 4's vectors come back in kernel 7.
//
//                    TSN             With B transposed beforehand, a tile of either operand is TSK runs of TSM (TSN)
//                  +------+          neighbouring elements, so the tile's depth TSK is free to be smaller than
//                  | Bsub | TSK      its sides: larger tiles of C from the same local memory.
//                  +------+
//  +---+           +------+          The inner loop still wants Bsub[n][k] (neighbouring k, wide local loads), so the
//  |   |           |      |          tile is turned while it is stored. Neighbouring work-items then store a row of Bsub
//  | A | TSM       | Csub | TSM      apart. With TSK = 32 a whole warp would store into one of the 32 banks. PAD = 2 more
//  |sub|           |      |          floats in a row leave two stores to a bank. PAD = 1 would leave one, but then rows
//  +---+           +------+          would begin at odd floats, and pairs of k could not be loaded at once.
//   TSK
//
// Against kernel 3: the tile's depth is independent of its sides, for which B has to be transposed beforehand.
//
// Takes: A not transposed, B transposed, padded to whole tiles in M, N and K. Any C.
// Source: "Tutorial: OpenCL SGEMM tuning for Kepler" by Cedric Nugteren, kernel 5.
//
// Parameters: TSM, TSN, TSK, the tile; WPTN, columns per work-item. TSM = TSN; WPTN divides TSN; TSN / WPTN divides TSK;
// TSM * TSN / WPTN must fit a work-group.
#include "arguments.h"

#ifndef TSM
#define TSM 128
#endif
#ifndef TSN
#define TSN 128
#endif
#ifndef TSK
#define TSK 32
#endif
#ifndef WPTN
#define WPTN 32
#endif
#if TSM != TSN
#error "this kernel needs square tiles of C: TSM = TSN"
#endif
#define RTSN (TSN / WPTN) // work-items along N
#define LPT (TSK / RTSN)  // elements of each operand that a work-item loads per tile
#define PAD 2             // even, so that pairs of k stay aligned for 64-bit local loads

kernel __attribute__((reqd_work_group_size(TSM, RTSN, 1)))
void multiply(const global float* restrict A, const global float* restrict B, global float* restrict C,
              const Multiplication call)
{
    const ulong M = call.M, N = call.N, K = call.K;
    const float alpha = call.alpha, beta = call.beta;
    // From one k to the next in A and B, from one column to the next in C.
    const ulong lda = call.A.column, ldb = call.B.row, ldc = call.C.column;

    const int row = get_local_id(0);
    const int col = get_local_id(1);
    const ulong globalRow = get_group_id(0) * TSM + row;
    const ulong globalCol = get_group_id(1) * TSN + col;

    local float Asub[TSK][TSM];
    local float Bsub[TSN][TSK + PAD];

    const global float* a = A + call.A.offset + col * lda + globalRow;
    const global float* b = B + call.B.offset + col * ldb + get_group_id(1) * TSN + row;

    float sum[WPTN];
    for (int w = 0; w < WPTN; w++)
        sum[w] = 0.0f;

    for (ulong k0 = 0; k0 < K; k0 += TSK) {
        for (int l = 0; l < LPT; l++) {
            Asub[col + l * RTSN][row] = a[l * RTSN * lda];
            Bsub[row][col + l * RTSN] = b[l * RTSN * ldb];
        }
        a += TSK * lda;
        b += TSK * ldb;
        barrier(CLK_LOCAL_MEM_FENCE);

        for (int k = 0; k < TSK; k++) {
            const float valueA = Asub[k][row];
            for (int w = 0; w < WPTN; w++)
                sum[w] += valueA * Bsub[col + w * RTSN][k];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    for (int w = 0; w < WPTN; w++) {
        const ulong n = globalCol + w * RTSN;
        if (globalRow < M && n < N) {
            global float* c = C + call.C.offset + n * ldc + globalRow;
            float result = alpha * sum[w];
            if (beta != 0.0f)
                result += beta * *c;
            *c = result;
        }
    }
}
