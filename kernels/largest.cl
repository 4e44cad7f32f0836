// Helper, largest: finds the largest magnitude in each row of A and in each column of B, both from here on called rows, so
// that `split` can scale them (fp16_pieces.clh).
//
// K is divided into stretches, so that enough work-groups have something to do. One work-group takes LARGEST_ROWS rows of one
// operand and one stretch, and writes a word for each row: the largest magnitude as the bits of a float, of which those of
// NaN are larger than those of infinity. `split` takes the largest of a row's words.
//
// Source: our own.
#include "arguments.h"

#define ITEMS 256
#define LARGEST_ROWS 32
#define NEIGHBOURS 32 // work-items that load neighbours in memory
#define LINES (ITEMS / NEIGHBOURS)

kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void largest(const global float* restrict A, const global float* restrict B, global float* restrict workspace,
             const Splitting call)
{
    local uint found[LARGEST_ROWS][NEIGHBOURS + 1];

    const ulong stretch = (uint)get_group_id(0) / (uint)call.groups;
    const ulong group = (uint)get_group_id(0) % (uint)call.groups;
    const bool ofA = group < call.groupsA;
    const ulong row0 = (ofA ? group : group - call.groupsA) * LARGEST_ROWS;
    const ulong k0 = stretch * call.stretch;
    const ulong rows = ofA ? call.M : call.N;
    const ulong stride_row = ofA ? call.A.row : call.B.column;
    const ulong stride_k = ofA ? call.A.column : call.B.row;
    const global float* from = (ofA ? A + call.A.offset : B + call.B.offset) + row0 * stride_row + k0 * stride_k;
    const uint depth = (uint)min(call.K - k0, call.stretch);

    // Neighbouring work-items have neighbouring k of a row where memory runs along K, else neighbouring rows.
    const int tid = get_local_id(0);
    const bool along_k = stride_k == 1;
    const int first_row = along_k ? tid / NEIGHBOURS : tid % NEIGHBOURS;
    const int first_k = along_k ? tid % NEIGHBOURS : tid / NEIGHBOURS;
    const int step_k = along_k ? NEIGHBOURS : LINES;
    for (int row = first_row; row < LARGEST_ROWS; row += along_k ? LINES : LARGEST_ROWS) {
        uint own = 0;
        if (row0 + row < rows)
            #pragma unroll 16
            for (uint k = first_k; k < depth; k += step_k)
                own = max(own, as_uint(fabs(from[row * stride_row + k * stride_k])));
        found[row][first_k] = own;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const Image image = ofA ? call.imageA : call.imageB;
    if (tid < LARGEST_ROWS && row0 + tid < image.rows) {
        uint of_row = 0;
        for (int i = 0; i < (along_k ? NEIGHBOURS : LINES); i++)
            of_row = max(of_row, found[tid][i]);
        workspace[image.roots + (1 + stretch) * image.rows + row0 + tid] = as_float(of_row);
    }
}
