// Kernel 14, tensor cores: FP32-accurate products on the tensor cores of Hopper GPUs, which multiply bf16 numbers.
//
// `split` has written each float of A and B as three bf16 pieces, x = x1 + x2 + x3. Of the nine products of pieces, six make
// the product to FP32's accuracy:
//
//     a b = a1 b1 + (a1 b2 + a2 b1) + (a1 b3 + a2 b2 + a3 b1)         what is left out is below 2^-24 |a b|
//
// A tensor core multiplies exactly, but cuts its sums off towards zero, which adds up along K. So it adds a1 b1 over TSK
// steps of K only, which fits 24 bits but for the last ones; then these sums are added in FP32 registers, with rounding. The other
// five products are smaller by 2^8 or more, and so is what is cut off them: they are added in the tensor core over CORRECTED
// such stages. While it works on them, the work-items add the sums of a1 b1.
//
//           TSN = 128
//        +-----+-----+     Two warpgroups (of 128 work-items, the unit that a Hopper tensor core takes orders from) multiply,
//        | con-| con-|     each 64 columns of the tile of C. What is computed is transposed, C' = B' A', so that a work-item
//   SPAN | su- | su- |     gets neighbours in a column of C. With TSM > 128 each computes two halves, SPAN rows each, one
//        | mer | mer |     after the other. A third warpgroup, the producer, has one work-item at work: it has the copy
//        |  0  |  1  |     engine bring tiles from global to local memory, STAGES at most ahead of the multiplication.
//        +-----+-----+
//
// A stage in local memory holds B's TSN columns and A's TSM rows (both called rows) of TSK = 32 steps of K, as `split` wrote
// them:
//
//     eight rows, 1536 bytes:  | k 0..15, piece 1 | piece 2 | piece 3 | k 16..31, piece 1 | piece 2 | piece 3 |
//                                   256 bytes: the core matrix of k 0..7, that of k 8..15
//
// A core matrix, 8 rows of 8 numbers, is what the hardware reads in one piece. A descriptor says where a matrix of one piece
// and 16 of K starts, how far away the core matrix of the next eight k is (128 bytes) and that of the next eight rows (1536),
// all in units of 16 bytes.
//
// A `full` barrier in local memory for each stage counts the bytes that have arrived, an `empty` one the warps that have
// multiplied them.
//
// Where a block of A or B has numbers that cannot be computed in pieces (`split` tells by its ranges), or where products
// might overflow, the work-group computes its tile from the floats themselves, by fused multiply-adds: NaN, infinity and the
// smallest numbers in A and B count as in the triple loop. That, and how sums get to C, is in tensor_common.clh, which kernel 19
// includes, too.
//
// Takes: everything.
// Source: our own; wgmma, mbarrier and cp.async.bulk are described in NVIDIA's PTX ISA, chapter 9.7.
//
// OpenCL compiles for sm_90, which has no wgmma. Each statement that only sm_90a has is therefore a comment in the PTX, one
// line that starts with `//@ `, and the array `memory` is declared too short: the library puts both right in the PTX text
// (src/execute/retarget.hpp) before the driver assembles it. `memory` is addressed by assembler alone, so that the compiler
// draws no conclusions from its length.
//
// Parameters: TSM, rows of C for a work-group: 64 to 128 in steps of 16, or 160; TSN, its columns: 128; TSK, the depth of a
// stage: 32; STAGES; GROUP, as in kernel 13.
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

#define CONSUMERS 2                  // warpgroups that multiply
#define ITEMS (128 * CONSUMERS + 128)
#define HALVES (TSM > 128 ? 2 : 1)
#define SPAN (TSM / HALVES)
#define SUMS (SPAN / 2)              // of a work-item, for 64 x SPAN elements of C
#define PIECES 3
#define CORRECTED 8                  // stages
#define ROW (TSK * PIECES * 2)       // bytes of a row in a stage
#define STAGE_B (TSN * ROW)
#define STAGE_A (TSM * ROW)
#define STAGE (STAGE_B + STAGE_A)
#define MATRIX 256                   // bytes of eight rows, one piece, 16 of K

// A work-item's sums of one half as operands of assembler, %0 to %(SUMS - 1), and the numbers of the operands after them.
#define EIGHT(s, i)                                                                                                         \
    "+f"(s[i]), "+f"(s[i + 1]), "+f"(s[i + 2]), "+f"(s[i + 3]), "+f"(s[i + 4]), "+f"(s[i + 5]), "+f"(s[i + 6]), "+f"(s[i + 7])
