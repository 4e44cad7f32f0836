// Helper, pad: copies a matrix into a larger one and fills the rest with zeros.
//
//     columns           paddedColumns
//   +-----+           +-----+---+
//   |     | rows -->  |     | 0 | paddedRows     Both are column-major; their columns begin ldIn and ldOut elements apart.
//   +-----+           +-----+   |                One work-item writes one element of `out`.
//                     |   0     |
//                     +---------+
//
// Source: "Tutorial: OpenCL SGEMM tuning for Kepler" by Cedric Nugteren, kernel 10.
//
// Parameters: TILE x ROWS work-items in a work-group.
#include "arguments.h"

#ifndef TILE
#define TILE 32
#endif
#ifndef ROWS
#define ROWS 8
#endif

kernel __attribute__((reqd_work_group_size(TILE, ROWS, 1)))
void pad(const global float* restrict in, global float* restrict out, const Copying call)
{
    const ulong row = get_global_id(0);
    const ulong column = get_global_id(1);
    in += call.offsetIn + get_group_id(2) * call.nextIn;
    out += call.offsetOut + get_group_id(2) * call.nextOut;
    if (row < call.paddedRows && column < call.paddedColumns)
        out[column * call.ldOut + row] = row < call.rows && column < call.columns ? in[column * call.ldIn + row] : 0.0f;
}
