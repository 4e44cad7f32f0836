// Kernel tensor_rounded: products of TF32 numbers on Hopper's tensor cores straight from the floats, in one launch, for math
// mode TF32. Where kernel tensor_tf32 has images made first, which takes two launches, here the copy engine brings boxes of
// both operands to local memory (tensor_maps.clh), twice as fast as loads do, and rounds A's floats on their way.
//
//           TSN = 128                 TSN = 64
//        +-----+-----+                +-----+
//        | con-| con-|                |     |      As in kernel 14 what is computed is transposed, C' = B' A', by two
//    TSM | su- | su- |            TSM |both |      warpgroups, the consumers. With 128 columns each has 64 of them. With
//        | mer | mer |                |     |      64 both have all, and take turns with the stages.
//        |  0  |  1  |                +-----+
//        +-----+-----+
//
// One work-item of a third warpgroup orders the boxes of STAGES stages, TSK deep. Each stage has a `full` barrier, which
// counts the bytes that have come, and an `empty` one, which counts the warps that have multiplied it.
//
// Tensor cores read A from local memory, where it must run along K and be TF32 numbers: they would cut off the other bits
// instead of rounding. B they take from registers. So consumers load B as it is stored, along K or along N, and round it
// themselves. On the way they learn what the engine does not tell of A: what there is besides usual numbers.
//
// In which order columns come does not matter, as long as their sums go where they belong. A lane's columns are such that
// the loads of a warp, four k of eight columns, meet no bank conflicts in either layout: four neighbouring columns are a
// piece of 16 bytes where B runs along N, and of the two such pieces of eight columns one has an even number below 4 and the
// other one an odd number above it, or the other way round.
//
// What TF32 cannot hold is found out afterwards, and then the work-group computes its tile from the floats once more
// (tensor_plain.clh):
// - NaN, infinity and what overflows leave a sum that is not finite, or are seen in B.
// - Numbers below the smallest normal one are rounded to multiples of 2^-136, so that they err by up to 2^-137, which may be
//   all there is of them. In a sum that is at least 2^-122 of the largest magnitude that they may have met, for each of its
//   products, that is less than 2^-14 of the sum. For A's such numbers the largest magnitude of each column of B is known.
//   Where a sum is less than that (0, say), the work-group looks whether its row of A has such numbers. B's are seen when it
//   is loaded. Only if there are some is A's largest magnitude looked for.
//
// Takes: everything in which A runs along K and begins with each row at a multiple of 16 bytes, and B's rows or columns do
// so, too.
// Source: our own.
//
// Parameters:
//   TSM     rows of C for a work-group: 64 to 128 in steps of 16, or 160 to 256 in steps of 32
//   TSN     its columns: 128, or 64 where TSM is at most 128
//   TSK     the depth of a stage: 32
//   STAGES  at least two for each warpgroup that takes turns; with TSN = 64 it is even
//   GROUP   see tile_order.clh
//   TRANS_B  1 where it runs along N
//   TURNED   1 where C's memory runs along N
//   SEVERAL_TILES  1 where a work-group computes several tiles, one after the other: that of its own number, and each that lies
//            as many further as there are work-groups. Then sums have local memory of their own, and the next tile's boxes
//            are on their way while this one's sums are stored, which takes most of the time where K is shallow. TSN is 128.
#include "arguments.h"

#define TF32
#define PIECES 1
#define TRANS_A 1 // A is stored transposed, so that it runs along K.

#ifndef TSM
#define TSM 256
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
#ifndef TRANS_B
#define TRANS_B 0
#endif
#ifndef TURNED
#define TURNED 0
#endif
#ifndef SEVERAL_TILES
#define SEVERAL_TILES 0
#endif

#if SEVERAL_TILES
// Compilers would compute all that follows from a work-item's number before the loop over tiles, and have no registers to keep
// it in meanwhile. So the number is read each time anew.
static inline uint own_item(void)
{
    uint item;
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(item));
    return item;
}
#define get_local_id(dimension) own_item()
#endif

#include "tensor_stages.clh"
#include "tensor_maps.clh"

#define DEEP 8 // of K in an order to the tensor cores, of which a stage has TSK / DEEP
#define B_BOX (TSK * BOX_LINE) // bytes of a box of B where it runs along N: 32 columns

// What a consumer has seen of B.
typedef struct {
    float first, second;                  // the largest magnitudes in a lane's two columns, or NaN
    uint first_smallest, second_smallest; // the smallest ones, as kept() has them
} Seen;

