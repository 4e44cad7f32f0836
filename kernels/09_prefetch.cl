// Kernel 9, prefetch: the next tiles are on their way while the present ones are multiplied.
//
//   buffer 0:  load t=0 | multiply t=0 | load t=2     | multiply t=2 ...
//   buffer 1:           | load t=1     | multiply t=1 | load t=3     ...
//
// Two buffers in local memory take turns: one is filled with tile t + 1 while tile t is multiplied from the other. The
// loads' latency hides behind the products, and one barrier per tile is enough instead of two.
//
// Against kernel 7: twice the local memory (fewer work-groups at once), but none of them waits for its own loads.
//
// Takes: A not transposed, B transposed, padded to whole tiles in M, N and K, columns starting at multiples of WIDTH
// floats. Any C.
// Source: "Tutorial: OpenCL SGEMM tuning for Kepler" by Cedric Nugteren, kernel 9.
//
// Parameters: as kernel 7's.
#include "arguments.h"

#ifndef TSM
#define TSM 128
#endif
#ifndef TSN
#define TSN 128
#endif
#ifndef TSK
#define TSK 16
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

// Copies a tile of TSK columns by TSM (= TSN) rows from global memory, all work-items together.
static inline void load_tile(local floatX (*tile)[TSM / WIDTH], const global float* from, const ulong ld, const int tid)
{
    #pragma unroll
    for (int l = 0; l < LPT; l++) {
        const int id = l * RTSM * RTSN + tid;
        const int row = id % (TSM / WIDTH);
        const int k = id / (TSM / WIDTH);
        tile[k][row] = *(const global floatX*)(from + k * ld + row * WIDTH);
    }
}

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

    local floatX Asub[2][TSK][TSM / WIDTH];
    local floatX Bsub[2][TSK][TSN / WIDTH];

    const global float* a = A + call.A.offset + tileM;
    const global float* b = B + call.B.offset + tileN;

    float sum[WPTM][WPTN];
    #pragma unroll
    for (int wm = 0; wm < WPTM; wm++)
        #pragma unroll
        for (int wn = 0; wn < WPTN; wn++)
            sum[wm][wn] = 0.0f;

    load_tile(Asub[0], a, lda, tid);
    load_tile(Bsub[0], b, ldb, tid);

    int now = 0;
    for (ulong k0 = 0; k0 < K; k0 += TSK) {
        // Buffer `now` is filled, and everybody is done with the other one.
        barrier(CLK_LOCAL_MEM_FENCE);
        if (k0 + TSK < K) {
            a += TSK * lda;
            b += TSK * ldb;
            load_tile(Asub[1 - now], a, lda, tid);
            load_tile(Bsub[1 - now], b, ldb, tid);
        }

        #pragma unroll
        for (int k = 0; k < TSK; k++) {
            const local float* rowA = (const local float*)Asub[now][k];
            const local float* rowB = (const local float*)Bsub[now][k];
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
        now = 1 - now;
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
