// For Intel's CPUs: FP32's accuracy from products of bf16 numbers on AMX tiles, faster than FP32 is there.
//
// Each float is the sum of three bf16 numbers, its pieces, and six products of pieces make the product of two floats to FP32's
// accuracy (pieces.clh says why). To pack an operand is to write it as pieces. There are two ways to do that:
//
// - in the launch that multiplies: each work-group packs its own rows of A and its own columns of B, a block of K at a time,
//   into local memory, which is memory of the thread's own. So nothing but the floats goes through memory, and there is one
//   launch. But what several work-groups need is packed several times. Most of it is packed between instructions that
//   multiply, because the units for vectors have nothing else to do then.
// - by a launch before (PACKED_BEFORE): each panel is packed once, for all. That is worth it for large C and many cores.
//
//   Operands are packed in panels of 32 rows of op(A), or of 32 columns of op(B). In a tile of A's words are rows, in one of
//   B's lines are columns (amx_panels.clh). So a tile of sums has columns of C as its lines, and lies as C does. Four tiles of
//   sums are a tile of C, 32 x 32. Two more hold a panel of A's piece, two a panel of B's:
//
//                      A:  tile 6   tile 7             Products are summed from the small ones to the large one, and in an
//                         +--------+--------+          order in which two tiles out of four change at a time:
//     B:  tile 4          | sums 0 | sums 1 |
//                         +--------+--------+             of A   3  2  2  1  1  1
//         tile 5          | sums 2 | sums 3 |             of B   1  1  2  2  3  1
//                         +--------+--------+
//                                                      14 loads of tiles are thus enough for 24 instructions that multiply.
//
//   for each block of K           As in cpu_packed.cl: the panels of one operand, a block of K deep, are kept in the
//     for each panel of B         second-level cache, while those of the other pass by them, and what comes next is fetched
//       for each panel of A       or packed meanwhile. Those of B pass, or (A_PASSES) those of A, where B has few.
//         for each 32 of K        6 KB of A's panel and 6 KB of B's
//
// Numbers that do not fit. Tiles take subnormal numbers for zero, and make products and sums that are subnormal zero; and
// infinity and NaN have no pieces. So packing also finds the range of each panel's block: its largest magnitude and its least
// one that is not 0. By these, each tile of C decides in each block of K:
// - where something is infinite, NaN, near to that, or might overflow, it is computed from the floats themselves;
// - where pieces may have been lost below 2^-126, it is computed in pieces; but if a sum is so small that what is lost may
//   count, from the floats after all.
//
// How accurate it is (u = 2^-24, the bound of docs/accuracy.md): an instruction adds 32 products in two sums, 17 roundings of
// these at most, and one of the tile. Of the six products of 32 of K five are smaller by 2^8. So a block of K has an error of
// at most (17 + 6 K / 32 + 1) u sum |a||b|, and less where K is below 32. What pieces leave out is below u / 2.
//
// Split-K, for small C and large K: the work-groups of dimension 2 take a part of K each, call.whole.partK deep, which is a
// multiple of a block. In one launch they may also take products of a batch.
//
// Takes: everything. Workspace for panels that are packed before: 6 bytes for each element, and 8 for each panel and block.
// Source: our own. The pieces are those of Henry, Tang and Heinecke (2019, see pieces.clh), who foresaw such units.
//
// Parameters:
//   TSK               the depth of a block of K, a multiple of 32 from 96 to 4096
//   PACKED_BEFORE     1: in two launches
//   A_PASSES          1: panels of A pass by those of B, which are kept
//   TILES             where tiles come from (amx_tiles.clh)
//   TRANS_A, TRANS_B  1 where the operand is stored transposed
#include "arguments.h"

#ifndef TSK
#define TSK 512
#endif
#ifndef TILES
#define TILES 2
#endif
#ifndef PACKED_BEFORE
#define PACKED_BEFORE 0
#endif
#ifndef A_PASSES
#define A_PASSES 0
#endif
#ifndef TRANS_A
#define TRANS_A 0
#endif
#ifndef TRANS_B
#define TRANS_B 0
#endif

#define WIDTH 16
#define DEPTH_UNIT 32
#include "cpu_common.clh"
#include "pieces.clh"

// Where packed panels are.
#if PACKED_BEFORE
#define PACKED global
#else
#define PACKED local
#endif
#include "amx_tiles.clh"

#include "amx_panels.clh"

