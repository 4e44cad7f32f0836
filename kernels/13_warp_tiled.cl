// Kernel 13, warp-tiled: a work-group has a tile of C, each of its warps a tile in that, and each work-item a tile in its
// warp's. It takes all sizes and transposes without copies.
//
//         TSN                    WTN               WPTN
//   +----+----+----+       +-------------+       +---+---+
//   | w0 | w2 | .. |       |xxxx   |xxxx |       | 4 | 4 |    The warp tile belongs to 32 lanes, LANES_M by LANES_N. A lane
//   +----+----+----+  TSM  |       |     |  WTM  |x 4|x 4|    has groups of four neighbouring rows (columns), spread over
//   | w1 | w3 | .. |       |xxxx   |xxxx |       +---+---+    the warp tile: it reads them from local memory as float4s,
//   +----+----+----+       +-------------+                    and its warp does so without bank conflicts.
//     work-group                warp              work-item
//
// - STAGES tiles of A and B are in local memory: while one is multiplied, the others are under way. On NVIDIA GPUs they are
//   copied in the background (nvidia_async_copy.clh). Elsewhere the work-items copy them themselves.
// - A work-item walks over its products in snake order, so that neighbouring ones share an operand (ORDER).
// - A tile that would reach past the matrix is moved back inside it (but for up to three rows: RAGGED_M). It then computes
//   some of its neighbour's elements again, which it does not store. So the loop knows no edges. What is left over of K comes
//   first, filled up with zeros.
// - SLICES: so many warps share a tile of C, and each takes a slice of the k of each step. With few tiles this gives a
//   compute unit more to do at one time. Their sums are added at the end. (CUTLASS calls this sliced-K.)
// - Split-K, which is something else: the work-groups of dimension 2 take a part of K each, call.partK deep, and write
//   their sums to matrices of their own, call.partC elements apart. The helper `reduce` adds them. Of a batch they take a
//   product each.
// - Work-groups have their tiles in an order by which those that run at one time share operands through the L2 cache
//   (tile_order.clh).
//
// Against kernel 10: nothing is copied to pad or transpose it, a product needs fewer loads from local memory, and two
// work-groups of 256 work-items fit a compute unit.
//
// Takes: everything.
// Source: our own, after the warp tiles of CUTLASS and of "How to Optimize a CUDA Matmul Kernel" by Simon Boehm.
//
// Parameters, which are powers of two:
//   TSM, TSN, TSK     the work-group's tile; TSK is a multiple of 8
//   STAGES            tiles in local memory, at least 2
//   WTM, WTN          the warp's tile
//   WPTM, WPTN        the work-item's tile, multiples of 4, so that WTM / WPTM * WTN / WPTN = 32
//   SLICES            see above; it divides TSK
//   GROUP             see tile_order.clh
//   ORDER, RUNNING    0 to 3, the order of the products, and 0 or 1, how addresses are kept. Which is fastest is the luck of
//                     the compiler's register allocation, so it is measured; but not with SEVERAL_BLOCKS, which has 2 and 0.
//   ASYNC             1 to copy in the background (NVIDIA, from compute capability 8.0 on)
//   STAGED            1 where neighbouring work-items should store what lies next to each other (GPUs)
//   TRANS_A, TRANS_B  1 where the operand is stored transposed
//   WIDTH_A, WIDTH_B  floats that are copied at a time, 4, 2 or 1: more than one where the operand's memory runs along M (N),
//                     its columns start at multiples of as many floats, and can be read up to M (N) rounded up to such a
//                     multiple
//   RAGGED_M          1 where M is no multiple of four, although C's columns are aligned for fours, C is stored by vectors
//                     (STAGED), and A is not copied by fours or M is less than a tile. Then the last tile begins at a multiple
//                     of four rows, too, and ends up to three rows beyond the matrix. All but the last one to three of its
//                     rows are stored in fours.
//   WIDE_C            1 where C's columns start at multiples of 16 bytes
//   READS_C           1 where beta is known not to be 0 and reading C takes a large part of the time (reads_c_first() decides)
//   BATCH             1 where the work-groups of dimension 2 take products of a batch. (As an argument, as kernel 15 has it, it
//                     slows down single calls: NVIDIA's compiler then gives tiles of 128 x 128 other registers. The
//                     times are in docs/notes/kernels.md.)
//   LISTED            see product_list.clh; BATCH is 1 then
//   SMALL_M, SMALL_N  1 where M (N), rounded up to a multiple of WIDTH_A (WIDTH_B), is less than a tile
//   REPRODUCIBLE, CONTRACTED  see reproducible.clh. A launch, or a part of K, is one block then, or several with SEVERAL_BLOCKS.
//                     SLICES, which would add in an order of their own, are 1.
//   SEVERAL_BLOCKS    1 where work-groups go through several blocks of K, one after the other. There are no registers for two
//                     sums of each element, so each block's are added to C in memory. TSK divides K and a block, and WIDE_C
//                     is 1 where C is STAGED.
// The work-group's ITEMS are at least TSM / 4, TSN / 4 and 32, and at most 1024. Its sums, TSM * TSN * SLICES, are at most 65536:
// no GPU has registers for more, and the threads of a CPU have no stack for more.
#include "arguments.h"
#include "product_list.clh"
#include "reproducible.clh"
#include "sub_group.clh"

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
#ifndef SLICES
#define SLICES 1
#endif
#ifndef GROUP
#define GROUP 8
#endif
#ifndef ORDER
#define ORDER 2
#endif
#ifndef RUNNING
#define RUNNING 0
#endif
#ifndef STAGED
#define STAGED 0
#endif
#ifndef TRANS_A
#define TRANS_A 0
#endif
#ifndef TRANS_B
#define TRANS_B 0
#endif
#ifndef BATCH
#define BATCH 0
#endif
#ifndef SMALL_M
#define SMALL_M 0
#endif
#ifndef SMALL_N
#define SMALL_N 0
#endif
#ifndef WIDTH_A
#define WIDTH_A 1
#endif
#ifndef WIDTH_B
#define WIDTH_B 1
#endif
#ifndef RAGGED_M
#define RAGGED_M 0
#endif
#ifndef WIDE_C
#define WIDE_C 0
#endif
#ifndef READS_C
#define READS_C 0
#endif
#ifndef SEVERAL_BLOCKS
#define SEVERAL_BLOCKS 0
#endif

