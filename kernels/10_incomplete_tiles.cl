// Kernel 10, incomplete tiles: tiles of any shape, and matrices of any size by padding them.
//
//     N      N'                  If M, N or K is no multiple of the tile, helpers first copy the operands into larger
//   +------+---+                 ones, M' x K' and K' x N', filled up with zeros. The kernel computes M' x N', whole
//   |      |   |                 tiles only, and a helper copies the M x N corner back (pad, unpad).
//   |  C   | 0 |                 The zeros add nothing, so no inner loop asks where the matrix ends.
//   +------+   | M
//   |    0     |                 Against kernel 9: TSM, TSN and TSK are independent of each other (two load loops,
//   +----------+ M'              one for each operand), so the tile can follow the shape of C.
//
// Takes: A not transposed, B transposed, padded to whole tiles in M, N and K, columns starting at multiples of WIDTH
// floats. C: whole tiles.
// Source: "Tutorial: OpenCL SGEMM tuning for Kepler" by Cedric Nugteren, kernel 10.
//
// Parameters: TSM, TSN, TSK, the tile; WPTM, WPTN, rows and columns per work-item, which divide TSM and TSN; WIDTH, 2, 4
// or 8, the vectors' width. The work-group's RTSM * RTSN work-items divide TSK * TSM / WIDTH and TSK * TSN / WIDTH.
#include "arguments.h"

#ifndef TSM
#define TSM 128
#endif
#ifndef TSN
#define TSN 128
#endif
#ifndef TSK
#define TSK 8
#endif
#ifndef WPTM
#define WPTM 16
#endif
#ifndef WPTN
#define WPTN 8
#endif
#ifndef WIDTH
#define WIDTH 4
#endif
#define RTSM (TSM / WPTM)
#define RTSN (TSN / WPTN)
#define LPTA ((TSK * TSM) / (RTSM * RTSN * WIDTH)) // vectors of A that a work-item loads per tile
#define LPTB ((TSK * TSN) / (RTSM * RTSN * WIDTH)) // vectors of B
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
typedef JOIN(float, WIDTH) floatX;

// Copy a tile of TSK columns from global memory, all work-items together.
static inline void load_tile_of_A(local floatX (*tile)[TSM / WIDTH], const global float* from, const ulong ld, const int tid)
{
    #pragma unroll
    for (int l = 0; l < LPTA; l++) {
        const int id = l * RTSM * RTSN + tid;
        const int row = id % (TSM / WIDTH);
        const int k = id / (TSM / WIDTH);
        tile[k][row] = *(const global floatX*)(from + k * ld + row * WIDTH);
    }
}
static inline void load_tile_of_B(local floatX (*tile)[TSN / WIDTH], const global float* from, const ulong ld, const int tid)
{
    #pragma unroll
    for (int l = 0; l < LPTB; l++) {
        const int id = l * RTSM * RTSN + tid;
        const int row = id % (TSN / WIDTH);
        const int k = id / (TSN / WIDTH);
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
    const ulong K = call.K;
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

    load_tile_of_A(Asub[0], a, lda, tid);
    load_tile_of_B(Bsub[0], b, ldb, tid);

    int now = 0;
    // K is padded to whole tiles. (They are counted down in 32 bits: with K's 64 bits this kernel takes
    // 10 % longer on an H200.)
    for (uint steps = (uint)(K / TSK); steps > 0; steps--) {
        // Buffer `now` is filled, and everybody is done with the other one.
        barrier(CLK_LOCAL_MEM_FENCE);
        if (steps > 1) {
            a += TSK * lda;
            b += TSK * ldb;
            load_tile_of_A(Asub[1 - now], a, lda, tid);
            load_tile_of_B(Bsub[1 - now], b, ldb, tid);
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
            global float* c = C + call.C.offset + n * ldc + m;
            float result = alpha * sum[wm][wn];
            if (beta != 0.0f)
                result += beta * *c;
            *c = result;
        }
    }
}