// The smallest magnitude of all numbers except for 0 is kept as a number of this kind, with which 0 is the largest one and
// signs are no matter.
static inline uint kept(const float number)
{
    return 2 * as_uint(number) - 1;
}

// Of the 16 columns of each warp, the first one of a lane. The second one is eight columns further.
static inline int own_column(void)
{
    const int warp = get_local_id(0) / 32 % (TSN / 16), lane = get_local_id(0) % 32;
    const int piece = warp % 2 ^ lane / 16 * 5; // of the 32 columns of two warps
    return warp / 2 * 32 + piece * 4 + lane / 4 % 4;
}

// Where in a stage's boxes of B the element of this column and of K lies, in bytes.
static inline uint place_of(const int column, const int k)
{
#if TRANS_B
    return column / 32 * B_BOX + k * BOX_LINE + (column % 32 / 4 ^ k % 8) * 16 + column % 4 * 4;
#else
    return column * BOX_LINE + (k / 4 ^ column % 8) * 16 + k % 4 * 4;
#endif
}

// Loads a lane's numbers of B in a stage, as they are, in the order in which tensor cores take them.
static inline void load_columns(float b[TSK / DEEP][4], const uint from, const int column)
{
    const int first_k = get_local_id(0) % 4;
    #pragma unroll
    for (int i = 0; i < TSK / DEEP; i++)
        #pragma unroll
        for (int j = 0; j < 4; j++)
            asm volatile("ld.shared.f32 %0, [%1];"
                         : "=f"(b[i][j]) : "r"(from + place_of(column + j % 2 * 8, first_k + i * DEEP + j / 2 * 4))
                         : "memory");
}

// The larger magnitude, or NaN if one is NaN.
static inline float larger(float one, const float other)
{
    asm("max.NaN.f32 %0, %0, %1;" : "+f"(one) : "f"(fabs(other)));
    return one;
}

// Rounds them to the nearest number of 11 bits, ties away from zero: half a unit more, and tensor cores cut off the rest.
// (NaN may become 0 so. It is seen before.)
static inline void round_and_look(uint rounded[TSK / DEEP][4], const float b[TSK / DEEP][4], Seen* seen)
{
    #pragma unroll
    for (int i = 0; i < TSK / DEEP; i++) {
        #pragma unroll
        for (int j = 0; j < 4; j++)
            rounded[i][j] = as_uint(b[i][j]) + 0x1000;
        seen->first_smallest = min(seen->first_smallest, min(kept(b[i][0]), kept(b[i][2])));
        seen->second_smallest = min(seen->second_smallest, min(kept(b[i][1]), kept(b[i][3])));
        seen->first = larger(larger(seen->first, b[i][0]), b[i][2]);
        seen->second = larger(larger(seen->second, b[i][1]), b[i][3]);
    }
}

// From here on tensor cores find these registers as they are now.
#define FOUR(b) "+r"((b)[0]), "+r"((b)[1]), "+r"((b)[2]), "+r"((b)[3])
#define FENCE_NUMBERS(b)                                                                                                    \
    asm volatile("//@ wgmma.fence.sync.aligned;" : FOUR((b)[0]), FOUR((b)[1]), FOUR((b)[2]), FOUR((b)[3]) : : "memory")

// A stage, and the parity of the phase of its barriers that is waited for next.
typedef struct {
    int stage;
    uint parity;
} Position;

