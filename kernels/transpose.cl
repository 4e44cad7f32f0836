// Helper, transpose: copies a transposed matrix into a larger one and fills the rest with zeros, in one pass.
//
//      P                 Q'               A work-group turns a TILE x TILE tile in local memory, so that it reads and
//   +-----+           +-----+---+         writes whole runs of memory. Its TILE x ROWS work-items take ROWS lines
//   |     | Q   -->   |     | 0 | P'      at a time; the extra column keeps the turned reads in different banks.
//   +-----+           +-----+   |
//                     |   0     |         in:  P x Q, column-major, leading dimension ldIn
//                     +---------+         out: Q' x P', column-major, leading dimension ldOut, Q' >= Q, P' >= P
//
// Source: "Tutorial: OpenCL SGEMM tuning for Kepler" by Cedric Nugteren, kernels 5 and 10, the two passes made one.
//
// Parameters: TILE, the tile's side; ROWS, which divides it: TILE * ROWS must fit a work-group.
#include "arguments.h"

#ifndef TILE
#define TILE 32
#endif
#ifndef ROWS
#define ROWS 8
#endif

kernel __attribute__((reqd_work_group_size(TILE, ROWS, 1)))
void transpose(const global float* restrict in, global float* restrict out, const Copying call)
{
    local float tile[TILE][TILE + 1];
    const int x = get_local_id(0);
    const int y = get_local_id(1);
    const ulong p0 = get_group_id(0) * TILE;
    const ulong q0 = get_group_id(1) * TILE;
    const bool whole = p0 + TILE <= call.rows && q0 + TILE <= call.columns;

    // All loads first: they are under way together.
    in += call.offsetIn + (q0 + y) * call.ldIn + p0 + x;
    float values[TILE / ROWS];
    #pragma unroll
    for (int i = 0; i < TILE / ROWS; i++)
        values[i] = whole || (p0 + x < call.rows && q0 + y + i * ROWS < call.columns) ? in[i * ROWS * call.ldIn] : 0.0f;
    #pragma unroll
    for (int i = 0; i < TILE / ROWS; i++)
        tile[y + i * ROWS][x] = values[i];
    barrier(CLK_LOCAL_MEM_FENCE);

    out += call.offsetOut + (p0 + y) * call.ldOut + q0 + x;
    #pragma unroll
    for (int i = 0; i < TILE / ROWS; i++)
        if (whole || (p0 + y + i * ROWS < call.paddedRows && q0 + x < call.paddedColumns))
            out[i * ROWS * call.ldOut] = tile[x][y + i * ROWS];
}
