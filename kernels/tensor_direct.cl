// Kernel 20, tensor direct: kernel 14's products on Hopper's tensor cores straight from the floats, in one launch. Each
// work-group splits what it multiplies into pieces by itself, while the tensor cores work on what it split before. That is
// more work in all than `split` once for everybody, but there is no second launch and no workspace, and four bytes are read
// for each element instead of six. It pays where launches and memory decide: for small sizes, few rows or columns, deep
// products.
//
//           TSN = 128
//        +-----+-----+     As in kernel 14 what is computed is transposed, C' = B' A', by two warpgroups, the consumers, 64
//        | con-| con-|     columns of C each. A consumer needs its columns of B alone, so it loads and splits them itself,
//    TSM | su- | su- |     and its tensor cores take them from registers. A is for both: a third warpgroup splits it into
//        | mer | mer |     stages in local memory, which lie as in kernel 14 (wgmma.clh), STAGES at most ahead. Its four
//        |  0  |  1  |     warps are two pairs, which take turns: a pair splits every other stage, each warp its part of it.
//        +-----+-----+
//                          For each stage there is a `full` barrier, which says that both warps have written it, and an
//                          `empty` one, which counts the warps that have multiplied it.
//
// In which order the k of half a stage are multiplied does not matter, as long as it is the same for A and B. So lane q of
// four has the k 4q to 4q + 3 of B, which are neighbours in memory where it runs along K. The tensor cores know 16 places,
// and what is in them is
//
//     k = 0 1, 4 5, 8 9, 12 13, 2 3, 6 7, 10 11, 14 15         pairs 2 q of the first, then of the second eight are lane q's
//
// Likewise the columns 2r and 2r + 1, which are neighbours where memory runs along N, take the places r and r + 8 of a
// warp's 16 columns of B.
//
// What is left over of K, less than a whole stage, comes first, so that the loop needs no bounds. Rows beyond the
// matrix are zeros. Columns beyond it are zeros, too, or repeat the last one (direct_columns.clh). Their sums are not stored.
//
// Kernel 14 says why there are six products of bf16 pieces, and where they are added. The pieces are those of 2^16 times
// each number. So the smallest floats, too, are exactly the sum of their pieces, and what products of pieces lose below the
// smallest numbers is nothing to sums that are 2^32 times as large. What is large becomes infinite: a number from 2^112, a
// sum from 2^96 on. A number that is not finite, or becomes so on the way, leaves a sum that is not finite. Then the
// work-group computes its tile from the floats once more (tensor_plain.clh).
//
// Takes: everything. C has a stride for its rows and one for its columns, so that they can be exchanged.
// Source: our own.
//
// Parameters:
//   TSM     rows of C for a work-group: 48, 64 or 80
//   TSN     its columns: 128
//   TSK     the depth of a stage: 32
//   STAGES  4 to 8 (fewer were not measured); in tiles of 80 rows at most 6, for which there is local memory
//   GROUP   see tile_order.clh
//   TRANS_A, TRANS_B  1 where the operand is stored transposed
//   WIDTH_A, WIDTH_B  floats along memory that may be read at a time, to the last ones: 4, 2 or 1
//   TURNED            1 where C's memory runs along N
#include "arguments.h"

#ifndef TSM
#define TSM 64
#endif
#ifndef TSN
#define TSN 128
#endif
#ifndef TSK
#define TSK 32
#endif
#ifndef STAGES
#define STAGES 4
#endif
#ifndef GROUP
#define GROUP 8
#endif
#ifndef TRANS_A
#define TRANS_A 0
#endif
#ifndef TRANS_B
#define TRANS_B 0
#endif
#ifndef WIDTH_A
#define WIDTH_A 1
#endif
#ifndef WIDTH_B
#define WIDTH_B 1
#endif
#ifndef TURNED
#define TURNED 0
#endif

