// Kernel 19, tensor cores by warps: kernel 14's products of pieces on tensor cores that are older than Hopper's.
//
// The pieces, the six products and the images of the operands are kernel 14's (pieces.clh). But here each warp gives orders
// for itself, from registers (mma.sync, compute capability 8.0 and higher), and all work-items together bring the next
// stages to local memory in the background while they multiply. It pays if tensor cores are much faster than the rest: an
// A100 multiplies bf16 numbers 16 times as fast as FP32 ones, and six products and the split leave a good 2 of these 16.
//
//              TSN = 128                TSN = 64
//        +---------+---------+     +--------+--------+      A warp has 32 rows and TSM / 2 columns of the tile of C, so four
//        | warp 0  | warp 4  |     | warp 0 | warp 2 |      warps have 64 columns. As in kernel 14 what is computed is
//   TSM  +---------+---------+     |        |        |      transposed, C' = B' A', so that a lane gets neighbours in a
//        |    1    |    5    |     +--------+--------+      column of C.
//    =   +---------+---------+     | warp 1 | warp 3 |
//        |    2    |    6    |     |        |        |      It walks over its columns in strips of 16. The pieces of A's 32
//   128  +---------+---------+     +--------+--------+      rows stay in registers for all strips. Each product of pieces is
//        |    3    |    7    |         TSM = 64             four orders, to sums that do not depend on one another.
//        +---------+---------+
//
// An order multiplies B's 16 columns x 16 of K by A's 16 of K x 8 rows. In registers these are core matrices as `split`
// wrote them, eight rows (of A, or columns of B) of 16 bytes in one run. ldmatrix brings four at a time, without bank
// conflicts:
//
//     of B:  columns 0..7, k 0..7 | columns 8..15, k 0..7 | columns 0..7, k 8..15 | columns 8..15, k 8..15     one order's
//     of A:  rows 0..7, k 0..7    | rows 0..7, k 8..15    | rows 8..15, k 0..7    | rows 8..15, k 8..15        two orders'
//
// The sums of a1 b1 start from zero in each stage and are then added to FP32 sums, with rounding. They are needed for one
// strip at a time, so they take few registers. The other five products are added in the tensor cores over CORRECTIONS_DEPTH
// of K.
//
// Takes: everything.
// Source: our own; mma, ldmatrix and cp.async are described in NVIDIA's PTX ISA, chapter 9.7.
//
// Parameters:
//   TSM     rows of C for a work-group, 64 or 128
//   TSN     its columns, 64 or 128, and not more than TSM
//   TSK     the depth of a stage, 16 or 32
//   STAGES  at least 2, and so many that they have room for the tile's sums
//   GROUP   see tile_order.clh
#include "arguments.h"

#ifndef TSM
#define TSM 128
#endif
#ifndef TSN
#define TSN 64
#endif
#ifndef TSK
#define TSK 16
#endif
#ifndef STAGES
#define STAGES 2
#endif
#ifndef GROUP
#define GROUP 8
#endif

#define ITEMS (2 * TSN) // work-items, since 64 columns have four warps
#define WAIT_FOR_ITEMS() barrier(CLK_LOCAL_MEM_FENCE)
#define SPAN TSM
#define WARPS_M (TSM / 32)
#define WTN (TSM / 2)

// The image has IMAGE_DEPTH of K at a time, 1536 bytes for eight rows. A stage has all of that, or half.
#include "pieces.clh"
#define IMAGE_ROW (IMAGE_DEPTH * PIECES * 2) // bytes
#define ROW (TSK * PIECES * 2)               // bytes of a row in a stage
#define STAGE_B (TSN * ROW)
#define STAGE_A (TSM * ROW)
#define STAGE (STAGE_B + STAGE_A)

// OpenCL gives 48 KB of local memory, of which the plain path's tiles and what the compiler takes for itself need some,
// too. The library gives more (src/execute/retarget.hpp), and for that it wants `memory` declared too short. In any case
// only assembler addresses it.
#if STAGES * STAGE + (TSM + TSN) * 32 + 64 <= 48 * 1024
#define MEMORY (STAGES * STAGE)
#else
#define MEMORY 1024
#endif

#include "tile_order.clh"
#include "tensor_plain.clh"
#include "tensor_ranges.clh"
#include "nvidia_async_copy.clh"