#define KEPT (!A_PASSES) // the operand whose panels are kept: of A or not
#define PASSING A_PASSES // and the other one

// How many panels are kept, of a work-group's block of C: what the second-level cache holds. (most_panels() of
// src/families/cpu_amx.cpp says the same.)
#define MOST_PANELS (TSK <= 512 ? 8 : 4096 / TSK)

#if PACKED_BEFORE

// Work-group (p, q, r) packs the qth block of K of panel p: panels of A first, then those of B. (Or of the rth operand, where
// there are several of one kind.)
//
// A packed operand is a sequence of blocks of K; a block is all panels in a row.
kernel WHOLE_VECTORS __attribute__((reqd_work_group_size(1, 1, 1)))
void pack_pieces(const global float* restrict A, const global float* restrict B, global float* restrict workspace,
                 const Splitting call)
{
    const bool of_a = get_group_id(0) < call.groupsA;
    const ulong panel = of_a ? get_group_id(0) : get_group_id(0) - call.groupsA;
    const ulong panels = of_a ? call.groupsA : call.groups - call.groupsA;
    const ulong deep = block_depth(call.K);
    const ulong k = get_group_id(1) * deep;
    const int depth = (int)min(call.K - k, deep);
    const int steps = (depth + STEP - 1) / STEP;
    const Strided stored = of_a ? call.A : call.B;
    Image image = of_a ? call.imageA : call.imageB;
    image.offset += get_group_id(2) * call.nextImage;
    image.ranges += get_group_id(2) * call.nextRanges;
    A += get_group_id(2) * call.next;
    B += get_group_id(2) * call.next;
    global uchar* to = (global uchar*)(workspace + image.offset) + (k / STEP * panels + panel * steps) * STEP_BYTES;
    global Range* range = (global Range*)(workspace + image.ranges) + get_group_id(1) * panels + panel;
    if (of_a) {
        const Operand a = {A + stored.offset, stored.row, stored.column};
        Panel packing = panel_to_pack(&a, panel * PANEL, call.M, k, depth, to, OF_A);
        *range = pack_rest(&packing, OF_A);
    } else {
        const Operand b = {B + stored.offset, stored.column, stored.row};
        Panel packing = panel_to_pack(&b, panel * PANEL, call.N, k, depth, to, OF_B);
        *range = pack_rest(&packing, OF_B);
    }
}

#endif

// -------------------------------------------------------------------------------------------------------------------------
// Multiplication.

// A tile of C on its way, column after column.
typedef struct {
    float at[PANEL * PANEL] __attribute__((aligned(64)));
} Sums;

// What is done while a panel of A is multiplied by one of B, besides fetching what the next step of A reads. The next tile of
// C is fetched, two columns in each of the first 16 steps. Where panels were packed before, so is B's next one: in a step as
// much of it as falls to it if there are MOST_PANELS of A. In one launch the next panel that passes is packed, as far as
// `until` says.
typedef struct {
    const global float* next_c;
    ulong ldc;
#if PACKED_BEFORE
    const PACKED uchar* next_b;
#else
    Panel next;
    int until;
#endif
} Meanwhile;

#if defined(__x86_64__)
#define FETCH_INTO_FIRST_CACHE(address, to_write) __builtin_prefetch((const void*)(ulong)(address), to_write, 3)
#else
#define FETCH_INTO_FIRST_CACHE(address, to_write)
#endif
#define FETCH_A(sixth)                                                                                                      \
    UNROLLED for (int i = 0; i < 16; i++) FETCH_INTO_FIRST_CACHE(a + STEP_BYTES + (sixth) * TILE_BYTES + i * 64, 0);
#define FETCH_C                                                                                                             \
    if (step < PANEL / 2)                                                                                                   \
        UNROLLED for (int i = 0; i < 4; i++)                                                                                \
            FETCH_INTO_FIRST_CACHE(meanwhile->next_c + (2 * step + i / 2) * meanwhile->ldc + i % 2 * 16, 1);
#if PACKED_BEFORE
#define FETCHED (STEP_BYTES / MOST_PANELS)
#define FETCH(sixth)                                                                                                        \
    FETCH_A(sixth)                                                                                                          \
    UNROLLED for (int i = 0; i < FETCHED / 6 / 64; i++)                                                                     \
        PREFETCH(meanwhile->next_b + step * FETCHED + (sixth) * FETCHED / 6 + i * 64);
