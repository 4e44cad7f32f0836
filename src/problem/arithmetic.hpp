// With which numbers a multiplication computes: the types of its elements, and how accurate the result must be.
#pragma once

#include "clgemm/clgemm.h"

#include <cstddef>
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

// Half the distance from 1 to the next number of that type: what one operation errs by at most, relatively.
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

// An accuracy that can be asked for.
struct Accuracy {
    clgemm_math math;
    std::string_view enumerator;
    std::string_view name;   // in CLGEMM_MATH and in tuning files
    std::string_view words;  // how such a result is computed, for people
    double operand_roundoff; // by which an element of A or B may be rounded before it is multiplied, relatively
};

// From the least accurate to the most accurate; satisfies() says which of them is good enough where another is asked for.
inline constexpr Accuracy accuracies[] = {
    {CLGEMM_MATH_TF32, "CLGEMM_MATH_TF32", "tf32", "from operands of 11 bits", 0x1p-11},
    {CLGEMM_MATH_FAST, "CLGEMM_MATH_FAST", "fast", "from operands of 22 bits", 0x1p-22},
    {CLGEMM_MATH_DEFAULT, "CLGEMM_MATH_DEFAULT", "default", "as accurately as FP32 arithmetic, by any means", 0},
    {CLGEMM_MATH_STRICT, "CLGEMM_MATH_STRICT", "strict", "by FP32 multiplications and additions alone", 0},
    {CLGEMM_MATH_REPRODUCIBLE, "CLGEMM_MATH_REPRODUCIBLE", "reproducible", "with the same bits on every device", 0},
};

constexpr const Accuracy& accuracy_of(clgemm_math math)
{
    for (const Accuracy& accuracy : accuracies)
        if (accuracy.math == math)
            return accuracy;
    return accuracies[0]; // not reached: what is no accuracy is refused where it comes in
}

// None where there is none.
const Accuracy* find_accuracy(std::string_view name);
const Accuracy* find_accuracy(int math); // any number may come from a caller in C

// For messages: "..., 'default' or 'strict'", "..., CLGEMM_MATH_DEFAULT (0) or CLGEMM_MATH_STRICT (1)".
std::string accuracy_names();
std::string accuracy_enumerators();

// Is what one computes good enough where the other is asked for? The types must be the same.
bool satisfies(const Arithmetic& computed, const Arithmetic& asked);

// Are there FP32 multiplications and additions alone, so that nothing but a compiler's defect could make it wrong?
bool is_fp32_alone(const Arithmetic& arithmetic);

// Must the result have the same bits on every device? Then its sums along K have one order alone: blocks of K, each
// `reproducible_depth` deep, are added one after the other (reference/reproducible.hpp).
constexpr std::size_t reproducible_depth = 512;
bool is_reproducible(const Arithmetic& arithmetic);

// By whose measurements the speed is estimated: what is reproducible takes the instructions of what is strict.
Arithmetic measured_as(const Arithmetic& arithmetic);

// As tuning files have it: the types of operands, accumulator and result, then the accuracy ("f32 f32 f32 strict").
std::string to_text(const Arithmetic& arithmetic);
std::optional<Arithmetic> arithmetic_of(std::string_view text);

} // namespace clgemm::core
