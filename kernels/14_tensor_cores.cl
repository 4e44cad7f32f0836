// Kernel 14, tensor cores: FP32-accurate products on the tensor cores of Hopper GPUs, which multiply bf16 numbers.
//
// `split` has written each float of A and B as three bf16 pieces, x = x1 + x2 + x3, and six of their nine products make a
// product of floats (pieces.clh):
//
//     a b = a1 b1 + (a1 b2 + a2 b1) + (a1 b3 + a2 b2 + a3 b1)         what is left out is below 2^-24 |a b|
//
// A tensor core multiplies exactly, but cuts its sums off towards zero, which adds up along K. So it adds a1 b1 over TSK
// steps of K only, which fits 24 bits but for the last ones. The work-items then add these sums in FP32 registers, with
// rounding. The other five products, the corrections, are smaller by 2^8 or more, and so are the bits that are cut off them:
// the tensor core adds them over CORRECTIONS_DEPTH of K. While it works on them, the work-items add the sums of a1 b1.
//
//           TSN = 128
//        +-----+-----+     Two warpgroups multiply, the consumers, each 64 columns of the tile of C. (A warpgroup is
//        | con-| con-|     128 work-items, the unit that a Hopper tensor core takes orders from.) What is computed is
//   SPAN | su- | su- |     transposed, C' = B' A', so that a work-item gets neighbours in a column of C. With TSM > 128
//        | mer | mer |     each consumer computes two halves one after the other, SPAN rows each. In a third warpgroup
//        |  0  |  1  |     one work-item, the producer, has the copy engine bring tiles from global to local memory, at
//        +-----+-----+     most STAGES ahead of the multiplication. The other three warps of this warpgroup look at the
//                          ranges that `split` wrote. With TSN = 64 both consumers have the same columns, and each takes
//                          every other stage.
//
// A stage in local memory holds B's TSN columns and A's TSM rows (both called rows) of TSK = 32 steps of K, as `split` wrote
// them and the tensor cores read them (wgmma.clh).
//
// For each stage there is a `full` barrier in local memory, which counts the bytes that have arrived, and an `empty` one,
// which counts the warps that have multiplied them.
//
// The pieces do not suffice in three cases: if a block of A or B has numbers that cannot be computed in pieces (`split` says
// so by its ranges), if products might overflow, and if a sum is so small that the missing parts of the smallest numbers
// count. Then the work-group forgets the sums and computes its tile from the floats themselves, by fused multiply-adds. So
// NaN, infinity and the smallest numbers in A and B count as in the triple loop. tensor_common.clh has the code for this,
// and for the way of the sums to C.
//
// Takes: everything.
// Source: our own; wgmma, mbarrier and cp.async.bulk are described in NVIDIA's PTX ISA, chapter 9.7.
//
// OpenCL compiles for sm_90, which has no wgmma. Each statement that only sm_90a has is therefore a comment in the PTX, one
// line that starts with `//@ `, and the array `memory` is declared too short: the library puts both right in the PTX text
// (src/execute/retarget.hpp) before the driver assembles it. Only assembler addresses `memory`, so that the compiler draws
// no conclusions from its length.
//
// Parameters:
//   TSM     rows of C for a work-group: 64 to 128 in steps of 16, or 160
//   TSN     its columns: 128, or 64 where TSM is at most 128
//   TSK     the depth of a stage: 32
//   STAGES  at least two for each warpgroup that takes turns, since it gives a stage back only when it has ordered the next
//           one. With TSN = 64 it is even, so that a warpgroup sees every filling of its stages: a barrier tells it only
//           even fillings from odd ones.
//   GROUP   see tile_order.clh
#include "arguments.h"

#ifndef TSM
#define TSM 128
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

#define CONSUMERS 2 // warpgroups that multiply
#define TURNS (CONSUMERS * 64 / TSN) // 2 with 64 columns: both consumers have the same ones and take turns with the stages
#define ITEMS (128 * CONSUMERS)
#define SEEKERS 96 // work-items that look at the ranges
#define WAIT_FOR_ITEMS() wait_for_consumers()
#define HALVES (TSM > 128 ? 2 : 1)
#define SPAN (TSM / HALVES)
#define STAGE_B (TSN * ROW)
#define STAGE_A (TSM * ROW)
#define STAGE (STAGE_B + STAGE_A)

#include "wgmma.clh"
#include "tensor_common.clh"

static inline void arrive_and_expect(const uint address, const uint bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" : : "r"(address), "r"(bytes) : "memory");
}

static inline void bulk_copy(const uint to, const ulong from, const uint bytes, const uint barrier_address)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 : : "r"(to), "l"(from), "r"(bytes), "r"(barrier_address) : "memory");
}

// Barrier 2 (wgmma.clh has number 1) opens when those that look at the ranges have done so and the consumers have come for
// what was found.
static inline void tell_ranges(void)
{
    asm volatile("bar.arrive 2, %0;" : : "n"(ITEMS + SEEKERS) : "memory");
}

