// Helper, scale: C = beta * C, all that is left of a multiplication with k = 0 or alpha = 0.
//
// One work-item writes one element of the P x Q matrix C (column-major, leading dimension ldc). With beta = 0, C is set to
// zero and never read.
//
// Source: the reference BLAS routine SGEMM, "quick return if possible" and "and if alpha.eq.zero".
//
// Parameters: TILE x ROWS work-items in a work-group.
#ifndef TILE
#define TILE 32
#endif
#ifndef ROWS
#define ROWS 8
#endif

kernel __attribute__((reqd_work_group_size(TILE, ROWS, 1)))
void scale(const ulong P, const ulong Q, const float beta, global float* restrict C, const ulong offsetC, const ulong ldc)
{
    const ulong p = get_global_id(0);
    const ulong q = get_global_id(1);
    if (p >= P || q >= Q)
        return;
    global float* c = C + offsetC + q * ldc + p;
    *c = beta != 0.0f ? beta * *c : 0.0f;
}
