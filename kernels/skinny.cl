// Kernel 15, skinny: C has at most NR columns. So the kernel reads A once, and that is the whole cost: everything here
// serves to have as many loads of A under way as possible.
//
//   TRANS_A = 0: memory runs along M                       TRANS_A = 1: memory runs along K
//
//            k ->   s0 s1 s2 s3  s0 s1 s2 s3                        k ->   LANES x 4
//   TSM rows  |     x  .  .  .   x                        TSM rows  |    |l0 l1 l2 ..|l0 l1 l2 ..|
//             |     x  .  .  .   x                                  |    |  group 0  |  group 1  |  team 0
//             |     x  .  .  .   x  a work-item's                   |     ...
//             |     x  .  .  .   x  ROWS rows                       |    |l0 l1 l2 ..|l0 l1 l2 ..|  team 0 again: ROWS rows,
//             |     .  .  .  .                                      |     ...                       TSM / ROWS apart
//             v     .  .  .  .  the next work-item's                v
//
// - PARTS work-items share an element of C. Each takes ROWS rows and its share of the k's: every PARTS-th (TRANS_A = 0), or
//   four out of each PARTS * 4 (TRANS_A = 1). It has ROWS x NR sums. (PARTS are not the parts of K that split-K makes;
//   tuning files know the parameter by that name.)
// - A step takes UNROLL times as many k's as all PARTS take at a time. A work-item begins all loads of a step one right
//   after the other. The next step's values are on their way while it multiplies this one's, also across the barriers.
// - The work-group brings B into local memory, TSK k's at a time, in the order in which it reads B: as [k][n] (TRANS_A = 0),
//   else as [n][k].
// - With TSK = 0 each work-item reads B where it lies, in the same way as A. B comes from the unit's cache, in which it is
//   small. Nobody waits at barriers, and a work-group may have few rows, since it need not bring all of B for them. That is
//   the fastest way where both memories run along K (docs/notes/kernels.md).
// - At the end the work-items' shares are added through local memory, in the order of lane groups and lanes, so that the
//   bits are the same each time.
// - Split-K: the work-groups of dimension 2 take a part of K each, call.partK deep, and write their sums call.partC
//   elements apart. The helper `reduce` adds them. Of a batch they take a product each.
//
// Against kernel 13: no tile of A is in local memory, since no two work-items need the same of it, and the tile of C fits a
// matrix of few columns.
//
// Takes: everything, NR columns for each work-group in dimension 1; it is made for N <= NR. C has a stride for its rows and
// one for its columns, so that the library can compute a C of few rows as its transpose, with A and B exchanged.
// Source: our own.
//
// Parameters:
//   NR      columns, 1, 2, 4, 8 or 16
//   TSM     the work-group's rows
//   ROWS    the work-item's rows, a multiple of 4 that divides TSM
//   PARTS   work-items that share an element of C
//   LANES   how many of them are neighbours along K where TRANS_A = 1, a power of two up to 32. PARTS / LANES
//           groups of them follow along K.
//   UNROLL  see above
//   FEW_REGISTERS  1 where a work-item has 128 of them at most: then UNROLL is 1 where TRANS_A = 1
//   TSK     0 or a multiple of KSTEP = PARTS * UNROLL * (TRANS_A ? 4 : 1); call.partK is a multiple of KSTEP, too, or at
//           least K
//   TRANS_A, TRANS_B  1 where the operand is stored transposed
//   WIDTH_A, WIDTH_B  4 where the operand's memory runs in columns that start at multiples of 16 bytes and whose used length
//                     is a multiple of 4, otherwise 1
//   REPRODUCIBLE, CONTRACTED  see reproducible.clh. skinny_in_order.clh has what is done then.
// The ITEMS = TSM / ROWS * PARTS are a multiple of 8 * NR, and at most 1024.
#include "arguments.h"
#include "reproducible.clh"
#include "sub_group.clh"

