// Helper, scale: C = beta * C, for a multiplication with k = 0 or alpha = 0.
//
// One work-item writes one element of C, which has `rows` rows and `columns` columns that begin ldc elements apart. With
// beta = 0, C is set to zero and never read.
//
// Source: the reference BLAS routine SGEMM, "quick return if possible" and "and if alpha.eq.zero".
//
// Parameters: TILE x ROWS work-items in a work-group; REPRODUCIBLE: see reproducible.clh; LISTED: see product_list.clh.
#include "arguments.h"
#include "product_list.clh"
#include "reproducible.clh"

#ifndef TILE
#define TILE 32
#endif
#ifndef ROWS
#define ROWS 8
#endif

kernel __attribute__((reqd_work_group_size(TILE, ROWS, 1)))
void scale(global float* restrict C, LIST const Scaling call)
{
    const ulong row = get_global_id(0);
    const ulong column = get_global_id(1);
    if (row >= call.rows || column >= call.columns)
        return;
#if LISTED
    const Product own = list[call.first + get_global_id(2)];
    const ulong offset = own.offC;
    const float beta = own.beta;
#else
    const ulong offset = call.offsetC + get_group_id(2) * call.nextC;
    const float beta = call.beta;
#endif
    global float* c = C + offset + column * call.ldc + row;
    *c = scaled_alone(beta, c);
}