#define BEGIN_PACKING
#define PACK_SOME
#else
#define FETCH(sixth) FETCH_A(sixth)
// Parts are spread over the halves of steps.
#define BEGIN_PACKING                                                                                                       \
    const int to_pack = meanwhile->until - meanwhile->next.done;                                                            \
    int due = 0;
#define PACK_SOME                                                                                                           \
    for (due += to_pack; due >= 2 * steps; due -= 2 * steps)                                                                \
        pack_part(&meanwhile->next, PASSING);
#endif

// Multiplies the pieces in tiles 4 to 7, and replaces those of A, or of B, by another piece. MORE_ROWS and MORE_COLUMNS say
// whether the second halves of the panels are there.
#define THEN_TAKE_OF_A(piece)                                                                                               \
    ADD_PRODUCTS(0, 4, 6);                                                                                                  \
    if (MORE_COLUMNS)                                                                                                       \
        ADD_PRODUCTS(2, 5, 6);                                                                                              \
    LOAD_TILE(6, a + TILE_OF(piece, 0));                                                                                    \
    if (MORE_ROWS) {                                                                                                        \
        ADD_PRODUCTS(1, 4, 7);                                                                                              \
        if (MORE_COLUMNS)                                                                                                   \
            ADD_PRODUCTS(3, 5, 7);                                                                                          \
        LOAD_TILE(7, a + TILE_OF(piece, 1));                                                                                \
    }
#define THEN_TAKE_OF_B(piece)                                                                                               \
    ADD_PRODUCTS(0, 4, 6);                                                                                                  \
    if (MORE_ROWS)                                                                                                          \
        ADD_PRODUCTS(1, 4, 7);                                                                                              \
    LOAD_TILE(4, b + TILE_OF(piece, 0));                                                                                    \
    if (MORE_COLUMNS) {                                                                                                     \
        ADD_PRODUCTS(2, 5, 6);                                                                                              \
        if (MORE_ROWS)                                                                                                      \
            ADD_PRODUCTS(3, 5, 7);                                                                                          \
        LOAD_TILE(5, b + TILE_OF(piece, 1));                                                                                \
    }

// Defines a function that multiplies a panel of A by one of B. What it says of halves are literals, so that nothing is left
// of the halves that are not there.
#define DEFINE_MULTIPLY_PIECES(NAME)                                                                                        \
    static inline INLINED void NAME(const PACKED uchar* a, const PACKED uchar* b, const int steps, Meanwhile* meanwhile,    \
                                    Sums* sums)                                                                             \
    {                                                                                                                       \
        DECLARE_TILES                                                                                                       \
        ZERO_TILE(0);                                                                                                       \
        ZERO_TILE(1);                                                                                                       \
        ZERO_TILE(2);                                                                                                       \
        ZERO_TILE(3);                                                                                                       \
        BEGIN_PACKING                                                                                                       \
        for (int step = 0; step < steps; step++) {                                                                          \
            LOAD_TILE(4, b + TILE_OF(1, 0));                                                                                \
            LOAD_TILE(6, a + TILE_OF(3, 0));                                                                                \
            if (MORE_COLUMNS)                                                                                               \
                LOAD_TILE(5, b + TILE_OF(1, 1));                                                                            \
            if (MORE_ROWS)                                                                                                  \
                LOAD_TILE(7, a + TILE_OF(3, 1));                                                                            \
            FETCH(0) THEN_TAKE_OF_A(2)                                                                                      \
            FETCH(1) THEN_TAKE_OF_B(2)                                                                                      \
            FETCH(2) THEN_TAKE_OF_A(1)                                                                                      \
            PACK_SOME FETCH_C                                                                                               \
            FETCH(3) THEN_TAKE_OF_B(3)                                                                                      \
            FETCH(4) THEN_TAKE_OF_B(1)                                                                                      \
            FETCH(5)                                                                                                        \
            ADD_PRODUCTS(0, 4, 6);                                                                                          \
            if (MORE_ROWS)                                                                                                  \
                ADD_PRODUCTS(1, 4, 7);                                                                                      \
            if (MORE_COLUMNS)                                                                                               \
                ADD_PRODUCTS(2, 5, 6);                                                                                      \
            if (MORE_ROWS && MORE_COLUMNS)                                                                                  \
                ADD_PRODUCTS(3, 5, 7);                                                                                      \
            PACK_SOME                                                                                                       \
            a += STEP_BYTES;                                                                                                \
            b += STEP_BYTES;                                                                                                \
        }                                                                                                                   \
        KEEP_TILE(0, sums->at, PANEL * 4);                                                                                  \
        KEEP_TILE(1, sums->at + 16, PANEL * 4);                                                                             \
        KEEP_TILE(2, sums->at + 16 * PANEL, PANEL * 4);                                                                     \
        KEEP_TILE(3, sums->at + 16 * PANEL + 16, PANEL * 4);                                                                \
    }

