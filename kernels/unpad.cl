// Helper, unpad: adds the corner of a larger matrix to C, C = in + beta * C. This is the last step after a padded
// multiplication.
//
//                       columns
//   +-----+---+       +-----+             Both are column-major; their columns begin ldIn and ldc elements apart.
//   |     |   |  -->  |  C  | rows        One work-item writes one element of C. With beta = 0, C is never read.
//   +-----+   |       +-----+
//   |   in    |
//   +---------+
//
// Source: "Tutorial: OpenCL SGEMM tuning for Kepler" by Cedric Nugteren, kernel 10; beta added.
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
void unpad(const global float* restrict in, global float* restrict C, const Unpadding call)
{
    const ulong row = get_global_id(0);
    const ulong column = get_global_id(1);
    if (row >= call.rows || column >= call.columns)
        return;
    float result = in[call.offsetIn + column * call.ldIn + row];
    global float* c = C + call.offsetC + column * call.ldc + row;
    if (call.beta != 0.0f)
        result += call.beta * *c;
    *c = result;
}
