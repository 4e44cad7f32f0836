// Kernel 18, matrix times few vectors for CPUs: op(A) by up to 16 columns of B. A is read once and where it lies.
//
//   A stored as it is (memory runs down the columns)   A stored transposed (memory runs along the rows)
//
//        k k k k                                            +-----------------+
//       +-+-+-+-+---     DEPTH columns at a time go      i  |### >            |    ROWS rows at a time are read, as that
//       |#|#|#|#|        down the block of rows, as      i  |### >            |    many streams along K. Each row and column
//       |v|v|v|v|        that many streams. A vector        +-----------------+    has a vector of partial sums, for four
//       | | | | |        of each is multiplied by                                  columns at a time, whose elements are
//       +-+-+-+-+---     COLUMNS broadcasts of B. The                              added up at the end.
//                        sums stay in local memory.
//
// The matrix is larger than the caches and each element of it is used once, so the memory's bandwidth is the limit; for 16
// columns the arithmetic takes as long. So nothing is copied, streams are few and long, and while one group of columns
// (rows) is multiplied the next one is fetched into the second-level cache. (It is not fetched into the first, because
// columns that lie a multiple of 4096 bytes apart share one set of it.)
//
// With few rows instead of few columns, the plan exchanges the operands, since (A B)^T = B^T A^T. That is why B and C have
// two strides, the distance of their rows and that of their columns.
//
// A work-group takes blockM rows, COLUMNS columns and, with split-K, one part of K. The helper `cpu_reduce` adds the parts.
//
// Against kernel 17: nothing is packed.
//
// Takes: everything. More than COLUMNS columns take several passes over A.
// Source: our own.
//
// Parameters:
//   WIDTH    floats in a vector
//   COLUMNS  columns of a work-group, a power of 2
//   TSM      the most rows in a block, and
//   TSK      the most of K at a time: multiples of WIDTH, for which COLUMNS * (TSM + TSK) floats are in local memory
//   DEPTH    columns of A that are read at a time where it is stored as it is
//   ROWS     rows that are read at a time where it is stored transposed; ROWS by COLUMNS, or by 4 if those are more, is at
//            most 32
//   TRANS_A  1 where A is stored transposed
//   REPRODUCIBLE, CONTRACTED  see reproducible.clh. TSK is the depth that is given there.
#include "arguments.h"
#include "reproducible.clh"

#ifndef WIDTH
#define WIDTH 16
#endif
#ifndef COLUMNS
#define COLUMNS 1
#endif
#ifndef TSM
#define TSM 2048
#endif
#ifndef TSK
#define TSK 4096
#endif
#ifndef DEPTH
#define DEPTH 8
#endif
#ifndef ROWS
#define ROWS 8
#endif
#ifndef TRANS_A
#define TRANS_A 0
#endif

#include "cpu_common.clh"

#if COLUMNS < 4
#define AT_ONCE COLUMNS
#else
#define AT_ONCE 4 // columns, where A is stored transposed
#endif

// Adds the products of `rows` rows of A with b, over `depth` of K, to sums.
#if !TRANS_A
#define B_AT(k, j) b[(k) * COLUMNS + (j)]
#define SUM_AT(i, j) sums[((i) / WIDTH * COLUMNS + (j)) * WIDTH + (i) % WIDTH] // in whole vectors of WIDTH rows

#if COLUMNS * DEPTH <= 16
#define UNROLLED_IF_FEW UNROLLED // so that B's elements stay in registers
#else
#define UNROLLED_IF_FEW _Pragma("nounroll")
#endif

