// For Intel's CPUs: FP32's accuracy from products of bf16 numbers on AMX tiles, faster than FP32 is there.
//
// Each float is the sum of three bf16 numbers, its pieces, and six products of pieces make the product of two floats to FP32's
// accuracy (pieces.clh says why). To pack an operand is to write it as pieces. There are two ways to do that:
//
// - in the launch that multiplies: each work-group packs its own rows of A and its own columns of B, a block of K at a time,
//   into local memory, which is memory of the thread's own. So nothing but the floats goes through memory, and there is one
//   launch. But what several work-groups need is packed several times.
// - by a launch before (PACKED_BEFORE): each panel is packed once, for all. That is worth it for large C and many cores.
//
//   packed operand: panels of 32 rows of op(A), or of 32 columns of op(B). For each 32 of K a panel has
//
//     piece 1                              piece 2                              piece 3
//     +------ 16 words ------+             Six tiles of 1 KB each, as the instructions want them (amx_tiles.clh):
//     |                      | 16 lines    - of A, line j is k = j (the low halves of words) and k = 16 + j (the high
//     +----------------------+               halves), and word m is row m: these are `words`.
//     |                      | 16 lines    - of B, line n is column n, and word j is k = j and k = 16 + j: these are `lines`.
//     +----------------------+             (In which order K is summed is free. In this one no operand needs a shuffle.)
//
//   So a tile of sums has columns of C as its lines, and lies as C does. Four tiles of sums are a tile of C, 32 x 32. Two more
//   hold a panel of A's piece, two a panel of B's:
//
//                      A:  tile 6   tile 7             Products are summed from the small ones to the large one, and in an
//                         +--------+--------+          order in which two tiles out of four change at a time:
//     B:  tile 4          | sums 0 | sums 1 |
//                         +--------+--------+             of A   3  2  2  1  1  1
//         tile 5          | sums 2 | sums 3 |             of B   1  1  2  2  3  1
//                         +--------+--------+
//                                                      14 loads of tiles are thus enough for 24 instructions that multiply.
//
//   for each block of K           As in cpu_packed.cl: the panels of A, a block of K deep, stay in the second-level cache,
//     for each panel of B         while those of B go through it; what comes next is fetched meanwhile.
//       for each panel of A
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
//   TSK               the depth of a block of K, a multiple of 32
//   PACKED_BEFORE     1: in two launches
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

#define PANEL 32 // rows of A, columns of B
#define STEP 32  // of K
#define TILE_BYTES 1024
#define STEP_BYTES (PIECES * 2 * TILE_BYTES)  // of a panel
#define PANEL_BYTES (TSK / STEP * STEP_BYTES) // of the deepest block of K
#define MOST_PANELS 8                         // of A, in a work-group's block of C
// Where in a step the tile of a piece lies, of the first (h = 0) or the second 16 rows or columns.
#define TILE_OF(piece, h) (((piece) - 1) * 2 * TILE_BYTES + (h) * TILE_BYTES)

// What is known of the numbers of a block of a panel. Magnitudes are compared as bits, of which those of NaN are the largest.
typedef struct {
    uint least; // that is not 0; infinity if all are
    uint largest;
} Range;

#define INFINITE 0x7f800000u

// -------------------------------------------------------------------------------------------------------------------------
// 32 rows (columns) by 32 of K of an operand, as packing wants them. Of A, low[h][j] has rows 16 h to 16 h + 15 at k = j; of B
// column 16 h + j at k = 0 to 15. `high` has the same 16 of K further.
typedef struct {
    vector low[2][16], high[2][16];
} Square;

#define LOAD(from) (*(const global unaligned_vector*)(from))

