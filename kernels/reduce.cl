// Helper, reduce: adds the sums of a multiplication with split-K, one matrix of them for each part of K, and applies alpha
// and beta.
//
//     sums of     sums of         sums of
//     part 0      part 1          part parts-1          C
//   +---------++---------+ ... +---------+         +---------+     SHARERS work-items share an element of C: each adds every
//   | rows x  ||         |     |         |  --->   | rows x  |     SHARERS-th part, and then their sums are added. The order
//   | columns ||         |     |         |         | columns |     is always the same, and so are the bits.
//   +---------++---------+     +---------+         +---------+
//     ldSums, partC elements apart                   ldc
//
// Source: our own.
//
// Parameters: TILE x ROWS work-items in a work-group; SHARERS, which divides ROWS. With many parts, one work-item
// would take longer to add them one after the other than it takes to read them. REPRODUCIBLE, CONTRACTED: see
// reproducible.clh. A part of K is a block then. Their order is given, so that one work-item adds what all sharers read.
//
// CPUs have a kernel of their own for it, cpu_reduce.
#include "arguments.h"
#include "reproducible.clh"

#ifndef TILE
#define TILE 32
#endif
#ifndef ROWS
#define ROWS 8
#endif
#ifndef SHARERS
#define SHARERS 1
#endif

#define COLUMNS (ROWS / SHARERS) // columns of C that a work-group computes
#define AT_ONCE 8                // loads that a work-item has under way

kernel __attribute__((reqd_work_group_size(TILE, ROWS, 1)))
void reduce(const global float* restrict sums, global float* restrict C, const Reducing call)
{
    const int column = get_local_id(1) % COLUMNS;
    const int sharer = get_local_id(1) / COLUMNS;
    const ulong m = get_global_id(0);
    const ulong n = get_group_id(1) * COLUMNS + column;
    const bool inside = m < call.rows && n < call.columns;

#if REPRODUCIBLE // All sharers read, and the first one adds.
    local float read[AT_ONCE * SHARERS][COLUMNS][TILE];
    global float* c = C + call.offsetC + n * call.ldc + m;
    float total = inside && sharer == 0 ? KEPT(float, call.beta, *c) : 0.0f;
    const global float* part = sums + call.offsetSums + n * call.ldSums + m + sharer * call.partC;
    for (ulong first = 0; first < call.parts; first += AT_ONCE * SHARERS, part += AT_ONCE * SHARERS * call.partC) {
        float values[AT_ONCE];
        #pragma unroll
        for (int j = 0; j < AT_ONCE; j++)
            values[j] = inside && first + sharer + j * SHARERS < call.parts ? part[j * SHARERS * call.partC] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE); // Nobody reads any more what was there.
        #pragma unroll
        for (int j = 0; j < AT_ONCE; j++)
            read[sharer + j * SHARERS][column][get_local_id(0)] = values[j];
        barrier(CLK_LOCAL_MEM_FENCE);
        const int count = sharer == 0 ? (int)min(call.parts - first, (ulong)(AT_ONCE * SHARERS)) : 0;
        #pragma unroll 8
        for (int i = 0; i < count; i++)
            total = result_float(call.alpha, read[i][column][get_local_id(0)], total);
    }
    if (inside && sharer == 0)
        *c = total;
#else
    local float sums_of[SHARERS][COLUMNS][TILE];
    float sum = 0.0f;
    if (inside) {
        const global float* part = sums + call.offsetSums + n * call.ldSums + m + sharer * call.partC;
        for (ulong i = sharer; i < call.parts; i += AT_ONCE * SHARERS, part += AT_ONCE * SHARERS * call.partC) {
            float values[AT_ONCE];
            #pragma unroll
            for (int j = 0; j < AT_ONCE; j++)
                values[j] = i + j * SHARERS < call.parts ? part[j * SHARERS * call.partC] : 0.0f;
            #pragma unroll
            for (int j = 0; j < AT_ONCE; j++)
                sum += values[j];
        }
    }
    if (SHARERS > 1) {
        sums_of[sharer][column][get_local_id(0)] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        #pragma unroll
        for (int i = 1; i < SHARERS; i++)
            sum += sums_of[i][column][get_local_id(0)];
    }
    if (inside && sharer == 0) {
        global float* c = C + call.offsetC + n * call.ldc + m;
        *c = call.beta != 0.0f ? call.alpha * sum + call.beta * *c : call.alpha * sum;
    }
#endif
}
