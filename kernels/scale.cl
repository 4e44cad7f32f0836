// Helper, scale: C = beta * C, for a multiplication with k = 0 or alpha = 0.
//
// One work-item writes one element of C, which has `rows` rows and `columns` columns that begin ldc elements apart. With
// beta = 0, C is set to zero and never read.
//
// Source: the reference BLAS routine SGEMM, "quick return if possible" and "and if alpha.eq.zero".
//
// Parameters: TILE x ROWS work-items in a work-group; REPRODUCIBLE: see reproducible.clh.
#include "arguments.h"
#include "reproducible.clh"

#ifndef TILE
#define TILE 32
#endif
#ifndef ROWS
#define ROWS 8
#endif

kernel __attribute__((reqd_work_group_size(TILE, ROWS, 1)))
void scale(global float* restrict C, const Scaling call)
{
    const ulong row = get_global_id(0);
    const ulong column = get_global_id(1);
    if (row >= call.rows || column >= call.columns)
        return;
    global float* c = C + call.offsetC + column * call.ldc + row;
#if REPRODUCIBLE
    const float result = KEPT(float, call.beta, *c);
    *c = WITH_ONE_NAN(float, result);
#else
    *c = call.beta != 0.0f ? call.beta * *c : 0.0f;
#endif
}