#ifndef TRANS_A
#define TRANS_A 0
#endif
#ifndef TRANS_B
#define TRANS_B 0
#endif
#ifndef WIDTH_A
#define WIDTH_A 1
#endif
#ifndef WIDTH_B
#define WIDTH_B 1
#endif
#ifndef NR
#define NR 1
#endif
#ifndef TSM
#define TSM 128
#endif
#ifndef ROWS
#define ROWS 4
#endif
#ifndef PARTS
#define PARTS 8
#endif
#ifndef LANES
#define LANES 8
#endif
#ifndef UNROLL
#define UNROLL 4
#endif
#ifndef TSK
#define TSK 1024
#endif

#include "fours.clh"

#if REPRODUCIBLE
#include "skinny_in_order.clh"
#else

#if !TRANS_A
#undef LANES
#define LANES 1
#elif FEW_REGISTERS // The values of two steps must fit.
#undef UNROLL
#define UNROLL 1
#endif

#define K_WIDTH (TRANS_A ? 4 : 1)               // k's of a work-item's load
#define TEAMS (TSM / ROWS)                      // work-items along M
#define ITEMS (TEAMS * PARTS)
#define SEGMENT (PARTS * K_WIDTH)               // k's of one load by all work-items
#define KSTEP (SEGMENT * UNROLL)
#define VALUES (ROWS * K_WIDTH)                 // values of A that a work-item takes from a segment
#define WIDE_A (WIDTH_A == 4)
#define POINTERS (WIDE_A ? VALUES / 4 : ROWS)   // places where it finds them
#define ROW_WIDTH (WIDE_A && !TRANS_A ? 4 : 1)  // neighbouring rows at one place
#define LANE_WIDTH (WIDE_A && TRANS_A ? 4 : 1)  // neighbouring k's at one place
#define LANE_STRIDE (WIDE_A ? 1 : LANES)        // from one k of a work-item's load to the next one
// B is copied in fours where local memory has its order.
#define COPY_WIDTH_B (WIDTH_B == 4 && TRANS_A != TRANS_B && (TRANS_A || NR >= 4) ? 4 : 1)
#define LOADS_B ((TSK * NR + ITEMS * COPY_WIDTH_B - 1) / (ITEMS * COPY_WIDTH_B))
#define BATCH_B (LOADS_B < 8 ? LOADS_B : 8)
// Rows of B in local memory are longer where work-items that write side by side would otherwise meet in a bank.
#define PITCH_B (TRANS_A ? TSK + 4 : NR > 4 ? NR + 4 : NR)
#define STRIDE_B (TRANS_A ? 1 : PITCH_B)         // from one k to the next
#define FLOATS_B (TRANS_A ? NR * PITCH_B : TSK * PITCH_B)
// At the end, local memory takes the sums of SUM_COLUMNS columns at a time, as [share][column][row].
#define PADDING (LANES > 1 ? 32 / LANES : 0)
#define FLOATS_C(columns) (PARTS * (TSM * (columns) + PADDING))
#define FITS(columns) (NR >= (columns) && FLOATS_C(columns) <= 5120)
#define SUM_COLUMNS (FITS(16) ? 16 : FITS(8) ? 8 : FITS(4) ? 4 : FITS(2) ? 2 : 1)
#define PITCH_C (TSM * SUM_COLUMNS + PADDING)
#define FLOATS (FLOATS_B > FLOATS_C(SUM_COLUMNS) ? FLOATS_B : FLOATS_C(SUM_COLUMNS))

#if TSM % ROWS != 0 || TSK % KSTEP != 0 || ITEMS % (8 * NR) != 0 || ROWS % 4 != 0
#error "ROWS divides TSM and is a multiple of 4, KSTEP divides TSK, 8 * NR divides ITEMS"
#endif
#if FLOATS > 8000
#error "more than 32000 bytes of local memory"
#endif

