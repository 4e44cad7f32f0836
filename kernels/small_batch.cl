// Small products, a whole batch of them in one launch: a work-group has several of them.
//
//    product 0      product 1      product 2               a product of 7 x 7, WPTM = WPTN = 2
//   +---------+    +---------+    +---------+              +--+--+--+-+
//   | items   |    | items   |    | items   |   ...        |i0|i4|..| |   A work-item has WPTM x WPTN elements of C. So
//   | 0 to 15 |    | 16 to 31|    | 32 to 47|              +--+--+--+-+   products of any size are filled but for the last
//   +---------+    +---------+    +---------+              |i1|i5|  | |   rows and columns, and sizes need no programs of
//        \______________|______________/                   +--+--+--+-+   their own: they are arguments.
//           local memory has all of them                  |..|  |  | |
//
// - Small products are limited by memory: they do few operations for each element. So the work-group copies its products'
//   operands into local memory as they lie, in vectors where they are aligned, without turning them: neighbouring work-items
//   take what lies next to each other, across lines and products. On NVIDIA GPUs the copies are in the background.
// - Either all of K is one step, which may take all of local memory: then other work-groups of the compute unit multiply
//   while this one waits for its copies. Or K has several steps, and local memory is two stages of half its size: then the
//   next step is on its way while one is multiplied.
// - From local memory a work-item reads vectors: WPTM (WPTN) neighbours along M (N) for one k, or four along K for one row
//   (column). There a row along K is four floats longer than a multiple of eight, and a work-item's rows lie tiles apart where
//   there are many tiles: then eight work-items read from all banks at once.
// - An operand of products that lie one behind another without gaps can be copied as one stretch (STRETCH_A, STRETCH_B), in
//   vectors though its lines are not aligned. In local memory it lies as it did, so that work-items read single floats.
// - An operand that all products share is copied once for the work-group.
//
// Against kernel 13: a work-group is not limited to one product, nor to tiles of fixed sides.
//
// Takes: everything. A product that is too large for a work-group is cut into blocks, one for each work-group of dimensions
// 1 and 2; it is made for products that are not.
// Source: our own.
//
// Parameters:
//   WPTM, WPTN        the work-item's elements of C, 1, 2, 4 or 8 each way
//   ITEMS             work-items, a power of two
//   FLOATS            local memory: all of it for one step, or half of it for each of two stages
//   ASYNC             1 to copy in the background (NVIDIA, from compute capability 8.0 on)
//   TRANS_A, TRANS_B  1 where the operand is stored transposed
//   WIDTH_A, WIDTH_B  4 where the operand can be read in whole float4s along memory, otherwise 1
//   STRETCH_A, STRETCH_B  1 where the operand is copied as one stretch: it has no gaps from the first product to the last,
//                     all of K is one step, and WIDTH_A (WIDTH_B) is 1
//   FOURS_M           1 where a work-item's rows are neighbours, in fours if it has so many, and it stores them as vectors.
//                     Elsewhere they lie tiles apart, so that neighbouring work-items store neighbours.
//   REPRODUCIBLE, CONTRACTED  see reproducible.clh. K is a single block then.
//   LISTED            see product_list.clh. The list says for each copy and each product where its matrices begin.
#include "arguments.h"
#include "product_list.clh"
#include "reproducible.clh"
#include "sub_group.clh"

#ifndef WPTM
#define WPTM 4
#endif
#ifndef WPTN
#define WPTN 2
#endif
#ifndef ITEMS
#define ITEMS 128
#endif
#ifndef FLOATS
#define FLOATS 9216
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
#ifndef STRETCH_A
#define STRETCH_A 0
#endif
#ifndef STRETCH_B
#define STRETCH_B 0
#endif
#ifndef FOURS_M
#define FOURS_M 0
#endif

#define LEAST(x, y) ((x) < (y) ? (x) : (y))
// How many neighbouring rows (columns) of C a work-item has side by side: those that it reads as one vector.
#define SIDE_M (FOURS_M ? LEAST(WPTM, 4) : 1)
#define SIDE_N (TRANS_B && !STRETCH_B ? LEAST(WPTN, 4) : 1)

#include "copies.clh"

// x / y for x below 2^20. (NVIDIA's GPUs take longer for the division of whole numbers.)
static inline int quotient(const int x, const int y)
{
    return (int)(((float)x + 0.5f) / (float)y);
}

// How a work-item goes through the runs of an operand that the work-group copies together, one or four floats at a time:
// where in a run it begins, in which run, of which product, and how far it goes on from there.
typedef struct {
    int at, line, product;
    int next_at, next_line, next_product;
} Walk;

