// Kernel 18, matrix times few vectors for CPUs: op(A), read once and where it lies, by up to 16 columns of B.
//
//   A stored as it is (memory runs down the columns)      A stored transposed (memory runs along the rows)
//
//        k k k k                                               +-----------------+
//       +-+-+-+-+---                                        i  |### >            |    ROWS rows at a time, as that many
//       |#|#|#|#|        DEPTH columns at a time go down    i  |### >            |    streams along K; a vector of partial
//       |v|v|v|v|        the block of rows: DEPTH streams,     +-----------------+    sums for each row and column, added
//       | | | | |        and sums that stay in the first-                             up at the end.
//       +-+-+-+-+---     level cache.
//
// The matrix is larger than the caches and each element of it is used once: the memory's bandwidth is the limit, so nothing is
// copied, and what counts is few, long streams. With few rows instead of few columns, the plan exchanges the operands, since
// (A B)^T = B^T A^T; that is why C is told by the distance of its rows and that of its columns, and B likewise.
//
// A work-group takes blockM rows, COLUMNS columns and one slice of K; the helper reduce adds the slices.
//
// Against kernel 17: nothing is packed. It pays up to 8 columns, up to 16 if A is stored as it is.
//
// Takes: everything; more than COLUMNS columns in several passes over A.
// Source: our own.
//
// Parameters: WIDTH, floats in a vector; COLUMNS, those of a work-group; TSM, most rows in a block, and TSK, most of K at a time: multiples
// of WIDTH, COLUMNS * (TSM + TSK) floats of local memory, half of which should fit the first-level cache; DEPTH, ROWS: see
// above. ROWS * COLUMNS is at most 32 (many more, and PoCL 3.1's compiler crashes). TRANS_A: 1 where A is stored transposed.
#ifndef WIDTH
#define WIDTH 16
#endif
#ifndef COLUMNS
#define COLUMNS 1
#endif
#ifndef TSM
#define TSM 4096
#endif
#ifndef TSK
#define TSK 4096
#endif
#ifndef DEPTH
#define DEPTH 16
#endif
#ifndef ROWS
#define ROWS 16
#endif
#ifndef TRANS_A
#define TRANS_A 0
#endif

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define UNROLL _Pragma("unroll")

typedef JOIN(float, WIDTH) vector;
typedef vector unaligned_vector __attribute__((aligned(4)));

// sums[j * TSM + i] += A's `rows` rows times b, `depth` of K. Column j of b begins at b[j * TSK].
#if !TRANS_A
static inline void multiply_block(const global float* restrict a, const ulong lda, const local float* restrict b,
                                  local float* restrict sums, const int rows, const int depth)
{
    int k = 0;
    for (; k + DEPTH <= depth; k += DEPTH) {
        vector elements[COLUMNS][DEPTH];
        UNROLL for (int j = 0; j < COLUMNS; j++)
            UNROLL for (int d = 0; d < DEPTH; d++)
                elements[j][d] = (vector)(b[j * TSK + k + d]);
        const global float* column[DEPTH];
        UNROLL for (int d = 0; d < DEPTH; d++)
            column[d] = a + (k + d) * lda;
        int i = 0;
        for (; i + WIDTH <= rows; i += WIDTH) {
            vector sum[COLUMNS];
            UNROLL for (int j = 0; j < COLUMNS; j++)
                sum[j] = *(local vector*)(sums + j * TSM + i);
            UNROLL for (int d = 0; d < DEPTH; d++) {
                const vector x = *(const global unaligned_vector*)(column[d] + i);
                UNROLL for (int j = 0; j < COLUMNS; j++)
                    sum[j] = fma(x, elements[j][d], sum[j]);
            }
            UNROLL for (int j = 0; j < COLUMNS; j++)
                *(local vector*)(sums + j * TSM + i) = sum[j];
        }
        for (; i < rows; i++)
            for (int j = 0; j < COLUMNS; j++) {
                float sum = sums[j * TSM + i];
                for (int d = 0; d < DEPTH; d++)
                    sum = fma(a[(k + d) * lda + i], b[j * TSK + k + d], sum);
                sums[j * TSM + i] = sum;
            }
    }
    for (; k < depth; k++)
        for (int j = 0; j < COLUMNS; j++)
            for (int i = 0; i < rows; i++)
                sums[j * TSM + i] = fma(a[k * lda + i], b[j * TSK + k], sums[j * TSM + i]);
}
#else
static inline float sum_of(const vector x)
{
    const float* each = (const float*)&x;
    float sum = 0.0f;
    for (int i = 0; i < WIDTH; i++)
        sum += each[i];
    return sum;
}

