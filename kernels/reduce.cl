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
// Parameters: TILE x ROWS work-items in a work-group; SHARERS, which divides ROWS; EACH, the elements of C that a work-item
// adds, COLUMNS columns apart; AT_ONCE, the parts of them that it loads together. With many parts, one work-item would take
// longer to add them one after the other than it takes to read them: then it has sharers. With few parts, a work-item that
// adds one element has too few loads under way to use all of the memory's speed: then it adds several.
//
// REPRODUCIBLE, CONTRACTED: see reproducible.clh. A part of K is a block then. Their order is given, so that one work-item
// adds what all sharers read.
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
#ifndef EACH
#define EACH 1
#endif
#ifndef AT_ONCE
#define AT_ONCE 8
#endif

#define COLUMNS (ROWS / SHARERS) // columns of C that a work-group adds side by side

#if REPRODUCIBLE
#define BEGIN(c) KEPT(float, call.beta, *(c))
#define ADD_PART(exists, part, total) ((exists) ? result_float(call.alpha, part, total) : total)
#define END(total, c) total
#else
#define BEGIN(c) 0.0f
#define ADD_PART(exists, part, total) (total + part) // where there is none, it is 0
#define END(total, c) (call.beta != 0.0f ? call.alpha * total + call.beta * *(c) : call.alpha * total)
#endif

kernel __attribute__((reqd_work_group_size(TILE, ROWS, 1)))
void reduce(const global float* restrict sums, global float* restrict C, const Reducing call)
{
    const int x = get_local_id(0);
    const int column = get_local_id(1) % COLUMNS;
    const int sharer = get_local_id(1) / COLUMNS;
    const ulong m = get_global_id(0);
    const ulong n = get_group_id(1) * (EACH * COLUMNS) + column;
#if SHARERS > 1
#if REPRODUCIBLE
    local float read[AT_ONCE * SHARERS][EACH][COLUMNS][TILE];
#else
    local float totals_of[SHARERS][EACH][COLUMNS][TILE];
#endif
#endif

    bool exists[EACH];
    float totals[EACH];
    global float* const c = C + call.offsetC + n * call.ldc + m;
    #pragma unroll
    for (int e = 0; e < EACH; e++) {
        exists[e] = m < call.rows && n + e * COLUMNS < call.columns;
        totals[e] = sharer == 0 && exists[e] ? BEGIN(c + e * COLUMNS * call.ldc) : 0.0f;
    }
    const global float* part = sums + call.offsetSums + n * call.ldSums + m + sharer * call.partC;
    const int parts = (int)call.parts;
    for (int first = 0; first < parts; first += AT_ONCE * SHARERS) {
        float values[AT_ONCE][EACH];
        #pragma unroll
        for (int j = 0; j < AT_ONCE; j++, part += SHARERS * call.partC)
            #pragma unroll
            for (int e = 0; e < EACH; e++)
                values[j][e] = first + sharer + j * SHARERS < parts && exists[e] ? part[e * COLUMNS * call.ldSums] : 0.0f;
#if REPRODUCIBLE && SHARERS > 1
        barrier(CLK_LOCAL_MEM_FENCE); // Nobody reads any more what was there.
        #pragma unroll
        for (int j = 0; j < AT_ONCE; j++)
            #pragma unroll
            for (int e = 0; e < EACH; e++)
                read[sharer + j * SHARERS][e][column][x] = values[j][e];
        barrier(CLK_LOCAL_MEM_FENCE);
        const int count = sharer == 0 ? min(parts - first, AT_ONCE * SHARERS) : 0;
        #pragma unroll 8
        for (int i = 0; i < count; i++)
            #pragma unroll
            for (int e = 0; e < EACH; e++)
                totals[e] = ADD_PART(true, read[i][e][column][x], totals[e]);
#else
        #pragma unroll
        for (int j = 0; j < AT_ONCE; j++)
            #pragma unroll
            for (int e = 0; e < EACH; e++)
                totals[e] = ADD_PART(first + sharer + j * SHARERS < parts, values[j][e], totals[e]);
#endif
    }
#if !REPRODUCIBLE && SHARERS > 1
    #pragma unroll
    for (int e = 0; e < EACH; e++)
        totals_of[sharer][e][column][x] = totals[e];
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll
    for (int i = 1; i < SHARERS; i++)
        #pragma unroll
        for (int e = 0; e < EACH; e++)
            totals[e] += totals_of[i][e][column][x];
#endif
    #pragma unroll
    for (int e = 0; e < EACH; e++)
        if (sharer == 0 && exists[e])
            c[e * COLUMNS * call.ldc] = END(totals[e], c + e * COLUMNS * call.ldc);
}