#define MORE_ROWS 1
#define MORE_COLUMNS 1
DEFINE_MULTIPLY_PIECES(multiply_pieces)
#undef MORE_COLUMNS
#define MORE_COLUMNS 0
DEFINE_MULTIPLY_PIECES(multiply_pieces_of_few_columns)
#undef MORE_ROWS
#undef MORE_COLUMNS
#define MORE_ROWS 0
#define MORE_COLUMNS 1
DEFINE_MULTIPLY_PIECES(multiply_pieces_of_few_rows)

// A square of 32 rows by 32 of K. Of A, at[h][k] has 16 rows from 16 h on; of B, at[h][n] has 16 of K of column n, from
// 16 h on.
typedef struct {
    vector at[2][32];
} Square;

static inline void load_square(Square* to, const Operand* operand, const ulong row, const ulong k, const int rows,
                               const int depth, const bool of_a)
{
    for (int h = 0; h < 2; h++)
        for (int i = 0; i < 32; i += LINES)
            load_four(&to->at[h][i], PLACE_IN(operand, row, k), LD_OF(operand, of_a), of_a ? 16 * h : i,
                      of_a ? i : 16 * h, rows, depth, of_a);
}

// The same from the floats themselves. Sums of PLAIN_CHUNK products each are added to the whole ones, because with fewer
// products in a sum its roundings are less.
#define PLAIN_CHUNK 128
static inline void multiply_floats(const Operand* a, const Operand* b, const ulong row, const ulong column,
                                   const ulong begin, const int rows, const int columns, const int depth, Sums* sums)
{
    vector part[PANEL][2];
    for (int n = 0; n < PANEL; n++)
        for (int h = 0; h < 2; h++)
            part[n][h] = *(vector*)(sums->at + n * PANEL + h * WIDTH) = (vector)(0.0f);
    for (int k = 0; k < depth; k += STEP) {
        const int there = min(depth - k, STEP);
        Square square_a, square_b;
        load_square(&square_a, a, row, begin + k, rows, there, OF_A);
        load_square(&square_b, b, column, begin + k, columns, there, OF_B);
        for (int n = 0; n < PANEL; n += 8) {
            vector sum[8][2]; // in registers
            UNROLLED for (int j = 0; j < 8; j++)
                UNROLLED for (int h = 0; h < 2; h++) sum[j][h] = part[n + j][h];
            for (int l = 0; l < there; l++) {
                const vector* columns_of_b = &square_b.at[l / 16][n];
                UNROLLED for (int j = 0; j < 8; j++)
                {
                    const vector element = (vector)(((const float*)&columns_of_b[j])[l % 16]);
                    UNROLLED for (int h = 0; h < 2; h++)
                        sum[j][h] += square_a.at[h][l] * element;
                }
            }
            UNROLLED for (int j = 0; j < 8; j++)
                UNROLLED for (int h = 0; h < 2; h++) part[n + j][h] = sum[j][h];
        }
        if ((k + STEP) % PLAIN_CHUNK == 0 || k + STEP >= depth)
            for (int n = 0; n < PANEL; n++)
                for (int h = 0; h < 2; h++) {
                    *(vector*)(sums->at + n * PANEL + h * WIDTH) += part[n][h];
                    part[n][h] = (vector)(0.0f);
                }
    }
}

// Whether the panels have pieces, and no sum of `depth` products overflows. The first piece of a number from 2^127 on may be
// infinity.
static inline bool have_pieces(const Range a, const Range b, const int depth)
{
    const uint most = 0x7f000000u;
    return a.largest < most && b.largest < most &&
           as_float(a.largest) * as_float(b.largest) * (float)depth < 0x1p126f;
}

// Whether nothing that counts is lost to zero, whatever the sums are. The last bit of a number from 2^-103 on is worth 2^-126
// or more, and so are its pieces, if they are not 0. A product of two numbers from 2^-96 on may lose parts below 2^-126 in each
// of its six products: less than u / 8 of it.
static inline bool nothing_is_lost(const Range a, const Range b)
{
    const float least_a = as_float(a.least), least_b = as_float(b.least);
    return least_a >= 0x1p-103f && least_b >= 0x1p-103f && least_a * least_b >= 0x1p-96f;
}

