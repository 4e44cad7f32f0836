// Kernel 6, register blocking: each work-item computes WPTM x WPTN elements of C in registers.
//
//            RTSN RTSN            The TSM x TSN tile of C belongs to RTSM x RTSN work-items; work-item (tidm, tidn)
//           +----+----+           owns every RTSM-th row and RTSN-th column from its own: the elements marked x.
//      RTSM |x   |x   |           It reads WPTM values of A and WPTN of B for WPTM * WPTN products.
//           +----+----+
//      RTSM |x   |x   |           Against kernel 5: local loads per product fall from 1 + 1/WPTN
//           +----+----+           to 1/WPTM + 1/WPTN, which is a quarter where a work-item has 8 x 8 elements.
//
// Takes: A not transposed, B transposed, padded to whole tiles in M, N and K. Any C.
// Source: "Tutorial: OpenCL SGEMM tuning for Kepler" by Cedric Nugteren, kernel 6.
//
// Parameters: TSM, TSN, TSK, the tile; WPTM, WPTN, rows and columns per work-item. TSM = TSN; WPTM divides TSM and WPTN
// TSN; the work-group's RTSM * RTSN work-items divide TSK * TSM.
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
#ifndef WPTM
#define WPTM 8
#endif
#ifndef WPTN
#define WPTN 8
#endif
#if TSM != TSN
#error "this kernel needs square tiles of C: TSM = TSN"
#endif
#define RTSM (TSM / WPTM)
#define RTSN (TSN / WPTN)
#define LPT ((TSK * TSM) / (RTSM * RTSN)) // elements of each operand that a work-item loads per tile
#define PAD 2                             // spreads the turned stores into Bsub over 16 banks, as in kernel 5

kernel __attribute__((reqd_work_group_size(RTSM, RTSN, 1)))
void multiply(const global float* restrict A, const global float* restrict B, global float* restrict C,
              const Multiplication call)
{
    const ulong M = call.M, N = call.N, K = call.K;
    const float alpha = call.alpha, beta = call.beta;
    // From one k to the next in A and B, from one column to the next in C.
    const ulong lda = call.A.column, ldb = call.B.row, ldc = call.C.column;

    const int tidm = get_local_id(0);
    const int tidn = get_local_id(1);
    const int tid = tidn * RTSM + tidm;
    const ulong tileM = get_group_id(0) * TSM;
    const ulong tileN = get_group_id(1) * TSN;

    local float Asub[TSK][TSM];
    local float Bsub[TSN][TSK + PAD];

    const global float* a = A + call.A.offset + tileM;
    const global float* b = B + call.B.offset + tileN;

    float sum[WPTM][WPTN];
    #pragma unroll
    for (int wm = 0; wm < WPTM; wm++)
        #pragma unroll
        for (int wn = 0; wn < WPTN; wn++)
            sum[wm][wn] = 0.0f;

    for (ulong k0 = 0; k0 < K; k0 += TSK) {
        // The work-items are counted in one line, by tid, and take the tile's elements in the order of memory.
        #pragma unroll
        for (int l = 0; l < LPT; l++) {
            const int id = l * RTSM * RTSN + tid;
            const int row = id % TSM;
            const int k = id / TSM;
            Asub[k][row] = a[k * lda + row];
            Bsub[row][k] = b[k * ldb + row];
        }
        a += TSK * lda;
        b += TSK * ldb;
        barrier(CLK_LOCAL_MEM_FENCE);

        #pragma unroll 8
        for (int k = 0; k < TSK; k++) {
            float valuesB[WPTN];
            #pragma unroll
            for (int wn = 0; wn < WPTN; wn++)
                valuesB[wn] = Bsub[tidn + wn * RTSN][k];
            #pragma unroll
            for (int wm = 0; wm < WPTM; wm++) {
                const float valueA = Asub[k][tidm + wm * RTSM];
                #pragma unroll
                for (int wn = 0; wn < WPTN; wn++)
                    sum[wm][wn] += valueA * valuesB[wn];
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    #pragma unroll
    for (int wn = 0; wn < WPTN; wn++) {
        #pragma unroll
        for (int wm = 0; wm < WPTM; wm++) {
            const ulong m = tileM + tidm + wm * RTSM;
            const ulong n = tileN + tidn + wn * RTSN;
            if (m < M && n < N) {
                global float* c = C + call.C.offset + n * ldc + m;
                float result = alpha * sum[wm][wn];
                if (beta != 0.0f)
                    result += beta * *c;
                *c = result;
            }
        }
    }
}