static inline void multiply_block(const global float* restrict a, const ulong lda, const local float* restrict b,
                                  local float* restrict sums, const int rows, const int depth)
{
    int k = 0;
    for (; k + DEPTH <= depth; k += DEPTH)
        for (int i = 0; i < rows; i += WIDTH) {
            vector sum[COLUMNS];
            UNROLLED for (int j = 0; j < COLUMNS; j++)
                sum[j] = *(local vector*)&SUM_AT(i, j);
            if (i + WIDTH <= rows) {
                UNROLLED_IF_FEW for (int d = k; d < k + DEPTH; d++) {
                    const global float* column = a + d * lda + i;
                    const vector x = *(const global unaligned_vector*)column;
                    PREFETCH(column + DEPTH * lda);
                    UNROLLED for (int j = 0; j < COLUMNS; j++)
                        ADD_PRODUCT(sum[j], x, (vector)(B_AT(d, j)));
                }
            } else {
                for (int d = k; d < k + DEPTH; d++) {
                    const vector x = JOIN(load_first, WIDTH)(a + d * lda + i, rows - i);
                    UNROLLED for (int j = 0; j < COLUMNS; j++)
                        ADD_PRODUCT(sum[j], x, (vector)(B_AT(d, j)));
                }
            }
            UNROLLED for (int j = 0; j < COLUMNS; j++)
                *(local vector*)&SUM_AT(i, j) = sum[j];
        }
    for (; k < depth; k++)
        for (int i = 0; i < rows; i += WIDTH) {
            const vector x = JOIN(load_first, WIDTH)(a + k * lda + i, min(rows - i, WIDTH));
            UNROLLED for (int j = 0; j < COLUMNS; j++)
                ADD_PRODUCT(*(local vector*)&SUM_AT(i, j), x, (vector)(B_AT(k, j)));
        }
}
#elif REPRODUCIBLE // Sums of a row must not be spread over a vector: squares of A are turned, so that a vector has one k of many rows.
#define B_AT(k, j) b[(k) * COLUMNS + (j)]
#define SUM_AT(i, j) sums[((i) / WIDTH * COLUMNS + (j)) * WIDTH + (i) % WIDTH]

static inline void multiply_block(const global float* restrict a, const ulong lda, const local float* restrict b,
                                  local float* restrict sums, const int rows, const int depth)
{
    int i = 0;
    for (; i + WIDTH <= rows; i += WIDTH) {
        const global float* next = a + (i + WIDTH) * lda;
        int k = 0;
        for (; k + WIDTH <= depth; k += WIDTH) {
            vector x[WIDTH];
            UNROLLED for (int r = 0; r < WIDTH; r++)
            {
                x[r] = *(const global unaligned_vector*)(a + (i + r) * lda + k);
                PREFETCH(next + r * lda + k);
            }
            JOIN(turn, WIDTH)(x);
            // In one piece, 8 columns and more are too many for PoCL 7.1's compiler, which dies of them.
            _Pragma("nounroll") for (int first = 0; first < COLUMNS; first += AT_ONCE)
            {
                vector sum[AT_ONCE];
                UNROLLED for (int j = 0; j < AT_ONCE; j++)
                    sum[j] = *(local vector*)&SUM_AT(i, first + j);
                UNROLLED for (int d = 0; d < WIDTH; d++)
                    UNROLLED for (int j = 0; j < AT_ONCE; j++)
                        ADD_PRODUCT(sum[j], x[d], (vector)(B_AT(k + d, first + j)));
                UNROLLED for (int j = 0; j < AT_ONCE; j++)
                    *(local vector*)&SUM_AT(i, first + j) = sum[j];
            }
        }
        for (; k < depth; k++)
            for (int r = i; r < i + WIDTH; r++)
                for (int j = 0; j < COLUMNS; j++)
                    ADD_PRODUCT(SUM_AT(r, j), a[r * lda + k], B_AT(k, j));
    }
    for (; i < rows; i++)
        for (int k = 0; k < depth; k++)
            for (int j = 0; j < COLUMNS; j++)
                ADD_PRODUCT(SUM_AT(i, j), a[i * lda + k], B_AT(k, j));
}
#else
#define B_AT(k, j) b[(j) * TSK + (k)]
#define SUM_AT(i, j) sums[(i) * COLUMNS + (j)]

// Adds the products of the vectors x, from ROWS rows, and of those of B at k.
#define ADD_VECTORS                                                                                                         \
    UNROLLED for (int j = 0; j < AT_ONCE; j++)                                                                              \
    {                                                                                                                       \
        const vector y = *(const local vector*)&B_AT(k, first + j);                                                         \
        UNROLLED for (int r = 0; r < ROWS; r++) sum[j][r] += x[r] * y;                                                      \
    }

// The rows are passed over once for each AT_ONCE columns, and each of these passes fetches its share of the next rows.
#define PASSES (COLUMNS / AT_ONCE)
#define FETCHES ((ROWS + PASSES - 1) / PASSES)

