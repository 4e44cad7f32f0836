// Shallow K: nearly all that is moved is C, and an element of it takes a few multiply-adds. So C is never a tile in registers
// or local memory: it is computed column by column, and each column is stored at once.
//
//                  TSN columns: op(B), turned and filled up with zeros to a K of TSK, in local memory
//                +-------------------+
//                | | | | | | | | | | |  TSK       A column's values are the same for all lanes, which read them as vectors
//                +-------------------+            along K.
//      TSK
//     +----+     +-------------------+
//     |l0  | row |s0 s1 s2 s3 s0 s1 ..    LANES neighbouring lanes have a column of LANES rows; ROWS such stretches of
//     |l1  |     |s0 s1 s2 s3 s0 s1 ..    rows below one another. A work-item keeps its rows of op(A) in registers. Strand
//     |..  |     |        C               s takes every STRANDS-th column, STRANDS = ITEMS / LANES.
//     +----+     +-------------------+
//
// Lanes store neighbours in memory, whether columns of C are aligned or not. No work-group waits for its own stores: they are
// under way while the next columns are computed.
//
// Against kernel 13: that loads, waits, multiplies, lays the tile down in local memory and stores it, one after the other.
// Nothing of this overlaps within a work-group, and with a shallow K it takes up to twice as long as memory does.
//
// Takes: everything. It is made for a K of at most TSK; what K has more is read from global memory for each element (DEEP).
// Source: our own.
//
// Parameters:
//   TSN       columns of C that a work-group computes
//   LANES     neighbouring rows that work-items side by side take, a power of two
//   ROWS      rows of a work-item, LANES apart
//   ITEMS     work-items, a multiple of LANES
//   TSK       K filled up to a multiple of 4, or the largest depth that the kernel is made for
//   DEEP      1 where K is deeper than that
//   TRANS_A, TRANS_B  1 where the operand is stored transposed
//   WIDTH_A   4 where op(A)'s memory runs along K in columns that start at multiples of 16 bytes, otherwise 1
//   READS_C   1 where beta is known not to be 0 and C is to be read ahead (reads_c_first() decides)
//   REPRODUCIBLE, CONTRACTED  see reproducible.clh; LISTED: see product_list.clh
#include "arguments.h"
#include "product_list.clh"
#include "reproducible.clh"
#include "sub_group.clh"

#ifndef TRANS_A
#define TRANS_A 0
#endif
#ifndef TRANS_B
#define TRANS_B 0
#endif
#ifndef WIDTH_A
#define WIDTH_A 1
#endif
#ifndef TSN
#define TSN 64
#endif
#ifndef LANES
#define LANES 32
#endif
#ifndef ROWS
#define ROWS 2
#endif
#ifndef ITEMS
#define ITEMS 64
#endif
#ifndef TSK
#define TSK 16
#endif
#ifndef DEEP
#define DEEP 1
#endif
#ifndef READS_C
#define READS_C 0
#endif

#include "fours.clh"

#define STRANDS (ITEMS / LANES)
#define AT_ONCE (READS_C ? 4 : 1) // columns that a strand stores together
#define LOADS_B ((TSN * TSK + ITEMS - 1) / ITEMS)
#define STRIDE_A (TRANS_A ? 1 : LDA) // from one k to the next
#define STRIDE_B (TRANS_B ? LDB : 1)

#if ITEMS % LANES != 0 || TSK % 4 != 0
#error "LANES divides ITEMS, and vectors of four fill TSK"
#endif