#define CONSUMERS 2 // warpgroups that multiply
#define ITEMS (128 * CONSUMERS)
#define WAIT_FOR_ITEMS() wait_for_consumers()
#define SPAN TSM
#define PITCH ((SPAN + 4) * 4) // of sums (tensor_store.clh): neighbouring lanes write into every other column
#define STAGE (TSM * ROW)
#define A_RUNS_ALONG_K TRANS_A
#define B_RUNS_ALONG_K (!TRANS_B)
#define PART_ROWS (A_RUNS_ALONG_K ? TSM / 2 : TSM)  // of a stage of A, that a warp splits,
#define PART_DEPTH (A_RUNS_ALONG_K ? TSK : TSK / 2) // and so many k of each
#define SHARE 8                                     // numbers that a lane splits at a time
#define SHARES (PART_ROWS * PART_DEPTH / SHARE / 32)
#define AT_ONCE (B_RUNS_ALONG_K ? 2 : 1)            // shares that it loads before it splits the first one of them (as measured)
#define PITCH_A (A_RUNS_ALONG_K ? TSK + 4 : TSM)    // floats, so many that there are no bank conflicts
#define PART_BYTES ((A_RUNS_ALONG_K ? PART_ROWS : PART_DEPTH) * PITCH_A * 4) // of its floats
#define BEGUN_PARTS 4                               // of as many stages, whose floats a warp copies ahead

#define SCALE 0x1p16f
#define SCALE_PAIR 0x47804780u // as two bf16 numbers
#define SCALE_BACK 0x1p-32f    // of a product
#define BF16_INSTRUCTIONS
#include "wgmma.clh"
#include "tile_order.clh"
#include "tensor_plain.clh"
#include "nvidia_async_copy.clh"
#include "direct_columns.clh"
#include "next_product.clh"

// Makes three pieces of each of two numbers times SCALE.
static inline void split_scaled(const float first, const float second, uint* piece1, uint* piece2, uint* piece3)
{
    asm volatile("mul.rn.bf16x2 %0, %1, %2;" : "=r"(*piece1) : "r"(rounded_pair(first, second)), "r"(SCALE_PAIR));
    const float rest1 = fma(first, SCALE, -first_of(*piece1)), rest2 = fma(second, SCALE, -second_of(*piece1));
    *piece2 = rounded_pair(rest1, rest2);
    *piece3 = rounded_pair(rest1 - first_of(*piece2), rest2 - second_of(*piece2));
}

// Splits these numbers into what the tensor cores take: four registers for each piece and half of a stage.
static inline void split_columns(uint pieces[PIECES][2][4], const float x[2][8])
{
    #pragma unroll
    for (int h = 0; h < 2; h++)
        #pragma unroll
        for (int i = 0; i < 4; i++) {
            const int first = h * 4 + i / 2 * 2;
            split_scaled(x[i % 2][first], x[i % 2][first + 1], &pieces[0][h][i], &pieces[1][h][i], &pieces[2][h][i]);
        }
}

// A warp brings the floats of its part of a stage of A to local memory. They lie there line after line, PITCH_A apart: for each
// of PART_DEPTH k the rows or, where memory runs along K, for each of PART_ROWS rows the k. `A` is where the part begins. From
// there are counted `last`, the last row that is there, which may be negative or beyond the part, and `depth`, how many k are
// there, which may be negative or more than the part has. Rows below the last one are left alone. (To copy it once more in place
// of each took up to twice as long for the whole tile: such copies, of the same floats, go one after the other.)
static inline void bring_rows(const uint to, const global float* A, const ulong lda, const int last, const int depth)
{
    const int lane = get_local_id(0) % 32;
#if A_RUNS_ALONG_K
    const int lanes = TSK / WIDTH_A; // for each row
    const int first = lane / lanes, k = lane % lanes * WIDTH_A;
    const global float* from = A + first * lda + k;
    #pragma unroll 4
    for (int i = 0; i < PART_ROWS; i += 32 / lanes) {
        if (first + i <= last)
            begin_copy_or_zeros(to + ((first + i) * PITCH_A + k) * 4, from, WIDTH_A, k < depth);
        from = further(from, 32 / lanes * lda);
    }
#else
    const int lanes = WIDTH_A == 4 ? 16 : 32; // for each k
    for (int row = lane % lanes * WIDTH_A; row <= last; row += lanes * WIDTH_A) {
        const global float* from = A + row + lane / lanes * lda;
        #pragma unroll
        for (int i = 0; i < PART_DEPTH; i += 32 / lanes) {
            const int k = lane / lanes + i;
            begin_copy_or_zeros(to + (k * PITCH_A + row) * 4, k < depth ? from : A, WIDTH_A, k < depth);
            from = further(from, 32 / lanes * lda);
        }
    }
#endif
}

