// Kernel 13, warp-tiled: a tile of C for the work-group, one in it for each warp, one in that for each work-item; all sizes
// and transposes without copies.
//
//         TSN                    WTN               WPTN
//   +----+----+----+       +-------------+       +---+---+
//   | w0 | w2 | .. |       |xxxx   |xxxx |       | 4 | 4 |    The warp tile belongs to 32 lanes, LANES_M by LANES_N. A lane
//   +----+----+----+  TSM  |       |     |  WTM  |x 4|x 4|    has groups of four neighbouring rows (columns), spread over
//   | w1 | w3 | .. |       |xxxx   |xxxx |       +---+---+    the warp tile: it reads them from local memory as float4s,
//   +----+----+----+       +-------------+                    and its warp does so without bank conflicts.
//     work-group                warp              work-item
//
// - STAGES tiles of A and B are in local memory: while one is multiplied, the others are under way. On NVIDIA GPUs cp.async
//   moves them without passing through registers, and fills up with zeros past the matrix's edge, so that edge tiles run the
//   same loop. Elsewhere the work-items copy.
// - While the values for k are multiplied, those for k + 1 are read (two sets of registers). Columns are walked in snake
//   order, so that neighbouring products share an operand.
// - Work-groups are numbered down GROUP tiles of C before one to the right: those that run at one time share their tiles of A
//   and B through the L2 cache.
//
// Against kernel 10: no copies to pad or transpose, fewer local loads per product, two work-groups of 256 on a compute unit.
//
// Takes: everything.
// Source: our own, after the warp tiles of CUTLASS and of "How to Optimize a CUDA Matmul Kernel" by Simon Boehm.
//
// Parameters: TSM, TSN, TSK, the work-group's tile; STAGES, tiles in local memory, at least 2; WTM, WTN, the warp's tile;
// WPTM, WPTN, the work-item's, multiples of 4 with WTM / WPTM * WTN / WPTN = 32; GROUP; ASYNC, 1 for cp.async (NVIDIA, compute
// capability 8.0). TRANS_A, TRANS_B: 1 where the operand is stored transposed. WIDE_A, WIDE_B: 1 where the operand's memory
// runs along M (N) in columns that start at multiples of 16 bytes. TSK is a multiple of 8; the work-group's ITEMS are a multiple of TSM / 4,
// TSN / 4 and 8, and divide TSK * TSM / 4 and TSK * TSN / 4; TSM and TSN divide ITEMS or the other way round.
#ifndef TSM
#define TSM 128
#endif
#ifndef TSN
#define TSN 128
#endif
#ifndef TSK
#define TSK 16
#endif
#ifndef STAGES
#define STAGES 2
#endif
#ifndef WTM
#define WTM 64
#endif
#ifndef WTN
#define WTN 32
#endif
#ifndef WPTM
#define WPTM 8
#endif
#ifndef WPTN
#define WPTN 8
#endif
#ifndef GROUP
#define GROUP 8
#endif
#ifndef ASYNC
#define ASYNC 0
#endif
#ifndef TRANS_A
#define TRANS_A 0
#endif
#ifndef TRANS_B
#define TRANS_B 0
#endif
#ifndef WIDE_A
#define WIDE_A 0
#endif
#ifndef WIDE_B
#define WIDE_B 0
#endif

#define LANES_M (WTM / WPTM)
#define LANES_N (WTN / WPTN)
#define WARPS_M (TSM / WTM)
#define WARPS_N (TSN / WTN)
#define ITEMS (32 * WARPS_M * WARPS_N)
// Tiles lie in local memory as [k][i], i in M or N. An operand whose memory runs along K is turned on its way in: eight
// neighbours in k are then stored a row apart, in different banks because rows are four floats longer.
#define PITCH_A (TSM + (TRANS_A ? 4 : 0))
#define PITCH_B (TSN + (TRANS_B ? 0 : 4))

// Copies `width` floats (4 or 1) from global to local memory: the first `count` of them, and zeros for the others.
static inline void copy(local float* to, const global float* from, const int width, const int count)
{
#if ASYNC
    if (width == 4)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                     : : "r"((uint)(ulong)to), "l"((ulong)from), "r"(4 * count) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;"
                     : : "r"((uint)(ulong)to), "l"((ulong)from), "r"(4 * count) : "memory");
