// Kernel 17, fused for CPUs: kernel 16 in one launch. A work-group packs its own rows of A, and reads B (mostly) where it lies.
//
//              blockN                      - A block of A, TSM rows by a block of K, is packed into local memory. (On a
//          +------------+                    CPU that is memory of the thread's own, which its second-level cache holds.)
//          |     B      |  a part of K     - B's elements are broadcast from the matrix itself. Its WPTN columns are as
//          +------------+                    many streams along K, or, if B is stored transposed, WPTN neighbours.
//   +--+   +------------+                  - A is copied once for each work-group in the same rows. So
//   |A |   |     C      |  TSM at a time     there should be few work-groups side by side and many below each other.
//   |  |   |            |                    Nothing goes through memory, and there is one launch: this is worth it up
//   +--+   +------------+  blockM            to about 1500 x 1500, and for shapes with few columns or little depth at
//                                            any size.
//
// - While the kernel multiplies, it fetches the data that it packs next into the second-level cache, and the next rows of a
//   B that is stored transposed. So packing does not wait for memory.
// - Of a transposed B each step of K is another line of the cache, of which a tile takes a quarter; lines that lie apart by a
//   power of two share few places of the cache, and each has a page of its own. So SIDE columns at a time are copied to where
//   they lie side by side, unless the first-level cache holds them where they are.
// - Split-K, for small C and large K: each work-group takes a part of K, call.whole.partK deep, and writes its sums beside
//   those of the other parts. (C, as this kernel sees it, is then parts * partC floats of workspace.) The helper `cpu_reduce`
//   adds them, always in the same order.
// - Of a batch of small products a work-group takes several, since what it begins with takes as long as one of them. Where a
//   product is more than some pages of memory, the next one's operands are fetched while it is computed. A small A in whole
//   vectors is not copied, but read where it lies: the first-level cache holds it while it is multiplied.
//
// Against kernel 16: one launch instead of two, A packed several times, B never or for each work-group.
//
// Takes: everything.
// Source: our own.
//
// Parameters: WIDTH, WPTM, WPTN, TSK as in kernel 16. TSM is a multiple of WPTM, and TSM * TSK floats are in local memory.
// TRANS_A, TRANS_B are 1 where the operand is stored transposed, A_IN_PLACE where A is read where it lies, COPY_B where columns
// of a transposed B are copied, FETCH_NEXT where the next product of a batch is fetched.
// REPRODUCIBLE and CONTRACTED as in kernel 16, too; LISTED: see product_list.clh.
#include "arguments.h"
#include "product_list.clh"
#include "reproducible.clh"

#ifndef WIDTH
#define WIDTH 16
#endif
#ifndef WPTM
#define WPTM 64
#endif
#ifndef WPTN
#define WPTN 4
#endif
#ifndef TSM
#define TSM 192
#endif
#ifndef TSK
#define TSK 384
#endif
#ifndef TRANS_A
#define TRANS_A 0
#endif
#ifndef TRANS_B
#define TRANS_B 0
#endif
#ifndef COPY_B
#define COPY_B 0
#endif
#ifndef FETCH_NEXT
#define FETCH_NEXT 0
#endif
#ifndef A_IN_PLACE
#define A_IN_PLACE 0
#endif

#include "cpu_common.clh"

#define MV (WPTM / WIDTH)
#define LINE 16 // floats in a cache line
#define AHEAD 64 // how many columns of a transposed B are fetched before they are needed
#define SIDE (WPTN < LINE ? LINE / WPTN * WPTN : WPTN) // how many of them are copied at a time, in a cache line

DEFINE_PACK_PANEL(pack_panel, local, packed_vector, WPTM, WIDTH, TRANS_A)

// Step k of fetching a strip of A, LINE rows by a block of K, that begins at nextA. Where that is 0 there is none to fetch.
#if TRANS_A
#define FETCH_A                                                                                                             \
    if (nextA)                                                                                                              \
        PREFETCH(nextA + k % LINE * lda + k / LINE * LINE);
#else
#define FETCH_A                                                                                                             \
    if (nextA)                                                                                                              \
        PREFETCH(nextA + k * lda);
#endif

#if COPY_B // Element (k, j) is at b[k * SIDE + j], in private memory.
#define PREPARE_B
#define ELEMENT_OF_B b[j]
#define NEXT_OF_B b += SIDE;

