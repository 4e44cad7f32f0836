// Kernel 16, packed for CPUs: a first launch copies both operands into panels, in the order in which the multiplication
// reads them. In the second one a work-item, which is a whole work-group, computes a block of C from vector registers.
//
//   packed A: panels of WPTM rows       packed B: panels of WPTN columns      C: blocks of panelsM x panelsN panels
//
//     k = 0 1 2 ..                        j = 0 .. 7                       +---------------+
//    +-+-+-+----                         +-----------+ k = 0               |  :  :  :  :   |    Each tile of a block (one
//    |#|#|#|      each column is         |###########| k = 1               |..:..:..:..:...|    panel by one panel) stays
//    |#|#|#| ...  MV vectors of WIDTH    |###########| ..                  |  :  : t:  :   |    in MV * WPTN vector
//    |#|#|#|      floats                 |###########|                     +---------------+    registers for a block of K.
//    +-+-+-+----                         +-----------+
//
//   for each block of K           This is how the caches see it (as in GotoBLAS): the panels of A, a block of K deep, stay
//     for each panel of B         in the second-level cache. The panel of B, WPTN * TSK floats, stays in the first. The
//       for each panel of A       panels of A stream past it.
//         for each k              MV loads of A, WPTN broadcasts from B, MV * WPTN fused multiply-adds
//
// - There are no barriers and no local memory: CPU runtimes turn a barrier into loops over the work-items, and spill to
//   memory what lives across one. A work-item takes the place of a thread, and vectors that of a work-group's items.
// - Packing makes every access of the inner loop consecutive and aligned, whatever the leading dimensions are. It also turns
//   transposed operands, so that the multiplication sees no difference. (A workspace of the caller's may begin anywhere, so
//   the types do not promise alignment. If the memory is aligned this costs nothing.) Narrower tiles (fewer vectors), and
//   single elements at the edges, keep stores inside C.
// - B's panels come from memory once for each block of panels of A. With few rows there is little to compute meanwhile, so
//   they are fetched ahead.
// - Products are added by a * b + c, which compilers contract to one instruction where the device has it. fma() is a call
//   into the runtime's library, which not every runtime has or inlines, and mad() is two instructions on PoCL.
//
// It takes two launches, pack and multiply, and (panels of A + panels of B) * K * panel floats of workspace. Blocks of C
// should be as even as can be, because the slowest compute unit counts.
//
// Takes: everything.
// Source: our own, after "Anatomy of High-Performance Matrix Multiplication" by Goto and van de Geijn, and BLIS.
//
// Parameters:
//   WIDTH             floats in a vector (4, 8 or 16: NEON, AVX2, AVX-512)
//   WPTM, WPTN        the register tile, which takes (WPTM / WIDTH) * (WPTN + 1) + 1 registers; WPTM is a multiple of
//                     WIDTH, WPTN of 4
//   TSK               the depth of a block, a multiple of 16
//   TRANS_A, TRANS_B  1 where the operand is stored transposed
//   REPRODUCIBLE, CONTRACTED  see reproducible.clh. TSK is the depth that is given there.
#include "arguments.h"
#include "reproducible.clh"

#ifndef WIDTH
#define WIDTH 16
#endif
#ifndef WPTM
#define WPTM 48
#endif
#ifndef WPTN
#define WPTN 8
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

#include "cpu_common.clh"

#define MV (WPTM / WIDTH)
#define AHEAD 256 // how many floats of B's panels are fetched before they are needed; the next panel follows the last one

// -------------------------------------------------------------------------------------------------------------------------
// Packing. WIDTH_A and WIDTH_B are the widths of vectors there, which divide the panels' sides.
#define WIDTH_A WIDTH
#if WIDTH >= 16 && WPTN % 16 == 0
#define WIDTH_B 16
#elif WIDTH >= 8 && WPTN % 8 == 0
#define WIDTH_B 8
#else
#define WIDTH_B 4
#endif

DEFINE_PACK_PANEL(pack_panel_a, global, loaded_vector, WPTM, WIDTH_A, TRANS_A)
DEFINE_PACK_PANEL(pack_panel_b, global, loaded_vector, WPTN, WIDTH_B, !(TRANS_B))

