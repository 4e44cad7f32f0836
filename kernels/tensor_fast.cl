// Kernel tensor_fast: products of operands of 22 bits on the tensor cores of Hopper GPUs. Math mode FAST alone gets it.
//
// What changes against kernel 14: each float is two fp16 numbers, scaled by its row (fp16_pieces.clh), where kernel 14 has
// three bf16 numbers, and three products take the place of six:
//
//     a b = a1 b1 + a1 b2 + a2 b1        what is left out, a2 b2, is below 2^-22 |a b|
//
// As in kernel 14 the tensor cores add over TSK steps of K only, and the work-items add these sums in FP32 registers, with
// rounding. The small products come first, so that little is cut off them. While one warpgroup adds, the other multiplies.
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
#define PIECES 2

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

#include "tensor_stages.clh"

// Adds one consumer's products of all its stages to its sums.
static inline void multiply_stages(float (*sum)[SUMS], const uint stages, const uint steps, const int turn,
                                   const int first_column)
{
    const uint full = stages + STAGES * STAGE, empty = full + STAGES * 8;
    float products[SUMS];
    int stage = turn;
    uint parity = 0;
#define ADD_PIECES(of_b, of_a, add_first)                                                                                   \
    _Pragma("unroll") for (int i = 0; i < TSK / 16; i++)                                                                    \
    {                                                                                                                       \
        const ulong b = all_b + PIECE(i, of_b) / 16;                                                                        \
        const ulong a = all_a + (PIECE(i, of_a) + h * SPAN * ROW) / 16;                                                     \
        BEGIN_PRODUCT(products, b, a, i == 0 ? (add_first) : 1);                                                            \
    }
    for (uint step = turn; step < steps; step += TURNS) {
        wait_for(full + 8 * stage, parity);
        const uint at = stages + stage * STAGE;
        const ulong all_b = descriptor(at + first_column * ROW);
        const ulong all_a = descriptor(at + STAGE_B);
        #pragma unroll
        for (int h = 0; h < HALVES; h++) {
            FENCE_PRODUCTS(products);
            ADD_PIECES(2, 1, 0)
            ADD_PIECES(1, 2, 1)
            ADD_PIECES(1, 1, 1)
            COMMIT_PRODUCTS();
            WAIT_FOR_PRODUCTS(products, 0);
            if (h == HALVES - 1 && get_local_id(0) % 32 == 0)
                arrive(empty + 8 * stage);
            #pragma unroll
            for (int i = 0; i < SUMS; i++)
                sum[h][i] += products[i];
        }
        stage += TURNS;
        if (stage >= STAGES) {
            stage -= STAGES;
            parity ^= 1;
        }
    }
}

#include "tensor_images.clh"