#define LANES_M (WTM / WPTM)
#define LANES_N (WTN / WPTN)
#define WARPS_M (TSM / WTM)
#define WARPS_N (TSN / WTN)
#define WARPS (WARPS_M * WARPS_N)
#define ITEMS (32 * WARPS * SLICES)
#define SLICE_DEPTH (TSK / SLICES) // how many k of each step a slice has
#define SHIFTED_A (RAGGED_M && !SMALL_M) // what is loaded of A begins before the tile
// Tiles lie in local memory as [k][i], i in M or N. An operand whose memory runs along K is turned on its way in: eight
// neighbours in k are then stored a row apart, in different banks because rows are four floats longer.
#define PITCH_A (TSM + (TRANS_A ? 4 : 0))
#define PITCH_B (TSN + (TRANS_B ? 0 : 4))
#define STAGE_A (TSK * PITCH_A + (SHIFTED_A && !ASYNC ? 4 : 0))
#define STAGE_B (TSK * PITCH_B)
// When the tiles are done, the slices' sums pass through the same memory.
#define TILE_FLOATS (STAGES * (STAGE_A + STAGE_B) + (SHIFTED_A ? 4 : 0))
#define SUM_FLOATS (SLICES / 2 * TSM * TSN)
#define UNSTAGED_FLOATS (TILE_FLOATS > SUM_FLOATS ? TILE_FLOATS : SUM_FLOATS)
// And so does C on its way out, where it is staged: of each lane's columns four at once, or one if that takes more memory.
#define STAGED_FLOATS (TSM * TSN / WPTN)
#define STAGED_COLUMNS (4 * STAGED_FLOATS <= UNSTAGED_FLOATS ? 4 : 1)
#define LOCAL_FLOATS (STAGED_FLOATS > UNSTAGED_FLOATS ? STAGED_FLOATS : UNSTAGED_FLOATS)

