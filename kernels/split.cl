// Helper, split: writes each float of A and B as three bf16 numbers, or with FP16 as one or two fp16 numbers, laid out as the
// tensor-core kernels read them.
//
// Each float becomes the sum of three bf16 numbers, its pieces (pieces.clh says how). Only tiny floats (below about 2^-110)
// lose something, the part under bf16's smallest number. Then the work-group says so in `ranges`.
//
// With FP16, the float times its row's scale becomes the sum of one or two fp16 numbers (fp16_pieces.clh). `largest` has found
// what the scale depends on. The work-groups of the first block of K write the roots of the scales for the multiplication.
//
// An image of an operand, from here on called rows x K (A's rows run along M, B's along N), has for each 32 of K
//
//     [rows / 8][16 of the k: 2][piece: 3][8 of the k: 2][8 rows][8 bf16 of successive k]        (here with three pieces)
//
//     row 0: | k0 k1 .. k7 |  16 bytes     Eight rows of eight k are a `core matrix` of the tensor cores, 128 bytes in one
//     row 1: | k0 k1 .. k7 |               piece; twelve of them hold eight rows and 32 of K. So whatever rows a work-group
//      ...                                 multiplies, they are one run of memory, 192 bytes for each row.
//     row 7: | k0 k1 .. k7 |
//
// Rows and k that the operand does not have are zeros.
//
// `ranges` has a word for each block of RANGE_ROWS rows and IMAGE_DEPTH k: the largest magnitude in it, as the bits of a
// float. It is infinity if the block has a number that cannot be computed in pieces: NaN, infinity, or a number that rounds
// to infinity (with FP16: if one of its rows has NaN or infinity anywhere). The word's highest bit says that a number in the
// block is so small that it is not the sum of its pieces. The kernel that multiplies goes back to the original floats for
// tiles that such blocks would spoil.
//
// One work-group takes one block. If memory runs along K, it turns the block in local memory, so that both its loads and its
// stores go along memory.
//
// Source: our own.
#include "arguments.h"
#include "pieces.clh"
#include "fp16_pieces.clh"

#define ITEMS 256
#define INFINITE 0x7f800000u
#define HUGE 0x7f000000u // 2^127, since from about here on the first piece may round to infinity

