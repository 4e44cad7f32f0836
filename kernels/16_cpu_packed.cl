// Kernel 16, packed for CPUs: both operands are first copied into panels, in the order in which the multiplication reads them;
// then one work-item, which is a whole work-group, computes a block of C from vector registers.
//
//   packed A: panels of WPTM rows       packed B: panels of WPTN columns        C: blocks of panelsM x panelsN panels
//
//     k = 0 1 2 ..                        j = 0 .. 7                           +---------------+
//    +-+-+-+----                         +-----------+ k = 0                   |  :  :  :  :   |    Each tile of a block (one
//    |#|#|#|      each column is         |###########| k = 1                   |..:..:..:..:...|    panel by one panel) stays
//    |#|#|#| ...  MV vectors of WIDTH    |###########| ..                      |  :  : t:  :   |    in MV * WPTN vector
//    |#|#|#|      floats                 |###########|                         +---------------+    registers for a block of K.
//    +-+-+-+----                         +-----------+
//
//   for each block of K            the caches' view (as in GotoBLAS): the panels of A, a block of K deep, stay in the
//     for each panel of B          second-level cache; the panel of B, WPTN * TSK floats, stays in the first; the panels of A
//       for each panel of A        stream past it.
//         for each k               MV loads of A, WPTN broadcasts from B, MV * WPTN fused multiply-adds
//
// - No barriers and no local memory: CPU runtimes turn a barrier into loops over the work-items, and spill to memory what lives
//   across one. A work-item takes the place of a thread, and vectors that of a work-group's items.
// - Packing makes every access of the inner loop consecutive and aligned, whatever the leading dimensions are, and it is where
//   transposed operands are turned: the multiplication sees no difference. (A workspace of the caller's may begin anywhere, so
//   the types do not promise alignment; where the memory is aligned this costs nothing.) C is only written inside the matrix:
//   by narrower tiles (fewer vectors), and by elements at the edges.
// - fma(): it becomes one instruction. mad() does not on PoCL, and a * b + c may be split into narrower ones.
//
// Two launches, pack and multiply, with (panels of A + panels of B) * K * panel floats of workspace. Blocks of C should be as
// even as can be: the slowest compute unit counts.
//
// Takes: everything.
// Source: our own, after "Anatomy of High-Performance Matrix Multiplication" by Goto and van de Geijn, and BLIS.
//
// Parameters: WIDTH, floats in a vector (4, 8 or 16: NEON, AVX2, AVX-512); WPTM, a multiple of WIDTH, by WPTN, a multiple of
// 4, the register tile: (WPTM / WIDTH) * (WPTN + 1) + 1 registers; TSK, the depth of a block, a multiple of 16. TRANS_A,
// TRANS_B: 1 where the operand is stored transposed.
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

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define UNROLL _Pragma("unroll")

typedef JOIN(float, WIDTH) vector;
typedef vector unaligned_vector __attribute__((aligned(4))); // PoCL's vstore16 is four stores
#define MV (WPTM / WIDTH)

// How deep the blocks of K are: as few as possible, equally deep, at most TSK (a multiple of 16).
static inline ulong block_depth(const ulong K)
{
    const ulong blocks = (K + TSK - 1) / TSK;
    return ((K + blocks - 1) / blocks + 15) / 16 * 16;
}

// ---------------------------------------------------------------------------------------------------------------------------
// Packing. W is the width of vectors there: it divides the panel's side.
#define WIDTH_A WIDTH
#if WIDTH >= 16 && WPTN % 16 == 0
#define WIDTH_B 16
#elif WIDTH >= 8 && WPTN % 8 == 0
#define WIDTH_B 8
#else
#define WIDTH_B 4
#endif

// Turns W vectors of W floats: interleaving the first half with the second log2(W) times.
#define DEFINE_TURN(W, LOG2)                                                                                                \
    static inline void JOIN(turn, W)(JOIN(float, W)* x)                                                                     \
    {                                                                                                                       \
        UNROLL for (int step = 0; step < LOG2; step++)                                                                      \
        {                                                                                                                   \
            JOIN(float, W) y[W];                                                                                            \
            UNROLL for (int i = 0; i < W / 2; i++)                                                                          \
            {                                                                                                               \
                y[2 * i].even = x[i].lo;                                                                                    \
                y[2 * i].odd = x[i + W / 2].lo;                                                                             \
                y[2 * i + 1].even = x[i].hi;                                                                                \
                y[2 * i + 1].odd = x[i + W / 2].hi;                                                                         \
            }                                                                                                               \
            UNROLL for (int i = 0; i < W; i++) x[i] = y[i];                                                                 \
        }                                                                                                                   \
    }