#else
    #pragma unroll
    for (int i = 0; i < width; i++)
        to[i] = i < count ? from[i] : 0.0f;
#endif
}

// Ends a batch of copies.
static inline void commit_copies(void)
{
#if ASYNC
    asm volatile("cp.async.commit_group;" : : : "memory");
#endif
}

// Waits until this work-item's copies have arrived, but for the youngest STAGES - 2 batches.
static inline void wait_for_copies(void)
{
#if ASYNC
    asm volatile("cp.async.wait_group %0;" : : "n"(STAGES - 2) : "memory");
#endif
}

// Brings the next TSK x `side` floats of an operand into local memory, all work-items together. `from` is the first of them;
// the matrix ends after `rows` in i and `depth` in k. The three ways differ in what neighbouring work-items take, which is what
// lies next to each other in global memory. The bounds do not depend on the loops, so a tile inside the matrix pays nothing.
static inline void load_tile(local float* to, const int side, const int pitch, const bool along_k, const bool wide,
                             const global float* from, const ulong ld, const int rows, const int depth, const int tid)
{
    const bool inside = rows >= side && depth >= TSK;
    if (along_k) { // eight in k (32 bytes, the least that is read), turned
        const int k = tid % 8;
        const int i = tid / 8;
        to += k * pitch + i;
        from += i * ld + k;
        #pragma unroll
        for (int di = 0; di < side; di += ITEMS / 8)
            #pragma unroll
            for (int dk = 0; dk < TSK; dk += 8)
                copy(to + dk * pitch + di, from + di * ld + dk, 1, inside || (i + di < rows && k + dk < depth));
    } else if (wide) { // four in i at once
        const int i = tid % (side / 4) * 4;
        const int k = tid / (side / 4);
        const int count = inside ? 4 : clamp(rows - i, 0, 4);
        to += k * pitch + i;
        from += k * ld + i;
        #pragma unroll
        for (int dk = 0; dk < TSK; dk += ITEMS / (side / 4))
            copy(to + dk * pitch, from + dk * ld, 4, inside || k + dk < depth ? count : 0);
    } else { // one by one in i
        #pragma unroll
        for (int first = 0; first < TSK * side; first += ITEMS) {
            const int i = (first + tid) % side;
            const int k = (first + tid) / side;
            copy(to + k * pitch + i, from + k * ld + i, 1, inside || (i < rows && k < depth));
        }
    }
}

// Reads `count` values of one row of a tile, in groups of four, `lanes` groups apart.
static inline void load_values(float* values, const local float* row, const int count, const int lanes)
{
    #pragma unroll
    for (int i = 0; i < count; i += 4) {
        const float4 four = *(const local float4*)(row + i * lanes);
        values[i] = four.x;
        values[i + 1] = four.y;
        values[i + 2] = four.z;
        values[i + 3] = four.w;
    }
}

kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void multiply(const ulong M, const ulong N, const ulong K, const float alpha,
              const global float* restrict A, const ulong offsetA, const ulong lda,
              const global float* restrict B, const ulong offsetB, const ulong ldb, const float beta,
              global float* restrict C, const ulong offsetC, const ulong ldc)
{
    local float __attribute__((aligned(16))) Asub[STAGES][TSK * PITCH_A];
    local float __attribute__((aligned(16))) Bsub[STAGES][TSK * PITCH_B];

    // Which tile of C.
    const ulong tilesM = get_num_groups(0);
    const ulong tilesN = get_num_groups(1);
    const ulong number = get_group_id(1) * tilesM + get_group_id(0);
    const ulong band = number / (GROUP * tilesN) * GROUP;
    const ulong height = min(tilesM - band, (ulong)GROUP);
    const ulong in_band = number % (GROUP * tilesN);
    const ulong tileM = (band + in_band % height) * TSM;
    const ulong tileN = in_band / height * TSN;
    const int rowsA = (int)min(M - tileM, (ulong)TSM);
    const int rowsB = (int)min(N - tileN, (ulong)TSN);

    // Which part of the tile: the first row and column of this work-item.
    const int tid = get_local_id(0);
    const int warp = tid / 32;
    const int lane = tid % 32;
    const int firstM = warp % WARPS_M * WTM + lane % LANES_M * 4;
    const int firstN = warp / WARPS_M * WTN + lane / LANES_M * 4;

    float sum[WPTM][WPTN];
    #pragma unroll
    for (int m = 0; m < WPTM; m++)
        #pragma unroll
        for (int n = 0; n < WPTN; n++)
            sum[m][n] = 0.0f;

    // What is to be loaded next.
    const global float* a = A + offsetA + (TRANS_A ? tileM * lda : tileM);
    const global float* b = B + offsetB + (TRANS_B ? tileN : tileN * ldb);
    ulong k_to_load = K;
#define LOAD_NEXT_TILES(stage)                                                                                              \
    do {                                                                                                                    \
        if (k_to_load > 0) {                                                                                                \
            const int depth = (int)min(k_to_load, (ulong)TSK);                                                              \
            load_tile(Asub[stage], TSM, PITCH_A, TRANS_A, WIDE_A, a, lda, rowsA, depth, tid);                               \
            load_tile(Bsub[stage], TSN, PITCH_B, !TRANS_B, WIDE_B, b, ldb, rowsB, depth, tid);                              \
            a += TRANS_A ? TSK : TSK * lda;                                                                                 \
            b += TRANS_B ? TSK * ldb : TSK;                                                                                 \
            k_to_load -= depth;                                                                                             \
        }                                                                                                                   \
        commit_copies(); /* also where there was nothing to load: batches are counted */                                    \
    } while (0)

    for (int stage = 0; stage < STAGES - 1; stage++)
        LOAD_NEXT_TILES(stage);

    int now = 0;
    for (ulong k0 = 0; k0 < K; k0 += TSK) {
        wait_for_copies();
        barrier(CLK_LOCAL_MEM_FENCE); // stage `now` is complete, and nobody reads the one before it any more
        LOAD_NEXT_TILES((now + STAGES - 1) % STAGES);

        const local float* rowA = Asub[now] + firstM;
        const local float* rowB = Bsub[now] + firstN;
        float valuesA[2][WPTM], valuesB[2][WPTN];
        load_values(valuesA[0], rowA, WPTM, LANES_M);
        load_values(valuesB[0], rowB, WPTN, LANES_N);
        #pragma unroll
        for (int k = 0; k < TSK; k++) {
            if (k + 1 < TSK) {
                load_values(valuesA[(k + 1) % 2], rowA + (k + 1) * PITCH_A, WPTM, LANES_M);
                load_values(valuesB[(k + 1) % 2], rowB + (k + 1) * PITCH_B, WPTN, LANES_N);
            }
            #pragma unroll
            for (int m = 0; m < WPTM; m++)
                #pragma unroll
                for (int i = 0; i < WPTN; i++) {
                    const int n = m % 2 == 0 ? i : WPTN - 1 - i;
                    sum[m][n] += valuesA[k % 2][m] * valuesB[k % 2][n];
                }
        }
        now = (now + 1) % STAGES;
    }

    global float* tileC = C + offsetC + tileN * ldc + tileM;
    const bool wide = rowsA == TSM && rowsB == TSN && (ulong)tileC % 16 == 0 && ldc % 4 == 0;
    #pragma unroll
    for (int n = 0; n < WPTN; n++) {
        const int column = firstN + n / 4 * LANES_N * 4 + n % 4;
        #pragma unroll
        for (int m = 0; m < WPTM; m += 4) {
            const int row = firstM + m * LANES_M;
            global float* c = tileC + column * ldc + row;
            const float4 four = alpha * (float4)(sum[m][n], sum[m + 1][n], sum[m + 2][n], sum[m + 3][n]);
            if (wide) {
                global float4* wide_c = (global float4*)c;
                *wide_c = beta != 0.0f ? four + beta * *wide_c : four;
            } else if (column < rowsB) {
                const float each[4] = {four.x, four.y, four.z, four.w};
                #pragma unroll
                for (int i = 0; i < 4; i++)
                    if (row + i < rowsA)
                        c[i] = beta != 0.0f ? each[i] + beta * c[i] : each[i];
            }
        }
    }
}