// Reads a work-item's values from the segment that lies `ahead` of its pointers. From `depth` on it takes zeros, unless the
// segment is `whole`.
static inline void load_values(float* values, const global float* const* from, const ulong ahead, const int k,
                               const int depth, const bool whole)
{
    #pragma unroll
    for (int p = 0; p < POINTERS; p++) {
        const global float* place = from[p] + ahead;
#if WIDE_A
        float4 four = (float4)(0.0f, 0.0f, 0.0f, 0.0f);
        if (whole || k < depth)
            four = *(const global float4*)place;
        keep_four(values + 4 * p, four);
#else
        #pragma unroll
        for (int i = 0; i < K_WIDTH; i++) {
            float value = 0.0f;
            if (whole || k + i * LANES < depth)
                value = place[i * LANES];
            values[K_WIDTH * p + i] = value;
        }
#endif
    }
}

#if TSK == 0
// Reads the values of B that belong to a work-item's values of a segment. `next`: from one k to the next one.
static inline void load_values_of_B(float (*values)[K_WIDTH], const global float* const* from, const ulong ahead,
                                    const ulong next, const int k, const int depth, const bool whole)
{
    #pragma unroll
    for (int n = 0; n < NR; n++) {
#if WIDE_A && WIDTH_B == 4 && TRANS_A && !TRANS_B
        float4 four = (float4)(0.0f, 0.0f, 0.0f, 0.0f);
        if (whole || k < depth)
            four = *(const global float4*)(from[n] + ahead);
        keep_four(values[n], four);
#else
        #pragma unroll
        for (int i = 0; i < K_WIDTH; i++)
            values[n][i] = whole || k + i * LANE_STRIDE < depth ? from[n][ahead + i * LANE_STRIDE * next] : 0.0f;
#endif
    }
}

// Adds the products of a step of KSTEP k's, of which `depth` exist. All its loads are under way together.
static inline void multiply_step(float (*sum)[NR], const global float** from, const global float** b, const ulong segment,
                                 const ulong next, const int k, const int depth, const bool whole)
{
    float values[UNROLL][VALUES], valuesB[UNROLL][NR][K_WIDTH];
    #pragma unroll
    for (int u = 0; u < UNROLL; u++)
        load_values(values[u], from, u * segment, k + u * SEGMENT, depth, whole);
    #pragma unroll
    for (int u = 0; u < UNROLL; u++)
        load_values_of_B(valuesB[u], b, u * SEGMENT * next, next, k + u * SEGMENT, depth, whole);
    #pragma unroll
    for (int u = 0; u < UNROLL; u++)
        #pragma unroll
        for (int n = 0; n < NR; n++)
            #pragma unroll
            for (int i = 0; i < K_WIDTH; i++)
                #pragma unroll
                for (int m = 0; m < ROWS; m++)
                    sum[m][n] += values[u][K_WIDTH * m + i] * valuesB[u][n][i];
    #pragma unroll
    for (int p = 0; p < POINTERS; p++)
        from[p] += UNROLL * segment;
    #pragma unroll
    for (int n = 0; n < NR; n++)
        b[n] += KSTEP * next;
}
#else
// Reads `count` neighbours from local memory, four at a time where there are as many.
static inline void load_neighbours(float* values, const local float* from, const int count)
{
    if (count >= 4) {
        load_fours(values, from, count, 1);
    } else {
        #pragma unroll
        for (int i = 0; i < count; i++)
            values[i] = from[i];
    }
}

// Adds the products of a segment: the work-item's values with those of B, which begin at `b`.
static inline void multiply_values(float (*sum)[NR], const float* values, const local float* b)
{
#if TRANS_A
    #pragma unroll
    for (int n = 0; n < NR; n++) {
        float valuesB[4];
        if (WIDE_A) {
            load_neighbours(valuesB, b + n * PITCH_B, 4);
        } else {
            #pragma unroll
            for (int i = 0; i < 4; i++)
                valuesB[i] = b[n * PITCH_B + i * LANES];
        }
        #pragma unroll
        for (int i = 0; i < 4; i++)
            #pragma unroll
            for (int m = 0; m < ROWS; m++)
                sum[m][n] += values[4 * m + i] * valuesB[i];
    }
#else
    float valuesB[NR];
    load_neighbours(valuesB, b, NR);
    #pragma unroll
    for (int n = 0; n < NR; n++)
        #pragma unroll
        for (int m = 0; m < ROWS; m++)
            sum[m][n] += values[m] * valuesB[n];
#endif
}

