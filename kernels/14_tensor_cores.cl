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
// NaN, infinity and the smallest numbers in A and B count as in the triple loop. tensor_plain.clh has the code for this,
// and tensor_store.clh the way of the sums to C.
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

#include "tensor_stages.clh"

// Adds one consumer's products of all its stages to its sums.
static inline void multiply_stages(float (*sum)[SUMS], const uint stages, const uint steps, const int turn,
                                   const int first_column)
{
    const uint full = stages + STAGES * STAGE, empty = full + STAGES * 8;
    const int tid = get_local_id(0);
    float corrections[HALVES][SUMS], products[SUMS];
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
}

#include "tensor_images.clh"
