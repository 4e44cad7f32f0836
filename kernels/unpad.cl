// Helper, unpad: adds the corner of a larger matrix to C, C = in + beta * C; the last step after a padded multiplication.
//
//      P'                P
//   +-----+---+       +-----+             in:  at least P x Q, column-major, leading dimension ldIn
//   |     |   |  -->  |  C  | Q           C:   P x Q, column-major, leading dimension ldc
//   +-----+   |       +-----+
//   |         |                           One work-item writes one element of C. With beta = 0, C is never read.
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
    const ulong p = get_global_id(0);
    const ulong q = get_global_id(1);
    if (p >= call.rows || q >= call.columns)
        return;
    float result = in[call.offsetIn + q * call.ldIn + p];
    global float* c = C + call.offsetC + q * call.ldc + p;
    if (call.beta != 0.0f)
        result += call.beta * *c;
    *c = result;
}