// Sixteen lines of sixteen floats, as many as are there; the rest is zeros.
static inline void load_block(vector* to, const global float* from, const ulong ld, const int floats, const int lines)
{
    if (floats >= 16 && lines >= 16) {
        UNROLLED for (int i = 0; i < 16; i++) to[i] = LOAD(from + i * ld);
        return;
    }
    for (int i = 0; i < 16; i++) {
        float line[16];
        for (int j = 0; j < 16; j++)
            line[j] = i < lines && j < floats ? from[i * ld + j] : 0.0f;
        to[i] = *(const unaligned_vector*)line;
    }
}

// Of a matrix so many lines are there, of so many floats. Each line is one k, or else has successive k of one row. `turned`:
// lines become columns.
static inline void load_square(Square* to, const global float* from, const ulong ld, const int floats, const int lines,
                               const bool line_is_k, const bool turned)
{
    for (int h = 0; h < 2; h++) {
        const int float_low = line_is_k ? 16 * h : 0, float_high = line_is_k ? 16 * h : 16;
        const int line_low = line_is_k ? 0 : 16 * h, line_high = line_is_k ? 16 : 16 * h;
        load_block(to->low[h], from + line_low * ld + float_low, ld, floats - float_low, lines - line_low);
        load_block(to->high[h], from + line_high * ld + float_high, ld, floats - float_high, lines - line_high);
        if (turned) {
            turn16(to->low[h]);
            turn16(to->high[h]);
        }
    }
}

static inline void load_a(Square* to, const global float* from, const ulong lda, const int rows, const int depth)
{
    load_square(to, from, lda, TRANS_A ? depth : rows, TRANS_A ? rows : depth, !TRANS_A, TRANS_A);
}

static inline void load_b(Square* to, const global float* from, const ulong ldb, const int columns, const int depth)
{
    load_square(to, from, ldb, TRANS_B ? columns : depth, TRANS_B ? depth : columns, TRANS_B, TRANS_B);
}

// -------------------------------------------------------------------------------------------------------------------------
// Packing.

// Magnitudes so far, the least one less 1: so that of 0 is the largest of all.
typedef struct {
    uint16 least_less_1, largest;
} Magnitudes;

static inline void look_at(Magnitudes* m, const vector x)
{
    const uint16 magnitude = as_uint16(x) & 0x7fffffffu;
    const uint16 less_1 = magnitude - 1;
    m->largest = magnitude > m->largest ? magnitude : m->largest;
    m->least_less_1 = less_1 < m->least_less_1 ? less_1 : m->least_less_1;
}

static inline Range range_of(const Magnitudes m)
{
    Range range = {INFINITE - 1, 0};
    for (int i = 0; i < WIDTH; i++) {
        range.least = min(range.least, ((const uint*)&m.least_less_1)[i]);
        range.largest = max(range.largest, ((const uint*)&m.largest)[i]);
    }
    range.least++;
    return range;
}

// Rounded to the nearest bf16 number, ties away from zero: any way to round ties is right (pieces.clh).
static inline uint16 rounded(const vector x)
{
    return (as_uint16(x) + 0x8000u) & 0xffff0000u;
}

// Writes a line of each piece's tile: the pieces of `low` in the low halves of words, those of `high` in the high ones.
static inline void pack_line(PACKED uchar* to, Magnitudes* magnitudes, const vector low, const vector high)
{
    look_at(magnitudes, low);
    look_at(magnitudes, high);
    const uint16 low1 = rounded(low), high1 = rounded(high);
    const vector low_rest = low - as_float16(low1), high_rest = high - as_float16(high1);
    const uint16 low2 = rounded(low_rest), high2 = rounded(high_rest);
    const uint16 low3 = as_uint16(low_rest - as_float16(low2)), high3 = as_uint16(high_rest - as_float16(high2));
    *(PACKED unaligned_vector*)(to + TILE_OF(1, 0)) = as_float16(low1 >> 16 | high1);
    *(PACKED unaligned_vector*)(to + TILE_OF(2, 0)) = as_float16(low2 >> 16 | high2);
    *(PACKED unaligned_vector*)(to + TILE_OF(3, 0)) = as_float16(low3 >> 16 | (high3 & 0xffff0000u));
}

