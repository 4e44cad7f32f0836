// Kernel 12, async copy: the double buffer of kernel 9 filled by async_work_group_copy.
//
//   start copy t+1 ---------------------------> wait for it, turn the buffers
//        multiply tile t meanwhile            /
//
// The device copies whole runs of TSM (TSN) floats by itself (a DMA engine where it has one) while the work-items
// multiply; an event_t says when a tile is complete. Nobody computes indices to load.
//
// Against kernel 9: the same schedule, but the device decides how the tiles move.
//
// Takes: A not transposed, B transposed, padded to whole tiles in M, N and K, columns starting at multiples of 4 floats:
// whole float4s are copied, since single floats are much slower (docs/notes/kernels.md). Any C.
// Source: "Further Optimizing an OpenCL Program" (an OpenCL course), its double buffer and its async copies. The products
// are those of kernel 6.
//
// Parameters: TSM, TSN, TSK, the tile; WPTM, WPTN, rows and columns per work-item, which divide TSM and TSN; the
// work-group has TSM / WPTM * TSN / WPTN work-items. TSM and TSN are multiples of 4.
#include "arguments.h"

#ifndef TSM
#define TSM 64
#endif
#ifndef TSN
#define TSN 64
#endif
#ifndef TSK
#define TSK 16
#endif
#ifndef WPTM
#define WPTM 4
#endif
#ifndef WPTN
#define WPTN 4
#endif
#define RTSM (TSM / WPTM)
#define RTSN (TSN / WPTN)

// Starts the copy of a tile: TSK runs of `length` vectors, one event for all of them.
static inline event_t start_copy(local float4* tile, const global float* from, const int length, const ulong ld)
{
    event_t event = 0;
    for (int k = 0; k < TSK; k++)
        event = async_work_group_copy(tile + k * length, (const global float4*)(from + k * ld), length, event);
    return event;
}

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
    const ulong tileM = get_group_id(0) * TSM;
    const ulong tileN = get_group_id(1) * TSN;

    local float4 Asub[2][TSK][TSM / 4];
    local float4 Bsub[2][TSK][TSN / 4];

    const global float* a = A + call.A.offset + tileM;
    const global float* b = B + call.B.offset + tileN;

    float sum[WPTM][WPTN];
    #pragma unroll
    for (int wm = 0; wm < WPTM; wm++)
        #pragma unroll
        for (int wn = 0; wn < WPTN; wn++)
            sum[wm][wn] = 0.0f;

    // An event for each operand, in an array: Mesa 25.0's rusticl computes wrongly where a single event_t is assigned again in
    // the loop.
    event_t copied[2];
    copied[0] = start_copy(&Asub[0][0][0], a, TSM / 4, lda);
    copied[1] = start_copy(&Bsub[0][0][0], b, TSN / 4, ldb);

    int now = 0;
    for (ulong k0 = 0; k0 < K; k0 += TSK) {
        wait_group_events(2, copied); // Now buffer `now` is filled,
        barrier(CLK_LOCAL_MEM_FENCE); // and from here on everybody is done with the other one.
        if (k0 + TSK < K) {
            a += TSK * lda;
            b += TSK * ldb;
            copied[0] = start_copy(&Asub[1 - now][0][0], a, TSM / 4, lda);
            copied[1] = start_copy(&Bsub[1 - now][0][0], b, TSN / 4, ldb);
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
