// Kernel 3, more work per thread: each work-item computes WPT columns of the tile.
//
//                 RTS RTS RTS       The TS x TS tile of C belongs to TS x RTS work-items, RTS = TS / WPT:
//                +---+---+---+      work-item (row, col) owns the elements marked x, in the columns
//                |x  |x  |x  |      col, col + RTS, col + 2 RTS, ... of its row.
//             TS |   |   |   |
//                +---+---+---+      Against kernel 2: an element of Asub that was read from local memory serves
//                                   WPT multiplications, so 1 + 1/WPT local loads a product instead of 2.
//
// Takes: A and B not transposed, padded to whole tiles in M, N and K. Any C.
// Source: "Tutorial: OpenCL SGEMM tuning for Kepler" by Cedric Nugteren, kernel 3.
//
// Parameters: TS, the tile's side; WPT, columns per work-item, which divides TS; TS * TS / WPT must fit a work-group.
#include "arguments.h"

#ifndef TS
#define TS 64
#endif
#ifndef WPT
#define WPT 32
#endif
#define RTS (TS / WPT)

kernel __attribute__((reqd_work_group_size(TS, RTS, 1)))
void multiply(const global float* restrict A, const global float* restrict B, global float* restrict C,
              const Multiplication call)
{
    const ulong M = call.M, N = call.N, K = call.K;
    const float alpha = call.alpha, beta = call.beta;
    // How far apart the columns of each matrix begin.
    const ulong lda = call.A.column, ldb = call.B.column, ldc = call.C.column;

    const int row = get_local_id(0);
    const int col = get_local_id(1);
    const ulong globalRow = get_group_id(0) * TS + row;
    const ulong globalCol = get_group_id(1) * TS + col;

    local float Asub[TS][TS]; // [k][m]
    local float Bsub[TS][TS]; // [n][k]

    const global float* a = A + call.A.offset + col * lda + globalRow;
    const global float* b = B + call.B.offset + globalCol * ldb + row;

    float sum[WPT];
    for (int w = 0; w < WPT; w++)
        sum[w] = 0.0f;

    for (ulong k0 = 0; k0 < K; k0 += TS) {
        for (int w = 0; w < WPT; w++) {
            Asub[col + w * RTS][row] = a[w * RTS * lda];
            Bsub[col + w * RTS][row] = b[w * RTS * ldb];
        }
        a += TS * lda;
        b += TS;
        barrier(CLK_LOCAL_MEM_FENCE);

        for (int k = 0; k < TS; k++) {
            const float valueA = Asub[k][row];
            for (int w = 0; w < WPT; w++)
                sum[w] += valueA * Bsub[col + w * RTS][k];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    for (int w = 0; w < WPT; w++) {
        const ulong n = globalCol + w * RTS;
        if (globalRow < M && n < N) {
            global float* c = C + call.C.offset + n * ldc + globalRow;
            float result = alpha * sum[w];
            if (beta != 0.0f)
                result += beta * *c;
            *c = result;
        }
    }
}