static inline void pack_square(PACKED uchar* to, Magnitudes* magnitudes, const Square* square)
{
    for (int h = 0; h < 2; h++)
        for (int j = 0; j < 16; j++)
            pack_line(to + TILE_OF(1, h) + j * 64, magnitudes, square->low[h][j], square->high[h][j]);
}

#define AHEAD_ALONG_K 128 // how many floats of a line are fetched before they are needed

// Packs `depth` of K of a panel of A, of which so many rows are there. Most of it goes from memory straight into the tiles.
static inline Range pack_a(PACKED uchar* to, const global float* from, const ulong lda, const ulong along_k, const int rows,
                           const int depth)
{
    Magnitudes magnitudes = {(uint16)(0xffffffffu), (uint16)(0)};
    for (int k = 0; k < depth; k += STEP) {
        if (!TRANS_A && rows == PANEL && depth - k >= STEP) {
            for (int j = 0; j < 16; j++) {
                const global float *low = from + j * lda, *high = low + 16 * lda;
                PREFETCH(low + PANEL); // what the next panel begins with
                PREFETCH(low + PANEL + 16);
                PREFETCH(high + PANEL);
                PREFETCH(high + PANEL + 16);
                pack_line(to + j * 64, &magnitudes, LOAD(low), LOAD(high));
                pack_line(to + TILE_OF(1, 1) + j * 64, &magnitudes, LOAD(low + 16), LOAD(high + 16));
            }
        } else {
            Square square;
            load_a(&square, from, lda, rows, min(depth - k, STEP));
            pack_square(to, &magnitudes, &square);
        }
        from += STEP * along_k;
        to += STEP_BYTES;
    }
    return range_of(magnitudes);
}

// The same of a panel of B, of which so many columns are there.
static inline Range pack_b(PACKED uchar* to, const global float* from, const ulong ldb, const ulong along_k,
                           const int columns, const int depth)
{
    Magnitudes magnitudes = {(uint16)(0xffffffffu), (uint16)(0)};
    for (int k = 0; k < depth; k += STEP) {
        if (!TRANS_B && columns == PANEL && depth - k >= STEP) {
            for (int n = 0; n < PANEL; n++) {
                const global float* column = from + n * ldb;
                PREFETCH(column + AHEAD_ALONG_K);
                PREFETCH(column + AHEAD_ALONG_K + 16);
                pack_line(to + n * 64, &magnitudes, LOAD(column), LOAD(column + 16));
            }
        } else {
            Square square;
            load_b(&square, from, ldb, columns, min(depth - k, STEP));
            pack_square(to, &magnitudes, &square);
        }
        from += STEP * along_k;
        to += STEP_BYTES;
    }
    return range_of(magnitudes);
}

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
    const int lines = (int)min((of_a ? call.M : call.N) - panel * PANEL, (ulong)PANEL);
    const Strided stored = of_a ? call.A : call.B;
    Image image = of_a ? call.imageA : call.imageB;
    image.offset += get_group_id(2) * call.nextImage;
    image.ranges += get_group_id(2) * call.nextRanges;
    A += get_group_id(2) * call.next;
    B += get_group_id(2) * call.next;
    global uchar* to = (global uchar*)(workspace + image.offset) + (k / STEP * panels + panel * steps) * STEP_BYTES;
    global Range* range = (global Range*)(workspace + image.ranges) + get_group_id(1) * panels + panel;
    if (of_a)
        *range = pack_a(to, A + stored.offset + panel * PANEL * stored.row + k * stored.column, LDA, stored.column, lines,
                        depth);
    else
        *range = pack_b(to, B + stored.offset + panel * PANEL * stored.column + k * stored.row, LDB, stored.row, lines, depth);
}

#endif

// -------------------------------------------------------------------------------------------------------------------------
// Multiplication.