// From which magnitude on a sum of `depth` products is accurate in spite of what is lost. Each number may lose less than
// 2^-125, each product 2^-123 besides; that is less than a quarter of one rounding error of such a sum.
static inline float least_sum(const Range a, const Range b, const int depth)
{
    return (float)depth * 0x1p-99f * (as_float(a.largest) + as_float(b.largest) + 8.0f);
}

static inline bool each_is_at_least(const Sums* sums, const int rows, const int columns, const float least)
{
    for (int n = 0; n < columns; n++)
        for (int m = 0; m < rows; m++)
            if (!(fabs(sums->at[n * PANEL + m]) >= least))
                return false;
    return true;
}

// C = alpha * sums + beta * C.
static inline void store(global float* c, const ulong ldc, const int rows, const int columns, const float alpha,
                         const float beta, const Sums* sums)
{
    for (int n = 0; n < columns; n++) {
        global float* to = c + n * ldc;
        const float* from = sums->at + n * PANEL;
        int m = 0;
        for (; m + WIDTH <= rows; m += WIDTH) {
            const vector product = alpha * *(const vector*)(from + m);
            global unaligned_vector* there = (global unaligned_vector*)(to + m);
            *there = beta == 0.0f ? product : product + beta * *there;
        }
        for (; m < rows; m++) {
            const float product = alpha * from[m];
            to[m] = beta == 0.0f ? product : product + beta * to[m];
        }
    }
}

// Work-group (p, q, part) computes the block of C at row p * blockM and column q * blockN.
#if PACKED_BEFORE
kernel WHOLE_VECTORS __attribute__((reqd_work_group_size(1, 1, 1)))
void multiply_images(const global float* restrict A, const global float* restrict B, global float* restrict C,
                     const global float* restrict imagesA, const global float* restrict imagesB,
                     const ImageBlockMultiplication call)
#else
kernel WHOLE_VECTORS __attribute__((reqd_work_group_size(1, 1, 1)))
void multiply(const global float* restrict A, const global float* restrict B, global float* restrict C,
              const BlockMultiplication call)
