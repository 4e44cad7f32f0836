#include "select/keys.hpp"

#include <bit>

// A member that is added to one of the structures must be named here before these functions compile. So nobody forgets to
// ask whether it belongs to the keys. (A matrix's rows and columns are m, n and k.)
namespace clgemm::core {
namespace {

std::uint64_t two_in_one(std::uint64_t high, std::uint64_t low)
{
    return high << 32 | low;
}

std::uint64_t bits_of(const Arithmetic& arithmetic)
{
    const auto& [operands, accumulator, result, accuracy] = arithmetic;
    return static_cast<std::uint64_t>(operands) << 8 | static_cast<std::uint64_t>(accumulator) << 16 |
           static_cast<std::uint64_t>(result) << 24 | static_cast<std::uint64_t>(accuracy);
}

// How far a matrix is aligned, in the powers of two that kernels ask for, how it lies, whether a batch shares it, whether it
// is prepared, and whether kernels may copy a batch of it as one. (Leading dimensions are part of the key as they are.)
std::uint64_t class_of(const Matrix& matrix)
{
    const auto& [memory, rows, cols, offset, ld, transposed, alignment, element, distance, prepared, siblings] = matrix;
    static_cast<void>(memory); // C' = B' A' is the same work
    static_cast<void>(ld);
    static_cast<void>(siblings); // what is made of a prepared operand costs nothing, for however many
    std::uint64_t widths = 0;
    for (std::size_t width = 2; width <= widest_vector && matrix.aligned_to(width); width *= 2)
        widths++;
    return widths << 8 | (transposed ? 1U : 0U) | (distance == 0 ? 2U : 0U) | (prepared ? 4U : 0U) |
           (matrix.lies_without_gaps() ? 8U : 0U);
}

} // namespace

SelectionKey selection_key(const Problem& problem, const Options& options)
{
    const auto& [m, n, k, alpha, beta, a, b, c, arithmetic, batch, of_row_major_call] = problem;
    const auto& [kernel, limit, last_resort] = options;
    const auto& [count, listed, first] = batch;
    static_cast<void>(first); // lists are alike from any place on
    return {m,
            n,
            k,
            class_of(a) << 32 | class_of(b) << 16 | class_of(c),
            two_in_one(bits_of(arithmetic), (last_resort ? 1U : 0U) | (listed ? 2U : 0U)),
            reinterpret_cast<std::uintptr_t>(kernel),
            limit,
            count,
            a.ld,
            b.ld,
            c.ld};
}

CallKey call_key(const Problem& problem, const Options& options)
{
    const auto& [m, n, k, alpha, beta, a, b, c, arithmetic, batch, of_row_major_call] = problem;
    const auto& [kernel, limit, last_resort] = options;
    const auto& [count, listed, first] = batch;
    // Scalars by their bits, since NaN is not equal to itself.
    CallKey key{m,
                n,
                k,
                two_in_one(std::bit_cast<std::uint32_t>(alpha), std::bit_cast<std::uint32_t>(beta)),
                two_in_one(bits_of(arithmetic), (last_resort ? 1U : 0U) | (listed ? 2U : 0U)),
                reinterpret_cast<std::uintptr_t>(kernel),
                limit,
                count,
                first};
    std::size_t next = 9;
    for (const Matrix* matrix : {&a, &b, &c}) {
        const auto& [memory, rows, cols, offset, ld, transposed, alignment, element, distance, prepared, siblings] = *matrix;
        const auto& [its_siblings, index, sibling_distance] = siblings;
        static_cast<void>(index);            // follows from the offset
        static_cast<void>(sibling_distance); // and this from sizes and leading dimension (PreparedOperand)
        key[next++] = two_in_one(static_cast<std::uint64_t>(memory),
                                 (transposed ? 1U : 0U) | (prepared ? 2U : 0U) | its_siblings << 2);
        key[next++] = two_in_one(alignment, static_cast<std::uint64_t>(element));
        key[next++] = distance;
        key[next++] = offset;
        key[next++] = ld;
    }
    return key;
}

} // namespace clgemm::core