// Multiplies the values of a step of KSTEP k's and replaces them by the next step's, of which `next` k's exist.
static inline void multiply_step(float (*sum)[NR], float (*values)[VALUES], const local float* b, const global float** from,
                                 const ulong segment, const int k, const int next, const bool whole)
{
    float later[UNROLL][VALUES];
    #pragma unroll
    for (int u = 0; u < UNROLL; u++)
        load_values(later[u], from, u * segment, k + u * SEGMENT, next, whole);
    #pragma unroll
    for (int u = 0; u < UNROLL; u++)
        multiply_values(sum, values[u], b + u * SEGMENT * STRIDE_B);
    #pragma unroll
    for (int u = 0; u < UNROLL; u++)
        #pragma unroll
        for (int i = 0; i < VALUES; i++)
            values[u][i] = later[u][i];
    #pragma unroll
    for (int p = 0; p < POINTERS; p++)
        from[p] += UNROLL * segment;
}

#if COPY_WIDTH_B == 4
typedef float4 floatB;
#else
typedef float floatB;
#endif

// Brings B into local memory, all work-items together: `count` k's, with zeros from there up to `end` and for columns from
// `columns` on. A work-item stays in its column (or its four) and has up to eight loads under way. Neighbours take what
// lies next to each other in global memory.
static inline void load_B(local float* to, const global float* from, const ulong ldb, const int columns, const int count,
                          const int end, const int tid)
{
    const int n = TRANS_B ? tid % (NR / COPY_WIDTH_B) * COPY_WIDTH_B : tid / 8 % NR;
    const int first = TRANS_B ? tid / (NR / COPY_WIDTH_B) : (tid % 8 + tid / (8 * NR) * 8) * COPY_WIDTH_B;
    const int step = ITEMS / NR * COPY_WIDTH_B;
    const ulong next = TRANS_B ? step * ldb : step;
    from += TRANS_B ? first * ldb + n : n * ldb + first;
    to += first * STRIDE_B + n * (TRANS_A ? PITCH_B : 1);
    for (int k = first; k < end; k += BATCH_B * step) {
        floatB values[BATCH_B];
        #pragma unroll
        for (int i = 0; i < BATCH_B; i++) {
            values[i] = (floatB)(0.0f);
            if (n < columns && k + i * step < count)
                values[i] = *(const global floatB*)(from + i * next);
        }
        #pragma unroll
        for (int i = 0; i < BATCH_B; i++)
            if (k + i * step < end)
                *(local floatB*)(to + i * step * STRIDE_B) = values[i];
        from += BATCH_B * next;
        to += BATCH_B * step * STRIDE_B;
    }
}
#endif

