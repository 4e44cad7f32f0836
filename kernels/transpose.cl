// Helper, transpose: copies a transposed matrix into a larger one and fills the rest with zeros, in one pass.
//
//     columns             paddedRows      `out` has paddedColumns rows and paddedRows columns. Both matrices are
//   +-----+           +-----+---+         column-major; their columns begin ldIn and ldOut elements apart.
//   |     | rows -->  |     | 0 |
//   +-----+           +-----+   |         A work-group turns a TILE x TILE tile in local memory, so that it reads and
//                     |   0     |         writes whole runs of memory. Its TILE x ROWS work-items take ROWS lines at a
//                     +---------+         time. The tile's extra column keeps the turned reads in different banks.
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
    const ulong row0 = get_group_id(0) * TILE;
    const ulong column0 = get_group_id(1) * TILE;
    const bool whole = row0 + TILE <= call.rows && column0 + TILE <= call.columns;

    // All loads come first, so that they are under way together.
    in += call.offsetIn + get_group_id(2) * call.nextIn + (column0 + y) * call.ldIn + row0 + x;
    float values[TILE / ROWS];
    #pragma unroll
    for (int i = 0; i < TILE / ROWS; i++)
        values[i] =
            whole || (row0 + x < call.rows && column0 + y + i * ROWS < call.columns) ? in[i * ROWS * call.ldIn] : 0.0f;
    #pragma unroll
    for (int i = 0; i < TILE / ROWS; i++)
        tile[y + i * ROWS][x] = values[i];
    barrier(CLK_LOCAL_MEM_FENCE);

    out += call.offsetOut + get_group_id(2) * call.nextOut + (row0 + y) * call.ldOut + column0 + x;
    #pragma unroll
    for (int i = 0; i < TILE / ROWS; i++)
        if (whole || (row0 + y + i * ROWS < call.paddedRows && column0 + x < call.paddedColumns))
            out[i * ROWS * call.ldOut] = tile[x][y + i * ROWS];
}