// Copies `columns` columns of B, at most SIDE. In place of columns that do not exist others are copied.
static inline void copy_columns(float* restrict to, const global float* restrict from, const ulong ld, const int columns,
                                const int depth)
{
    typedef float4 loaded_vector __attribute__((aligned(4)));
    for (int k = 0; k < depth; k++)
        if (columns == SIDE)
            UNROLLED for (int j = 0; j < SIDE; j += 4)
                *(float4*)(to + k * SIDE + j) = *(const global loaded_vector*)(from + k * ld + j);
        else
            for (int j = 0; j < (columns + WPTN - 1) / WPTN * WPTN; j += 4)
                *(float4*)(to + k * SIDE + j) = load_first4(from + k * ld + min(j, columns - 1), clamp(columns - j, 1, 4));
}
#elif TRANS_B // Element (k, j) is at b[k * ldb + j]. In place of columns that do not exist the last one is read.
#define PREPARE_B
#define ELEMENT_OF_B b[min(j, columns - 1)]
#define NEXT_OF_B b += ldb;
#else
// Element (k, j) is at groups[j / GROUP][apart[j % GROUP]]. The processor fetches these streams by itself. For eight columns
// there are no eight registers with pointers. So four columns share one, and the distances between them are the same in all
// groups. A group of which not all columns exist begins further left, where they do: so the sums of a column are at
// PLACE_OF(column).
#define GROUP 4 // which divides WPTN
#define PREPARE_B                                                                                                           \
    const global float* groups[WPTN / GROUP];                                                                               \
    ulong apart[GROUP];                                                                                                     \
    UNROLLED for (int g = 0; g < WPTN / GROUP; g++) groups[g] = b + clamp(columns - GROUP, 0, g * GROUP) * ldb;             \
    UNROLLED for (int j = 0; j < GROUP; j++) apart[j] = j == 0 ? 0 : min(j, columns - 1) * ldb;
#define ELEMENT_OF_B groups[j / GROUP][apart[j % GROUP]]
#define NEXT_OF_B UNROLLED for (int g = 0; g < WPTN / GROUP; g++) groups[g]++;
#define END_OF_GROUP(j) ((j) / GROUP * GROUP + GROUP)
#define PLACE_OF(j) (columns < GROUP || END_OF_GROUP(j) <= columns ? (j) : END_OF_GROUP(j) - columns + (j))
#endif
#if TRANS_B
#define FETCH_B                                                                                                             \
    if (nextB)                                                                                                              \
        PREFETCH(nextB + k * ldb);
#elif FETCH_NEXT // Of the same columns in the next product.
#define FETCH_B                                                                                                             \
    if (nextB)                                                                                                              \
        PREFETCH(nextB + k % WPTN * ldb + k / WPTN * LINE);
#else
#define FETCH_B
#endif

#if COPY_B
typedef const float* elements;
#else
typedef const global float* elements;
#endif
#if A_IN_PLACE
typedef const global float* panel;
#define VECTOR_OF_A(v) *(const global unaligned_vector*)(a + (v) * WIDTH)
#define NEXT_OF_A a += lda;
#else
typedef const local float* panel;
#define VECTOR_OF_A(v) *(const local vector*)(a + (v) * WIDTH)
#define NEXT_OF_A a += WPTM;
#endif
#define OPERANDS                                                                                                            \
    panel restrict a, elements restrict b, const ulong ldb, const global float* nextA, const ulong lda,                     \
        const global float* nextB
#define FETCH_AHEAD FETCH_A FETCH_B
#include "cpu_tile.clh"