static inline void wait_for_ranges(void)
{
    asm volatile("bar.sync 2, %0;" : : "n"(ITEMS + SEEKERS) : "memory");
}

// A tile of C and a part of K.
typedef struct {
    Tile tile;
    ulong k0, depth;
} Place;

// Puts a lane's sums into local memory on their way to C, or adds them to those that are there.
static inline void put_sums(const uint pairs, const float* sums, const bool add)
{
    #pragma unroll
    for (int i = 0; i < SPAN / 8; i++)
        #pragma unroll
        for (int j = 0; j < 2; j++) {
            const uint at = pairs + j * 8 * PITCH + i * 32;
            float first = 0.0f, second = 0.0f;
            if (add)
                asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];" : "=f"(first), "=f"(second) : "r"(at) : "memory");
            const float own_first = sums[i * 4 + j * 2], own_second = sums[i * 4 + j * 2 + 1];
            put_pair(at, add ? first + own_first : own_first, add ? second + own_second : own_second);
        }
}

kernel __attribute__((reqd_work_group_size(ITEMS + 128, 1, 1)))
void multiply(const global float* restrict A, const global float* restrict B, global float* restrict C,
              const global float* restrict imagesA, const global float* restrict imagesB, const ImageMultiplication call)
{
    local uchar __attribute__((aligned(1024))) memory[1024]; // STAGES * (STAGE + 16) bytes, in truth
    local float __attribute__((aligned(16))) plainA[PLAIN_DEPTH * SPAN];
    local float __attribute__((aligned(16))) plainB[PLAIN_DEPTH * TSN];
    local Ranges ranges;
    local uint too_small; // 1 once a sum is
    local Place later; // What is needed after the loop only is kept here meanwhile, because registers are scarce.
    const uint stages = (uint)(ulong)memory;
    const uint full = stages + STAGES * STAGE; // the barriers, 8 bytes each
    const uint empty = full + STAGES * 8;
    const int tid = get_local_id(0);

    // Which tile of C, and which part of K.
    const Multiplication whole = call.whole;
    const Tile tile = own_tile();
    const ulong k0 = get_group_id(2) * whole.partK;
    const ulong depth = min(whole.K - k0, whole.partK);
    const uint steps = (uint)((depth + TSK - 1) / TSK);
    if (tid == 0) {
        for (int stage = 0; stage < STAGES; stage++) {
            initialize_barrier(full + 8 * stage, 1);
            initialize_barrier(empty + 8 * stage, 4 * CONSUMERS / TURNS);
        }
        publish_barriers();
        ranges.largestA = ranges.largestB = ranges.inexact = too_small = 0;
        later.tile = tile;
        later.k0 = k0;
        later.depth = depth;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    const int warpgroup = warpgroup_number();
    if (warpgroup == CONSUMERS) {
        LEAVE_REGISTERS(40);
        if (tid == 128 * CONSUMERS) {
            ulong from_a = (ulong)(imagesA + call.imageA.offset) + (k0 / TSK * call.imageA.rows + tile.m) * ROW;
            ulong from_b = (ulong)(imagesB + call.imageB.offset) + (k0 / TSK * call.imageB.rows + tile.n) * ROW;
            int stage = 0;
            uint parity = 1; // The phase before the first one has this parity, and counts as complete.
            for (uint step = 0; step < steps; step++) {
                wait_for(empty + 8 * stage, parity);
                arrive_and_expect(full + 8 * stage, STAGE);
                bulk_copy(stages + stage * STAGE, from_b, STAGE_B, full + 8 * stage);
                bulk_copy(stages + stage * STAGE + STAGE_B, from_a, STAGE_A, full + 8 * stage);
                from_b += call.imageB.rows * ROW;
                from_a += call.imageA.rows * ROW;
                if (++stage == STAGES) {
                    stage = 0;
                    parity ^= 1;
                }
            }
        } else if (tid >= ITEMS + 32) {
            find_ranges((const global uint*)imagesA + call.imageA.ranges, (const global uint*)imagesB + call.imageB.ranges,
                        whole.K, tile.m, min(tile.m + TSM, whole.M), tile.n, k0, depth, tid - (ITEMS + 32), SEEKERS, &ranges);
            tell_ranges();
        }
        return;
    }

    TAKE_REGISTERS(232);
    float sum[HALVES][SUMS], corrections[HALVES][SUMS], products[SUMS];
    #pragma unroll
    for (int h = 0; h < HALVES; h++)
        #pragma unroll
        for (int i = 0; i < SUMS; i++)
            sum[h][i] = 0.0f;
    const int turn = TURNS > 1 ? warpgroup : 0;
    const int first_column = TURNS > 1 ? 0 : warpgroup * 64;
    int stage = turn;
    int before = turn; // the stage that was multiplied before this one
    uint parity = 0;
#define ADD_PIECES(sums, of_b, of_a, add_first)                                                                             \
    _Pragma("unroll") for (int i = 0; i < TSK / 16; i++)                                                                    \
    {                                                                                                                       \
        const ulong b = all_b + PIECE(i, of_b) / 16;                                                                        \
        const ulong a = all_a + (PIECE(i, of_a) + h * SPAN * ROW) / 16;                                                     \
        BEGIN_PRODUCT(sums, b, a, i == 0 ? (add_first) : 1);                                                                \
    }
    for (uint step = turn; step < steps;) {
        // The next stage's products are ordered before this one's corrections are there, so that tensor cores always have
        // work. (If this loop and the one around it were one, ptxas would find that corrections may be read while they are
        // computed, and let every order wait.)
        for (int corrected = 0; corrected < CORRECTIONS_DEPTH / TSK && step < steps; corrected++) {
            wait_for(full + 8 * stage, parity);
            const uint at = stages + stage * STAGE;
            const ulong all_b = descriptor(at + first_column * ROW);
            const ulong all_a = descriptor(at + STAGE_B);
            #pragma unroll
            for (int h = 0; h < HALVES; h++) {
                FENCE_PRODUCTS(products);
                ADD_PIECES(products, 1, 1, 0)
                COMMIT_PRODUCTS();
                ADD_CORRECTIONS(ADD_PIECES, corrections[h], corrected != 0) // With the first stage they begin anew.
                COMMIT_PRODUCTS();
                if (h == 0 && corrected != 0) {
                    WAIT_FOR_BATCHES(2); // The two youngest are this stage's, so the stage before is done.
                    if (tid % 32 == 0)
                        arrive(empty + 8 * before);
                }
                WAIT_FOR_PRODUCTS(products, 1);
                #pragma unroll
                for (int i = 0; i < SUMS; i++)
                    sum[h][i] += products[i];
            }
            before = stage;
            step += TURNS;
            stage += TURNS;
            if (stage >= STAGES) {
                stage -= STAGES;
                parity ^= 1;
            }
        }
        #pragma unroll
        for (int h = 0; h < HALVES; h++) {
            WAIT_FOR_PRODUCTS(corrections[h], 0);
            #pragma unroll
            for (int i = 0; i < SUMS; i++)
                sum[h][i] += corrections[h][i];
        }
        if (tid % 32 == 0)
            arrive(empty + 8 * before);
    }

    // A warp has 16 columns of C. Of eight rows by eight columns a lane has two neighbours in one column; it has SPAN / 8
    // such pairs below one another, and as many eight columns further.
    const int lane = tid % 32;
    const int column = first_column + tid / 32 % 4 * 16 + lane / 4;
    const uint pairs = stages + column * PITCH + lane % 4 * 8;
    const int own_columns = TSN / CONSUMERS; // that a warpgroup stores
    const uint own_sums = stages + warpgroup * own_columns * PITCH;
    const Result result = {C + whole.C.offset + get_group_id(2) * whole.partC, whole.M, whole.N, 1, whole.C.column,
                           whole.alpha, whole.beta};
    wait_for_ranges(); // All consumers come here, so the stages are free from here on, too.
    const Place place = later;
    const ulong own_n = place.tile.n + warpgroup * own_columns;
    bool suffice = pieces_suffice(place.depth, &ranges);
    // Consumers that take turns look each at its own share of the sums, for which the same holds as for the whole ones.
    if (suffice && ranges.inexact) {
        const float least = least_sum(place.depth, as_float(ranges.largestA), as_float(ranges.largestB));
        #pragma unroll
        for (int h = 0; h < HALVES; h++)
            #pragma unroll
            for (int i = 0; i < SUMS; i++) {
                const ulong m = place.tile.m + h * SPAN + i / 4 * 8 + lane % 4 * 2 + i % 2;
                const ulong n = place.tile.n + column + i / 2 % 2 * 8;
                if (m < whole.M && n < whole.N && fabs(sum[h][i]) < least)
                    too_small = 1;
            }
        wait_for_consumers();
        suffice = !too_small;
    }
    if (suffice) {
        #pragma unroll
        for (int h = 0; h < HALVES; h++) {
            if (turn == 0)
                put_sums(pairs, sum[h], false);
            wait_for_consumers();
            if (TURNS > 1) {
                if (turn == 1)
                    put_sums(pairs, sum[h], true);
                wait_for_consumers();
            }
            store_columns(result, place.tile.m + h * SPAN, own_n, own_columns, own_sums);
            wait_for_consumers();
        }
    } else {
        #pragma unroll 1
        for (int h = 0; h < HALVES; h++) {
            const ulong m0 = place.tile.m + h * SPAN, n0 = place.tile.n;
            multiply_plain(A + whole.A.offset + m0 * whole.A.row + place.k0 * whole.A.column, whole.A.row, whole.A.column,
                           B + whole.B.offset + n0 * whole.B.column + place.k0 * whole.B.row, whole.B.column, whole.B.row,
                           place.depth, whole.M > m0 ? whole.M - m0 : 0, whole.N - n0, stages, plainA, plainB);
            wait_for_consumers();
            store_columns(result, m0, own_n, own_columns, own_sums);
            wait_for_consumers();
        }
    }
}