// Adds one consumer's products of all its stages to its sums. Afterwards `position` is the next tile's.
static inline void multiply_stages(float (*sum)[SUMS], Seen* seen, const uint stages, const uint full, const uint empty,
                                   const uint steps, const int turn, const int column, Position* position)
{
    int stage = position->stage;
    int before = -1; // the stage that was multiplied before this one
    uint parity = position->parity;
    #pragma unroll
    for (int h = 0; h < HALVES; h++)
        FENCE_PRODUCTS(sum[h]);
    uint even[TSK / DEEP][4], odd[TSK / DEEP][4]; // numbers that tensor cores take while the next ones are loaded
// Multiplies a stage. Afterwards the youngest batch of orders is this stage's, so the stage before is done.
#define MULTIPLY(rounded)                                                                                                   \
    do {                                                                                                                    \
        wait_for(full + 8 * stage, parity);                                                                                 \
        float b[TSK / DEEP][4];                                                                                             \
        load_columns(b, stages + stage * STAGE + STAGE_A, column);                                                          \
        round_and_look(rounded, b, seen);                                                                                   \
        FENCE_NUMBERS(rounded);                                                                                             \
        _Pragma("unroll") for (int h = 0; h < HALVES; h++)                                                                  \
            _Pragma("unroll") for (int i = 0; i < TSK / DEEP; i++)                                                          \
        {                                                                                                                   \
            const ulong a = descriptor(stages + stage * STAGE) + (h * SPAN * ROW + i * DEEP * PIECE_BYTES) / 16;            \
            BEGIN_PRODUCT_OF_REGISTERS(sum[h], rounded[i], a, 1);                                                           \
        }                                                                                                                   \
        COMMIT_PRODUCTS();                                                                                                  \
        WAIT_FOR_BATCHES(1);                                                                                                \
        if (before >= 0 && get_local_id(0) % 32 == 0)                                                                       \
            arrive(empty + 8 * before);                                                                                     \
        before = stage;                                                                                                     \
        stage += TURNS;                                                                                                     \
        if (stage >= STAGES) {                                                                                              \
            stage -= STAGES;                                                                                                \
            parity ^= 1;                                                                                                    \
        }                                                                                                                   \
    } while (0)
    for (uint step = turn; step < steps; step += TURNS) {
        MULTIPLY(even);
        step += TURNS;
        if (step >= steps)
            break;
        MULTIPLY(odd);
    }
    #pragma unroll
    for (int h = 0; h < HALVES; h++)
        WAIT_FOR_PRODUCTS(sum[h], 0);
    if (SEVERAL_TILES && get_local_id(0) % 32 == 0)
        arrive(empty + 8 * before);
    position->stage = stage;
    position->parity = parity;
}

// Two warps describe the operands' parts of a tile to the copy engine, one each. `rows` and `columns` of the tile are there,
// and `depth` of K.
static inline void make_maps(const global float* A, const ulong lda, const global float* B, const ulong ldb, const uint rows,
                             const uint columns, const uint depth, const bool of_b, const uint map, const ulong slot)
{
    if (!of_b)
        MAKE_TENSOR_MAP(map, slot, ROUNDED_TO_TF32, A, depth, rows, lda * sizeof(float), TSM);
    else
#if TRANS_B
        MAKE_TENSOR_MAP(map, slot, AS_THEY_ARE, B, columns, depth, ldb * sizeof(float), TSK);
#else
        MAKE_TENSOR_MAP(map, slot, AS_THEY_ARE, B, depth, columns, ldb * sizeof(float), TSN);
#endif
}

// One work-item orders all boxes of a tile, which begins with this line of A's map and this line, or column, of B's.
static inline void bring_stages(const ulong mapA, const ulong mapB, const uint lineA, const uint lineB, const uint depth,
                                const uint stages, const uint full, const uint empty, Position* position)
{
    int stage = position->stage;
    uint parity = position->parity;
    for (uint k = 0; k < depth; k += TSK) {
        const uint at = stages + stage * STAGE;
        wait_for(empty + 8 * stage, parity);
        arrive_and_expect(full + 8 * stage, STAGE);
        copy_box(at, mapA, k, lineA, full + 8 * stage);
#if TRANS_B
        #pragma unroll
        for (int n = 0; n < TSN; n += LINE_FLOATS)
            copy_box(at + STAGE_A + n / LINE_FLOATS * B_BOX, mapB, lineB + n, k, full + 8 * stage);
#else
        copy_box(at + STAGE_A, mapB, k, lineB, full + 8 * stage);
#endif
        if (++stage == STAGES) {
            stage = 0;
            parity ^= 1;
        }
    }
    position->stage = stage;
    position->parity = parity;
}

#define SMALLEST_NORMAL 0x1p-126f
#define LEAST_OF_SUM 0x1p-122f // of the largest magnitude, for each product, as the beginning of this file has it

// What the lane has whose number differs in these bits.
static inline float of_lane(const float own, const int bits)
{
    float other;
    asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=f"(other) : "f"(own), "r"(bits));
    return other;
}

// The largest of the four lanes that have the same columns; and the smallest, as it is kept.
static inline float largest_of_lanes(const float own)
{
    const float of_two = larger(own, of_lane(own, 1));
    return larger(of_two, of_lane(of_two, 2));
}

static inline uint smallest_of_lanes(const uint own)
{
    const uint of_two = min(own, as_uint(of_lane(as_float(own), 1)));
    return min(of_two, as_uint(of_lane(as_float(of_two), 2)));
}