kernel IN_SUB_GROUPS __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void multiply(const global float* restrict A, const global float* restrict B, global float* restrict C,
              LIST const Multiplication GIVEN)
{
    TAKE_OWN_PRODUCT(get_group_id(2))
    local float __attribute__((aligned(16))) columnsB[TSN * TSK]; // [n][k]

    // Which rows and columns of C these are: first the work-group's, then the work-item's. Of a batch it has one product.
    const ulong tileM = get_group_id(0) * (ulong)(LANES * ROWS);
    const ulong tileN = get_group_id(1) * (ulong)TSN;
    const ulong product = get_group_id(2);
    const int columns = (int)min(call.N - tileN, (ulong)TSN);
    const int depth = (int)min(call.K, (ulong)TSK);
    const int tid = get_local_id(0);
    const int lane = tid % LANES;
    const int strand = tid / LANES;
    const int rows = (int)min(call.M - tileM, (ulong)(LANES * ROWS)) - lane; // from this work-item's first one on
    A += call.A.offset + product * call.partA;
    B += call.B.offset + product * call.partB + tileN * (TRANS_B ? 1 : LDB);

    // Neighbours take what lies next to each other in global memory.
    #pragma unroll
    for (int load = 0; load < LOADS_B; load++) {
        const int i = load * ITEMS + tid;
        const int n = TRANS_B ? i % TSN : i / TSK;
        const int k = TRANS_B ? i / TSN : i % TSK;
        const float value = n < columns && k < depth ? B[TRANS_B ? k * LDB + n : n * LDB + k] : 0.0f;
        if (TSN * TSK % ITEMS == 0 || i < TSN * TSK)
            columnsB[n * TSK + k] = value;
    }

    // In place of rows below the matrix its last one is read, and nobody stores what comes of it.
    const global float* a[ROWS];
    float valuesA[ROWS][TSK];
    #pragma unroll
    for (int i = 0; i < ROWS; i++) {
        a[i] = A + min(tileM + lane + i * LANES, call.M - 1) * (TRANS_A ? LDA : 1);
#if TRANS_A && WIDTH_A == 4
        #pragma unroll
        for (int k = 0; k < TSK; k += 4) {
            if (k < TSK - 4 || depth == TSK)
                keep_four(valuesA[i] + k, *(const global float4*)(a[i] + k));
            else // K ends in these.
                #pragma unroll
                for (int j = k; j < k + 4; j++)
                    valuesA[i][j] = j < depth ? a[i][j] : 0.0f;
        }
#else
        #pragma unroll
        for (int k = 0; k < TSK; k++)
            valuesA[i][k] = k < depth ? a[i][k * STRIDE_A] : 0.0f;
#endif
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    global float* c = C + call.C.offset + product * call.partC + (tileN + strand) * LDC + tileM + lane;
    for (int first = strand; first < columns; first += AT_ONCE * STRANDS, c += AT_ONCE * STRANDS * LDC) {
#if READS_C
        // The compiler cannot know that a store does not meet the next read, so each read would wait for the store before it.
        float old[AT_ONCE][ROWS];
        #pragma unroll
        for (int j = 0; j < AT_ONCE; j++)
            #pragma unroll
            for (int i = 0; i < ROWS; i++)
                if (first + j * STRANDS < columns && i * LANES < rows)
                    old[j][i] = c[j * STRANDS * LDC + i * LANES];
#define OLD(j, i) old[j][i]
#else
#define OLD(j, i) c[(j) * STRANDS * LDC + (i) * LANES]
#endif
        #pragma unroll
        for (int j = 0; j < AT_ONCE; j++) {
            const int n = first + j * STRANDS;
            if (AT_ONCE > 1 && n >= columns)
                break;
            float valuesB[TSK], sum[ROWS];
            load_fours(valuesB, columnsB + n * TSK, TSK, 1);
            #pragma unroll
            for (int i = 0; i < ROWS; i++)
                sum[i] = 0.0f;
            #pragma unroll
            for (int k = 0; k < TSK; k++)
                #pragma unroll
                for (int i = 0; i < ROWS; i++)
                    ADD_PRODUCT(sum[i], valuesA[i][k], valuesB[k]);
#if DEEP
            for (ulong k = TSK; k < call.K; k++) {
                const float b = B[n * (TRANS_B ? 1 : LDB) + k * STRIDE_B];
                #pragma unroll
                for (int i = 0; i < ROWS; i++)
                    ADD_PRODUCT(sum[i], a[i][k * STRIDE_A], b);
            }
#endif
            #pragma unroll
            for (int i = 0; i < ROWS; i++)
                if (i * LANES < rows)
                    c[j * STRANDS * LDC + i * LANES] =
                        RESULT(float, call.alpha, SCALED(call.alpha, sum[i]), call.beta, OLD(j, i));
        }
    }
}