// The same, closed as a batch of copies. Most tiles and stages are whole: for them the last row and the depth are constants.
static inline void bring_floats(const uint to, const global float* A, const ulong lda, const int last, const int depth)
{
    if (last >= PART_ROWS - 1 && depth >= PART_DEPTH)
        bring_rows(to, A, lda, PART_ROWS - 1, PART_DEPTH);
    else
        bring_rows(to, A, lda, last, depth);
    commit_copies();
}

// Writes zeros where bring_floats() leaves rows alone.
static inline void put_zeros_below(const uint to, const int last)
{
    const int lane = get_local_id(0) % 32;
#if A_RUNS_ALONG_K
    for (int i = max(last + 1, 0) * PITCH_A + lane; i < PART_ROWS * PITCH_A; i += 32)
        put(to + i * 4, 0.0f);
#else
    for (int row = last + 1 + lane; row < PART_ROWS; row += 32)
        for (int k = 0; k < PART_DEPTH; k++)
            put(to + (k * PITCH_A + row) * 4, 0.0f);
#endif
}

// A share is what a lane splits at a time: four pairs of one row of A, four k apart, which take the places of a row of a core
// matrix. Neighbouring lanes have neighbouring rows or, where memory runs along K, eight rows and then the next k. A part
// has the core matrices of 16 of K for all rows or, where memory runs along K, those of all k for half of the rows.
static inline int row_of(const int share)
{
    return A_RUNS_ALONG_K ? share / 32 * 8 + share % 8 : share % TSM;
}

static inline int matrix_of(const int share)
{
    return A_RUNS_ALONG_K ? share / 8 % 4 : share / TSM;
}

// Where it begins, in bytes: among the part's floats, and the first one of its pieces, counted from where the warp's part of
// the stage begins.
static inline uint in_floats(const int share)
{
    const int row = row_of(share), k = matrix_of(share) / 2 * 16 + matrix_of(share) % 2 * 2;
    return (A_RUNS_ALONG_K ? row * PITCH_A + k : k * PITCH_A + row) * 4;
}

static inline uint in_stage(const int share)
{
    const int row = row_of(share), matrix = matrix_of(share);
    return row / 8 * (8 * ROW) + row % 8 * 16 + matrix / 2 * PIECE(1, 1) + matrix % 2 * 128;
}

// Loads a share.
static inline void load_share(float x[SHARE], const uint from)
{
    #pragma unroll
    for (int i = 0; i < SHARE; i += 2)
#if A_RUNS_ALONG_K
        asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];" : "=f"(x[i]), "=f"(x[i + 1]) : "r"(from + i * 2 * 4) : "memory");
#else
        asm volatile("ld.shared.f32 %0, [%2]; ld.shared.f32 %1, [%3];"
                     : "=f"(x[i]), "=f"(x[i + 1]) : "r"(from + i * 2 * PITCH_A * 4), "r"(from + (i * 2 + 1) * PITCH_A * 4)
                     : "memory");
#endif
}

