// Kernel 8, device-specific: kernel 7 with what the device has beyond OpenCL C 1.2.
//
//   lane:     0    1    2  ...  WPTN-1      Read-only loads: the kernel says that nobody writes what it loads. On the
//   reads:   B0   B1   B2  ...             tutorial's GPU such loads have a cache of their own (NVIDIA).
//             \____|____|____/
//   gets:    B0 B1 B2 ... in each lane      Shuffles: the RTSM work-items of one column group need the same WPTN values
//                                           of B. Each reads one, and the lanes of a warp (sub-group) pass them on
//                                           through registers instead of reading local memory WPTN times.
//
// Against kernel 7: fewer loads from local memory. On a device that has neither, this is kernel 7, at the same speed.
//
// Takes: A not transposed, B transposed, padded to whole tiles in M, N and K, columns starting at multiples of WIDTH
// floats. Any C.
// Source: "Tutorial: OpenCL SGEMM tuning for Kepler" by Cedric Nugteren, kernel 8. Its __ldg and __shfl are CUDA's, so here
// PTX takes their place on NVIDIA's devices, and OpenCL extensions on others.
//
// Parameters: as kernel 7's, and
//   READ_ONLY_LOADS  0: plain loads; 1: ld.global.nc by inline PTX (NVIDIA; WIDTH = 4)
//   SHUFFLE          0: none; 1: shfl.sync by inline PTX (NVIDIA); 2: cl_khr_subgroup_shuffle; 3: cl_intel_subgroups.
// A shuffle needs WPTN a power of two that divides RTSM and the sub-group's size.
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
#ifndef READ_ONLY_LOADS
#define READ_ONLY_LOADS 0
#endif
#ifndef SHUFFLE
#define SHUFFLE 0
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

static inline floatX load_read_only(const global float* p)
{
#if READ_ONLY_LOADS == 1
    floatX v;
    asm("ld.global.nc.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"((ulong)p));
    return v;
#else
    return *(const global floatX*)p;
#endif
}

#if SHUFFLE == 2
#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle : enable
#elif SHUFFLE == 3
#pragma OPENCL EXTENSION cl_intel_subgroups : enable
#endif

#if SHUFFLE
// The value of lane number `lane` in this lane's group of WPTN neighbours.
static inline float shuffle_within_group(float value, int lane)
{
#if SHUFFLE == 1
    // The third operand says how long groups are (its upper bits mask the group's first lane) and that the last lane is 31.
    float result;
    asm volatile("shfl.sync.idx.b32 %0, %1, %2, %3, 0xffffffff;"
                 : "=f"(result) : "f"(value), "r"(lane), "r"(((32 - WPTN) << 8) | 31));
    return result;
#else
    const uint source = (get_sub_group_local_id() & ~(uint)(WPTN - 1)) + lane;
#if SHUFFLE == 2
    return sub_group_shuffle(value, source);
#else
    return intel_sub_group_shuffle(value, source);
#endif
#endif
}
#endif

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
            Asub[k][row] = load_read_only(a + k * lda + row * WIDTH);
            Bsub[k][row] = load_read_only(b + k * ldb + row * WIDTH);
        }
        a += TSK * lda;
        b += TSK * ldb;
        barrier(CLK_LOCAL_MEM_FENCE);

        #pragma unroll 8
        for (int k = 0; k < TSK; k++) {
            const local float* rowA = (const local float*)Asub[k];
            const local float* rowB = (const local float*)Bsub[k];
            float valuesB[WPTN];
#if SHUFFLE
            const float mine = rowB[tidn + (tidm % WPTN) * RTSN];
            #pragma unroll
            for (int wn = 0; wn < WPTN; wn++)
                valuesB[wn] = shuffle_within_group(mine, wn);
#else
            #pragma unroll
            for (int wn = 0; wn < WPTN; wn++)
                valuesB[wn] = rowB[tidn + wn * RTSN];
#endif
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