static inline void multiply_block(const global float* restrict a, const ulong lda, const local float* restrict b,
                                  local float* restrict sums, const int rows, const int depth)
{
    int i = 0;
    for (; i + ROWS <= rows; i += ROWS) {
        vector sum[COLUMNS][ROWS];
        UNROLL for (int j = 0; j < COLUMNS; j++)
            UNROLL for (int r = 0; r < ROWS; r++)
                sum[j][r] = (vector)(0.0f);
        const global float* row[ROWS];
        UNROLL for (int r = 0; r < ROWS; r++)
            row[r] = a + (i + r) * lda;
        int k = 0;
        for (; k + WIDTH <= depth; k += WIDTH) {
            vector x[ROWS];
            UNROLL for (int r = 0; r < ROWS; r++)
                x[r] = *(const global unaligned_vector*)(row[r] + k);
            UNROLL for (int j = 0; j < COLUMNS; j++) {
                const vector y = *(const local vector*)(b + j * TSK + k);
                UNROLL for (int r = 0; r < ROWS; r++)
                    sum[j][r] = fma(x[r], y, sum[j][r]);
            }
        }
        UNROLL for (int j = 0; j < COLUMNS; j++)
            UNROLL for (int r = 0; r < ROWS; r++) {
                float all = sum_of(sum[j][r]);
                for (int q = k; q < depth; q++)
                    all = fma(row[r][q], b[j * TSK + q], all);
                sums[j * TSM + i + r] += all;
            }
    }
    for (; i < rows; i++)
        for (int j = 0; j < COLUMNS; j++) {
            vector sum = (vector)(0.0f);
            int k = 0;
            for (; k + WIDTH <= depth; k += WIDTH)
                sum = fma(*(const global unaligned_vector*)(a + i * lda + k), *(const local vector*)(b + j * TSK + k), sum);
            float all = sum_of(sum);
            for (; k < depth; k++)
                all = fma(a[i * lda + k], b[j * TSK + k], all);
            sums[j * TSM + i] += all;
        }
}
#endif

// Element (k, j) of op(B) is at k * strideK + j * strideN, element (i, j) of C at i * rowC + j * columnC; slices of C are strideC
// apart. Work-group (p, q, s) computes rows p * blockM and so on of columns q * COLUMNS and so on from slice s of K.
kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void multiply(const ulong M, const ulong N, const ulong K, const float alpha,
              const global float* restrict A, const ulong offsetA, const ulong lda,
              const global float* restrict B, const ulong offsetB, const ulong strideK, const ulong strideN, const float beta,
              global float* restrict C, const ulong offsetC, const ulong rowC, const ulong columnC,
              const ulong blockM, const ulong sliceK, const ulong strideC)
{
    local float __attribute__((aligned(64))) b[COLUMNS * TSK];
    local float __attribute__((aligned(64))) sums[COLUMNS * TSM];

    const ulong firstM = get_group_id(0) * blockM;
    const ulong firstN = get_group_id(1) * COLUMNS;
    const ulong firstK = get_group_id(2) * sliceK;
    const int columns = (int)min(N - firstN, (ulong)COLUMNS);
    const int rows = (int)min(blockM, M - firstM);
    const ulong endK = min(firstK + sliceK, K);
    B += offsetB + firstN * strideN;
    C += offsetC + get_group_id(2) * strideC + firstM * rowC + firstN * columnC;

    for (int j = 0; j < COLUMNS; j++)
        for (int i = 0; i < rows; i++)
            sums[j * TSM + i] = 0.0f;
    for (ulong k = firstK; k < endK; k += TSK) {
        const int depth = (int)min(endK - k, (ulong)TSK);
        for (int j = 0; j < COLUMNS; j++)
            for (int d = 0; d < depth; d++)
                b[j * TSK + d] = j < columns ? B[(k + d) * strideK + j * strideN] : 0.0f;
        multiply_block(A + offsetA + (TRANS_A ? firstM * lda + k : k * lda + firstM), lda, b, sums, rows, depth);
    }

    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++) {
            global float* c = C + i * rowC + j * columnC;
            const float product = alpha * sums[j * TSM + i];
            *c = beta == 0.0f ? product : fma(beta, *c, product);
        }
}