#if WIDTH_A == 4 || WIDTH_B == 4
DEFINE_TURN(4, 2)
#endif
#if WIDTH_A == 8 || WIDTH_B == 8
DEFINE_TURN(8, 3)
#endif
#if WIDTH_A == 16 || WIDTH_B == 16
DEFINE_TURN(16, 4)
#endif

// A panel of SIDE rows of op(A) (columns of op(B)), of which `count` exist, becomes depth x SIDE floats, k slowest; the last
// vector of rows is filled up with zeros. ALONG_K: the operand's memory runs along K.
#define DEFINE_PACK_PANEL(NAME, SIDE, W, ALONG_K)                                                                           \
    static inline void NAME(global float* restrict to, const global float* restrict from, const ulong ld, const int count,  \
                            const int depth)                                                                                \
    {                                                                                                                       \
        typedef JOIN(float, W) packed_vector;                                                                               \
        typedef packed_vector loaded_vector __attribute__((aligned(4)));                                                    \
        if (count == SIDE && !(ALONG_K)) {                                                                                  \
            for (int k = 0; k < depth; k++)                                                                                 \
                UNROLL for (int i = 0; i < SIDE; i += W)                                                                    \
                    *(global loaded_vector*)(to + k * SIDE + i) = *(const global loaded_vector*)(from + k * ld + i);        \
            return;                                                                                                         \
        }                                                                                                                   \
        for (int i = 0; i < count; i += W) {                                                                                \
            int k = 0;                                                                                                      \
            if (i + W <= count && (ALONG_K)) {                                                                              \
                for (; k + W <= depth; k += W) {                                                                            \
                    packed_vector x[W];                                                                                     \
                    UNROLL for (int v = 0; v < W; v++) x[v] = *(const global loaded_vector*)(from + (i + v) * ld + k);      \
                    JOIN(turn, W)(x);                                                                                       \
                    UNROLL for (int v = 0; v < W; v++) *(global loaded_vector*)(to + (k + v) * SIDE + i) = x[v];            \
                }                                                                                                           \
            } else if (i + W <= count) {                                                                                    \
                for (; k < depth; k++)                                                                                      \
                    *(global loaded_vector*)(to + k * SIDE + i) = *(const global loaded_vector*)(from + k * ld + i);        \
            }                                                                                                               \
            for (; k < depth; k++)                                                                                          \
                for (int v = i; v < i + W; v++)                                                                             \
                    to[k * SIDE + v] = v < count ? from[(ALONG_K) ? v * ld + k : k * ld + v] : 0.0f;                        \
        }                                                                                                                   \
    }
DEFINE_PACK_PANEL(pack_panel_a, WPTM, WIDTH_A, TRANS_A)
DEFINE_PACK_PANEL(pack_panel_b, WPTN, WIDTH_B, !(TRANS_B))

// Work-group (p, q) packs the qth block of K of panel p: panels of A first, then those of B.
//
// A packed operand is a sequence of blocks of K; a block is all panels in a row.
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void pack(const ulong M, const ulong N, const ulong K, const global float* restrict A, const ulong offsetA, const ulong lda,
          const global float* restrict B, const ulong offsetB, const ulong ldb, global float* restrict packed,
          const ulong offsetPackedA, const ulong offsetPackedB)
{
    const ulong panelsA = (M + WPTM - 1) / WPTM;
    const ulong panelsB = (N + WPTN - 1) / WPTN;
    const ulong k = get_group_id(1) * block_depth(K);
    const int depth = (int)min(K - k, block_depth(K));
    ulong p = get_group_id(0);
    if (p < panelsA) {
        pack_panel_a(packed + offsetPackedA + (panelsA * k + p * depth) * WPTM,
                     A + offsetA + (TRANS_A ? p * WPTM * lda + k : k * lda + p * WPTM), lda,
                     (int)min(M - p * WPTM, (ulong)WPTM), depth);
    } else {
        p -= panelsA;
        pack_panel_b(packed + offsetPackedB + (panelsB * k + p * depth) * WPTN,
                     B + offsetB + (TRANS_B ? k * ldb + p * WPTN : p * WPTN * ldb + k), ldb,
                     (int)min(N - p * WPTN, (ulong)WPTN), depth);
    }
}

// ---------------------------------------------------------------------------------------------------------------------------
// Multiplication.

