// Helper, pad: copies a matrix into a larger one and fills the rest with zeros.
//
//     columns           paddedColumns
//   +-----+           +-----+---+
//   |     | rows -->  |     | 0 | paddedRows     Both are column-major; their columns begin ldIn and ldOut elements apart.
//   +-----+           +-----+   |                One work-item writes EACH elements of `out`, ROWS columns apart.
//                     |   0     |
//                     +---------+
//
// Source: "Tutorial: OpenCL SGEMM tuning for Kepler" by Cedric Nugteren, kernel 10.
//
// Parameters: TILE x ROWS work-items in a work-group; EACH, the elements of a work-item, whose loads are under way together.
#include "arguments.h"

#ifndef TILE
#define TILE 32
#endif
#ifndef ROWS
#define ROWS 8
#endif
#ifndef EACH
#define EACH 1
#endif

kernel __attribute__((reqd_work_group_size(TILE, ROWS, 1)))
void pad(const global float* restrict in, global float* restrict out, const Copying call)
{
    const ulong row = get_global_id(0);
    const ulong first = get_group_id(1) * (EACH * ROWS) + get_local_id(1);
    in += call.offsetIn + get_group_id(2) * call.nextIn;
    out += call.offsetOut + get_group_id(2) * call.nextOut;
    float values[EACH];
    #pragma unroll
    for (int e = 0; e < EACH; e++)
        values[e] = row < call.rows && first + e * ROWS < call.columns ? in[(first + e * ROWS) * call.ldIn + row] : 0.0f;
    #pragma unroll
    for (int e = 0; e < EACH; e++)
        if (row < call.paddedRows && first + e * ROWS < call.paddedColumns)
            out[(first + e * ROWS) * call.ldOut + row] = values[e];
}
