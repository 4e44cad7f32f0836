// Helper, pad: copies a matrix into a larger one and fills the rest with zeros.
//
//      P                 P'
//   +-----+           +-----+---+         in:  P x Q, column-major, leading dimension ldIn
//   |     | Q   -->   |     | 0 | Q'      out: P' x Q', column-major, leading dimension ldOut
//   +-----+           +-----+   |
//                     |   0     |         One work-item writes one element of out.
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
    const ulong p = get_global_id(0);
    const ulong q = get_global_id(1);
    if (p < call.paddedRows && q < call.paddedColumns)
        out[call.offsetOut + q * call.ldOut + p] =
            p < call.rows && q < call.columns ? in[call.offsetIn + q * call.ldIn + p] : 0.0f;
}
