// The arithmetic of SGEMM on bf16 tensor cores, as a model in plain C++ that needs no GPU.
//
// A float has 24 significant bits, a bf16 has 8 and the same range of exponents. So a float is the sum of three bf16,
//
//     x = first + second + third        |second| <= 2^-8 |x|,  |third| <= 2^-17 |x|
//
// and of the nine products of the pieces of a and b six are computed. What is left out,
//
//     a.second b.third + a.third b.second + a.third b.third,
//
// is less than u |a b| with u = 2^-24: less than what rounding the product to a float may cost.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

namespace clgemm::test {

// To 8 significant bits, ties to the even number. The pieces of -x are those of x negated. From 2^128 - 2^119 on to
// infinity.
inline float rounded_to_bf16(float x)
{
    const auto bits = std::bit_cast<std::uint32_t>(x);
    return std::bit_cast<float>((bits + 0x7fffU + (bits >> 16U & 1U)) & 0xffff0000U);
}

inline float truncated_to_bf16(float x)
{
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) & 0xffff0000U);
}

struct Pieces {
    float first, second, third;
    float rest; // of x; every subtraction before is exact in FP32
};

inline Pieces split(float x)
{
    const float first = rounded_to_bf16(x), without_first = x - first;
    const float second = rounded_to_bf16(without_first), without_second = without_first - second;
    const float third = truncated_to_bf16(without_second);
    return {first, second, third, without_second - third};
}

// Whether the pieces add up to x. They do if and only if x is finite, rounds to a finite bf16, and is a multiple of 2^-133,
// the smallest bf16: all numbers from 2^-110 on are.
inline bool is_exact(const Pieces& pieces)
{
    return pieces.rest == 0; // NaN where x, or its first piece, is not finite
}

// x without its bits below 2^exponent.
inline double cut_below(int exponent, double x)
{
    return std::ldexp(std::trunc(std::ldexp(x, -exponent)), exponent);
}

// What the tensor core keeps of a sum whose largest term is x: 24 bits, and none below the smallest float. Of infinity and
// NaN nothing is cut.
inline int lowest_bit(double x)
{
    constexpr int of_smallest = -149;
    return std::isfinite(x) && x != 0 ? std::max(std::ilogb(x) - 23, of_smallest) : of_smallest;
}

constexpr std::size_t instruction_depth = 16, block_depth = 32;

// One instruction: sum + a[0] b[0] + ... + a[15] b[15]. The products are exact; all terms are cut where the largest one
// ends, added, and the sum is cut to a float, all toward zero. (Hardware may keep more.)
inline float tensor_core_instruction(float sum, std::span<const Pieces> a, float Pieces::*piece_of_a,
                                     std::span<const Pieces> b, float Pieces::*piece_of_b)
{
    double terms[instruction_depth + 1] = {sum}, largest = std::fabs(sum), total = 0;
    for (std::size_t p = 0; p < a.size(); p++) {
        const double term = static_cast<double>(a[p].*piece_of_a) * static_cast<double>(b[p].*piece_of_b);
        terms[p + 1] = term;
        largest = std::max(largest, std::fabs(term));
    }
    for (const double term : terms)
        total += cut_below(lowest_bit(largest), term);
    return static_cast<float>(cut_below(lowest_bit(total), total));
}

// A dot product. In each block of 32 the six products are added on the tensor core, the smallest first; the blocks are added
// in FP32 outside of it, which rounds to nearest.
inline float split_dot(std::span<const Pieces> a, std::span<const Pieces> b)
{
    struct Product {
        float Pieces::*of_a;
        float Pieces::*of_b;
    };
    constexpr Product products[] = {{&Pieces::third, &Pieces::first},  {&Pieces::second, &Pieces::second},
                                    {&Pieces::first, &Pieces::third},  {&Pieces::second, &Pieces::first},
                                    {&Pieces::first, &Pieces::second}, {&Pieces::first, &Pieces::first}};
    float sum = 0;
    for (std::size_t block = 0; block < a.size(); block += block_depth) {
        const std::size_t end = std::min(block + block_depth, a.size());
        float on_tensor_core = 0;
        for (const auto& [of_a, of_b] : products)
            for (std::size_t p = block; p < end; p += instruction_depth) {
                const std::size_t depth = std::min(instruction_depth, end - p);
                on_tensor_core =
                    tensor_core_instruction(on_tensor_core, a.subspan(p, depth), of_a, b.subspan(p, depth), of_b);
            }
        sum += on_tensor_core;
    }
    return sum;
}

} // namespace clgemm::test