static inline Walk walk_of(const int length, const int lines, const int tid)
{
    const int before = quotient(tid, length);
    const int next = quotient(ITEMS, length);
    Walk walk;
    walk.at = tid - before * length;
    walk.product = quotient(before, lines);
    walk.line = before - walk.product * lines;
    walk.next_at = ITEMS - next * length;
    walk.next_product = quotient(next, lines);
    walk.next_line = next - walk.next_product * lines;
    return walk;
}

// An operand of several products, in global and local memory.
typedef struct {
    int length, lines;  // a run of neighbours, in copies, and how many runs a product has in this step
    int pitch, area;    // local memory: from a run to the next, and from a product to the next
    ulong ld, distance; // the same in global memory
} Place;

static inline void advance(Walk* walk, const Place* place)
{
    walk->at += walk->next_at;
    walk->line += walk->next_line;
    walk->product += walk->next_product;
    if (walk->at >= place->length) {
        walk->at -= place->length;
        walk->line++;
    }
    if (walk->line >= place->lines) {
        walk->line -= place->lines;
        walk->product++;
    }
}

// Where a product's matrix begins, counted from the first one's, and whether it is looked at.
#if LISTED
#define BEGIN(product, OFFSET) list[product].OFFSET
#define IS_READ(product) (list[product].alpha != 0.0f)
#else
#define BEGIN(product, OFFSET) (product) * place.distance
#define IS_READ(product) true
#endif

// Brings so many products' operand into local memory, all work-items together.
#define DEFINE_COPY_IN(NAME, WIDTH, TYPE, OFFSET)                                                                           \
    static inline void NAME(local float* to, const global float* from, LIST const Place place, Walk walk,                   \
                            const int products)                                                                             \
    {                                                                                                                       \
        while (walk.product < products)                                                                                     \
            COPY_SOME(WIDTH, TYPE, OFFSET)                                                                                  \
    }
#define TO(walk, width) (to + walk.product * place.area + walk.line * place.pitch + walk.at * width)
#define FROM(walk, width, OFFSET) (from + BEGIN(walk.product, OFFSET) + walk.line * place.ld + walk.at * width)
#if ASYNC
#define COPY_SOME(WIDTH, TYPE, OFFSET)                                                                                      \
    {                                                                                                                       \
        if (IS_READ(walk.product)) {                                                                                        \
            if (WIDTH == 4)                                                                                                 \
                begin_copy_16((uint)(ulong)TO(walk, WIDTH), (ulong)FROM(walk, WIDTH, OFFSET));                              \
            else                                                                                                            \
                begin_copy_4_or_zeros((uint)(ulong)TO(walk, WIDTH), FROM(walk, WIDTH, OFFSET), true);                       \
        }                                                                                                                   \
        advance(&walk, &place);                                                                                             \
    }
#else // Four copies begin one right after the other. (Null pointers could not tell which: Mesa's local memory begins at 0.)
#define COPY_SOME(WIDTH, TYPE, OFFSET)                                                                                      \
    {                                                                                                                       \
        local float* places[4];                                                                                             \
        bool is_copied[4];                                                                                                  \
        TYPE values[4];                                                                                                     \
        _Pragma("unroll") for (int i = 0; i < 4; i++)                                                                       \
        {                                                                                                                   \
            is_copied[i] = walk.product < products && IS_READ(walk.product);                                                \
            if (is_copied[i]) {                                                                                             \
                places[i] = TO(walk, WIDTH);                                                                                \
                values[i] = *(const global TYPE*)FROM(walk, WIDTH, OFFSET);                                                 \
            }                                                                                                               \
            advance(&walk, &place);                                                                                         \
        }                                                                                                                   \
        _Pragma("unroll") for (int i = 0; i < 4; i++) if (is_copied[i]) *(local TYPE*)places[i] = values[i];                \
    }
#endif
#if WIDTH_A == 4
DEFINE_COPY_IN(copy_in_A, 4, float4, OFFSET_A)
#else
DEFINE_COPY_IN(copy_in_A, 1, float, OFFSET_A)
#endif
#if WIDTH_B == 4
DEFINE_COPY_IN(copy_in_B, 4, float4, OFFSET_B)
#else
DEFINE_COPY_IN(copy_in_B, 1, float, OFFSET_B)
#endif