// A tile of C on its way, column after column.
typedef struct {
    float at[PANEL * PANEL] __attribute__((aligned(64)));
} Sums;

// Fetches a sixth of what the next step of A reads, into the first-level cache.
#if defined(__x86_64__)
#define FETCH_A(sixth)                                                                                                      \
    UNROLLED for (int i = 0; i < 16; i++)                                                                                   \
        __builtin_prefetch((const void*)(ulong)(a + STEP_BYTES + (sixth) * TILE_BYTES + i * 64), 0, 3);
#else
#define FETCH_A(sixth)
#endif
// And, where B was packed before, a sixth of what falls to a step if eight panels of A bring B's next one.
#define FETCHED (STEP_BYTES / MOST_PANELS)
#if PACKED_BEFORE
#define FETCH(sixth)                                                                                                        \
    FETCH_A(sixth) PREFETCH(next_b + (sixth) * FETCHED / 6);                                                                \
    PREFETCH(next_b + (sixth) * FETCHED / 6 + 64);
#else
#define FETCH(sixth) FETCH_A(sixth)
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
// of the halves that are not there. It is always inlined: as a function of its own, it would be told at compile time where
// packedB is, since that is always the same, and there PoCL 7.1 has another array of that name, into which nobody packs.
#define DEFINE_MULTIPLY_PIECES(NAME)                                                                                        \
    static inline __attribute__((always_inline)) void NAME(const PACKED uchar* a, const PACKED uchar* b,                    \
                                                           const PACKED uchar* next_b, const int steps, Sums* sums)         \
    {                                                                                                                       \
        DECLARE_TILES                                                                                                       \
        ZERO_TILE(0);                                                                                                       \
        ZERO_TILE(1);                                                                                                       \
        ZERO_TILE(2);                                                                                                       \
        ZERO_TILE(3);                                                                                                       \
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
            a += STEP_BYTES;                                                                                                \
            b += STEP_BYTES;                                                                                                \
            next_b += FETCHED;                                                                                              \
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

// The same from the floats themselves. Sums of PLAIN_CHUNK products each are added to the whole ones, because with fewer
// products in a sum its roundings are less.
#define PLAIN_CHUNK 128
static inline void multiply_floats(const global float* a, const ulong lda, const ulong a_along_k, const global float* b,
                                   const ulong ldb, const ulong b_along_k, const int rows, const int columns,
                                   const int depth, Sums* sums)
{
    vector part[PANEL][2];
    for (int n = 0; n < PANEL; n++)
        for (int h = 0; h < 2; h++)
            part[n][h] = *(vector*)(sums->at + n * PANEL + h * WIDTH) = (vector)(0.0f);
    for (int k = 0; k < depth; k += STEP) {
        const int there = min(depth - k, STEP);
        Square square_a, square_b;
        load_a(&square_a, a + k * a_along_k, lda, rows, there);
        load_b(&square_b, b + k * b_along_k, ldb, columns, there);
        for (int n = 0; n < PANEL; n += 8) {
            vector sum[8][2]; // in registers
            UNROLLED for (int j = 0; j < 8; j++)
                UNROLLED for (int h = 0; h < 2; h++) sum[j][h] = part[n + j][h];
            for (int l = 0; l < there; l++) {
                const vector* columns_of_b = (l < 16 ? square_b.low : square_b.high)[n / 16] + n % 16;
                UNROLLED for (int j = 0; j < 8; j++)
                {
                    const vector element = (vector)(((const float*)&columns_of_b[j])[l % 16]);
                    UNROLLED for (int h = 0; h < 2; h++)
                        sum[j][h] += (l < 16 ? square_a.low : square_a.high)[h][l % 16] * element;
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
    const Strided of_a = call.whole.A, of_b = call.whole.B;
    const ulong lda = TRANS_A ? of_a.row : of_a.column, ldb = TRANS_B ? of_b.row : of_b.column;
    const ulong deep = block_depth(K);
    A += of_a.offset + part * call.whole.partA;
    B += of_b.offset + part * call.whole.partB;
    C += call.whole.C.offset + part * call.whole.partC;
#if PACKED_BEFORE
    const ulong panelsA = call.imageA.rows / PANEL, panelsB = call.imageB.rows / PANEL;
#else
    local uchar packedA[MOST_PANELS * PANEL_BYTES] __attribute__((aligned(64)));
    local uchar packedB[PANEL_BYTES] __attribute__((aligned(64)));
#endif

    BEGIN_TILES();
    for (ulong k = 0; k < partK; k += deep) {
        const int depth = (int)min(partK - k, deep);
        const int steps = (depth + STEP - 1) / STEP;
        const ulong panel_bytes = (ulong)steps * STEP_BYTES;
        const float beta = k == 0 ? call.whole.beta : 1.0f;
        // The panels of the block's rows, one after the other.
#if PACKED_BEFORE
        const ulong step = (beginK + k) / STEP, block = (beginK + k) / deep;
        const PACKED uchar* block_a =
            (const global uchar*)(imagesA + call.imageA.offset) + step * panelsA * STEP_BYTES + beginM / PANEL * panel_bytes;
        const PACKED uchar* block_b = (const global uchar*)(imagesB + call.imageB.offset) + step * panelsB * STEP_BYTES;
        const global Range* ranges_a =
            (const global Range*)(imagesA + call.imageA.ranges) + block * panelsA + beginM / PANEL;
        const global Range* ranges_b = (const global Range*)(imagesB + call.imageB.ranges) + block * panelsB;
#else
        const PACKED uchar* block_a = packedA;
        Range ranges_a[MOST_PANELS];
        for (ulong m = beginM, p = 0; m < endM; m += PANEL, p++)
            ranges_a[p] = pack_a(packedA + p * panel_bytes, A + m * of_a.row + k * of_a.column, lda, of_a.column,
                                 (int)min(endM - m, (ulong)PANEL), depth);
#endif
        for (ulong n = beginN; n < endN; n += PANEL) {
            const int columns = (int)min(endN - n, (ulong)PANEL);
#if PACKED_BEFORE
            const PACKED uchar* b = block_b + n / PANEL * panel_bytes;
            const Range range_b = ranges_b[n / PANEL];
#else
            const PACKED uchar* b = packedB;
            const Range range_b = pack_b(packedB, B + n * of_b.column + k * of_b.row, ldb, of_b.row, columns, depth);
#endif
            for (ulong m = beginM, p = 0; m < endM; m += PANEL, p++) {
                const int rows = (int)min(endM - m, (ulong)PANEL);
                const Range range_a = ranges_a[p];
                const PACKED uchar* a = block_a + p * panel_bytes;
                const PACKED uchar* next_b = b + panel_bytes + p * steps * FETCHED;
                Sums sums;
                bool in_pieces = have_pieces(range_a, range_b, depth);
                if (in_pieces) {
                    if (columns <= 16)
                        multiply_pieces_of_few_columns(a, b, next_b, steps, &sums);
                    else if (rows <= 16)
                        multiply_pieces_of_few_rows(a, b, next_b, steps, &sums);
                    else
                        multiply_pieces(a, b, next_b, steps, &sums);
                    in_pieces = nothing_is_lost(range_a, range_b) ||
                                each_is_at_least(&sums, rows, columns, least_sum(range_a, range_b, depth));
                }
                if (!in_pieces)
                    multiply_floats(A + m * of_a.row + k * of_a.column, lda, of_a.column,
                                    B + n * of_b.column + k * of_b.row, ldb, of_b.row, rows, columns, depth, &sums);
                store(C + n * ldc + m, ldc, rows, columns, call.whole.alpha, beta, &sums);
            }
        }
    }
    END_TILES();
}