#include "fours.clh"
#include "copies.clh"

// Copies `width` floats (4, 2 or 1) from global to local memory, or zeros where the source is not there. Copies in the
// background go by way of the multiprocessor's own cache, since the work-groups that run on it read the same rows or columns.
static inline void copy(local float* to, const global float* from, const int width, const bool there)
{
#if ASYNC
    begin_cached_copy_or_zeros((uint)(ulong)to, from, width, there);
#else
    if (width == 4)
        *(local float4*)to = there ? *(const global float4*)from : (float4)(0.0f);
    else if (width == 2)
        *(local float2*)to = there ? *(const global float2*)from : (float2)(0.0f);
    else
        *to = there ? *from : 0.0f;
#endif
}

// A pointer moved on. With RUNNING this is done in assembler, because the compiler may otherwise keep every multiple of the
// step in a register of its own all through the loop.
static inline const global float* advanced(const global float* from, const ulong step)
{
#if ASYNC && RUNNING
    ulong result;
    asm volatile("add.s64 %0, %1, %2;" : "=l"(result) : "l"((ulong)from), "l"(step * sizeof(float)));
    return (const global float*)result;
#else
    return from + step;
#endif
}

#define ALL_ROWS 0x10000

// Brings TSK x `side` floats of an operand into local memory, all work-items together. `from` is the first of them. Only
// the first `depth` in k and the first `rows` in i are there, and the others become zeros. (What comes of those in i is not
// stored, so they might as well repeat the last ones. But all work-groups read the same few lines of such an operand, which
// one part of the cache has to serve.) Most calls have depth = TSK and rows = ALL_ROWS as constants, and then nothing but
// copies remains.
//
// There are two ways, for memory along k, and for memory along i with `width` floats at a time. In both, neighbouring
// work-items take what lies next to each other in global memory.
static inline void load_tile(local float* to, const int side, const int pitch, const bool along_k, const int width,
                             const global float* from, const ulong ld, const int rows, const int depth, const int tid)
{
    const bool whole = depth == TSK;
    if (along_k) { // Eight work-items take neighbours in k: 32 bytes, the least that is read. The tile is turned by that.
        const int k = tid % 8;
        const int i = tid / 8;
        to += k * pitch + i;
        const global float* row = from + i * ld + k;
        #pragma unroll
        for (int di = 0; di < side; di += ITEMS / 8) {
            #pragma unroll
            for (int dk = 0; dk < TSK; dk += 8)
                if (side % (ITEMS / 8) == 0 || i + di < side)
                    copy(to + dk * pitch + di, row + dk, 1,
                         (whole || k + dk < depth) && (rows == ALL_ROWS || i + di < rows));
            row = advanced(row, ITEMS / 8 * ld);
        }
    } else { // Work-items take neighbours in i.
        const int row_items = width == 4 ? side / 4 : min(side / width, 32);
        const int i = tid % row_items * width;
        const int k = tid / row_items;
        to += k * pitch + i;
        from += k * ld;
        #pragma unroll
        for (int dk = 0; dk < TSK; dk += ITEMS / row_items) {
            // What is not there is not read, wherever it would be. So the min() is not needed, but without it NVIDIA's compiler
            // reads the operands of some programs too late (docs/notes/kernels.md).
            #pragma unroll
            for (int di = 0; di < side; di += row_items * width)
                if (TSK % (ITEMS / row_items) == 0 || k + dk < TSK)
                    copy(to + dk * pitch + di, from + min(i + di, rows - width), width,
                         (whole || k + dk < depth) && (rows == ALL_ROWS || i + di < rows));
            from = advanced(from, ITEMS / row_items * ld);
        }
    }
}

// The tile of C that a work-group computes begins at this element of C.
typedef struct {
    ulong m, n;
} Tile;