// Brings a stretch of floats into local memory, all work-items together: those from `first` on and before `end`, as counted
// from a multiple of 16 bytes in both. What is outside of the stretch is not touched.
static inline void copy_stretch(local float* to, const global float* from, const int first, const int end, const int tid)
{
    #pragma unroll 4
    for (int at = 4 * tid; at < end; at += 4 * ITEMS) {
        if (at >= first && at + 4 <= end) {
#if ASYNC
            begin_copy_16((uint)(ulong)(to + at), (ulong)(from + at));
#else
            *(local float4*)(to + at) = *(const global float4*)(from + at);
#endif
        } else {
            for (int i = max(at, first); i < min(at + 4, end); i++)
                to[i] = from[i];
        }
    }
}

// Where in local memory a work-item's i-th row (column) lies, counted from its first: `side` of them are neighbours, `beside`
// floats apart, and the next ones lie `step` floats further.
static inline int place_of(const int i, const int side, const int step, const int beside)
{
    return i / side * step + i % side * beside;
}

// Reads `count` values of an operand for each of four k. `wide`: where they run along K, they begin at multiples of 16 bytes.
static inline void load_four_k(float* values, const local float* from, const int count, const int side, const int step,
                               const int pitch, const bool along_k, const bool wide)
{
    if (along_k && !wide) {
        #pragma unroll
        for (int i = 0; i < count; i++)
            #pragma unroll
            for (int k = 0; k < 4; k++)
                values[k * count + i] = from[place_of(i, side, step, pitch) + k];
    } else if (along_k) {
        #pragma unroll
        for (int i = 0; i < count; i++) {
            const float4 four = *(const local float4*)(from + place_of(i, side, step, pitch));
            values[i] = four.x;
            values[count + i] = four.y;
            values[2 * count + i] = four.z;
            values[3 * count + i] = four.w;
        }
    } else {
        #pragma unroll
        for (int k = 0; k < 4; k++)
            #pragma unroll
            for (int i = 0; i < count; i += side) {
                const local float* place = from + k * pitch + place_of(i, side, step, 1);
                if (side == 4) {
                    const float4 four = *(const local float4*)place;
                    values[k * count + i] = four.x;
                    values[k * count + i + 1] = four.y;
                    values[k * count + i + 2] = four.z;
                    values[k * count + i + 3] = four.w;
                } else if (side == 2) {
                    const float2 two = *(const local float2*)place;
                    values[k * count + i] = two.x;
                    values[k * count + i + 1] = two.y;
                } else {
                    values[k * count + i] = *place;
                }
            }
    }
}

// The same for one k.
static inline void load_one_k(float* values, const local float* from, const int count, const int side, const int step,
                              const int beside)
{
    #pragma unroll
    for (int i = 0; i < count; i++)
        values[i] = from[place_of(i, side, step, beside)];
}

static inline void add_products(float (*sum)[WPTN], const float* valuesA, const float* valuesB)
{
    #pragma unroll
    for (int n = 0; n < WPTN; n++)
        #pragma unroll
        for (int m = 0; m < WPTM; m++)
            ADD_PRODUCT(sum[m][n], valuesA[m], valuesB[n]);
}

// What a product's operand takes of local memory: an odd multiple of 16 floats, so that two products that a warp has at a
// time lie in different banks.
static inline int area_of(const int floats)
{
    return (floats + 15) / 16 * 16 | 16;
}

// What a stretch of so many floats takes there, wherever it begins and as far as tiles read that are partly outside.
static inline int stretch_of(const int floats)
{
    return (floats + 3 + 8 + 15) / 16 * 16;
}

// How long a run of `depth` floats along K is there.
static inline int pitch_along_k(const int depth)
{
    return (depth + 7) / 8 * 8 + 4;
}