// Work-group (t, s) computes block t of C (blockM x blockN, counted down the columns) from part s of K, or of some products
// of a batch, one after the other: those from s * together on.
kernel WHOLE_VECTORS __attribute__((reqd_work_group_size(1, 1, 1)))
void multiply(const global float* restrict A, const global float* restrict B, global float* restrict C,
              LIST const SeveralBlocksMultiplication call)
{
#if !A_IN_PLACE
    local float __attribute__((aligned(64))) Asub[TSM * TSK];
#endif
#if COPY_B
    float __attribute__((aligned(64))) Bsub[SIDE * TSK];
#endif

    const Multiplication whole = own_product(call.whole, list, get_group_id(1));
    const ulong M = whole.M, N = whole.N, K = whole.K, blockM = call.blockM, blockN = call.blockN;
    const ulong lda = TRANS_A ? whole.A.row : whole.A.column; // How far apart the lines begin along which memory runs.
    const ulong ldb = TRANS_B ? whole.B.row : whole.B.column;
    const ulong ldc = whole.C.column;
    const float alpha = whole.alpha;

    const ulong blocksM = (M + blockM - 1) / blockM;
    const ulong firstM = get_group_id(0) % blocksM * blockM;
    const ulong firstN = get_group_id(0) / blocksM * blockN;
    const ulong endM = min(firstM + blockM, M);
    const ulong endN = min(firstN + blockN, N);
    const ulong first = get_group_id(1) * call.together;
    const ulong endPart = min(first + call.together, call.parts);
    const ulong endK = min(K - first * whole.nextK, whole.partK); // Parts of K are not taken together.
#if LISTED // a work-group has one product
    if (endK == 0) {
        scale_block(C + whole.C.offset + firstN * ldc + firstM, ldc, endM - firstM, endN - firstN, whole.beta);
        return;
    }
#endif
    const ulong deep = block_depth(endK);
#if !A_IN_PLACE
    const bool keeps_a = whole.partA == 0 && endK <= deep && endM <= firstM + TSM; // All products have what Asub has.
#endif

    A += whole.A.offset + first * whole.partA;
    B += whole.B.offset + first * whole.partB;
    C += whole.C.offset + first * whole.partC;
    for (ulong part = first; part < endPart; part++, A += whole.partA, B += whole.partB, C += whole.partC) {
        for (ulong k = 0; k < endK; k += deep) {
            const int depth = (int)min(endK - k, deep);
            const float old = k == 0 ? whole.beta : 1.0f;
            for (ulong m = firstM; m < endM; m += TSM) {
                const ulong end = min(m + TSM, endM);
#if !A_IN_PLACE
                for (ulong p = m; p < end && !(keeps_a && part > first); p += WPTM)
                    pack_panel(Asub + (p - m) * depth, A + (TRANS_A ? p * lda + k : k * lda + p), lda,
                               (int)min(end - p, (ulong)WPTM), depth);
#endif
                // Meanwhile what comes next is fetched: with each panel of B a strip of each panel of A, and with the first
                // panel of A what lies AHEAD in B.
                const ulong nextM = end < endM ? end : firstM;
                const ulong nextK = end < endM ? k : k + deep;
                for (ulong q = firstN; q < endN; q += WPTN) {
                    const int columns = (int)min(endN - q, (ulong)WPTN);
#if COPY_B
                    const int copied = (int)((q - firstN) % SIDE);
                    if (copied == 0)
                        copy_columns(Bsub, B + k * ldb + q, ldb, (int)min(endN - q, (ulong)SIDE), depth);
                    const elements b = Bsub + copied;
#else
                    const elements b = B + (TRANS_B ? k * ldb + q : q * ldb + k);
#endif
                    const ulong strip = (q - firstN) / WPTN * LINE;
                    const ulong later = q - firstN + AHEAD;
                    const ulong laterN = firstN + later % (endN - firstN);
                    const ulong laterK = later < endN - firstN ? k : nextK;
                    for (ulong p = m; p < end; p += WPTM) {
#if A_IN_PLACE
                        const panel a = A + k * lda + p;
#else
                        const panel a = Asub + (p - m) * depth;
#endif
                        global float* c = C + q * ldc + p;
                        const int rows = (int)min(end - p, (ulong)WPTM);
                        const ulong i = nextM + p - m + strip;
                        const global float* nextA = A + (TRANS_A ? i * lda + nextK : nextK * lda + i);
                        const global float* nextB = B + laterK * ldb + laterN;
#if FETCH_NEXT
                        const bool is_last = part + 1 >= call.parts;
                        if (nextK >= endK) // this product ends: the next one's A
                            nextA = is_last ? 0 : A + whole.partA + (TRANS_A ? i * lda : i);
                        if (!TRANS_B || laterK >= endK) // the next one's B: the same columns, or those ahead
                            nextB = is_last || k > 0 ? 0 : B + whole.partB + (TRANS_B ? laterN : q * ldb);
                        if (strip >= WPTM)
                            nextA = 0;
                        if (p > m)
                            nextB = 0;
#else
                        if (strip >= WPTM || nextK >= endK)
                            nextA = 0;
                        if (p > m || laterK >= endK)
                            nextB = 0;
#endif
                        MULTIPLY_TILE(rows, (a, b, ldb, nextA, lda, nextB, depth, alpha, old, c, ldc, rows, columns));
                    }
                }
            }
        }
    }
}