#define SUMS_32(s) EIGHT(s, 0), EIGHT(s, 8), EIGHT(s, 16), EIGHT(s, 24)
#define NAMES_32                                                                                                            \
    "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31"
#define NAMES_40 NAMES_32 ",%32,%33,%34,%35,%36,%37,%38,%39"
#define NAMES_48 NAMES_40 ",%40,%41,%42,%43,%44,%45,%46,%47"
#define NAMES_56 NAMES_48 ",%48,%49,%50,%51,%52,%53,%54,%55"
#if SPAN == 64
#define SUM_OPERANDS(s) SUMS_32(s)
#define PRODUCT WGMMA("m64n64k16", NAMES_32, "%32", "%33", "%34")
#elif SPAN == 80
#define SUM_OPERANDS(s) SUMS_32(s), EIGHT(s, 32)
#define PRODUCT WGMMA("m64n80k16", NAMES_40, "%40", "%41", "%42")
#elif SPAN == 96
#define SUM_OPERANDS(s) SUMS_32(s), EIGHT(s, 32), EIGHT(s, 40)
#define PRODUCT WGMMA("m64n96k16", NAMES_48, "%48", "%49", "%50")
#elif SPAN == 112
#define SUM_OPERANDS(s) SUMS_32(s), EIGHT(s, 32), EIGHT(s, 40), EIGHT(s, 48)
#define PRODUCT WGMMA("m64n112k16", NAMES_56, "%56", "%57", "%58")
#elif SPAN == 128
#define SUM_OPERANDS(s) SUMS_32(s), EIGHT(s, 32), EIGHT(s, 40), EIGHT(s, 48), EIGHT(s, 56)
#define PRODUCT WGMMA("m64n128k16", NAMES_56 ",%56,%57,%58,%59,%60,%61,%62,%63", "%64", "%65", "%66")
#endif
#define WGMMA(shape, sums, b, a, add)                                                                                       \
    "//@ {.reg .pred add; setp.ne.b32 add, " add ", 0; wgmma.mma_async.sync.aligned." shape ".f32.bf16.bf16 {" sums "}, " b \
    ", " a ", add, 1, 1, 0, 0;}"

// sums = B's 64 x 16 times A's 16 x SPAN, or, with `add` not 0, the same added to sums: an order, which tensor cores carry
// out in time.
#define BEGIN_PRODUCT(sums, b, a, add)                                                                                      \
    asm volatile(PRODUCT : SUM_OPERANDS(sums) : "l"(b), "l"(a), "r"(add) : "memory")
// Registers are as the tensor cores shall find them.
#define FENCE_PRODUCTS(sums) asm volatile("//@ wgmma.fence.sync.aligned;" : SUM_OPERANDS(sums) : : "memory")
// What was ordered since the last time is a batch.
#define COMMIT_PRODUCTS() asm volatile("//@ wgmma.commit_group.sync.aligned;" : : : "memory")
// Waits for all batches but the youngest `but`. These sums may be read then.
#define WAIT_FOR_PRODUCTS(sums, but)                                                                                        \
    asm volatile("//@ wgmma.wait_group.sync.aligned " #but ";" : SUM_OPERANDS(sums) : : "memory")
// The producer hands registers over to the consumers.
#define TAKE_REGISTERS() asm volatile("//@ setmaxnreg.inc.sync.aligned.u32 240;" : : : "memory")
#define LEAVE_REGISTERS() asm volatile("//@ setmaxnreg.dec.sync.aligned.u32 24;" : : : "memory")

#include "tensor_common.clh"

static inline void initialize_barrier(const uint address, const uint arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" : : "r"(address), "r"(arrivals) : "memory");
}

static inline void publish_barriers(void)
{
    asm volatile("fence.mbarrier_init.release.cluster;" : : : "memory");
    asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
}

static inline void arrive(const uint address)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" : : "r"(address) : "memory");
}

static inline void arrive_and_expect(const uint address, const uint bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" : : "r"(address), "r"(bytes) : "memory");
}

// Waits until the barrier has completed the phase of this parity.
static inline void wait_for(const uint address, const uint parity)
{
    asm volatile("{.reg .pred done; again: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1; @done bra.uni end; "
                 "bra.uni again; end: }" : : "r"(address), "r"(parity) : "memory");
}

// Waits for the others of this warpgroup, or for all that multiply. (Barrier 0 is OpenCL's.)
static inline void wait_for_warpgroup(const int warpgroup)
{
    asm volatile("bar.sync %0, 128;" : : "r"(1 + warpgroup) : "memory");
}

static inline void wait_for_consumers(void)
{
    asm volatile("bar.sync 3, 256;" : : : "memory");
}

