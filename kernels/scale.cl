// Helper, scale: C = beta * C, all that is left of a multiplication with k = 0 or alpha = 0.
//
// One work-item writes one element of the P x Q matrix C (column-major, leading dimension ldc). With beta = 0, C is set to
// zero and never read.
//
// Source: the reference BLAS routine SGEMM, "quick return if possible" and "and if alpha.eq.zero".
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
void scale(global float* restrict C, const Scaling call)
{
    const ulong p = get_global_id(0);
    const ulong q = get_global_id(1);
    if (p >= call.rows || q >= call.columns)
        return;
    global float* c = C + call.offsetC + q * call.ldc + p;
    *c = call.beta != 0.0f ? call.beta * *c : 0.0f;
}