kernel IN_SUB_GROUPS __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void multiply(const global float* restrict A, const global float* restrict B, global float* C, const Multiplication call)
{
    local float __attribute__((aligned(16))) shared[FLOATS];

    // Which columns of C these are, and which rows and k's of op(A): first the work-group's, then the work-item's.
    const ulong tileN = get_group_id(1) * NR;
    const int columns = (int)min(call.N - tileN, (ulong)NR);
    const ulong tileM = get_group_id(0) * TSM;
    const ulong part = get_group_id(2);
    const int rows = (int)min(call.M - tileM, (ulong)TSM);
    const ulong depth = min(call.K - part * call.nextK, call.partK);
    const int tid = get_local_id(0);
    const int lane = tid % LANES;
    const int team = tid / LANES % TEAMS;
    const int lane_group = tid / (LANES * TEAMS);
    const int k = lane_group * LANES * K_WIDTH + lane * LANE_WIDTH;

    // In place of rows below the matrix its last ones are read, and nobody stores what comes of them.
    const global float* from[POINTERS];
    #pragma unroll
    for (int p = 0; p < POINTERS; p++) {
        const ulong m = tileM + min((team + p * TEAMS) * ROW_WIDTH, rows - ROW_WIDTH);
        from[p] = A + call.A.offset + part * call.partA + (TRANS_A ? m * LDA + k : k * LDA + m);
    }
    const ulong segment = TRANS_A ? SEGMENT : SEGMENT * LDA;

    float sum[ROWS][NR];
    #pragma unroll
    for (int m = 0; m < ROWS; m++)
        #pragma unroll
        for (int n = 0; n < NR; n++)
            sum[m][n] = 0.0f;

#if TSK == 0
    const global float* b[NR];
    #pragma unroll
    for (int n = 0; n < NR; n++)
        b[n] = B + call.B.offset + part * call.partB + (tileN + min(n, columns - 1)) * call.B.column + k * call.B.row;
    ulong k0 = 0;
    for (; k0 + KSTEP <= depth; k0 += KSTEP)
        multiply_step(sum, from, b, segment, call.B.row, k, KSTEP, true);
    if (k0 < depth)
        multiply_step(sum, from, b, segment, call.B.row, k, (int)(depth - k0), false);
#else
    float values[UNROLL][VALUES];
    #pragma unroll
    for (int u = 0; u < UNROLL; u++)
        load_values(values[u], from, u * segment, k + u * SEGMENT, (int)min(depth, (ulong)KSTEP), false);
    #pragma unroll
    for (int p = 0; p < POINTERS; p++)
        from[p] += UNROLL * segment;

    for (ulong k0 = 0; k0 < depth; k0 += TSK) {
        const int count = (int)min(depth - k0, (ulong)TSK);
        const int steps = (count + KSTEP - 1) / KSTEP;
        if (k0 > 0)
            barrier(CLK_LOCAL_MEM_FENCE); // Nobody reads any more what was there of B before.
        load_B(shared,
               B + call.B.offset + part * call.partB + (TRANS_B ? k0 * LDB + tileN : tileN * LDB + k0), LDB,
               columns, count, steps * KSTEP, tid);
        barrier(CLK_LOCAL_MEM_FENCE);

        // As long as the next step is a whole one, no load is checked.
        const int unchecked = (int)min((depth - k0) / KSTEP, (ulong)steps + 1) - 1;
        const local float* b = shared + k * STRIDE_B;
        int step = 0;
        for (; step < unchecked; step++, b += KSTEP * STRIDE_B)
            multiply_step(sum, values, b, from, segment, k, KSTEP, true);
        for (; step < steps; step++, b += KSTEP * STRIDE_B)
            multiply_step(sum, values, b, from, segment, k, (int)((long)(depth - k0) - (step + 1) * KSTEP), false);
    }
#endif

    #pragma unroll
    for (int first = 0; first < NR; first += SUM_COLUMNS) {
        barrier(CLK_LOCAL_MEM_FENCE); // Nobody reads any more what was there.
        local float* mine = shared + (lane_group * LANES + lane) * PITCH_C + team * ROW_WIDTH;
        #pragma unroll
        for (int n = 0; n < SUM_COLUMNS; n++)
            #pragma unroll
            for (int m = 0; m < ROWS; m += ROW_WIDTH) {
                local float* to = mine + n * TSM + m * TEAMS;
                if (ROW_WIDTH == 4)
                    *(local float4*)to =
                        (float4)(sum[m][first + n], sum[m + 1][first + n], sum[m + 2][first + n], sum[m + 3][first + n]);
                else
                    *to = sum[m][first + n];
            }
        barrier(CLK_LOCAL_MEM_FENCE);

        for (int element = tid; element < TSM * SUM_COLUMNS; element += ITEMS) {
            const int m = element % TSM;
            const int n = first + element / TSM;
            float total = shared[element];
            #pragma unroll 8
            for (int share = 1; share < PARTS; share++)
                total += shared[share * PITCH_C + element];
            if (m < rows && n < columns) {
                global float* c = C + call.C.offset + part * call.partC + (tileM + m) * call.C.row +
                                  (tileN + n) * call.C.column;
                *c = call.beta != 0.0f ? call.alpha * total + call.beta * *c : call.alpha * total;
            }
        }
    }
}
#endif
