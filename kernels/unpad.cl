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
#ifndef TILE
#define TILE 32
#endif
#ifndef ROWS
#define ROWS 8
#endif

kernel __attribute__((reqd_work_group_size(TILE, ROWS, 1)))
void unpad(const ulong P, const ulong Q, const global float* restrict in, const ulong offsetIn, const ulong ldIn,
           const float beta, global float* restrict C, const ulong offsetC, const ulong ldc)
{
    const ulong p = get_global_id(0);
    const ulong q = get_global_id(1);
    if (p >= P || q >= Q)
        return;
    float result = in[offsetIn + q * ldIn + p];
    global float* c = C + offsetC + q * ldc + p;
    if (beta != 0.0f)
        result += beta * *c;
    *c = result;
}