// C = alpha * a * b + beta * C for a tile of VECTORS vectors by WPTN columns, of which rows x columns exist.
//
// A macro, because loops are only unrolled early enough where their bounds are literals.
#define DEFINE_MULTIPLY_TILE(NAME, VECTORS)                                                                                 \
    static inline void NAME(const int depth, const float alpha, const global float* restrict a,                             \
                            const global float* restrict b, const float beta, global float* restrict c, const ulong ldc,    \
                            const int rows, const int columns)                                                              \
    {                                                                                                                       \
        vector sum[WPTN][VECTORS];                                                                                          \
        UNROLL for (int j = 0; j < WPTN; j++)                                                                               \
            UNROLL for (int v = 0; v < VECTORS; v++) sum[j][v] = (vector)(0.0f);                                            \
        for (int k = 0; k < depth; k++) {                                                                                   \
            vector column[VECTORS];                                                                                         \
            UNROLL for (int v = 0; v < VECTORS; v++) column[v] = *(const global unaligned_vector*)(a + v * WIDTH);          \
            UNROLL for (int j = 0; j < WPTN; j++)                                                                           \
            {                                                                                                               \
                const vector element = (vector)(b[j]);                                                                      \
                UNROLL for (int v = 0; v < VECTORS; v++) sum[j][v] = fma(column[v], element, sum[j][v]);                    \
            }                                                                                                               \
            a += WPTM;                                                                                                      \
            b += WPTN;                                                                                                      \
        }                                                                                                                   \
        if (rows >= VECTORS * WIDTH && columns >= WPTN) {                                                                   \
            UNROLL for (int j = 0; j < WPTN; j++)                                                                           \
            {                                                                                                               \
                global unaligned_vector* to = (global unaligned_vector*)(c + j * ldc);                                      \
                if (beta == 0.0f)                                                                                           \
                    UNROLL for (int v = 0; v < VECTORS; v++) to[v] = alpha * sum[j][v];                                     \
                else                                                                                                        \
                    UNROLL for (int v = 0; v < VECTORS; v++) to[v] = fma((vector)(beta), to[v], alpha * sum[j][v]);         \
            }                                                                                                               \
        } else {                                                                                                            \
            vector tile[WPTN][VECTORS];                                                                                     \
            UNROLL for (int j = 0; j < WPTN; j++)                                                                           \
                UNROLL for (int v = 0; v < VECTORS; v++) tile[j][v] = alpha * sum[j][v];                                    \
            for (int j = 0; j < min(columns, WPTN); j++)                                                                    \
                for (int i = 0; i < min(rows, VECTORS * WIDTH); i++) {                                                      \
                    const float product = ((const float*)tile[j])[i];                                                       \
                    c[j * ldc + i] = beta == 0.0f ? product : fma(beta, c[j * ldc + i], product);                           \
                }                                                                                                           \
        }                                                                                                                   \
    }
DEFINE_MULTIPLY_TILE(multiply_tile_full, MV)
#if MV > 1
DEFINE_MULTIPLY_TILE(multiply_tile_1, 1)
#endif
#if MV > 2
DEFINE_MULTIPLY_TILE(multiply_tile_2, 2)
#endif

// Work-group (p, q) computes the block of C at panel p * panelsM of A and q * panelsN of B.
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void multiply(const ulong M, const ulong N, const ulong K, const float alpha, const global float* restrict A,
              const ulong offsetA, const global float* restrict B, const ulong offsetB, const float beta,
              global float* restrict C, const ulong offsetC, const ulong ldc, const ulong panelsM, const ulong panelsN)
{
    const ulong allM = (M + WPTM - 1) / WPTM;
    const ulong allN = (N + WPTN - 1) / WPTN;
    const ulong firstM = get_group_id(0) * panelsM;
    const ulong firstN = get_group_id(1) * panelsN;
    const ulong endM = min(firstM + panelsM, allM);
    const ulong endN = min(firstN + panelsN, allN);

    const ulong deep = block_depth(K);
    for (ulong k = 0; k < K; k += deep) {
        const int depth = (int)min(K - k, deep);
        const float old = k == 0 ? beta : 1.0f;
        for (ulong q = firstN; q < endN; q++) {
            const global float* b = B + offsetB + (allN * k + q * depth) * WPTN;
            const int columns = (int)min(N - q * WPTN, (ulong)WPTN);
            for (ulong p = firstM; p < endM; p++) {
                const global float* a = A + offsetA + (allM * k + p * depth) * WPTM;
                global float* c = C + offsetC + q * WPTN * ldc + p * WPTM;
                const int rows = (int)min(M - p * WPTM, (ulong)WPTM);
#if MV > 1
                if (rows <= WIDTH)
                    multiply_tile_1(depth, alpha, a, b, old, c, ldc, rows, columns);
                else
#endif
#if MV > 2
                if (rows <= 2 * WIDTH)
                    multiply_tile_2(depth, alpha, a, b, old, c, ldc, rows, columns);
                else
#endif
                    multiply_tile_full(depth, alpha, a, b, old, c, ldc, rows, columns);
            }
        }
    }
}