// Finds the largest magnitude in these rows of A, over `depth` of K. Neighbouring work-items go along memory.
static inline void find_largest(const global float* A, const ulong lda, const int rows, const ulong depth,
                                local uint* largest)
{
    float own = 0.0f;
    for (ulong k = get_local_id(0); k < depth; k += ITEMS)
        #pragma unroll 8
        for (int row = 0; row < rows; row++)
            own = fmax(own, fabs(A[row * lda + k]));
    atomic_max(largest, as_uint(own));
}

// What may be found in a tile.
#define NOT_FINITE 1    // a sum
#define SMALL_SUM 2     // in which A's numbers below the smallest normal one would count
#define SMALL_NUMBER 4  // such a number in B
#define DOES_NOT_DO 8   // such numbers where they count

// Marks the rows of A in which one of a lane's sums is small.
static inline void mark_rows(float (*sum)[SUMS], const float first_least, const float second_least, local uint* marked)
{
    const int lane = get_local_id(0) % 32;
    #pragma unroll
    for (int h = 0; h < HALVES; h++) {
        uint own = 0; // a bit for each of a lane's rows
        #pragma unroll
        for (int i = 0; i < SUMS; i++)
            if (fabs(sum[h][i]) < (i / 2 % 2 == 0 ? first_least : second_least))
                own |= 1u << (i / 4 * 2 + i % 2);
        // Every fourth lane has the same rows.
        #pragma unroll
        for (int distance = 4; distance <= 16; distance *= 2) {
            uint other;
            asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=r"(other) : "r"(own), "r"(distance));
            own |= other;
        }
        for (int i = 0; i < SUMS / 2; i++) {
            const int row = h * SPAN + i / 2 * 8 + lane % 4 * 2 + i % 2;
            if (lane < 4 && (own >> i & 1) != 0)
                atomic_or(&marked[row / 32], 1u << row % 32);
        }
    }
}

#if TURNED
static inline void put_single(const uint at, const float own, const bool add)
{
    float before = 0.0f;
    if (add)
        asm volatile("ld.shared.f32 %0, [%1];" : "=f"(before) : "r"(at) : "memory");
    put(at, add ? before + own : own);
}
#endif

// Puts a lane's sums into local memory, or adds them to those that are there.
static inline void put_own_sums(const uint memory, const int column, const float* sums, const bool add)
{
    const int row = get_local_id(0) % 4 * 2;
#if TURNED
    #pragma unroll
    for (int i = 0; i < SUMS; i++)
        put_single(memory + (row + i / 4 * 8 + i % 2) * TURNED_PITCH + (column + i / 2 % 2 * 8) * 4, sums[i], add);
#else
    put_sums(memory + column * PITCH + row * 4, sums, add);
#endif
}

