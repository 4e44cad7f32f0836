// Helper, reduce: adds the partial sums of a multiplication whose K was split, and applies alpha and beta.
//
//     sums[0]   sums[1]         sums[count-1]           C
//   +--------++--------+ ... +--------+             +--------+     SLICES work-items share an element: each adds every
//   | M x N  |         |     |        |    --->     |  M x N |     SLICES-th part, then their sums are added. Always in the
//   +--------++--------+     +--------+             +--------+     same order: the same bits every time.
//    ldSums, stride elements apart                      ldc
//
// Source: our own.
//
// Parameters: TILE x ROWS work-items in a work-group; SLICES, which divides ROWS: with many parts, adding them one after the
// other would take longer than reading them.
#include "arguments.h"

#ifndef TILE
#define TILE 32
#endif
#ifndef ROWS
#define ROWS 8
#endif
#ifndef SLICES
#define SLICES 1
#endif

#define COLUMNS (ROWS / SLICES) // of a work-group
#define AT_ONCE 8               // loads under way

kernel __attribute__((reqd_work_group_size(TILE, ROWS, 1)))
void reduce(const global float* restrict sums, global float* restrict C, const Reducing call)
{
    local float shares[SLICES][COLUMNS][TILE];
    const int column = get_local_id(1) % COLUMNS;
    const int slice = get_local_id(1) / COLUMNS;
    const ulong m = get_global_id(0);
    const ulong n = get_group_id(1) * COLUMNS + column;
    const bool inside = m < call.rows && n < call.columns;

    float sum = 0.0f;
    if (inside) {
        const global float* part = sums + call.offsetSums + n * call.ldSums + m + slice * call.partC;
        for (ulong i = slice; i < call.parts; i += AT_ONCE * SLICES, part += AT_ONCE * SLICES * call.partC) {
            float values[AT_ONCE];
            #pragma unroll
            for (int j = 0; j < AT_ONCE; j++)
                values[j] = i + j * SLICES < call.parts ? part[j * SLICES * call.partC] : 0.0f;
            #pragma unroll
            for (int j = 0; j < AT_ONCE; j++)
                sum += values[j];
        }
    }
    if (SLICES > 1) {
        shares[slice][column][get_local_id(0)] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        #pragma unroll
        for (int i = 1; i < SLICES; i++)
            sum += shares[i][column][get_local_id(0)];
    }
    if (inside && slice == 0) {
        global float* c = C + call.offsetC + n * call.ldc + m;
        *c = call.beta != 0.0f ? call.alpha * sum + call.beta * *c : call.alpha * sum;
    }
}
