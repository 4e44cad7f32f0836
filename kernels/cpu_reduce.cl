// Helper, cpu_reduce: does on CPUs what `reduce` does elsewhere. It adds the sums of a multiplication with split-K, one matrix
// of them for each part of K, and applies alpha and beta.
//
// A work-group is a single work-item, which takes a block of C. It goes down the block's columns in vectors, and adds all
// parts of a vector before it goes on to the next one. (A compiler for CPUs makes no vectors of a loop over parts, nor of
// work-items some of which are outside of C.)
//
// Source: our own.
//
// Parameters: WIDTH floats in a vector. REPRODUCIBLE, CONTRACTED: see reproducible.clh. A part of K is a block then.
#include "arguments.h"
#include "reproducible.clh"

#ifndef WIDTH
#define WIDTH 4
#endif

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
typedef JOIN(float, WIDTH) vector;
typedef vector unaligned_vector __attribute__((aligned(4)));
typedef float unaligned_float;

#if REPRODUCIBLE
// Adds all parts to what is kept of C, as result_float() does one after the other. But a NaN stays one, so that it is enough
// to look for NaNs at the end.
#define BEGIN(TYPE, beta, c) KEPT(TYPE, beta, *c)
#define ADD_PART(TYPE, alpha, part, total) FUSED((TYPE)(alpha), part + 0.0f, total)
#define END(TYPE, alpha, total, beta, c) WITH_ONE_NAN(TYPE, total)
#else
#define BEGIN(TYPE, beta, c) (TYPE)(0.0f)
#define ADD_PART(TYPE, alpha, part, total) (total + part)
#define END(TYPE, alpha, total, beta, c) (beta != 0.0f ? alpha * total + beta * *c : alpha * total)
#endif

#define DEFINE_ADD_PARTS(TYPE)                                                                                              \
    static inline void add_parts_##TYPE(const global float* part, global float* to, const Reducing call)                    \
    {                                                                                                                       \
        global unaligned_##TYPE* c = (global unaligned_##TYPE*)to;                                                          \
        TYPE total = BEGIN(TYPE, call.beta, c);                                                                             \
        for (ulong i = 0; i < call.parts; i++, part += call.partC)                                                          \
            total = ADD_PART(TYPE, call.alpha, *(const global unaligned_##TYPE*)part, total);                               \
        *c = END(TYPE, call.alpha, total, call.beta, c);                                                                    \
    }
DEFINE_ADD_PARTS(float)
DEFINE_ADD_PARTS(vector)

kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void cpu_reduce(const global float* restrict sums, global float* restrict C, const BlockReducing blocks)
{
    const Reducing call = blocks.whole;
    const ulong first_row = get_group_id(0) * blocks.blockRows;
    const ulong end_row = min(first_row + blocks.blockRows, call.rows);
    const ulong first_column = get_group_id(1) * blocks.blockColumns;
    const ulong end_column = min(first_column + blocks.blockColumns, call.columns);
    sums += call.offsetSums;
    C += call.offsetC;
    for (ulong n = first_column; n < end_column; n++) {
        const global float* part = sums + n * call.ldSums;
        global float* c = C + n * call.ldc;
        ulong m = first_row;
        for (; m + WIDTH <= end_row; m += WIDTH)
            add_parts_vector(part + m, c + m, call);
        for (; m < end_row; m++)
            add_parts_float(part + m, c + m, call);
    }
}