#endif
{
    const ulong M = call.whole.M, N = call.whole.N, K = call.whole.K, ldc = call.whole.C.column;
    const ulong beginM = get_group_id(0) * call.blockM, endM = min(beginM + call.blockM, M);
    const ulong beginN = get_group_id(1) * call.blockN, endN = min(beginN + call.blockN, N);
    const ulong part = get_group_id(2), beginK = part * call.whole.nextK, partK = min(K - beginK, call.whole.partK);
    const Strided stored_a = call.whole.A, stored_b = call.whole.B;
    const Operand a = {A + stored_a.offset + part * call.whole.partA, stored_a.row, stored_a.column};
    const Operand b = {B + stored_b.offset + part * call.whole.partB, stored_b.column, stored_b.row};
    const ulong deep = block_depth(K);
    C += call.whole.C.offset + part * call.whole.partC;
    // Rows of A and columns of B, or the other way round.
    const ulong begin_kept = A_PASSES ? beginN : beginM, end_kept = A_PASSES ? endN : endM;
    const ulong begin_passing = A_PASSES ? beginM : beginN, end_passing = A_PASSES ? endM : endN;
#if PACKED_BEFORE
    const ulong panelsA = call.imageA.rows / PANEL, panelsB = call.imageB.rows / PANEL;
#else
    const ulong panels_kept = (end_kept - begin_kept + PANEL - 1) / PANEL;
    const Operand *operand_kept = A_PASSES ? &b : &a, *operand_passing = A_PASSES ? &a : &b;
    local uchar packed_kept[MOST_PANELS * PANEL_BYTES] __attribute__((aligned(64)));
    local uchar packed_passing[2 * PANEL_BYTES] __attribute__((aligned(64))); // the one that passes, and the next one
    Range ranges_kept[MOST_PANELS];
#endif

    BEGIN_TILES();
    for (ulong k = 0; k < partK; k += deep) {
        const int depth = (int)min(partK - k, deep);
        const int steps = (depth + STEP - 1) / STEP;
        const ulong panel_bytes = (ulong)steps * STEP_BYTES;
        const float beta = k == 0 ? call.whole.beta : 1.0f;
#if PACKED_BEFORE
        // The panels of the block, one after the other.
        const ulong step = (beginK + k) / STEP, block = (beginK + k) / deep;
        const PACKED uchar* block_a =
            (const global uchar*)(imagesA + call.imageA.offset) + step * panelsA * STEP_BYTES + beginM / PANEL * panel_bytes;
        const PACKED uchar* block_b = (const global uchar*)(imagesB + call.imageB.offset) + step * panelsB * STEP_BYTES;
        const global Range* ranges_a =
            (const global Range*)(imagesA + call.imageA.ranges) + block * panelsA + beginM / PANEL;
        const global Range* ranges_b = (const global Range*)(imagesB + call.imageB.ranges) + block * panelsB;
#else
        for (ulong kept = begin_kept, p = 0; kept < end_kept; kept += PANEL, p++) {
            Panel panel =
                panel_to_pack(operand_kept, kept, end_kept, k, depth, packed_kept + p * panel_bytes, KEPT);
            ranges_kept[p] = pack_rest(&panel, KEPT);
        }
        Panel first = panel_to_pack(operand_passing, begin_passing, end_passing, k, depth, packed_passing, PASSING);
        Range range_passing = pack_rest(&first, PASSING);
#endif
        for (ulong passing = begin_passing, q = 0; passing < end_passing; passing += PANEL, q++) {
            Meanwhile meanwhile;
            meanwhile.ldc = ldc;
#if !PACKED_BEFORE
            meanwhile.next = panel_to_pack(operand_passing, passing + PANEL, end_passing, k, depth,
                                           packed_passing + (q + 1) % 2 * PANEL_BYTES, PASSING);
#endif
            for (ulong kept = begin_kept, p = 0; kept < end_kept; kept += PANEL, p++) {
                const ulong m = A_PASSES ? passing : kept, n = A_PASSES ? kept : passing;
                const int rows = (int)min(endM - m, (ulong)PANEL), columns = (int)min(endN - n, (ulong)PANEL);
                global float* c = C + n * ldc + m;
                const bool is_last = kept + PANEL >= end_kept;
                const ulong next_kept = is_last ? begin_kept : kept + PANEL;
                const ulong next_passing = is_last ? passing + PANEL : passing;
                meanwhile.next_c = A_PASSES ? C + next_kept * ldc + next_passing : C + next_passing * ldc + next_kept;
#if PACKED_BEFORE
                const PACKED uchar *panel_a = block_a + p * panel_bytes, *panel_b = block_b + n / PANEL * panel_bytes;
                const Range range_a = ranges_a[p], range_b = ranges_b[n / PANEL];
                meanwhile.next_b = panel_b + panel_bytes + p * steps * FETCHED;
#else
                const PACKED uchar* kept_panel = packed_kept + p * panel_bytes;
                const PACKED uchar* passing_panel = packed_passing + q % 2 * PANEL_BYTES;
                const PACKED uchar* panel_a = A_PASSES ? passing_panel : kept_panel;
                const PACKED uchar* panel_b = A_PASSES ? kept_panel : passing_panel;
                const Range range_a = A_PASSES ? range_passing : ranges_kept[p];
                const Range range_b = A_PASSES ? ranges_kept[p] : range_passing;
                meanwhile.until = (int)(meanwhile.next.parts * (p + 1) / panels_kept);
#endif
                Sums sums;
                bool in_pieces = have_pieces(range_a, range_b, depth);
                if (in_pieces) {
                    if (columns <= 16)
                        multiply_pieces_of_few_columns(panel_a, panel_b, steps, &meanwhile, &sums);
                    else if (rows <= 16)
                        multiply_pieces_of_few_rows(panel_a, panel_b, steps, &meanwhile, &sums);
                    else
                        multiply_pieces(panel_a, panel_b, steps, &meanwhile, &sums);
                    in_pieces = nothing_is_lost(range_a, range_b) ||
                                each_is_at_least(&sums, rows, columns, least_sum(range_a, range_b, depth));
                }
                if (!in_pieces)
                    multiply_floats(&a, &b, m, n, k, rows, columns, depth, &sums);
                store(c, ldc, rows, columns, call.whole.alpha, beta, &sums);
            }
#if !PACKED_BEFORE
            range_passing = pack_rest(&meanwhile.next, PASSING);
#endif
        }
    }
    END_TILES();
}