// The same order of tiles as in tile_order.clh, which the tensor-core kernels share. It stands here once more, in 64 bits,
// because with the 32 bits of that file NVIDIA's compiler gives tiles of 128 x 128 too few registers, and loads the values
// of each k too late for its products (docs/notes/kernels.md has the times).
static inline Tile own_tile(void)
{
    const uint tilesM = get_num_groups(0);
    const uint tilesN = get_num_groups(1);
    const ulong number = (ulong)get_group_id(1) * tilesM + get_group_id(0);
    const uint band = (uint)(number / (GROUP * (ulong)tilesN)) * GROUP;
    const uint height = min(tilesM - band, (uint)GROUP); // the last band may be lower
    const uint in_band = (uint)(number % (GROUP * (ulong)tilesN));
    const Tile tile = {(ulong)(band + in_band % height) * TSM, (ulong)(in_band / height) * TSN};
    return tile;
}

kernel IN_SUB_GROUPS __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void multiply(const global float* restrict A, const global float* restrict B, global float* restrict C,
              LIST const Multiplication GIVEN)
{
    TAKE_OWN_PRODUCT(get_group_id(2))
    local float __attribute__((aligned(16))) memory[LOCAL_FLOATS];
    local float* const tilesA = memory + (SHIFTED_A ? 4 : 0);
    local float* const tilesB = tilesA + STAGES * STAGE_A;

    // Which tile of C this is. The last ones are moved back inside the matrix, over their neighbours, so that they are
    // whole. What the neighbours store is left to them.
    const Tile own = own_tile();
    const ulong loadableM = (call.M + WIDTH_A - 1) / WIDTH_A * WIDTH_A; // whole vectors
    const ulong loadableN = (call.N + WIDTH_B - 1) / WIDTH_B * WIDTH_B;
    const ulong loadedM = SMALL_M ? 0 : min(own.m, loadableM - TSM);
    const ulong tileN = SMALL_N ? 0 : min(own.n, loadableN - TSN);
    const int rowsA = SMALL_M ? (int)loadableM : ALL_ROWS;
    const int rowsB = SMALL_N ? (int)loadableN : ALL_ROWS;
#if SHIFTED_A
    // The tile begins at a multiple of four, up to three rows after the first one that is loaded. So what is loaded is laid down
    // `shift` places earlier: the first rows go to the end of the k before. The places of the tile's rows beyond the matrix have
    // those, or whatever was there. What is computed of these is not stored.
    //
    // With ASYNC one stage's first rows arrive at the end of the stage before while that is read, which does no harm, since
    // only places beyond the matrix are there. Elsewhere stages are apart, and zeros are where nothing arrives: then Oclgrind
    // has nothing to report. (An H200 took up to 1.09 times as long so.)
    ulong tileM = min(own.m, (call.M + 3) / 4 * 4 - TSM);
    const int shift = (int)(tileM - loadedM);
    int beginM = (int)(own.m - tileM);
#if ASYNC
    // The compiler shall not know what these two come from. NVIDIA's would keep that in registers, too, all through the loop,
    // and often take more than 128 of them. Then one work-group less fits a compute unit, and calls take 1.2 times as long.
    asm volatile("" : "+l"(tileM), "+r"(beginM));
#endif
#else
    const ulong tileM = loadedM;
    const int shift = 0;
#endif

    // Where this work-item is in the tile: its first row and column, and its slice.
    const int tid = get_local_id(0);
    const int warp = tid / 32 % WARPS;
    const int slice = tid / 32 / WARPS;
    const int lane = tid % 32;
#if SHIFTED_A && !ASYNC
#define EMPTY_ENDS (STAGES * (TRANS_A ? TSK : 1)) // of k's behind which nothing is laid down: all, or the last one of a stage
    for (int i = tid; i < EMPTY_ENDS * 4; i += ITEMS)
        if (i % 4 < shift) {
            const int stage = i / 4 % STAGES, k = TRANS_A ? i / 4 / STAGES : TSK - 1;
            tilesA[stage * STAGE_A + k * PITCH_A + TSM - 1 - i % 4] = 0.0f;
        }
#endif
    const int firstM = warp % WARPS_M * WTM + lane % LANES_M * 4;
    const int firstN = warp / WARPS_M * WTN + lane / LANES_M * 4;

    float sum[WPTM][WPTN];
#define NOTHING_SUMMED()                                                                                                    \
    _Pragma("unroll") for (int m = 0; m < WPTM; m++)                                                                        \
        _Pragma("unroll") for (int n = 0; n < WPTN; n++)                                                                    \
            sum[m][n] = 0.0f
    NOTHING_SUMMED();

    // Which part of K, or product of a batch, this is, and what is to be loaded next. The first step takes what is left over
    // from whole ones.
#if BATCH
    const ulong k0 = 0;
    const ulong depth = call.K;
    A += get_group_id(2) * call.partA;
    B += get_group_id(2) * call.partB;
#else
    const ulong k0 = get_group_id(2) * call.partK;
    const ulong depth = min(call.K - k0, call.partK);
#endif
    uint to_multiply = (uint)((depth + TSK - 1) / TSK);
    uint to_load = to_multiply;
    const global float* a = A + call.A.offset + (TRANS_A ? loadedM * LDA + k0 : loadedM + k0 * LDA);
    const global float* b = B + call.B.offset + (TRANS_B ? tileN + k0 * LDB : tileN * LDB + k0);
#define LOAD_TILES(stage, k)                                                                                                \
    do {                                                                                                                    \
        load_tile(tilesA - shift + (stage) * STAGE_A, TSM, PITCH_A, TRANS_A, WIDTH_A, a, LDA, rowsA, k, tid);                \
        load_tile(tilesB + (stage) * STAGE_B, TSN, PITCH_B, !TRANS_B, WIDTH_B, b, LDB, rowsB, k, tid);                       \
        a += TRANS_A ? (k) : (k) * LDA;                                                                                     \
        b += TRANS_B ? (k) * LDB : (k);                                                                                     \
        to_load--;                                                                                                          \
    } while (0)

    const int first_depth = (int)(depth - (to_multiply - 1) * (ulong)TSK);
    // A listed product whose alpha is 0 has no K: nothing is loaded and multiplied, and RESULT scales C alone. (With a return
    // before the barriers, PoCL 7.1 lost some columns of C, and wrote elsewhere.)
    if (!LISTED || to_load > 0)
        LOAD_TILES(0, first_depth);
    commit_copies();
    for (int stage = 1; stage < STAGES - 1; stage++) {
        if (to_load > 0)
            LOAD_TILES(stage, TSK);
        commit_copies(); // This is needed where there was nothing to load, too, since batches are counted.
    }

#define ADD_PRODUCT_AT(m, n) ADD_PRODUCT(sum[m][n], valuesA[m], valuesB[n])
#define EVEN_FIRST(i, count) (ORDER % 2 == 0 ? (i) : (i) * 2 % (count) + (i) * 2 / (count))
    int now = 0, next = STAGES - 1;
#if SEVERAL_BLOCKS
    float beta = call.beta;
#define BETA beta
    for (uint left = to_multiply;;) {
        to_multiply = min(left, (uint)(REPRODUCIBLE / TSK));
        left -= to_multiply;
#else
#define BETA call.beta
    {
#endif
        for (; to_multiply > 0; to_multiply--) {
            WAIT_FOR_COPIES(STAGES - 2);
            barrier(CLK_LOCAL_MEM_FENCE); // Stage `now` is complete, and nobody reads the one before it any more.
            if (to_load > 0)
                LOAD_TILES(next, TSK);
            commit_copies();

            const local float* rowA = tilesA + now * STAGE_A + slice * SLICE_DEPTH * PITCH_A + firstM;
            const local float* rowB = tilesB + now * STAGE_B + slice * SLICE_DEPTH * PITCH_B + firstN;
            #pragma unroll
            for (int k = 0; k < SLICE_DEPTH; k++) {
                float valuesA[WPTM], valuesB[WPTN];
                load_fours(valuesA, rowA + k * PITCH_A, WPTM, LANES_M);
                load_fours(valuesB, rowB + k * PITCH_B, WPTN, LANES_N);
#if ORDER < 2
                #pragma unroll
                for (int m = 0; m < WPTM; m++)
                    #pragma unroll
                    for (int i = 0; i < WPTN; i++) {
                        const int n = EVEN_FIRST(i, WPTN);
                        ADD_PRODUCT_AT(m, m % 2 == 0 ? n : WPTN - 1 - n);
                    }
#else
                #pragma unroll
                for (int n = 0; n < WPTN; n++)
                    #pragma unroll
                    for (int i = 0; i < WPTM; i++) {
                        const int m = EVEN_FIRST(i, WPTM);
                        ADD_PRODUCT_AT(n % 2 == 0 ? m : WPTM - 1 - m, n);
                    }
#endif
            }
            now = now + 1 == STAGES ? 0 : now + 1;
            next = next + 1 == STAGES ? 0 : next + 1;
        }

        // The slices' sums are added in pairs, which are always the same, so that the result is.
        #pragma unroll
        for (int step = SLICES / 2; step > 0; step /= 2) {
            local float* const sums = memory + tid % (32 * WARPS) + slice % step * (TSM * TSN);
            barrier(CLK_LOCAL_MEM_FENCE);
            if (slice >= step && slice < 2 * step)
                #pragma unroll
                for (int i = 0; i < WPTM * WPTN; i++)
                    sums[i * 32 * WARPS] = sum[i / WPTN][i % WPTN];
            barrier(CLK_LOCAL_MEM_FENCE);
            if (slice < step)
                #pragma unroll
                for (int i = 0; i < WPTM * WPTN; i++)
                    sum[i / WPTN][i % WPTN] += sums[i * 32 * WARPS];
        }
        // The rows and columns that this work-group stores, counted from its tile's first.
#if SEVERAL_BLOCKS && ASYNC
        // The work-item's number is read once more. Otherwise NVIDIA's compiler keeps in registers, all through the loop over
        // steps, what follows from it here.
        int again;
        asm volatile("mov.u32 %0, %%tid.x;" : "=r"(again));
        const int firstM = again / 32 % WARPS % WARPS_M * WTM + again % 32 % LANES_M * 4;
        const int firstN = again / 32 % WARPS / WARPS_M * WTN + again % 32 / LANES_M * 4;
#endif
#if !SHIFTED_A
        const int beginM = (int)(own.m - tileM);
#endif
        const int endM = (int)min(call.M - tileM, (ulong)TSM);
        const int beginN = (int)(own.n - tileN), endN = (int)min(call.N - tileN, (ulong)TSN);
        global float* tileC = C + call.C.offset + get_group_id(2) * call.partC + tileN * LDC + tileM;
#define FETCHES (READS_C || REPRODUCIBLE)
#if FETCHES
        // Several elements of C are read before the first one is stored: the compiler cannot know that a store does not meet the
        // next read, so each read would wait for the store before it. (A block of K in a REPRODUCIBLE sum adds to what the block
        // before has stored. Where beta is 0, reading C in this way costs other programs registers, and with them a part of their
        // speed.)
#define OLD(fetched, there) fetched
#else
#define OLD(fetched, there) there
#endif
#if STAGED && !WIDE_C
#define STAGED_ELEMENTS (STAGED_COLUMNS * LANES_N * WTM)
#if FETCHES
#define STAGED_FETCHED (STAGED_ELEMENTS / 32 % 8 == 0 ? 8 : 4)
#else
#define STAGED_FETCHED 1
#endif
    // Where the i-th element of the columns that a warp stores now lies in the tile.
#define STAGED_PLACE(i)                                                                                                     \
    const int row = warp % WARPS_M * WTM + (i) % WTM;                                                                       \
    const int n = n0 + (i) / WTM % STAGED_COLUMNS;                                                                          \
    const int column = warp / WARPS_M * WTN + ((i) / WTM / STAGED_COLUMNS + n / 4 * LANES_N) * 4 + n % 4;
        // Single floats would leave four floats apart, and take four times as long where C is most of what is moved. So a warp
        // lays its sums down in local memory, and its lanes take neighbours from there.
        local float* const staged = memory + warp * (STAGED_FLOATS / WARPS * STAGED_COLUMNS);
        #pragma unroll
        for (int n0 = 0; n0 < WPTN; n0 += STAGED_COLUMNS) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (slice == 0)
                #pragma unroll
                for (int n = n0; n < n0 + STAGED_COLUMNS; n++)
                    #pragma unroll
                    for (int m = 0; m < WPTM; m += 4)
                        *(local float4*)(staged + (lane / LANES_M * STAGED_COLUMNS + n - n0) * WTM + m * LANES_M +
                                         lane % LANES_M * 4) =
                            SCALED(call.alpha, (float4)(sum[m][n], sum[m + 1][n], sum[m + 2][n], sum[m + 3][n]));
            barrier(CLK_LOCAL_MEM_FENCE);
            if (slice == 0)
                for (int first = lane; first < STAGED_ELEMENTS; first += 32 * STAGED_FETCHED) {
#if FETCHES
                    float old[STAGED_FETCHED];
                    #pragma unroll
                    for (int j = 0; j < STAGED_FETCHED; j++) {
                        STAGED_PLACE(first + j * 32)
                        if (BETA != 0.0f && row >= beginM && row < endM && column >= beginN && column < endN)
                            old[j] = tileC[column * LDC + row];
                    }
#endif
                    #pragma unroll
                    for (int j = 0; j < STAGED_FETCHED; j++) {
                        STAGED_PLACE(first + j * 32)
                        if (row >= beginM && row < endM && column >= beginN && column < endN) {
                            global float* c = tileC + column * LDC + row;
                            *c = RESULT(float, call.alpha, staged[first + j * 32], BETA, OLD(old[j], *c));
                        }
                    }
                }
        }
#else
        if (slice > 0)
            return;
        const bool wide = ((ulong)tileC | LDC * sizeof(float)) % 16 == 0 && (RAGGED_M ? beginM : beginM | endM) % 4 == 0;
#define COLUMN(n) (firstN + (n) / 4 * LANES_N * 4 + (n) % 4)
#if FETCHES
#define COLUMNS_FETCHED (SEVERAL_BLOCKS ? 2 : 4) // More would take registers from the loop over steps.
        float4 old[COLUMNS_FETCHED][WPTM / 4];
#endif
        #pragma unroll
        for (int n = 0; n < WPTN; n++) {
#if FETCHES
            if (n % COLUMNS_FETCHED == 0 && wide && BETA != 0.0f)
                #pragma unroll
                for (int i = n; i < n + COLUMNS_FETCHED; i++)
                    #pragma unroll
                    for (int m = 0; m < WPTM; m += 4) {
                        const int row = firstM + m * LANES_M, column = COLUMN(i);
                        if (row >= beginM && row + (RAGGED_M ? 3 : 0) < endM && column >= beginN && column < endN)
                            old[i - n][m / 4] = *(const global float4*)(tileC + column * LDC + row);
                    }
#endif
            const int column = COLUMN(n);
            if (column >= beginN && column < endN) {
                #pragma unroll
                for (int m = 0; m < WPTM; m += 4) {
                    const int row = firstM + m * LANES_M;
                    global float* c = tileC + column * LDC + row;
                    const float4 four = SCALED(call.alpha, (float4)(sum[m][n], sum[m + 1][n], sum[m + 2][n], sum[m + 3][n]));
                    if (wide && (!RAGGED_M || row + 3 < endM)) {
                        if (row >= beginM && row < endM)
                            *(global float4*)c = RESULT(float4, call.alpha, four, BETA,
                                                        OLD(old[n % COLUMNS_FETCHED][m / 4], *(global float4*)c));
                    } else {
                        const float each[4] = {four.x, four.y, four.z, four.w};
                        #pragma unroll
                        for (int i = 0; i < 4; i++)
                            if (row + i >= beginM && row + i < endM)
                                c[i] = RESULT(float, call.alpha, each[i], BETA, c[i]);
                    }
                }
            }
        }
#endif
#if SEVERAL_BLOCKS
        if (left == 0)
            return;
        NOTHING_SUMMED();
        beta = 1.0f;
#endif
    }
}