static inline void bulk_copy(const uint to, const ulong from, const uint bytes, const uint barrier_address)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 : : "r"(to), "l"(from), "r"(bytes), "r"(barrier_address) : "memory");
}

// Of a matrix in local memory.
static inline ulong descriptor(const uint address)
{
    return (ulong)(8 * ROW / 16) << 32 | (ulong)(128 / 16) << 16 | address / 16;
}

kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void multiply(const ulong M, const ulong N, const ulong K, const float alpha,
              const global float* restrict A, const ulong offsetA, const ulong strideAM, const ulong strideAK,
              const global float* restrict B, const ulong offsetB, const ulong strideBN, const ulong strideBK,
              const float beta, global float* restrict C, const ulong offsetC, const ulong ldc, const ulong splitK,
              const ulong splitC, const global float* restrict workspace, const ulong imageA, const ulong rowsA,
              const ulong imageB, const ulong rowsB, const ulong rangesA, const ulong rangesB)
{
    local uchar __attribute__((aligned(1024))) memory[1024]; // STAGES * (STAGE + 16) bytes, in truth
    local float __attribute__((aligned(16))) plainA[PLAIN_DEPTH * SPAN];
    local float __attribute__((aligned(16))) plainB[PLAIN_DEPTH * TSN];
    local uint largest[2];
    const uint stages = (uint)(ulong)memory;
    const uint full = stages + STAGES * STAGE; // the barriers, 8 bytes each
    const uint empty = full + STAGES * 8;
    const int tid = get_local_id(0);

    // Which tile of C, and which part of K.
    const uint tilesM = get_num_groups(0);
    const uint tilesN = get_num_groups(1);
    const ulong number = (ulong)get_group_id(1) * tilesM + get_group_id(0);
    const uint band = (uint)(number / (GROUP * (ulong)tilesN)) * GROUP;
    const uint height = min(tilesM - band, (uint)GROUP);
    const uint in_band = (uint)(number % (GROUP * (ulong)tilesN));
    const ulong tileM = (ulong)(band + in_band % height) * TSM;
    const ulong tileN = (ulong)(in_band / height) * TSN;
    const ulong k0 = get_group_id(2) * splitK;
    const ulong depth = min(K - k0, splitK);
    const uint steps = (uint)((depth + TSK - 1) / TSK);
    const Result result = {C + offsetC + get_group_id(2) * splitC, M, N, ldc, alpha, beta};

    // The first stages are on their way while all look whether they are of use.
    const bool is_producer = tid == 128 * CONSUMERS;
    ulong next_a = (ulong)(workspace + imageA) + (k0 / TSK * rowsA + tileM) * ROW;
    ulong next_b = (ulong)(workspace + imageB) + (k0 / TSK * rowsB + tileN) * ROW;
#define FETCH(stage)                                                                                                        \
    do {                                                                                                                    \
        arrive_and_expect(full + 8 * (stage), STAGE);                                                                       \
        bulk_copy(stages + (stage) * STAGE, next_b, STAGE_B, full + 8 * (stage));                                           \
        bulk_copy(stages + (stage) * STAGE + STAGE_B, next_a, STAGE_A, full + 8 * (stage));                                 \
        next_b += rowsB * ROW;                                                                                              \
        next_a += rowsA * ROW;                                                                                              \
    } while (0)
    const int first_stages = (int)min(steps, (uint)STAGES);
    if (is_producer) {
        for (int stage = 0; stage < STAGES; stage++) {
            initialize_barrier(full + 8 * stage, 1);
            initialize_barrier(empty + 8 * stage, 4 * CONSUMERS);
        }
        publish_barriers();
        for (int stage = 0; stage < first_stages; stage++)
            FETCH(stage);
    }
    if (!pieces_suffice((const global uint*)workspace, rangesA, rangesB, K, tileM, min(tileM + TSM, M), tileN, k0, depth,
                        largest)) {
        // What is on its way to local memory must not arrive later.
        for (int stage = 0; stage < first_stages; stage++)
            wait_for(full + 8 * stage, 0);
        #pragma unroll 1
        for (int h = 0; h < HALVES; h++) {
            const ulong m0 = tileM + h * SPAN;
            barrier(CLK_LOCAL_MEM_FENCE);
            multiply_plain(A + offsetA + m0 * strideAM + k0 * strideAK, strideAM, strideAK,
                           B + offsetB + tileN * strideBN + k0 * strideBK, strideBN, strideBK, depth, M > m0 ? M - m0 : 0,
                           N - tileN, stages, plainA, plainB);
            barrier(CLK_LOCAL_MEM_FENCE);
            if (tid < 128 * CONSUMERS)
                store_columns(result, m0, tileN + tid / 128 * 64, stages + tid / 128 * 64 * PITCH);
        }
        return;
    }

    // By shuffle, so that the compiler knows that all lanes of a warp have the same, as descriptors must.
    int warpgroup;
    asm volatile("shfl.sync.idx.b32 %0, %1, 0, 31, 0xffffffff;" : "=r"(warpgroup) : "r"(tid / 128));
    if (warpgroup == CONSUMERS) {
        LEAVE_REGISTERS();
        if (is_producer) {
            int stage = 0;
            uint parity = 0;
            for (uint step = STAGES; step < steps; step++) {
                wait_for(empty + 8 * stage, parity);
                FETCH(stage);
                if (++stage == STAGES) {
                    stage = 0;
                    parity ^= 1;
                }
            }
        }
        return;
    }

    TAKE_REGISTERS();
    float sum[HALVES][SUMS], corrections[HALVES][SUMS], products[SUMS];
    #pragma unroll
    for (int h = 0; h < HALVES; h++)
        #pragma unroll
        for (int i = 0; i < SUMS; i++)
            sum[h][i] = 0.0f;
    int stage = 0;
    uint parity = 0;
    for (uint step = 0; step < steps; step++) {
        wait_for(full + 8 * stage, parity);
        const uint at = stages + stage * STAGE;
        const ulong all_b = descriptor(at + warpgroup * 64 * ROW);
        const ulong all_a = descriptor(at + STAGE_B);
        const int add_corrections = step % CORRECTED != 0; // or else begin anew
        #pragma unroll
        for (int h = 0; h < HALVES; h++) {
#define PIECE(i, piece) (((i) * PIECES + (piece) - 1) * MATRIX)
#define ADD_PIECES(sums, of_b, of_a, add_first)                                                                             \
    _Pragma("unroll") for (int i = 0; i < TSK / 16; i++)                                                                    \
    {                                                                                                                       \
        const ulong b = all_b + PIECE(i, of_b) / 16;                                                                        \
        const ulong a = all_a + (PIECE(i, of_a) + h * SPAN * ROW) / 16;                                                     \
        BEGIN_PRODUCT(sums, b, a, i == 0 ? (add_first) : 1);                                                                \
    }
            FENCE_PRODUCTS(products);
            FENCE_PRODUCTS(corrections[h]);
            ADD_PIECES(products, 1, 1, 0)
            COMMIT_PRODUCTS();
            ADD_PIECES(corrections[h], 3, 1, add_corrections)
            ADD_PIECES(corrections[h], 1, 3, 1)
            ADD_PIECES(corrections[h], 2, 2, 1)
            ADD_PIECES(corrections[h], 2, 1, 1)
            ADD_PIECES(corrections[h], 1, 2, 1)
            COMMIT_PRODUCTS();
            WAIT_FOR_PRODUCTS(products, 1);
            #pragma unroll
            for (int i = 0; i < SUMS; i++)
                sum[h][i] += products[i];
        }
        #pragma unroll
        for (int h = 0; h < HALVES; h++)
            WAIT_FOR_PRODUCTS(corrections[h], 0);
        if (tid % 32 == 0)
            arrive(empty + 8 * stage);
        if (step % CORRECTED == CORRECTED - 1 || step + 1 == steps)
            #pragma unroll
            for (int h = 0; h < HALVES; h++)
                #pragma unroll
                for (int i = 0; i < SUMS; i++)
                    sum[h][i] += corrections[h][i];
        if (++stage == STAGES) {
            stage = 0;
            parity ^= 1;
        }
    }

    // A warp has 16 columns of C. Of eight rows by eight columns a lane has two neighbours in one column; it has SPAN / 8
    // such pairs below one another, and as many eight columns further.
    const int lane = tid % 32;
    const uint columns = stages + warpgroup * 64 * PITCH;
    const uint pairs = columns + (tid / 32 % 4 * 16 + lane / 4) * PITCH + lane % 4 * 8;
    wait_for_consumers(); // the stages are free
    #pragma unroll
    for (int h = 0; h < HALVES; h++) {
        #pragma unroll
        for (int i = 0; i < SPAN / 8; i++)
            #pragma unroll
            for (int j = 0; j < 2; j++)
                put_pair(pairs + j * 8 * PITCH + i * 32, sum[h][i * 4 + j * 2], sum[h][i * 4 + j * 2 + 1]);
        wait_for_warpgroup(warpgroup);
        store_columns(result, tileM + h * SPAN, tileN + warpgroup * 64, columns);
        wait_for_warpgroup(warpgroup);
    }
}