static inline float sum_of(const vector x)
{
#if WIDTH == 16
    const float8 eight = x.lo + x.hi;
#elif WIDTH == 8
    const float8 eight = x;
#endif
#if WIDTH >= 8
    const float4 four = eight.lo + eight.hi;
#else
    const float4 four = x;
#endif
    const float2 two = four.lo + four.hi;
    return two.x + two.y;
}

static inline void multiply_block(const global float* restrict a, const ulong lda, const local float* restrict b,
                                  local float* restrict sums, const int rows, const int depth)
{
    int i = 0;
    for (; i + ROWS <= rows; i += ROWS) {
        const global float* row[ROWS];
        UNROLLED for (int r = 0; r < ROWS; r++)
            row[r] = a + (i + r) * lda;
        for (int first = 0; first < COLUMNS; first += AT_ONCE) {
            const global float* next = a + (i + ROWS + first / AT_ONCE * FETCHES) * lda;
            vector sum[AT_ONCE][ROWS];
            UNROLLED for (int j = 0; j < AT_ONCE; j++)
                UNROLLED for (int r = 0; r < ROWS; r++)
                    sum[j][r] = (vector)(0.0f);
            int k = 0;
            for (; k + WIDTH <= depth; k += WIDTH) {
                vector x[ROWS];
                UNROLLED for (int r = 0; r < ROWS; r++)
                    x[r] = *(const global unaligned_vector*)(row[r] + k);
                UNROLLED for (int r = 0; r < FETCHES; r++)
                    PREFETCH(next + r * lda + k);
                ADD_VECTORS
            }
            if (k < depth) {
                vector x[ROWS];
                UNROLLED for (int r = 0; r < ROWS; r++)
                    x[r] = JOIN(load_first, WIDTH)(row[r] + k, depth - k);
                ADD_VECTORS
            }
            UNROLLED for (int j = 0; j < AT_ONCE; j++)
                UNROLLED for (int r = 0; r < ROWS; r++)
                    SUM_AT(i + r, first + j) += sum_of(sum[j][r]);
        }
    }
    for (; i < rows; i++)
        for (int j = 0; j < COLUMNS; j++) {
            vector sum = (vector)(0.0f);
            int k = 0;
            for (; k + WIDTH <= depth; k += WIDTH)
                sum += *(const global unaligned_vector*)(a + i * lda + k) * *(const local vector*)&B_AT(k, j);
            if (k < depth)
                sum += JOIN(load_first, WIDTH)(a + i * lda + k, depth - k) * *(const local vector*)&B_AT(k, j);
            SUM_AT(i, j) += sum_of(sum);
        }
}
#endif

// Copies the next `depth` rows of B, of which `columns` columns exist; in place of the others the last one is copied. Where a row
// of A is read in vectors, the last vector of a column is filled up with zeros.
#if TRANS_A && !REPRODUCIBLE
static inline void copy_b(local float* restrict b, const global float* restrict from, const ulong strideK, const ulong strideN,
                          const int columns, const int depth)
{
    if (strideK == 1) {
        for (int j = 0; j < COLUMNS; j++) {
            const global float* column = from + min(j, columns - 1) * strideN;
            for (int k = 0; k < depth; k += WIDTH)
                *(local vector*)&B_AT(k, j) = k + WIDTH <= depth ? *(const global unaligned_vector*)(column + k)
                                                                 : JOIN(load_first, WIDTH)(column + k, depth - k);
        }
        return;
    }
    for (int j = 0; j < COLUMNS; j++)
        *(local vector*)&B_AT((depth - 1) / WIDTH * WIDTH, j) = (vector)(0.0f);
    for (int k = 0; k < depth; k++)
        UNROLLED for (int j = 0; j < COLUMNS; j++)
            B_AT(k, j) = from[k * strideK + min(j, columns - 1) * strideN];
}
#else
#if COLUMNS >= 4
#if COLUMNS < WIDTH
#define WIDTH_B COLUMNS
#else
#define WIDTH_B WIDTH
#endif
// In squares of 4, since PoCL 7.1's compiler dies of squares of 16 here.
DEFINE_PACK_PANEL(pack_along_k, local, packed_vector, COLUMNS, 4, 1)
DEFINE_PACK_PANEL(pack_along_n, local, packed_vector, COLUMNS, WIDTH_B, 0)
#endif
static inline void copy_b(local float* restrict b, const global float* restrict from, const ulong strideK, const ulong strideN,
                          const int columns, const int depth)
{
#if COLUMNS >= 4
    if (strideK == 1)
        pack_along_k(b, from, strideN, columns, depth);
    else
        pack_along_n(b, from, strideK, columns, depth);
#else
    for (int k = 0; k < depth; k++)
        UNROLLED for (int j = 0; j < COLUMNS; j++)
            B_AT(k, j) = from[k * strideK + min(j, columns - 1) * strideN];
#endif
}
#endif

