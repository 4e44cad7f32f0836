// The arguments of a kernel besides its buffers: one structure for each kind of step. OpenCL C and C++ both read it from
// here, so that names, types and order stand in one place. (It is one structure instead of twenty numbers, since each
// argument of a kernel costs the host time: docs/notes/kernels.md says how much.)
//
// All numbers count elements (floats), not bytes.
#ifndef CLGEMM_KERNEL_ARGUMENTS_H
#define CLGEMM_KERNEL_ARGUMENTS_H

#ifdef __cplusplus
#if defined(__APPLE__)
#include <OpenCL/cl_platform.h>
#else
#include <CL/cl_platform.h>
#endif
namespace clgemm::core::kernel_arguments {
using ulong = cl_ulong; // OpenCL's: 64 bits, at multiples of 8 bytes
#endif

// Where a matrix lies in its buffer: element (i, j) is at offset + i * row + j * column.
typedef struct {
    ulong offset, row, column;
} Strided;

// C = alpha * A * B + beta * C, where A is M x K, B is K x N and C is M x N: transposition is in the strides.
//
// The work-groups of dimension 2 take a part each (kernel 17's those of dimension 1, several each). What it reads of A and
// B, and writes, begins partA, partB and partC elements behind that of the part before.
// - With split-K it is a part of K, at most partK deep, which begins nextK = partK further along K. It writes its sums.
// - In a batch it is a product: nextK is 0, and partK is at least K.
// - In a listed batch (product_list.clh) it is a product, too, the first of which has the place `first` in the list. The
//   list says where the matrices begin, and has the factors; partA, partB and partC are 0.
// - Else there is one part, partK is at least K, and the others are 0.
typedef struct {
    ulong M, N, K;
    float alpha, beta;
    Strided A, B, C;
    ulong partK, nextK, partA, partB, partC;
    ulong first;
} Multiplication;

// One product of a list, as the caller writes it (clgemm_product).
typedef struct {
    ulong offA, offB, offC;
    float alpha, beta;
} Product;

// The same by work-groups each of which describes its operands to the copy engine (tensor_maps.clh), in 64 floats of the
// workspace, which begin at `maps` for the first one.
typedef struct {
    Multiplication whole;
    ulong maps;
} MappedMultiplication;

// The same by work-groups that compute a block of C each, blockM x blockN.
typedef struct {
    Multiplication whole;
    ulong blockM, blockN;
} BlockMultiplication;

// The same where a work-group takes `together` parts, one after the other, of which there are `parts`.
typedef struct {
    Multiplication whole;
    ulong blockM, blockN, parts, together;
} SeveralBlocksMultiplication;

// A batch of small products (small_batch.cl), of which the first is `whole`. The matrices of the next one lie these
// distances behind. A work-group takes `together` products, and of each a block of C, blockM x blockN, in steps along K that
// are `deep`.
typedef struct {
    Multiplication whole;
    ulong products, distanceA, distanceB, distanceC;
    ulong together, blockM, blockN, deep;
} SmallProducts;

// A and B copied into panels (cpu_packed.cl), which begin at these elements of where they are written. No rows of A, or no
// columns of B: the other operand alone. Of that there may be several: the work-groups of dimension 2 take one each, which
// begins `next` elements behind the one before, and is written nextPacked elements behind.
typedef struct {
    ulong M, N, K;
    Strided A, B;
    ulong packedA, packedB;
    ulong next, nextPacked;
} Packing;

// The multiplication of such panels: a work-group computes panelsM x panelsN of them. C's rows are neighbours in memory.
typedef struct {
    ulong M, N, K;
    float alpha, beta;
    ulong packedA, packedB;
    Strided C;
    ulong panelsM, panelsN;
} PanelMultiplication;

// The image of an operand in pieces (split.cl, cpu_amx.cl): the element of its buffer at which it begins, its rows, and the
// element at which the ranges of its blocks begin. Where the pieces are fp16 numbers, also that at which the roots of its
// rows' scales begin; behind them lie, for each stretch of K, the largest magnitudes of all rows (largest.cl).
typedef struct {
    ulong offset, rows, ranges, roots;
} Image;

// A and B written as images. Of each block of K, or of each stretch, groupsA work-groups take A and `groups` both. A stretch
// is a part of K in which largest magnitudes are found; 0 where that is not done. Where it is one operand alone, there may
// be several of it: the work-groups of dimension 2 take one each, which begins `next` elements behind the one before, and
// whose image and ranges are written nextImage and nextRanges elements behind.
typedef struct {
    ulong M, N, K;
    Strided A, B;
    Image imageA, imageB;
    ulong groupsA, groups, stretch;
    ulong next, nextImage, nextRanges;
} Splitting;

// The multiplication of such images.
typedef struct {
    Multiplication whole;
    Image imageA, imageB;
} ImageMultiplication;

// The same by work-groups that compute a block of C each, blockM x blockN.
typedef struct {
    Multiplication whole;
    Image imageA, imageB;
    ulong blockM, blockN;
} ImageBlockMultiplication;

// A matrix of rows x columns, column-major, copied (pad.cl) or copied transposed (transpose.cl), and filled up with zeros to
// paddedRows x paddedColumns, both counted before the transposition. The work-groups of dimension 2 take a matrix each,
// which begins nextIn elements behind the one before, and is written nextOut elements behind.
typedef struct {
    ulong rows, columns, offsetIn, ldIn;
    ulong paddedRows, paddedColumns, offsetOut, ldOut;
    ulong nextIn, nextOut;
} Copying;

// C = in + beta * C for a matrix of rows x columns in a larger one.
typedef struct {
    ulong rows, columns, offsetIn, ldIn;
    ulong offsetC, ldc;
    float beta, unused; // no gaps: structures are compared as bytes
} Unpadding;

// C = beta * C. The work-groups of dimension 2 take a product of a batch each, whose C begins nextC elements behind that of
// the product before; of a listed batch from its product `first` on, with the offsets and factors of the list.
typedef struct {
    ulong rows, columns, offsetC, ldc;
    float beta, unused; // no gaps: structures are compared as bytes
    ulong nextC, first;
} Scaling;

// C = alpha * (the sums of all parts of K) + beta * C. A part's sums lie partC elements behind those of the part before.
typedef struct {
    ulong rows, columns, parts;
    float alpha, beta;
    ulong offsetSums, ldSums, partC;
    ulong offsetC, ldc;
} Reducing;

// The same by work-groups that take a block of C each.
typedef struct {
    Reducing whole;
    ulong blockRows, blockColumns;
} BlockReducing;

#ifdef __cplusplus
} // namespace clgemm::core::kernel_arguments
#else
// Leading dimensions: how far apart the lines begin along which memory runs. These are macros, so that the kernel reads them
// where it needs them. As variables they would cost registers all the way: docs/notes/kernels.md has what kernel 13's tiles
// of 128 x 128 took so.
#define LDA (TRANS_A ? call.A.row : call.A.column)
#define LDB (TRANS_B ? call.B.row : call.B.column)
#define LDC call.C.column
#endif

#endif