kernel IN_SUB_GROUPS __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void multiply(const global float* restrict A, const global float* restrict B, global float* restrict C,
              LIST const SmallProducts call)
{
    local float __attribute__((aligned(16))) memory[FLOATS];

    const Multiplication whole = call.whole;
    const ulong K = whole.K, ldc = whole.C.column;

    // The block of C that this work-group has of each of its products, and which of these.
    const ulong blockM = get_group_id(1) * call.blockM;
    const ulong blockN = get_group_id(2) * call.blockN;
    const int rows = (int)min(whole.M - blockM, call.blockM);
    const int columns = (int)min(whole.N - blockN, call.blockN);
    const int together = (int)call.together;
    const ulong first = get_group_id(0) * call.together;
    const int products = (int)min(call.products - first, call.together);
    const int deep = (int)call.deep;

    // Which product and which tile of it this work-item has. Some work-items may have none, and only copy.
    const int tid = get_local_id(0);
    const int tilesM = ((int)call.blockM + WPTM - 1) / WPTM;
    const int tilesN = ((int)call.blockN + WPTN - 1) / WPTN;
    const int its_product = quotient(tid, tilesM * tilesN);
    const int tile = tid - its_product * (tilesM * tilesN);
    const int tileN = quotient(tile, tilesM);
    const int tileM = tile - tileN * tilesM;

    // The operands in global and local memory.
    Place a, b;
    a.ld = TRANS_A ? whole.A.row : whole.A.column;
    b.ld = TRANS_B ? whole.B.row : whole.B.column;
    a.distance = call.distanceA;
    b.distance = call.distanceB;
    a.pitch = TRANS_A ? pitch_along_k(deep) : (tilesM * WPTM + 3) / 4 * 4;
    b.pitch = TRANS_B ? (tilesN * WPTN + 3) / 4 * 4 : pitch_along_k(deep);
    const int linesA = TRANS_A ? tilesM * WPTM : deep, linesB = TRANS_B ? deep : tilesN * WPTN;
    a.area = area_of(a.pitch * linesA);
    b.area = area_of(b.pitch * linesB);
    const int besidesA = call.distanceA == 0 ? 0 : together - 1; // products whose operand is there, besides one
#if LISTED
    list += whole.first + first;
#else
    A += whole.A.offset + first * a.distance;
    B += whole.B.offset + first * b.distance;
#endif
    A += TRANS_A ? blockM * a.ld : blockM;
    B += TRANS_B ? blockN : blockN * b.ld;
#if STRETCH_A
    a.pitch = (int)a.ld;
    a.area = (int)a.distance;
    const int firstA = (int)((ulong)A / 4 % 4); // from a multiple of 16 bytes on
    const int floatsA = stretch_of(besidesA * a.area + a.pitch * linesA);
#else
    const int firstA = 0, floatsA = (besidesA + 1) * a.area;
#endif
#if STRETCH_B
    b.pitch = (int)b.ld;
    b.area = (int)b.distance;
    const int firstB = (int)((ulong)B / 4 % 4);
#else
    const int firstB = 0;
#endif
    local float* const localA = memory;
    local float* const localB = memory + floatsA;
    const bool is_there = its_product < together;
    const int ownA = is_there && call.distanceA != 0 ? its_product * a.area : 0;
    const int ownB = is_there && call.distanceB != 0 ? its_product * b.area : 0;
    const int besideA = TRANS_A ? a.pitch : 1, besideB = TRANS_B ? 1 : b.pitch; // from a row (column) to the next
    const local float* const tileA = localA + firstA + ownA + tileM * SIDE_M * besideA;
    const local float* const tileB = localB + firstB + ownB + tileN * SIDE_N * besideB;
    const int stepA = tilesM * SIDE_M * besideA;
    const int stepB = tilesN * SIDE_N * besideB;

    // Brings a step along K into local memory: what begins at `loaded`.
    ulong loaded = 0;
    Walk walkA, walkB;
    int walked; // the depth for which these were made
#define WALK(depth)                                                                                                         \
    do {                                                                                                                    \
        walked = depth;                                                                                                     \
        a.length = (TRANS_A ? walked : rows) / WIDTH_A;                                                                     \
        a.lines = TRANS_A ? rows : walked;                                                                                  \
        b.length = (TRANS_B ? columns : walked) / WIDTH_B;                                                                  \
        b.lines = TRANS_B ? walked : columns;                                                                               \
        walkA = walk_of(a.length, a.lines, tid);                                                                            \
        walkB = walk_of(b.length, b.lines, tid);                                                                            \
    } while (0)
#if STRETCH_A
#define COPY_A(to)                                                                                                          \
    copy_stretch(to, A - firstA, firstA, firstA + (a.distance == 0 ? 0 : products - 1) * a.area + a.lines * a.pitch, tid)
#else
#define COPY_A(to)                                                                                                          \
    copy_in_A(to, A + loaded * (TRANS_A ? 1 : a.ld), THE_LIST a, walkA, a.distance == 0 ? 1 : products)
#endif
#if STRETCH_B
#define COPY_B(to)                                                                                                          \
    copy_stretch(to, B - firstB, firstB, firstB + (b.distance == 0 ? 0 : products - 1) * b.area + b.lines * b.pitch, tid)
#else
#define COPY_B(to)                                                                                                          \
    copy_in_B(to, B + loaded * (TRANS_B ? b.ld : 1), THE_LIST b, walkB, b.distance == 0 ? 1 : products)
#endif
#define LOAD(stage)                                                                                                         \
    do {                                                                                                                    \
        const int load_depth = (int)min(K - loaded, (ulong)deep);                                                           \
        if (load_depth != walked)                                                                                           \
            WALK(load_depth);                                                                                               \
        COPY_A(localA + (stage));                                                                                           \
        COPY_B(localB + (stage));                                                                                           \
        loaded += load_depth;                                                                                               \
    } while (0)

    WALK((int)min(K, (ulong)deep));
    LOAD(0);
    commit_copies();

    float sum[WPTM][WPTN];
    #pragma unroll
    for (int m = 0; m < WPTM; m++)
        #pragma unroll
        for (int n = 0; n < WPTN; n++)
            sum[m][n] = 0.0f;

    int stage = 0; // where in local memory the present one begins
    for (ulong k0 = 0; k0 < K; k0 += deep) {
        WAIT_FOR_COPIES(0);
        barrier(CLK_LOCAL_MEM_FENCE); // This stage is complete, and nobody reads the other one any more.
        if (loaded < K)
            LOAD(FLOATS / 2 - stage);
        commit_copies();
        const int depth = (int)min(K - k0, (ulong)deep);
        const local float* fromA = tileA + stage;
        const local float* fromB = tileB + stage;
        int k = 0;
        for (; k + 4 <= depth; k += 4) {
            float valuesA[4 * WPTM], valuesB[4 * WPTN];
            load_four_k(valuesA, fromA, WPTM, SIDE_M, stepA, a.pitch, TRANS_A, !STRETCH_A);
            load_four_k(valuesB, fromB, WPTN, SIDE_N, stepB, b.pitch, !TRANS_B, !STRETCH_B);
            #pragma unroll
            for (int i = 0; i < 4; i++)
                add_products(sum, valuesA + i * WPTM, valuesB + i * WPTN);
            fromA += TRANS_A ? 4 : 4 * a.pitch;
            fromB += TRANS_B ? 4 * b.pitch : 4;
        }
        for (; k < depth; k++) {
            float valuesA[WPTM], valuesB[WPTN];
            load_one_k(valuesA, fromA, WPTM, SIDE_M, stepA, besideA);
            load_one_k(valuesB, fromB, WPTN, SIDE_N, stepB, besideB);
            add_products(sum, valuesA, valuesB);
            fromA += TRANS_A ? 1 : a.pitch;
            fromB += TRANS_B ? b.pitch : 1;
        }
        stage = FLOATS / 2 - stage;
    }

    if (its_product >= products)
        return;
#if LISTED
    const float alpha = list[its_product].alpha, beta = list[its_product].beta;
    C += list[its_product].offC;
#else
    const float alpha = whole.alpha, beta = whole.beta;
    C += whole.C.offset + (first + its_product) * call.distanceC;
#endif
    C += blockN * ldc + blockM;
    // Where in the block its elements of C lie: its column n, and the first of the neighbouring rows to which row m belongs.
#define COLUMN(n) (((n) / SIDE_N * tilesN + tileN) * SIDE_N + (n) % SIDE_N)
#define FIRST_ROW(m) (((m) / SIDE_M * tilesM + tileM) * SIDE_M)
#if LISTED
    if (alpha == 0.0f) { // Nothing was copied, so that the sums may be anything.
        for (int n = 0; n < WPTN; n++)
            for (int m = 0; m < WPTM; m++) {
                const int row = FIRST_ROW(m) + m % SIDE_M;
                global float* c = C + COLUMN(n) * ldc + row;
                if (row < rows && COLUMN(n) < columns)
                    *c = scaled_alone(beta, c);
            }
        return;
    }
#endif
    #pragma unroll
    for (int n = 0; n < WPTN; n++) {
        const int column = COLUMN(n);
        if (column < columns) {
            #pragma unroll
            for (int m = 0; m < WPTM; m += SIDE_M) {
                const int row = FIRST_ROW(m);
                global float* c = C + column * ldc + row;
#if SIDE_M == 4
                if (row + SIDE_M <= rows) {
                    const float4 four = SCALED(alpha, (float4)(sum[m][n], sum[m + 1][n], sum[m + 2][n], sum[m + 3][n]));
                    *(global float4*)c = RESULT(float4, alpha, four, beta, *(global float4*)c);
                    continue;
                }
#elif SIDE_M == 2
                if (row + SIDE_M <= rows) {
                    const float2 two = SCALED(alpha, (float2)(sum[m][n], sum[m + 1][n]));
                    *(global float2*)c = RESULT(float2, alpha, two, beta, *(global float2*)c);
                    continue;
                }
#endif
                #pragma unroll
                for (int i = 0; i < SIDE_M; i++)
                    if (row + i < rows) {
                        const float one = SCALED(alpha, sum[m + i][n]);
                        c[i] = RESULT(float, alpha, one, beta, c[i]);
                    }
            }
        }
    }
}
