// Kernel tensor_tf32: products of operands of 11 bits, as many as TF32 has, on the tensor cores of Hopper GPUs. Math mode TF32
// alone gets it.
//
// What changes against kernel 14: each float is one fp16 number, scaled by its row (fp16_pieces.clh), where kernel 14 has three
// bf16 numbers, and one product takes the place of six. An fp16 number has the 11 bits of a TF32 number; tensor cores
// multiply it at twice the speed, and images of it are half as long. What it has not are TF32's exponents: hence the scales.
//
// The tensor cores add all products of a tile to the same sums. They cut sums off towards zero, 2^-23 of them with every 16
// of K, which is little next to what the operands have lost. So the work-items need no sums besides, and a tile has up to
// 256 rows.
//
// Takes: everything.
// Source: our own.
//
// Parameters: as in kernel 14, with other sizes.
//   TSM     rows of C for a work-group: 64 to 128 in steps of 16, or 160 to 256 in steps of 32
//   TSN     its columns: 128, or 64 where TSM is at most 128
//   TSK     the depth of a stage: 32
//   STAGES  at least two for each warpgroup that takes turns; with TSN = 64 it is even
//   GROUP   see tile_order.clh
#include "arguments.h"

#define FP16
#define PIECES 1

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
#define STAGES 6
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
    int stage = turn;
    int before = -1; // the stage that was multiplied before this one
    uint parity = 0;
    for (uint step = turn; step < steps; step += TURNS) {
        wait_for(full + 8 * stage, parity);
        const uint at = stages + stage * STAGE;
        FENCE_BATCH();
        #pragma unroll
        for (int h = 0; h < HALVES; h++)
            #pragma unroll
            for (int i = 0; i < TSK / 16; i++) {
                const ulong b = descriptor(at + first_column * ROW) + PIECE(i, 1) / 16;
                const ulong a = descriptor(at + STAGE_B) + (PIECE(i, 1) + h * SPAN * ROW) / 16;
                BEGIN_PRODUCT(sum[h], b, a, 1);
            }
        COMMIT_PRODUCTS();
        // The youngest batch is this stage's, so the stage before is done.
        WAIT_FOR_BATCHES(1);
        if (before >= 0 && get_local_id(0) % 32 == 0)
            arrive(empty + 8 * before);
        before = stage;
        stage += TURNS;
        if (stage >= STAGES) {
            stage -= STAGES;
            parity ^= 1;
        }
    }
    #pragma unroll
    for (int h = 0; h < HALVES; h++)
        WAIT_FOR_PRODUCTS(sum[h], 0);
}

#include "tensor_images.clh"