// Writes the pieces of a share into a stage.
static inline void keep_share(const uint address, const float x[SHARE])
{
    uint pieces[PIECES][SHARE / 2];
    #pragma unroll
    for (int i = 0; i < SHARE / 2; i++)
        split_scaled(x[2 * i], x[2 * i + 1], &pieces[0][i], &pieces[1][i], &pieces[2][i]);
    #pragma unroll
    for (int piece = 0; piece < PIECES; piece++)
        asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};"
                     : : "r"(address + piece * MATRIX), "r"(pieces[piece][0]), "r"(pieces[piece][1]), "r"(pieces[piece][2]),
                         "r"(pieces[piece][3]) : "memory");
}

// Work-item 0 makes the barriers. Consumers only tell the warps that split A that they are made, and wait for each other before
// they multiply. The warps that split A have begun to load before they wait.
static inline void make_barriers(const uint full, const uint empty, const uint consumers)
{
    for (int stage = 0; stage < STAGES; stage++) {
        initialize_barrier(full + 8 * stage, 2);
        initialize_barrier(empty + 8 * stage, 4 * consumers);
    }
    publish_barriers();
}

static inline void tell_of_barriers(void)
{
    asm volatile("bar.arrive 2, 384;" : : : "memory");
}

static inline void wait_for_barriers(void)
{
    asm volatile("bar.sync 2, 384;" : : : "memory");
}

// Writes all stages of A, over `depth` of K. The floats of a warp's parts of its next BEGUN_PARTS stages are on their way.
static inline void write_stages(const global float* A, const ulong lda, const int last, const ulong depth, const uint stages,
                                const uint full, const uint empty, const uint brought)
{
    const int lane = get_local_id(0) % 32;
    const int warp = get_local_id(0) / 32 % 4;
    const int first = warp / 2, part = warp % 2; // its first stage, and which part of it
    const uint steps = (uint)((depth + TSK - 1) / TSK);
    const int rest = (int)(depth - (steps - 1) * (ulong)TSK);
    const ulong stride_k = A_RUNS_ALONG_K ? 1 : lda;
    const uint own_floats = brought + warp * BEGUN_PARTS * PART_BYTES;
    const uint own_pieces = stages + part * (A_RUNS_ALONG_K ? PART_ROWS * ROW : PIECE(1, 1));
    const int last_of_part = A_RUNS_ALONG_K ? last - part * PART_ROWS : last;
    const int other_depth = A_RUNS_ALONG_K ? 0 : part * PART_DEPTH; // of K, before the own part

    if (last_of_part < PART_ROWS - 1)
        for (int i = 0; i < BEGUN_PARTS; i++)
            put_zeros_below(own_floats + i * PART_BYTES, last_of_part);
    const global float* next = A + part * (A_RUNS_ALONG_K ? PART_ROWS : PART_DEPTH) * lda + (first == 0 ? 0 : rest) * stride_k;
    const ulong two_steps = 2 * TSK * stride_k;
    int k_there = first == 0 ? rest : TSK; // of the stage
    for (uint i = 0; i < BEGUN_PARTS; i++) {
        if (first + i * 2 < steps)
            bring_floats(own_floats + i * PART_BYTES, next, lda, last_of_part, k_there - other_depth);
        else
            commit_copies();
        next += k_there == TSK ? two_steps : (k_there + TSK) * stride_k;
        k_there = TSK;
    }
    wait_for_barriers();

    // A barrier tells only even fillings of a stage from odd ones. That suffices: two steps before, the warp waited until
    // step - 2 - STAGES was multiplied, which is later than step - 2 * STAGES, with which the stage was filled the last time but
    // one.
    uint slot = 0;
    int stage = first;
    uint parity = 1; // The phase before the first one has this parity, and counts as complete.
    for (uint step = first; step < steps; step += 2) {
        WAIT_FOR_COPIES(BEGUN_PARTS - 1);
        wait_for_warp();
        wait_for(empty + 8 * stage, parity);
        float x[AT_ONCE][SHARE];
        #pragma unroll
        for (int i = 0; i < SHARES; i++) {
            if (i % AT_ONCE == 0)
                #pragma unroll
                for (int j = 0; j < AT_ONCE && i + j < SHARES; j++)
                    load_share(x[j], own_floats + slot * PART_BYTES + in_floats(lane + (i + j) * 32));
            keep_share(own_pieces + stage * STAGE + in_stage(lane + i * 32), x[i % AT_ONCE]);
        }
        publish_local_memory();
        // From here on all lanes have read, written and published.
        wait_for_warp();
        if (lane == 0)
            arrive(full + 8 * stage);
        if (step + BEGUN_PARTS * 2 < steps)
            bring_floats(own_floats + slot * PART_BYTES, next, lda, last_of_part, TSK);
        else
            commit_copies();
        next += two_steps;
        slot = slot + 1 == BEGUN_PARTS ? 0 : slot + 1;
        stage += 2;
        if (stage >= STAGES) {
            stage -= STAGES;
            parity ^= 1;
        }
    }
}

