// Helper, reduce: adds the partial sums of a multiplication whose K was split, and applies alpha and beta.
//
//     sums[0]   sums[1]         sums[count-1]           C
//   +--------++--------+ ... +--------+             +--------+     SLICES work-items share an element: each adds every
//   | M x N  |         |     |        |    --->     |  M x N |     SLICES-th part, then their sums are added. Always in the
//   +--------++--------+     +--------+             +--------+     same order: the same bits every time.
//    ldSums, stride elements apart                      ldc
//
// Source: our own.
//
// Parameters: TILE x ROWS work-items in a work-group; SLICES, which divides ROWS: with many parts, adding them one after the
// other would take longer than reading them.
#ifndef TILE
#define TILE 32
#endif
#ifndef ROWS
#define ROWS 8
#endif
#ifndef SLICES
#define SLICES 1
#endif

#define COLUMNS (ROWS / SLICES) // of a work-group
#define AT_ONCE 8               // loads under way

// What a call is told besides its buffers; in one structure, since each argument costs the host's time.
typedef struct {
    ulong M, N, count;
    float alpha;
    ulong offsetSums, ldSums, stride;
    float beta;
    ulong offsetC, ldc;
} Call;

kernel __attribute__((reqd_work_group_size(TILE, ROWS, 1)))
void reduce(const global float* restrict sums, global float* restrict C, const Call call)
{
    local float shares[SLICES][COLUMNS][TILE];
    const int column = get_local_id(1) % COLUMNS;
    const int slice = get_local_id(1) / COLUMNS;
    const ulong m = get_global_id(0);
    const ulong n = get_group_id(1) * COLUMNS + column;
    const bool inside = m < call.M && n < call.N;

    float sum = 0.0f;
    if (inside) {
        const global float* part = sums + call.offsetSums + n * call.ldSums + m + slice * call.stride;
        for (ulong i = slice; i < call.count; i += AT_ONCE * SLICES, part += AT_ONCE * SLICES * call.stride) {
            float values[AT_ONCE];
            #pragma unroll
            for (int j = 0; j < AT_ONCE; j++)
                values[j] = i + j * SLICES < call.count ? part[j * SLICES * call.stride] : 0.0f;
            #pragma unroll
            for (int j = 0; j < AT_ONCE; j++)
                sum += values[j];
        }
    }
    if (SLICES > 1) {
        shares[slice][column][get_local_id(0)] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        #pragma unroll
        for (int i = 1; i < SLICES; i++)
            sum += shares[i][column][get_local_id(0)];
    }
    if (inside && slice == 0) {
        global float* c = C + call.offsetC + n * call.ldc + m;
        *c = call.beta != 0.0f ? call.alpha * sum + call.beta * *c : call.alpha * sum;
    }
}