#ifdef FP16
// Two numbers rounded to the nearest fp16, ties to the even one; the first is in the low half of the word.
static inline uint rounded_halves(const float first, const float second)
{
#if FP16_INSTRUCTIONS
    uint pair;
    asm volatile("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
    return pair;
#else
    ushort halves[2];
    vstore_half_rte(first, 0, (half*)halves);
    vstore_half_rte(second, 1, (half*)halves);
    return halves[0] | (uint)halves[1] << 16;
#endif
}

// What such a word holds, as floats.
static inline float2 halves_as_floats(const uint pair)
{
    float2 result;
#if FP16_INSTRUCTIONS
    asm volatile("{.reg .b16 first, second; mov.b32 {first, second}, %2; cvt.f32.f16 %0, first; cvt.f32.f16 %1, second;}"
                 : "=f"(result.x), "=f"(result.y) : "r"(pair));
#else
    const ushort halves[2] = {(ushort)pair, (ushort)(pair >> 16)};
    result.x = vload_half(0, (const half*)halves);
    result.y = vload_half(1, (const half*)halves);
#endif
    return result;
}
#else
static inline uint range_of(const float x)
{
    uint piece1, piece2;
    float left, left_of_zero;
    split_pair(x, 0.0f, &piece1, &piece2, &left, &left_of_zero);
    const uint magnitude = as_uint(fabs(x));
    return magnitude >= HUGE ? INFINITE : magnitude | (as_uint(left) & 0xffffu ? INEXACT : 0);
}
#endif

static inline uint combined(const uint range1, const uint range2)
{
    return max(range1 & ~INEXACT, range2 & ~INEXACT) | ((range1 | range2) & INEXACT);
}

// Loads `count` numbers that are `stride` apart, or as many of them as are `there`, and zeros for the others. (A macro, so
// that compilers find all indices of x constant.)
#define LOAD(x, count, from, stride, all, there)                                                                            \
    do {                                                                                                                    \
        if (all)                                                                                                            \
            _Pragma("unroll") for (int i = 0; i < (count); i++) (x)[i] = (from)[i * (stride)];                              \
        else                                                                                                                \
            _Pragma("unroll") for (int i = 0; i < (count); i++) (x)[i] = i < (there) ? (from)[i * (stride)] : 0.0f;         \
    } while (0)

kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void split(const global float* restrict A, const global float* restrict B, global float* restrict workspace,
           const Splitting call)
{
    local float turned[RANGE_ROWS][IMAGE_DEPTH + 1];
    local uint largest[ITEMS], of_rows[ITEMS / 8];

    // Which block of which operand this is. For each IMAGE_DEPTH of K there are call.groups work-groups: first groupsA of
    // A, then those of B. The beginning of K is taken last, so that it is still in the cache when the multiplication begins
    // there.
    const ulong steps = (call.K + IMAGE_DEPTH - 1) / IMAGE_DEPTH;
    const ulong step = steps - 1 - (uint)get_group_id(0) / (uint)call.groups;
    const ulong group = (uint)get_group_id(0) % (uint)call.groups;
    const bool ofA = group < call.groupsA;
    const ulong block = ofA ? group : group - call.groupsA;
    const ulong row0 = block * RANGE_ROWS;
    const ulong k0 = step * IMAGE_DEPTH;
    const ulong rows = ofA ? call.M : call.N;
    const ulong image_rows = ofA ? call.imageA.rows : call.imageB.rows;
    const ulong stride_row = ofA ? call.A.row : call.B.column;
    const ulong stride_k = ofA ? call.A.column : call.B.row;
    const global float* from = (ofA ? A + call.A.offset : B + call.B.offset) + get_group_id(2) * call.next;
    from += row0 * stride_row + k0 * stride_k;
    const int rows_there = (int)min(rows > row0 ? rows - row0 : 0, (ulong)RANGE_ROWS);
    const int depth_there = (int)min(call.K - k0, (ulong)IMAGE_DEPTH);
    const bool whole = rows_there == RANGE_ROWS && depth_there == IMAGE_DEPTH;

    // Each work-item splits sixteen numbers of one row: eight successive k, twice.
    const int tid = get_local_id(0);
    const int row = tid % RANGE_ROWS;
    const int first = tid / RANGE_ROWS * 8;
    float x[2][8];
    if (stride_k == 1) {
        const int k = tid % IMAGE_DEPTH;
        const int first_row = tid / IMAGE_DEPTH;
        const global float* own = from + first_row * stride_row + k;
        float loaded[RANGE_ROWS * IMAGE_DEPTH / ITEMS]; // of every eighth row
        const int rows_left = rows_there > first_row ? (rows_there - first_row + 7) / 8 : 0;
        LOAD(loaded, RANGE_ROWS * IMAGE_DEPTH / ITEMS, own, ITEMS / IMAGE_DEPTH * stride_row, whole,
             k < depth_there ? rows_left : 0);
        #pragma unroll
        for (int i = 0; i < RANGE_ROWS * IMAGE_DEPTH / ITEMS; i++)
            turned[first_row + i * (ITEMS / IMAGE_DEPTH)][k] = loaded[i];
        barrier(CLK_LOCAL_MEM_FENCE);
        #pragma unroll
        for (int h = 0; h < 2; h++)
            #pragma unroll
            for (int k = 0; k < 8; k++)
                x[h][k] = turned[row][first + h * 16 + k];
    } else {
        #pragma unroll
        for (int h = 0; h < 2; h++)
            LOAD(x[h], 8, from + row * stride_row + (first + h * 16) * stride_k, stride_k, whole,
                 row < rows_there ? depth_there - first - h * 16 : 0);
    }

#ifdef FP16
    // The scale of the work-item's row.
    uint of_row = 0;
    const ulong image_roots = ofA ? call.imageA.roots : call.imageB.roots;
    if (row0 + row < image_rows)
        for (ulong stretch = 1; stretch <= (call.K + call.stretch - 1) / call.stretch; stretch++)
            of_row = max(of_row, ((global uint*)workspace)[image_roots + stretch * image_rows + row0 + row]);
    const float root = root_of_scale(of_row), to_scale = reciprocal(root);
    if (step == 0 && tid < RANGE_ROWS && row0 + row < image_rows)
        workspace[image_roots + row0 + row] = root;
    uint inexact = 0;
#else
    uint left_over = 0;    // all bits of what is left for third pieces
#endif
    uint largest_here = 0; // as bits, of which those of NaN are larger than those of infinity
    #pragma unroll
    for (int h = 0; h < 2; h++) {
        uint pieces[PIECES][4];
        #pragma unroll
        for (int pair = 0; pair < 4; pair++) {
            const float first = x[h][2 * pair], second = x[h][2 * pair + 1];
            largest_here = max(largest_here, max(as_uint(first) & 0x7fffffffu, as_uint(second) & 0x7fffffffu));
#ifdef FP16
            const float scaled1 = first * to_scale * to_scale, scaled2 = second * to_scale * to_scale;
            pieces[0][pair] = rounded_halves(scaled1, scaled2);
#if PIECES > 1
            const float2 rounded = halves_as_floats(pieces[0][pair]);
            pieces[1][pair] = rounded_halves(scaled1 - rounded.x, scaled2 - rounded.y);
#else
            if ((first != 0.0f && fabs(scaled1) < LEAST_EXACT) || (second != 0.0f && fabs(scaled2) < LEAST_EXACT))
                inexact = INEXACT;
#endif
#else
            float left1, left2;
            split_pair(first, second, &pieces[0][pair], &pieces[1][pair], &left1, &left2);
            pieces[2][pair] = upper_halves(left1, left2);
            left_over |= as_uint(left1) | as_uint(left2);
#endif
        }
        if (row0 + row < image_rows) {
            global uint4* image = (global uint4*)(workspace + (ofA ? call.imageA.offset : call.imageB.offset) +
                                                  get_group_id(2) * call.nextImage);
            image += (step * image_rows + row0 + row / 8 * 8) * (4 * PIECES) + h * (16 * PIECES) + first + row % 8;
            #pragma unroll
            for (int piece = 0; piece < PIECES; piece++)
                image[piece * 16] = (uint4)(pieces[piece][0], pieces[piece][1], pieces[piece][2], pieces[piece][3]);
        }
    }
#ifdef FP16
    uint range = of_row >= INFINITE ? INFINITE : largest_here | inexact;
#else
    // Where nothing is cut off the third pieces, the largest magnitude says all. Otherwise each number has to be looked at.
    uint range = largest_here >= HUGE ? INFINITE : largest_here;
    if (left_over & 0xffffu) {
        range = 0;
        #pragma unroll
        for (int h = 0; h < 2; h++)
            #pragma unroll
            for (int k = 0; k < 8; k++)
                range = combined(range, range_of(x[h][k]));
    }
#endif

    largest[tid] = range;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (tid < ITEMS / 8) {
        for (int i = 1; i < 8; i++)
            range = combined(range, largest[tid + i * (ITEMS / 8)]);
        of_rows[tid] = range;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (tid == 0) {
        for (int i = 1; i < ITEMS / 8; i++)
            range = combined(range, of_rows[i]);
        ((global uint*)workspace)[(ofA ? call.imageA.ranges : call.imageB.ranges) + get_group_id(2) * call.nextRanges +
                                  block * steps + step] = range;
    }
}
