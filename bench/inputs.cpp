#include "inputs.hpp"

#include "timing/parallel.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

namespace bench {
namespace {

// splitmix64. Every column has a generator of its own, so that the numbers do not depend on which thread makes them.
class Random {
public:
    Random(std::uint64_t seed, std::uint64_t column) : state_((seed << 40U) + (column << 8U) * 0x9e3779b97f4a7c15U) {}

    std::uint64_t bits()
    {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
        z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
        return z ^ (z >> 31U);
    }

    // From `least` to `most`, both included.
    int integer(int least, int most)
    {
        return least + static_cast<int>(bits() % static_cast<std::uint64_t>(most - least + 1));
    }
    std::size_t index(std::size_t count) { return static_cast<std::size_t>(bits() % count); }

    float positive() { return static_cast<float>(bits() >> 40U) * 0x1p-24f; }       // [0, 1), in steps of 2^-24
    float uniform() { return static_cast<float>(bits() >> 40U) * 0x1p-23f - 1.0f; } // [-1, 1), in steps of 2^-23
    float sign() { return (bits() & 1U) != 0 ? 1.0f : -1.0f; }

    float normal()
    {
        const double radius = std::sqrt(-2.0 * std::log(1.0 - static_cast<double>(positive())));
        return static_cast<float>(radius * std::cos(std::numbers::pi * static_cast<double>(uniform())));
    }