// All work-items together copy `rows` rows of a stage. Sixteen of them copy eight rows; each copies 16 bytes of every
// MATRIX in them. The addresses are those of the work-item's first 16 bytes.
static inline void copy_rows(const uint to, const ulong from, const int rows)
{
    #pragma unroll
    for (int row = 0; row < rows; row += ITEMS / 16 * 8)
        #pragma unroll
        for (int i = 0; i < 8 * ROW; i += MATRIX)
            begin_copy_16(to + row * ROW + i, from + row * IMAGE_ROW + i);
}

// Loads four core matrices. Eight lanes each give the addresses of the rows of one of them. A lane gets two neighbours of
// row lane / 4 of each.
static inline void load_matrices(uint* to, const uint address)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3]) : "r"(address) : "memory");
}

// sums += B's 16 x 16 times A's 16 x 8.
static inline void add_product(float* sums, const uint* b, const uint* a)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
                 : "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]), "r"(a[0]), "r"(a[1]));
}

kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void multiply(const global float* restrict A, const global float* restrict B, global float* restrict C,
              const global float* restrict imagesA, const global float* restrict imagesB, const ImageMultiplication call)
{
    local uchar __attribute__((aligned(1024))) memory[MEMORY];
    local float __attribute__((aligned(16))) plainA[PLAIN_DEPTH * TSM];
    local float __attribute__((aligned(16))) plainB[PLAIN_DEPTH * TSN];
    local Ranges ranges;
    const uint stages = (uint)(ulong)memory;
    const int tid = get_local_id(0);

    // Which tile of C, and which part of K.
    const Multiplication whole = call.whole;
    const Tile tile = own_tile();
    const ulong k0 = get_group_id(2) * whole.partK;
    const ulong depth = min(whole.K - k0, whole.partK);
    const uint steps = (uint)((depth + TSK - 1) / TSK);
    const Result result = own_part(C, whole, 1);

    // While the first stages are on their way, all work-items look at the ranges, which tell whether the stages are of use.
    const ulong own = tid / 16 * 8 * IMAGE_ROW + tid % 16 * 16;
    const Image imageA = call.imageA, imageB = call.imageB;
    const ulong from_a = (ulong)(imagesA + imageA.offset) + own + (k0 / IMAGE_DEPTH * imageA.rows + tile.m) * IMAGE_ROW;
    const ulong from_b = (ulong)(imagesB + imageB.offset) + own + (k0 / IMAGE_DEPTH * imageB.rows + tile.n) * IMAGE_ROW;
    const uint to = stages + tid / 16 * 8 * ROW + tid % 16 * 16;
#define BRING_STAGE(step)                                                                                                   \
    do {                                                                                                                    \
        const uint stage = to + (step) % STAGES * STAGE;                                                                    \
        const ulong image_step = (step) / (IMAGE_DEPTH / TSK);                                                              \
        const uint in_image = (step) % (IMAGE_DEPTH / TSK) * (8 * ROW);                                                     \
        copy_rows(stage, from_b + image_step * imageB.rows * IMAGE_ROW + in_image, TSN);                                    \
        copy_rows(stage + STAGE_B, from_a + image_step * imageA.rows * IMAGE_ROW + in_image, TSM);                          \
    } while (0)
    for (uint step = 0; step < STAGES - 1; step++) {
        if (step < steps)
            BRING_STAGE(step);
        commit_copies();
    }
    if (tid == 0)
        ranges.largestA = ranges.largestB = ranges.inexact = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    find_ranges((const global uint*)imagesA + imageA.ranges, (const global uint*)imagesB + imageB.ranges, whole.K, tile.m,
                min(tile.m + TSM, whole.M), tile.n, k0, depth, tid, ITEMS, &ranges);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (!pieces_suffice(depth, &ranges) || ranges.inexact) {
        WAIT_FOR_COPIES(0); // What is on its way to local memory must not arrive later, over the plain path's sums.
        multiply_plain(A + whole.A.offset + tile.m * whole.A.row + k0 * whole.A.column, whole.A.row, whole.A.column,
                       B + whole.B.offset + tile.n * whole.B.column + k0 * whole.B.row, whole.B.column, whole.B.row, depth,
                       whole.M - tile.m, whole.N - tile.n, stages, plainA, plainB);
        barrier(CLK_LOCAL_MEM_FENCE);
        store_one_by_one(result, tile.m, tile.n + tid / 128 * 64, 64, stages + tid / 128 * 64 * PITCH);
        return;
    }

    // The warp's rows and columns in the tile; and which row of which core matrix a lane's address is that of.
    const int lane = tid % 32;
    const int row0 = tid / 32 % WARPS_M * 32;
    const int column0 = tid / 32 / WARPS_M * WTN;
    const uint lane_a = STAGE_B + (row0 + lane / 16 * 8) * ROW + lane / 8 % 2 * 128 + lane % 8 * 16;
    const uint lane_b = (column0 + lane / 8 % 2 * 8) * ROW + lane / 16 * 128 + lane % 8 * 16;

    // Of a strip a lane has four times four sums: in each eight rows it has two neighbours in a column, and the same rows
    // of the eighth column after it.
    float sum[WTN / 16][4][4], corrections[WTN / 16][4][4];
    #pragma unroll
    for (int strip = 0; strip < WTN / 16; strip++)
        #pragma unroll
        for (int i = 0; i < 16; i++)
            sum[strip][i / 4][i % 4] = corrections[strip][i / 4][i % 4] = 0.0f;

    for (uint step = 0; step < steps; step++) {
        WAIT_FOR_COPIES(STAGES - 2);
        barrier(CLK_LOCAL_MEM_FENCE); // This stage is there, and all have done with the one before.
        if (step + STAGES - 1 < steps)
            BRING_STAGE(step + STAGES - 1);
        commit_copies();

        const uint stage = stages + step % STAGES * STAGE;
        uint a[TSK / 16][PIECES][8]; // two words for each eight rows
        #pragma unroll
        for (int i = 0; i < TSK / 16; i++)
            #pragma unroll
            for (int piece = 0; piece < PIECES; piece++)
                #pragma unroll
                for (int h = 0; h < 2; h++)
                    load_matrices(a[i][piece] + 4 * h, stage + lane_a + h * 16 * ROW + (i * PIECES + piece) * MATRIX);
        #pragma unroll
        for (int strip = 0; strip < WTN / 16; strip++) {
            float products[4][4];
            #pragma unroll
            for (int j = 0; j < 16; j++)
                products[j / 4][j % 4] = 0.0f;
            #pragma unroll
            for (int i = 0; i < TSK / 16; i++) {
                uint b[PIECES][4];
                #pragma unroll
                for (int piece = 0; piece < PIECES; piece++)
                    load_matrices(b[piece], stage + lane_b + strip * 16 * ROW + (i * PIECES + piece) * MATRIX);
#define ADD_PIECES(sums, of_b, of_a, add)                                                                                   \
    _Pragma("unroll") for (int j = 0; j < 4; j++) add_product((sums)[j], b[(of_b) - 1], a[i][(of_a) - 1] + 2 * j);
                ADD_PIECES(products, 1, 1, 1) // `add` is always 1: sums that begin have been set to zero.
                ADD_CORRECTIONS(ADD_PIECES, corrections[strip], 1)
            }
            #pragma unroll
            for (int j = 0; j < 16; j++)
                sum[strip][j / 4][j % 4] += products[j / 4][j % 4];
        }
        if (step % (CORRECTIONS_DEPTH / TSK) == CORRECTIONS_DEPTH / TSK - 1 || step + 1 == steps)
            #pragma unroll
            for (int strip = 0; strip < WTN / 16; strip++)
                #pragma unroll
                for (int j = 0; j < 16; j++) {
                    sum[strip][j / 4][j % 4] += corrections[strip][j / 4][j % 4];
                    corrections[strip][j / 4][j % 4] = 0.0f;
                }
    }

    barrier(CLK_LOCAL_MEM_FENCE); // From here on the stages are free to take the sums.
    const uint pairs = stages + (column0 + lane / 4) * PITCH + (row0 + lane % 4 * 2) * 4;
    #pragma unroll
    for (int strip = 0; strip < WTN / 16; strip++)
        #pragma unroll
        for (int j = 0; j < 4; j++)
            #pragma unroll
            for (int h = 0; h < 2; h++)
                put_pair(pairs + (strip * 16 + h * 8) * PITCH + j * 32, sum[strip][j][2 * h],
                         sum[strip][j][2 * h + 1]);
    barrier(CLK_LOCAL_MEM_FENCE);
    store_columns(result, tile.m, tile.n + tid / 128 * 64, 64, stages + tid / 128 * 64 * PITCH);
}
