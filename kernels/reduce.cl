// Helper, reduce: adds the partial sums of a multiplication whose K was split, and applies alpha and beta.
//
//     sums[0]   sums[1]         sums[COUNT-1]           C
//   +--------++--------+ ... +--------+             +--------+     One work-item adds one element, always from the first
//   |   M x N          |     |        |    --->     |  M x N |     part to the last: the same bits every time.
//   +--------++--------+     +--------+             +--------+
//    ldSums, stride elements apart                      ldc
//
// Source: our own.
//
// Parameters: TILE x ROWS work-items in a work-group.
#ifndef TILE
#define TILE 32
#endif
#ifndef ROWS
#define ROWS 8
#endif

kernel __attribute__((reqd_work_group_size(TILE, ROWS, 1)))
void reduce(const ulong M, const ulong N, const ulong count, const float alpha,
            const global float* restrict sums, const ulong offsetSums, const ulong ldSums, const ulong stride, const float beta,
            global float* restrict C, const ulong offsetC, const ulong ldc)
{
    const ulong m = get_global_id(0);
    const ulong n = get_global_id(1);
    if (m >= M || n >= N)
        return;
    const global float* part = sums + offsetSums + n * ldSums + m;
    float sum = 0.0f;
    ulong i = 0;
    for (; i + 8 <= count; i += 8) { // eight loads under way at a time
        float parts[8];
        #pragma unroll
        for (int j = 0; j < 8; j++)
            parts[j] = part[j * stride];
        #pragma unroll
        for (int j = 0; j < 8; j++)
            sum += parts[j];
        part += 8 * stride;
    }
    for (; i < count; i++, part += stride)
        sum += *part;
    global float* c = C + offsetC + n * ldc + m;
    *c = beta != 0.0f ? alpha * sum + beta * *c : alpha * sum;
}