    // Either sign, exponents from `least` to `most`, all 24 bits of the mantissa.
    float of_exponent(int least, int most)
    {
        const auto mantissa = static_cast<float>(integer(1 << 23, (1 << 24) - 1));
        return sign() * std::ldexp(mantissa, integer(least, most) - 23);
    }

private:
    std::uint64_t state_;
};

constexpr std::uint64_t seed_a = 1, seed_b = 2, seed_rows = 3, seed_cols = 4, seed_steps = 5;

// Fills a matrix of so many rows with element(random, row, step).
template <typename Element>
void fill(float* matrix, std::size_t rows, std::size_t k, std::uint64_t seed, const Element& element)
{
    timing::in_parallel(k, [&](std::size_t begin, std::size_t end) {
        for (std::size_t p = begin; p < end; p++) {
            Random random(seed, p);
            for (std::size_t row = 0; row < rows; row++)
                matrix[row + p * rows] = element(random, row, p);
        }
    });
}

template <typename Element> void fill_a(const Operands& x, const Element& element)
{
    fill(x.a, x.m, x.k, seed_a, element);
}

template <typename Element> void fill_b(const Operands& x, const Element& element)
{
    fill(x.b, x.n, x.k, seed_b, element);
}

float uniform(Random& random, std::size_t /*row*/, std::size_t /*step*/)
{
    return random.uniform();
}

float around_one(Random& random, std::size_t /*row*/, std::size_t /*step*/)
{
    return random.of_exponent(-1, 0);
}

void fill_uniform(const Operands& x)
{
    fill_a(x, uniform);
    fill_b(x, uniform);
}

void fill_normal(const Operands& x)
{
    const auto normal = [](Random& random, std::size_t, std::size_t) { return random.normal(); };
    fill_a(x, normal);
    fill_b(x, normal);
}

void fill_positive(const Operands& x)
{
    const auto positive = [](Random& random, std::size_t, std::size_t) { return random.positive(); };
    fill_a(x, positive);
    fill_b(x, positive);
}

void fill_log_uniform(const Operands& x)
{
    const auto any_exponent = [](Random& random, std::size_t, std::size_t) { return random.of_exponent(-60, 59); };
    fill_a(x, any_exponent);
    fill_b(x, any_exponent);
}

std::vector<int> exponents(std::size_t count, int most, std::uint64_t seed)
{
    Random random(seed, 0);
    std::vector<int> exponents(count);
    for (auto& exponent : exponents)
        exponent = random.integer(-most, most);
    return exponents;
}

void fill_scaled_rows(const Operands& x, int most)
{
    const std::vector<int> up = exponents(x.m, most, seed_rows), down = exponents(x.n, most, seed_cols);
    fill_a(x, [&](Random& random, std::size_t row, std::size_t) { return std::ldexp(random.uniform(), up[row]); });
    fill_b(x, [&](Random& random, std::size_t row, std::size_t) { return std::ldexp(random.uniform(), -down[row]); });
}

void fill_scaled_steps(const Operands& x, int most)
{
    const std::vector<int> up = exponents(x.k, most, seed_steps);
    fill_a(x, [&](Random& random, std::size_t, std::size_t p) { return std::ldexp(random.uniform(), up[p]); });
    fill_b(x, [&](Random& random, std::size_t, std::size_t p) { return std::ldexp(random.uniform(), -up[p]); });
}

void fill_cancelling(const Operands& x)
{
    fill_uniform(x);
    const std::size_t half = x.k / 2;
    for (std::size_t i = 0; i < x.m * half; i++)
        x.a[i + x.m * half] = -x.a[i] + 0x1p-16f * x.a[i + x.m * half];
    std::copy_n(x.b, x.n * half, x.b + x.n * half);
}

constexpr int exact_integers = 1 << 24; // all up to here are floats

void fill_integers(const Operands& x)
{
    const int most = static_cast<int>(std::sqrt((exact_integers - 1.0) / static_cast<double>(x.k)));
    const auto integer = [most](Random& random, std::size_t, std::size_t) {
        return static_cast<float>(random.integer(-most, most));
    };
    fill_a(x, integer);
    fill_b(x, integer);
}

void fill_wide_integers(const Operands& x)
{
    const int most = (exact_integers - 1) / static_cast<int>(x.k);
    fill_a(x, [most](Random& random, std::size_t, std::size_t) { return static_cast<float>(random.integer(-most, most)); });
    fill_b(x, [](Random& random, std::size_t, std::size_t) { return static_cast<float>(random.integer(-1, 1)); });
}

// Puts value(random) somewhere into every row of A.
template <typename Value> void put_into_rows_of_a(const Operands& x, const Value& value)
{
    Random random(seed_rows, 0);
    for (std::size_t row = 0; row < x.m; row++)
        x.a[row + random.index(x.k) * x.m] = value(random);
}

void fill_huge(const Operands& x)
{
    fill_uniform(x);
    put_into_rows_of_a(x, [](Random& random) { return random.of_exponent(60, 60); });
}

void fill_largest(const Operands& x)
{
    fill_a(x, uniform);
    fill_b(x, [](Random& random, std::size_t, std::size_t) { return 0x1p-10f * random.uniform(); });
    put_into_rows_of_a(x, [](Random& random) { return random.sign() * std::numeric_limits<float>::max(); });
}

void fill_subnormal(const Operands& x)
{
    fill_a(x, [](Random& random, std::size_t, std::size_t) {
        return random.sign() * std::ldexp(static_cast<float>(random.integer(1, (1 << 23) - 1)), -149);
    });
    fill_b(x, around_one);
}

void fill_tiny(const Operands& x)
{
    fill_a(x, [](Random& random, std::size_t, std::size_t) { return random.of_exponent(-115, -101); });
    fill_b(x, around_one);
}

// Puts two of the values into one of every 16 rows, so that different ones meet in a sum.
void scatter(float* matrix, std::size_t rows, std::size_t k, std::uint64_t seed, const std::vector<float>& values)
{
    Random random(seed, 0);
    for (std::size_t i = 0; i < rows; i += 16) {
        const std::size_t row = i + random.index(std::min<std::size_t>(16, rows - i));
        for (int twice = 0; twice < 2; twice++)
            matrix[row + random.index(k) * rows] = values[random.index(values.size())];
    }
}

void fill_special(const Operands& x, const std::vector<float>& values)
{
    const auto uniform_and_zeros = [](Random& random, std::size_t, std::size_t) {
        return random.index(16) == 0 ? 0.0f : random.uniform();
    };
    fill_a(x, uniform_and_zeros);
    fill_b(x, uniform_and_zeros);
    scatter(x.a, x.m, x.k, seed_rows, values);
    scatter(x.b, x.n, x.k, seed_cols, values);
}

// At one step, all of A is huge and every other row of B is large.
void fill_overflow(const Operands& x)
{
    fill_uniform(x);
    const std::size_t p = x.k / 3;
    Random random(seed_steps, 0);
    for (std::size_t row = 0; row < x.m; row++)
        x.a[row + p * x.m] = random.of_exponent(100, 100);
    for (std::size_t row = 0; row < x.n; row += 2)
        x.b[row + p * x.n] = random.of_exponent(40, 40);
}

} // namespace

const std::vector<Input>& all_inputs()
{
    constexpr float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
    constexpr auto exact = Input::Kind::exact, special = Input::Kind::special;
    static const std::vector<Input> inputs = {
        {"uniform", "from -1 to 1", fill_uniform},
        {"normal", "normally distributed", fill_normal},
        {"positive", "from 0 to 1: errors in one direction add up", fill_positive},
        {"log-uniform", "magnitudes from 2^-60 to 2^60, either sign", fill_log_uniform},
        {"rows-30", "rows of A and columns of B times powers of two, 2^-30 to 2^30",
         [](const Operands& x) { fill_scaled_rows(x, 30); }},
        {"rows-100", "the same, 2^-100 to 2^100", [](const Operands& x) { fill_scaled_rows(x, 100); }},
        {"steps-30", "columns of A times powers of two, 2^-30 to 2^30, rows of B divided by them",
         [](const Operands& x) { fill_scaled_steps(x, 30); }},
        {"steps-100", "the same, 2^-100 to 2^100", [](const Operands& x) { fill_scaled_steps(x, 100); }},
        {"cancelling", "the second half of K takes away what the first half adds, but for 2^-16 of it", fill_cancelling},
        {"integers", "integers of the same size in A and B, sums below 2^24", fill_integers, exact},
        {"wide-integers", "integers of up to 20 bits in A; -1, 0 and 1 in B; sums below 2^24", fill_wide_integers, exact},
        {"huge", "from -1 to 1, and one around 2^60 in each row of A", fill_huge},
        {"largest", "the same with the largest float, and B up to 2^-10", fill_largest},
        {"subnormal", "A subnormal, B around 1", fill_subnormal},
        {"tiny", "A from 2^-115 to 2^-100, B around 1", fill_tiny},
        {"infinity", "some infinities of either sign, and zeros they meet",
         [](const Operands& x) {
             fill_special(x, {infinity, -infinity});
         },
         special},
        {"nan", "some NaN", [](const Operands& x) { fill_special(x, {nan}); }, special},
        {"overflow", "finite, but half of the products overflow", fill_overflow, special},
    };
    return inputs;
}

} // namespace bench