// C = alpha * sums + beta * C, where only rowC or columnC is 1. In memory it goes from one element to the next.
static inline void store(global float* restrict C, const ulong rowC, const ulong columnC, const local float* restrict sums,
                         const int rows, const int columns, const float alpha, const float beta)
{
    if (rowC != 1) {
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < columns; j++) {
                global float* c = C + i * rowC + j * columnC;
                *c = RESULT(float, alpha, SCALED(alpha, SUM_AT(i, j)), beta, *c);
            }
        return;
    }
    for (int j = 0; j < columns; j++) {
        global float* c = C + j * columnC;
#if !TRANS_A || REPRODUCIBLE // the sums of WIDTH rows are a vector
        for (int i = 0; i < rows; i += WIDTH) {
            const int count = min(rows - i, WIDTH);
            const vector sum = *(const local vector*)&SUM_AT(i, j);
            const vector old = beta == 0.0f ? (vector)(0.0f) : JOIN(load_first, WIDTH)(c + i, count);
            JOIN(store_first, WIDTH)(c + i, RESULT(vector, alpha, SCALED(alpha, sum), beta, old), count);
        }
#else
        for (int i = 0; i < rows; i++)
            c[i] = RESULT(float, alpha, SCALED(alpha, SUM_AT(i, j)), beta, c[i]);
#endif
    }
}

// Work-group (p, q, s) computes the rows from p * blockM on of the columns from q * COLUMNS on, from part s of K or of
// product s of a batch.
kernel WHOLE_VECTORS __attribute__((reqd_work_group_size(1, 1, 1)))
void multiply(const global float* restrict A, const global float* restrict B, global float* restrict C,
              const BlockMultiplication call)
{
    local float __attribute__((aligned(64))) b[COLUMNS * TSK];
    local float __attribute__((aligned(64))) sums[COLUMNS * TSM];

    const Multiplication whole = call.whole;
    const ulong lda = TRANS_A ? whole.A.row : whole.A.column; // How far apart the lines begin along which memory runs.
    const ulong strideK = whole.B.row, strideN = whole.B.column;
    const ulong rowC = whole.C.row, columnC = whole.C.column;
    const float alpha = whole.alpha, beta = whole.beta;

    const ulong firstM = get_group_id(0) * call.blockM;
    const ulong firstN = get_group_id(1) * COLUMNS;
    const ulong part = get_group_id(2);
    const int columns = (int)min(whole.N - firstN, (ulong)COLUMNS);
    const int rows = (int)min(call.blockM, whole.M - firstM);
    const ulong endK = min(whole.K - part * whole.nextK, whole.partK);
    A += whole.A.offset + part * whole.partA;
    B += whole.B.offset + part * whole.partB + firstN * strideN;
    C += whole.C.offset + part * whole.partC + firstM * rowC + firstN * columnC;

    const int used = (rows + WIDTH - 1) / WIDTH * WIDTH * COLUMNS; // whole vectors of rows
    for (int i = 0; i < used; i++)
        sums[i] = 0.0f;
    for (ulong k = 0; k < endK; k += TSK) {
        const int depth = (int)min(endK - k, (ulong)TSK);
        copy_b(b, B + k * strideK, strideK, strideN, columns, depth);
        multiply_block(A + (TRANS_A ? firstM * lda + k : k * lda + firstM), lda, b, sums, rows, depth);
#if REPRODUCIBLE // C has the total of the blocks before.
        store(C, rowC, columnC, sums, rows, columns, alpha, k == 0 ? beta : 1.0f);
        for (int i = 0; i < used; i++)
            sums[i] = 0.0f;
#endif
    }
#if !REPRODUCIBLE
    store(C, rowC, columnC, sums, rows, columns, alpha, beta);
#endif
}
