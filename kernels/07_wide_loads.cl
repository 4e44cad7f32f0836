// Kernel 7, wide loads: kernel 6 with vectors of WIDTH floats from global into local memory.
//
//   global  |x x x x|.......|       One load and one store instruction move WIDTH elements. For that both tiles keep the
//              |                    order of global memory, Asub[k][m] and Bsub[k][n]: a vector of neighbours in
//   local   |x x x x|.......|       memory stays one. Nothing is turned any more, so nothing needs padding.
//
// Against kernel 6: there are WIDTH times fewer load and store instructions for the tiles. But in the inner loop the next k
// of Bsub is a row away, so that one load cannot bring two of them.
//
// Takes: A not transposed, B transposed, padded to whole tiles in M, N and K, columns starting at multiples of WIDTH
// floats. Any C.
// Source: "Tutorial: OpenCL SGEMM tuning for Kepler" by Cedric Nugteren, kernel 7.
//
// Parameters: as kernel 6's, and WIDTH, 2, 4 or 8, the vectors' width: RTSM * RTSN work-items divide TSK * TSM / WIDTH.
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
#ifndef WIDTH
#define WIDTH 4
#endif
#if TSM != TSN
#error "this kernel needs square tiles of C: TSM = TSN"
#endif
#define RTSM (TSM / WPTM)
#define RTSN (TSN / WPTN)
#define LPT ((TSK * TSM) / (RTSM * RTSN * WIDTH)) // vectors of each operand that a work-item loads per tile
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
typedef JOIN(float, WIDTH) floatX;

kernel __attribute__((reqd_work_group_size(RTSM, RTSN, 1)))
void multiply(const global float* restrict A, const global float* restrict B, global float* restrict C,
              const Multiplication given)
{
    // A copy, so that NVIDIA's compiler reads all numbers here. If it reads some late, it needs more registers, and fewer
    // work-groups run at a time (docs/notes/kernels.md has kernel 9's registers and times).
    const Multiplication call = given;
    const ulong M = call.M, N = call.N, K = call.K;
    const float alpha = call.alpha, beta = call.beta;
    // From one k to the next in A and B, from one column to the next in C.
    const ulong lda = call.A.column, ldb = call.B.row, ldc = call.C.column;

    const int tidm = get_local_id(0);
    const int tidn = get_local_id(1);
    const int tid = tidn * RTSM + tidm;
    const ulong tileM = get_group_id(0) * TSM;
    const ulong tileN = get_group_id(1) * TSN;

    local floatX Asub[TSK][TSM / WIDTH];
    local floatX Bsub[TSK][TSN / WIDTH];

    const global float* a = A + call.A.offset + tileM;
    const global float* b = B + call.B.offset + tileN;

    float sum[WPTM][WPTN];
    #pragma unroll
    for (int wm = 0; wm < WPTM; wm++)
        #pragma unroll
        for (int wn = 0; wn < WPTN; wn++)
            sum[wm][wn] = 0.0f;

    for (ulong k0 = 0; k0 < K; k0 += TSK) {
        #pragma unroll
        for (int l = 0; l < LPT; l++) {
            const int id = l * RTSM * RTSN + tid;
            const int row = id % (TSM / WIDTH);
            const int k = id / (TSM / WIDTH);
            Asub[k][row] = *(const global floatX*)(a + k * lda + row * WIDTH);
            Bsub[k][row] = *(const global floatX*)(b + k * ldb + row * WIDTH);
        }
        a += TSK * lda;
        b += TSK * ldb;
        barrier(CLK_LOCAL_MEM_FENCE);

        #pragma unroll 8
        for (int k = 0; k < TSK; k++) {
            const local float* rowA = (const local float*)Asub[k];
            const local float* rowB = (const local float*)Bsub[k];
            float valuesB[WPTN];
            #pragma unroll
            for (int wn = 0; wn < WPTN; wn++)
                valuesB[wn] = rowB[tidn + wn * RTSN];
            #pragma unroll
            for (int wm = 0; wm < WPTM; wm++) {
                const float valueA = rowA[tidm + wm * RTSM];
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