// Work-group (p, q, r) packs the qth block of K of panel p: panels of A first, then those of B. (Or of the rth operand, where
// there are several of one kind.)
//
// A packed operand is a sequence of blocks of K; a block is all panels in a row.
kernel WHOLE_VECTORS __attribute__((reqd_work_group_size(1, 1, 1)))
void pack(const global float* restrict A, const global float* restrict B, global float* restrict packed, const Packing call)
{
    const ulong M = call.M, N = call.N, K = call.K;
    const ulong lda = TRANS_A ? call.A.row : call.A.column; // How far apart the lines begin along which memory runs.
    const ulong ldb = TRANS_B ? call.B.row : call.B.column;
    const ulong panelsA = (M + WPTM - 1) / WPTM;
    const ulong panelsB = (N + WPTN - 1) / WPTN;
    const ulong k = get_group_id(1) * block_depth(K);
    const int depth = (int)min(K - k, block_depth(K));
    ulong p = get_group_id(0);
    packed += get_group_id(2) * call.nextPacked;
    if (p < panelsA) {
        pack_panel_a(packed + call.packedA + (panelsA * k + p * depth) * WPTM,
                     A + call.A.offset + get_group_id(2) * call.next + (TRANS_A ? p * WPTM * lda + k : k * lda + p * WPTM), lda,
                     (int)min(M - p * WPTM, (ulong)WPTM), depth);
    } else {
        p -= panelsA;
        pack_panel_b(packed + call.packedB + (panelsB * k + p * depth) * WPTN,
                     B + call.B.offset + get_group_id(2) * call.next + (TRANS_B ? k * ldb + p * WPTN : p * WPTN * ldb + k), ldb,
                     (int)min(N - p * WPTN, (ulong)WPTN), depth);
    }
}

// -------------------------------------------------------------------------------------------------------------------------
// Multiplication.

// A's panels and B's lie side by side as they are read.
#define OPERANDS const global float* restrict a, const global float* restrict b
#define VECTOR_OF_A(v) *(const global unaligned_vector*)(a + (v) * WIDTH)
#define PREPARE_B
#define ELEMENT_OF_B b[j]
#define FETCH_AHEAD PREFETCH(b + AHEAD);
#define NEXT_OF_A a += WPTM;
#define NEXT_OF_B b += WPTN;
#include "cpu_tile.clh"

// Work-group (p, q) computes the block of C at panel p * panelsM of A and q * panelsN of B.
kernel WHOLE_VECTORS __attribute__((reqd_work_group_size(1, 1, 1)))
void multiply(const global float* restrict packedA, const global float* restrict packedB, global float* restrict C,
              const PanelMultiplication call)
{
    const ulong M = call.M, N = call.N, K = call.K, ldc = call.C.column;
    const ulong panelsM = call.panelsM, panelsN = call.panelsN;
    const float alpha = call.alpha;
    const ulong allM = (M + WPTM - 1) / WPTM;
    const ulong allN = (N + WPTN - 1) / WPTN;
    const ulong firstM = get_group_id(0) * panelsM;
    const ulong firstN = get_group_id(1) * panelsN;
    const ulong endM = min(firstM + panelsM, allM);
    const ulong endN = min(firstN + panelsN, allN);

    const ulong deep = block_depth(K);
    for (ulong k = 0; k < K; k += deep) {
        const int depth = (int)min(K - k, deep);
        const float old = k == 0 ? call.beta : 1.0f;
        for (ulong q = firstN; q < endN; q++) {
            const global float* b = packedB + call.packedB + (allN * k + q * depth) * WPTN;
            const int columns = (int)min(N - q * WPTN, (ulong)WPTN);
            for (ulong p = firstM; p < endM; p++) {
                const global float* a = packedA + call.packedA + (allM * k + p * depth) * WPTM;
                global float* c = C + call.C.offset + q * WPTN * ldc + p * WPTM;
                const int rows = (int)min(M - p * WPTM, (ulong)WPTM);
                MULTIPLY_TILE(rows, (a, b, depth, alpha, old, c, ldc, rows, columns));
            }
        }
    }
}