kernel __attribute__((reqd_work_group_size(ITEMS + 128, 1, 1)))
void multiply(const global float* restrict A, const global float* restrict B, global float* restrict C,
              const Multiplication call)
{
    // This has the stages, the barriers and the floats on their way, and later the sums. The library makes it as long as
    // that.
    local uchar __attribute__((aligned(1024))) memory[1024];
    local float __attribute__((aligned(16))) plainA[PLAIN_DEPTH * TSM];
    local float __attribute__((aligned(16))) plainB[PLAIN_DEPTH * TSN];
    const uint stages = (uint)(ulong)memory;
    const uint full = stages + STAGES * STAGE; // the barriers, 8 bytes each
    const uint empty = full + STAGES * 8;
    const uint brought = empty + STAGES * 8;
    const int tid = get_local_id(0);

    // Which tile of C, and which part of K, or product of a batch.
    const Tile tile = own_tile();
    const ulong part = get_group_id(2);
    const ulong depth = min(call.K - part * call.nextK, call.partK);
    const uint all_steps = (uint)((depth + TSK - 1) / TSK);
    const int rest = (int)(depth - (all_steps - 1) * (ulong)TSK);
    const Result result = own_part(C, call, call.C.row);

    const int warpgroup = warpgroup_number();
    if (warpgroup == CONSUMERS) {
#if TSM > 64
        LEAVE_REGISTERS(72);
#else
        LEAVE_REGISTERS(88);
#endif
        write_stages(A + call.A.offset + part * call.partA + (A_RUNS_ALONG_K ? tile.m * LDA : tile.m), LDA,
                     (int)min(call.M - 1 - tile.m, (ulong)(TSM - 1)), depth, stages, full, empty, brought);
        fetch_next_product(A, B, call);
        return;
    }
#if TSM > 64
    TAKE_REGISTERS(216);
#else
    TAKE_REGISTERS(208);
#endif
    // A warp has 16 columns, of which a lane splits two, eight k of 32. Even and odd steps have floats and pieces of their own.
    const int lane = tid % 32;
    const int column = tid / 32 * WARP_COLUMNS + lane / 4 * 2;
    uint even[PIECES][2][4], odd[PIECES][2][4];
    // A consumer all of whose columns are beyond the matrix multiplies nothing, and leaves the tensor cores to the other one.
    const bool both_multiply = call.N - tile.n > TSN / CONSUMERS;
    const uint steps = warpgroup == 0 || both_multiply ? all_steps : 0;
    uint step = 0;
    if (tid == 0)
        make_barriers(full, empty, both_multiply ? CONSUMERS : 1);
#if COPIED_B
    // (Every step closes a batch of copies, even without any, so that the youngest one is always the next step's.)
#define PREPARE(b, floats)                                                                                                  \
    do {                                                                                                                    \
        float x[2][8];                                                                                                      \
        read_columns(x, floats);                                                                                            \
        if (step + 2 < steps)                                                                                               \
            bring_columns(floats, from, columns, LDB, TSK);                                                                 \
        commit_copies();                                                                                                    \
        from += TSK * stride_k;                                                                                             \
        split_columns(b, x);                                                                                                \
    } while (0)
    const ulong stride_k = B_RUNS_ALONG_K ? 1 : LDB;
    const ulong first = tile.n + tid / 32 * WARP_COLUMNS;
    const int columns = first < call.N ? (int)min(call.N - first, (ulong)WARP_COLUMNS) : 0;
    const global float* from = B + call.B.offset + part * call.partB +
                               (first + brought_column()) * (B_RUNS_ALONG_K ? LDB : 1) + brought_k() * stride_k;
    const uint even_floats = brought + 4 * BEGUN_PARTS * PART_BYTES + tid / 32 * 2 * COPIED_COLUMNS;
    const uint odd_floats = even_floats + COPIED_COLUMNS;
    bring_columns(even_floats, from, columns, LDB, rest);
    commit_copies();
    from += rest * stride_k;
    if (steps > 1)
        bring_columns(odd_floats, from, columns, LDB, TSK);
    commit_copies();
    from += TSK * stride_k;
    tell_of_barriers();
    PREPARE(even, even_floats);
#else
// Splits what was loaded for the next step, and loads for two steps later. (Where there is no such step the last one is loaded
// once more: registers that are loaded in some steps only would have to be copied in all.)
#define PREPARE(b, floats)                                                                                                  \
    do {                                                                                                                    \
        split_columns(b, floats);                                                                                           \
        load_columns(floats, from, next, LDB, TSK);                                                                         \
        if (step + 3 < steps)                                                                                               \
            from += TSK * stride_k;                                                                                         \
    } while (0)
    const ulong last = call.N - 1;
#if WIDTH_B > 1 && !B_RUNS_ALONG_K
    const ulong n = min(tile.n + column, call.N - 2);
#else
    const ulong n = min(tile.n + column, last);
#endif
    const int first_k = lane % 4 * 4;
    const ulong stride_k = B_RUNS_ALONG_K ? 1 : LDB;
    const ulong next = (n < last ? 1 : 0) * (B_RUNS_ALONG_K ? LDB : 1);
    const global float* from = B + call.B.offset + part * call.partB + n * (B_RUNS_ALONG_K ? LDB : 1) + first_k * stride_k;
    float even_floats[2][8], odd_floats[2][8];
    load_columns(even_floats, from, next, LDB, rest - first_k);
    from += rest * stride_k;
    if (steps > 1)
        load_columns(odd_floats, from, next, LDB, TSK);
    tell_of_barriers();
    split_columns(even, even_floats);
    if (steps > 2) {
        from += TSK * stride_k;
        load_columns(even_floats, from, next, LDB, TSK);
    }
    if (steps > 3)
        from += TSK * stride_k;
#endif

    bring_old(result, tile.m, tile.n, TSM, TSN, tid, ITEMS);
    wait_for_consumers();

    float sum[SUMS], corrections[SUMS], products[SUMS];
    #pragma unroll
    for (int i = 0; i < SUMS; i++)
        sum[i] = 0.0f;
    int stage = 0;
    uint parity = 0;
#define ADD_PIECES(sums, of_b, of_a, add_first)                                                                             \
    _Pragma("unroll") for (int i = 0; i < TSK / 16; i++)                                                                    \
    {                                                                                                                       \
        const ulong a = all_a + PIECE(i, of_a) / 16;                                                                        \
        BEGIN_PRODUCT_OF_REGISTERS(sums, (of_b)[i], a, i == 0 ? (add_first) : 1);                                           \
    }
#define ADD_CORRECTION(b, of_b, of_a, add_first) ADD_PIECES(corrections, (b)[(of_b) - 1], of_a, add_first)
#define SUM_UP(sums) _Pragma("unroll") for (int i = 0; i < SUMS; i++) sum[i] += (sums)[i]
// Orders the products of the columns' pieces b in two batches, of which the second one is the corrections, and waits until
// the stage before is done. (Nobody has touched the corrections since they were ordered there.)
#define MULTIPLY(b, add_corrections)                                                                                        \
    do {                                                                                                                    \
        wait_for(full + 8 * stage, parity);                                                                                 \
        const ulong all_a = descriptor(stages + stage * STAGE);                                                             \
        const int add_first = add_corrections;                                                                              \
        FENCE_PRODUCTS(products);                                                                                           \
        ADD_PIECES(products, (b)[0], 1, 0)                                                                                  \
        COMMIT_PRODUCTS();                                                                                                  \
        ADD_CORRECTIONS(ADD_CORRECTION, b, add_first)                                                                       \
        COMMIT_PRODUCTS();                                                                                                  \
        WAIT_FOR_PRODUCTS(products, 1);                                                                                     \
        if ((add_corrections) && lane == 0)                                                                                 \
            arrive(empty + 8 * before);                                                                                     \
        SUM_UP(products);                                                                                                   \
        before = stage;                                                                                                     \
        if (++stage == STAGES) {                                                                                            \
            stage = 0;                                                                                                      \
            parity ^= 1;                                                                                                    \
        }                                                                                                                   \
        step++;                                                                                                             \
    } while (0)
    int before = 0; // the stage that was multiplied before this one
    while (step < steps) {
        // (Two loops, as in kernel 14, so that ptxas sees that nobody reads corrections while they are computed.)
        for (int corrected = 0; corrected < CORRECTIONS_DEPTH / TSK; corrected += 2) {
            MULTIPLY(even, corrected != 0); // With the first stage corrections begin anew.
            if (step == steps)
                break;
            PREPARE(odd, odd_floats);
            MULTIPLY(odd, 1);
            if (step == steps)
                break;
            PREPARE(even, even_floats);
        }
        WAIT_FOR_PRODUCTS(corrections, 0);
        SUM_UP(corrections);
        if (lane == 0)
            arrive(empty + 8 * before);
    }

    // Since 0 times what is not finite is NaN, one sum tells of all.
    float zeros[4] = {0.0f, 0.0f, 0.0f, 0.0f}; // four, so that additions need not wait for each other
    #pragma unroll
    for (int i = 0; i < SUMS; i++) {
        zeros[i % 4] += 0.0f * sum[i];
        sum[i] *= SCALE_BACK;
    }
    const bool is_finite = !any_consumer(zeros[0] + zeros[1] + (zeros[2] + zeros[3]) != 0.0f);
    // All have multiplied, and the stages are free to take the sums.
    if (is_finite) {
        // Of eight rows of C by the warp's columns a lane has two neighbours in each of its columns.
        #pragma unroll
        for (int i = 0; i < SPAN / 8; i++)
            #pragma unroll
            for (int j = 0; j < 2; j++)
#if TURNED
                put_pair(stages + (i * 8 + lane % 4 * 2 + j) * TURNED_PITCH + column * 4, sum[i * 4 + j], sum[i * 4 + 2 + j]);
#else
                put_pair(stages + (column + j) * PITCH + lane % 4 * 8 + i * 32, sum[i * 4 + j * 2], sum[i * 4 + j * 2 + 1]);
#endif
    } else {
        const ulong strideAM = TRANS_A ? LDA : 1, strideAK = TRANS_A ? 1 : LDA;
        const ulong strideBN = TRANS_B ? 1 : LDB, strideBK = TRANS_B ? LDB : 1;
        const global float* const tileA = A + call.A.offset + part * call.partA + tile.m * strideAM;
        const global float* const tileB = B + call.B.offset + part * call.partB + tile.n * strideBN;
        multiply_plain(tileA, strideAM, strideAK, tileB, strideBN, strideBK, depth, call.M - tile.m, call.N - tile.n, stages,
                       plainA, plainB);
    }
    wait_for_consumers();
#if TURNED
    if (is_finite) {
        const int rows = SPAN / CONSUMERS; // that a warpgroup stores
        store_rows(result, tile.m + warpgroup * rows, tile.n, rows, stages + warpgroup * rows * TURNED_PITCH);
        return;
    }
#endif
    store_columns(result, tile.m, tile.n + warpgroup * 64, 64, stages + warpgroup * 64 * PITCH);
}
