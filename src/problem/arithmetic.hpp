// The numbers that a multiplication computes with: the types of its elements, and how accurate the result must be.
#pragma once

#include "clgemm/clgemm.h"

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace clgemm::core {

// The types that elements of a matrix, and sums, can have.
enum class Element : unsigned char { f32 };

// Calls visit(T{}), where T is the type that such elements have on the host.
template <typename Visit> constexpr auto with_type_of(Element element, const Visit& visit)
{
    switch (element) {
    case Element::f32: break;
    }
    return visit(float{});
}

// Bytes of one element.
constexpr std::size_t size_of(Element element)
{
    return with_type_of(element, [](auto value) { return sizeof value; });
}

// Half the distance from 1 to the next number of that type: the largest relative error of one operation.
constexpr double unit_roundoff(Element element)
{
    switch (element) {
    case Element::f32: break;
    }
    return 0x1p-24;
}

struct Arithmetic {
    Element operands = Element::f32, accumulator = Element::f32, result = Element::f32; // of A and B, of sums, of C
    clgemm_math accuracy = CLGEMM_MATH_DEFAULT;

    bool operator==(const Arithmetic&) const = default;
};

// An accuracy that can be asked for, and what it promises of a dot product of K elements: operands are rounded first, then
// each product costs some roundings of the accumulator. Everything else is exact.
struct Accuracy {
    clgemm_math math;
    std::string_view enumerator;
    std::string_view name;   // in CLGEMM_MATH and in tuning files
    std::string_view words;  // how such a result is computed, for people
    double operand_roundoff; // error of an element of A or B that is rounded, as a part of the element
    double operand_floor;    // more error, as a part of the largest magnitude in its row of A or column of B
    double roundings;        // unit roundoffs that adding one product costs at most
};

// From the least accurate to the most accurate; satisfies() says which of them is good enough where another is asked for.
//
// TF32: 2^-11 for 11 bits, and 2^-15 for what kernels may leave out of sums that are large enough (kernels/fp16_pieces.clh).
// FAST: 2^-22 for each operand, and as much for the product that is left out, half of which counts with each operand.
// Tensor cores add 16 products and the sum so far, all cut where the largest one ends, which is at most 18 times 2^-23:
// 36 / 16 roundings for each product, and one more where such sums are added outside.
inline constexpr Accuracy accuracies[] = {
    {CLGEMM_MATH_TF32, "CLGEMM_MATH_TF32", "tf32", "from operands of 11 bits", 0x1p-11 + 0x1p-15, 0, 2.5},
    {CLGEMM_MATH_FAST, "CLGEMM_MATH_FAST", "fast", "from operands of 22 bits", 0x1.8p-22, 0x1p-38, 2.5},
    {CLGEMM_MATH_DEFAULT, "CLGEMM_MATH_DEFAULT", "default", "as accurately as FP32 arithmetic, by any means", 0, 0, 1},
    {CLGEMM_MATH_STRICT, "CLGEMM_MATH_STRICT", "strict", "by FP32 multiplications and additions alone", 0, 0, 1},
    {CLGEMM_MATH_REPRODUCIBLE, "CLGEMM_MATH_REPRODUCIBLE", "reproducible", "with the same bits on every device", 0, 0, 1},
};

constexpr const Accuracy& accuracy_of(clgemm_math math)
{
    for (const Accuracy& accuracy : accuracies)
        if (accuracy.math == math)
            return accuracy;
    return accuracies[0]; // not reached: other numbers are refused where they come in
}

// Null where there is no such accuracy.
const Accuracy* find_accuracy(std::string_view name);
const Accuracy* find_accuracy(int math); // any number may come from a caller in C

// For messages: "..., 'default' or 'strict'", "..., CLGEMM_MATH_DEFAULT (0) or CLGEMM_MATH_STRICT (1)".
std::string accuracy_names();
std::string accuracy_enumerators();

// Is a result that is computed in one arithmetic good enough where another one is asked for? The types must be the same.
bool satisfies(const Arithmetic& computed, const Arithmetic& asked);

// Does it consist of FP32 multiplications and additions alone? Then only a compiler's defect could make the result wrong.
bool is_fp32_alone(const Arithmetic& arithmetic);

// Must the result have the same bits on every device? Then its sums along K have one order alone: blocks of K, each
// `reproducible_depth` deep, are added one after the other (reference/reproducible.hpp).
constexpr std::size_t reproducible_depth = 512;
bool is_reproducible(const Arithmetic& arithmetic);

// The arithmetic whose measurements tell the speed: reproducible results are computed by the instructions of strict ones.
Arithmetic measured_as(const Arithmetic& arithmetic);

// The promised error of an element of C, as a part of sum over l of |op(A)(i, l)| |op(B)(l, j)|, scalars included: (k + 3)
// roundings at most, whatever the order of summation. Where operands are not rounded, and sums are rounded to nearest, there
// are no terms of higher order (Jeannerod and Rump, Improved error bounds for inner products, 2013); otherwise there are
// (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1). Infinity where k is so large that neither says
// anything any more. Where there is an operand_floor, this is not all of the error.
constexpr double promised_error(const Arithmetic& arithmetic, std::size_t k)
{
    const Accuracy& accuracy = accuracy_of(arithmetic.accuracy);
    const double pu = (accuracy.roundings * static_cast<double>(k) + 3) * unit_roundoff(arithmetic.accumulator);
    if (pu > 0.5)
        return std::numeric_limits<double>::infinity();
    const double r = accuracy.operand_roundoff;
    const double gamma = r > 0 ? pu / (1 - pu) : pu;
    return gamma + (1 + gamma) * (2 * r + r * r);
}

// That error for people, rounded up: "5.98e-05". As options->max_error this number will do.
std::string promised_error_text(const Arithmetic& arithmetic, std::size_t k);

// The fastest accuracy that promises this error for dot products of k elements; none where not even FP32 does.
const Accuracy* accuracy_within(double max_error, std::size_t k);

// The text that tuning files have: the types of operands, accumulator and result, then the accuracy ("f32 f32 f32 strict").
std::string to_text(const Arithmetic& arithmetic);
std::optional<Arithmetic> arithmetic_of(std::string_view text);

} // namespace clgemm::core