kernel __attribute__((reqd_work_group_size(ITEMS + 128, 1, 1)))
void multiply(const global float* restrict A, const global float* restrict B, global float* restrict C,
              global float* restrict maps, const MappedMultiplication mapped)
{
    // This has the stages, the maps on their way and the barriers, and later the sums, or besides with SEVERAL_TILES. The library
    // makes it as long as that.
    local uchar __attribute__((aligned(1024))) memory[1024];
    local float __attribute__((aligned(16))) plainA[PLAIN_DEPTH * SPAN];
    local float __attribute__((aligned(16))) plainB[PLAIN_DEPTH * TSN];
    local uint found;          // a sum of NOT_FINITE and the like
    local uint marked[8];      // a bit for each row of A that has small sums
    local uint largest_of_all; // of A, where that must be known
    const uint stages = (uint)(ulong)memory;
    const uint local_maps = stages + STAGES * STAGE;
    const uint full = local_maps + 2 * TENSOR_MAP; // the barriers, 8 bytes each
    const uint empty = full + STAGES * 8;
    const uint sums = SEVERAL_TILES ? empty + STAGES * 8 : stages; // of a tile, on their way to C
    const int tid = get_local_id(0);

    // Which part of K, or product of a batch; and the first tile of C.
    const Multiplication call = mapped.whole;
    const ulong part = get_group_id(2);
    const ulong depth = min(call.K - part * call.nextK, call.partK);
    const global float* const partA = A + call.A.offset + part * call.partA;
    const global float* const partB = B + call.B.offset + part * call.partB;
    const ulong group = (part * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0);
    const ulong mapA = (ulong)(maps + mapped.maps) + group * 2 * TENSOR_MAP, mapB = mapA + TENSOR_MAP;
#if SEVERAL_TILES
    const uint tilesM = (uint)((call.M + TSM - 1) / TSM), tilesN = (uint)((call.N + TSN - 1) / TSN);
    Tile tile = tile_among(get_group_id(0), tilesM, tilesN);
    const Tile mapped_from = {0, 0}; // the maps have all tiles
    const ulong rows_mapped = call.M, columns_mapped = call.N;
#define NEXT_TILE(number)                                                                                                   \
    number += get_num_groups(0);                                                                                            \
    if (number >= tilesM * tilesN)                                                                                          \
        return;                                                                                                             \
    tile = tile_among(number, tilesM, tilesN)
#else
    const Tile tile = own_tile(), mapped_from = tile;
    const ulong rows_mapped = min(call.M - tile.m, (ulong)TSM), columns_mapped = min(call.N - tile.n, (ulong)TSN);
#define NEXT_TILE(number) return
#endif
    // (Of several tiles both take all, so that each sees every filling of the stages.)
    const int consumers = SEVERAL_TILES ? CONSUMERS : CONSUMERS_WITH_COLUMNS(tile.n, call.N);
    if (tid == 0) {
        for (int stage = 0; stage < STAGES; stage++) {
            initialize_barrier(full + 8 * stage, 1);
            initialize_barrier(empty + 8 * stage, 4 * consumers / TURNS);
        }
        publish_barriers();
        found = largest_of_all = 0;
    } else if (tid >= ITEMS && tid < ITEMS + 64) {
        const bool of_b = tid >= ITEMS + 32;
        make_maps(partA + mapped_from.m * LDA, LDA, partB + mapped_from.n * (TRANS_B ? 1 : LDB), LDB, (uint)rows_mapped,
                  (uint)columns_mapped, (uint)depth, of_b, local_maps + (of_b ? TENSOR_MAP : 0), of_b ? mapB : mapA);
    } else if (tid / 32 == 1 && tid % 32 < 8) {
        marked[tid % 32] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    const int warpgroup = warpgroup_number();
    if (warpgroup == CONSUMERS) {
#if MANY_SUMS
        LEAVE_REGISTERS(40);
#endif
        if (tid != ITEMS)
            return;
        acquire_map(mapA);
        acquire_map(mapB);
        Position position = {0, 1}; // The phase before the first one has parity 1, and counts as complete.
        for (uint number = get_group_id(0);;) {
            bring_stages(mapA, mapB, (uint)(tile.m - mapped_from.m), (uint)(tile.n - mapped_from.n), (uint)depth, stages, full,
                         empty, &position);
            NEXT_TILE(number);
        }
    }
#if MANY_SUMS
    TAKE_REGISTERS(232);
#endif
    const int turn = TURNS > 1 ? warpgroup : 0;
    Position position = {turn, 0};
    for (uint number = get_group_id(0);;) {
        const int column = own_column(), item = get_local_id(0), lane = item % 32;
        const global float* const tileA = partA + tile.m * LDA;
        const global float* const tileB = partB + tile.n * (TRANS_B ? 1 : LDB);
        float sum[HALVES][SUMS];
        #pragma unroll
        for (int h = 0; h < HALVES; h++)
            #pragma unroll
            for (int i = 0; i < SUMS; i++)
                sum[h][i] = 0.0f;
        Seen seen = {0.0f, 0.0f, 0xffffffff, 0xffffffff};
        if (SEVERAL_TILES || warpgroup < consumers)
            multiply_stages(sum, &seen, stages, full, empty, (uint)((depth + TSK - 1) / TSK), turn, column, &position);

        const int rows = (int)min(call.M - tile.m, (ulong)TSM); // that are there
        // Those that are not there have sums of 0, which would look as if something had been lost. (They are not stored.)
        if (rows < TSM)
            #pragma unroll
            for (int h = 0; h < HALVES; h++)
                #pragma unroll
                for (int i = 0; i < SUMS; i++)
                    if (h * SPAN + i / 4 * 8 + lane % 4 * 2 + i % 2 >= rows)
                        sum[h][i] = FLT_MAX;

        // Since 0 times what is not finite is NaN, one sum tells of all. (Consumers that take turns look each at its own share of
        // the sums and of B, for which the same holds as for the whole ones.)
        const float first = largest_of_lanes(seen.first), second = largest_of_lanes(seen.second);
        const float first_least = (float)depth * LEAST_OF_SUM * first, second_least = (float)depth * LEAST_OF_SUM * second;
        float zero = 0.0f * first + 0.0f * second, first_smallest = INFINITY, second_smallest = INFINITY;
        #pragma unroll
        for (int h = 0; h < HALVES; h++)
            #pragma unroll
            for (int i = 0; i < SUMS; i++) {
                zero += 0.0f * sum[h][i];
                if (i / 2 % 2 == 0)
                    first_smallest = fmin(first_smallest, fabs(sum[h][i]));
                else
                    second_smallest = fmin(second_smallest, fabs(sum[h][i]));
            }
        const uint own_found = (zero != 0.0f ? NOT_FINITE : 0) |
                               (first_smallest < first_least || second_smallest < second_least ? SMALL_SUM : 0) |
                               (min(seen.first_smallest, seen.second_smallest) < kept(SMALLEST_NORMAL) ? SMALL_NUMBER : 0);
        if (own_found != 0)
            atomic_or(&found, own_found);
        wait_for_consumers(); // From here on the stages are free to take the sums.

        bool suffice = (found & NOT_FINITE) == 0;
        if (suffice && found != 0) {
            const uint of_all = found;
            if ((of_all & SMALL_SUM) != 0) {
                mark_rows(sum, first_least, second_least, marked);
                wait_for_consumers();
                for (int row = item / 32; row < rows; row += ITEMS / 32)
                    if ((marked[row / 32] >> row % 32 & 1) != 0)
                        for (ulong k = lane; k < depth; k += 32)
                            if (kept(tileA[row * LDA + k]) < kept(SMALLEST_NORMAL))
                                atomic_or(&found, DOES_NOT_DO);
            }
            if ((of_all & SMALL_NUMBER) != 0) {
                find_largest(tileA, LDA, rows, depth, &largest_of_all);
                wait_for_consumers();
                // In columns without such numbers nothing is lost.
                const float least = (float)depth * LEAST_OF_SUM * as_float(largest_of_all);
                const bool in_first = smallest_of_lanes(seen.first_smallest) < kept(SMALLEST_NORMAL);
                const bool in_second = smallest_of_lanes(seen.second_smallest) < kept(SMALLEST_NORMAL);
                #pragma unroll
                for (int h = 0; h < HALVES; h++)
                    #pragma unroll
                    for (int i = 0; i < SUMS; i++)
                        if ((i / 2 % 2 == 0 ? in_first : in_second) && fabs(sum[h][i]) < least)
                            atomic_or(&found, DOES_NOT_DO);
            }
            wait_for_consumers();
            suffice = (found & DOES_NOT_DO) == 0;
        }
        const int own_columns = TSN / CONSUMERS; // that a warpgroup stores
        const uint own_sums = sums + warpgroup * own_columns * PITCH;
        const Result result = own_part(C, call, call.C.row);
        if (suffice) {
            #pragma unroll
            for (int h = 0; h < HALVES; h++) {
                if (turn == 0)
                    put_own_sums(sums, column, sum[h], false);
                wait_for_consumers();
                if (TURNS > 1) {
                    if (turn == 1)
                        put_own_sums(sums, column, sum[h], true);
                    wait_for_consumers();
                }
#if TURNED
                const int own_rows = SPAN / CONSUMERS;
                store_rows(result, tile.m + h * SPAN + warpgroup * own_rows, tile.n, own_rows,
                           sums + warpgroup * own_rows * TURNED_PITCH);
#else
                store_columns(result, tile.m + h * SPAN, tile.n + warpgroup * own_columns, own_columns, own_sums);
#endif
                wait_for_consumers();
            }
        } else {
            #pragma unroll 1
            for (int h = 0; h < HALVES; h++) {
                const ulong m0 = tile.m + h * SPAN;
                multiply_plain(tileA + h * SPAN * LDA, LDA, 1, tileB, TRANS_B ? 1 : LDB, TRANS_B ? LDB : 1, depth,
                               call.M > m0 ? call.M - m0 : 0, call.N - tile.n, sums, plainA, plainB);
                wait_for_consumers();
                store_one_by_one(result, m0, tile.n + warpgroup * own_columns, own_columns, own_sums);
                wait_for_consumers();
            }
        }
        NEXT_TILE(number);
        // Everybody has read what was found.
        if (item == 0)
            found = largest_of_all = 0;
        if (item < 8)
            marked[item] = 0;
        wait_for_consumers();
    }
}
