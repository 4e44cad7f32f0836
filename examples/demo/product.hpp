// What is multiplied, what must come out, and how far a result is from it.
#pragma once

#include "reference/reference.hpp"

#include <clgemm/clgemm.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace demo {

// C = op(A) * op(B), all column-major and without gaps; op(A) is m x k, op(B) is k x n.
struct Product {
    std::string title; // what is multiplied, in a few words
    std::size_t m = 0, n = 0, k = 0;
    std::vector<float> a, b; // as stored: transposed or not
    bool a_is_transposed = false;

    std::size_t lda() const { return a_is_transposed ? k : m; }
    double multiply_adds() const { return static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k); }
};

// The columns of C that are checked, in double precision.
struct Reference {
    std::vector<std::size_t> columns; // which ones
    std::vector<double> values;       // op(A) op(B), m for each of them
    std::vector<double> magnitudes;   // |op(A)| |op(B)|, likewise
};

struct Deviation {
    double largest = 0;  // |C - reference|
    double of_bound = 0; // the same as a share of the bound: more than 1 is wrong

    bool right() const { return of_bound <= 1; } // false for NaN
    // The larger one of each stays. NaN counts as larger, and once met stays.
    void take(double deviation, double its_share)
    {
        for (auto [kept, value] : {std::pair{&largest, deviation}, {&of_bound, its_share}})
            if (value > *kept || std::isnan(value))
                *kept = value;
    }
};

inline std::vector<float> transposed(const std::vector<float>& matrix, std::size_t rows, std::size_t columns)
{
    std::vector<float> result(matrix.size());
    for (std::size_t j = 0; j < columns; j++)
        for (std::size_t i = 0; i < rows; i++)
            result[i * columns + j] = matrix[j * rows + i];
    return result;
}

// By the triple loop, column by column. The columns are shared out among the CPU's threads.
// Where C has more of them than a few seconds allow, only as many are computed, evenly spread from the first to the last.
inline Reference multiply_on_cpu(const Product& product)
{
    const std::size_t m = product.m, n = product.n, k = product.k;
    const std::vector<float> a = product.a_is_transposed ? transposed(product.a, k, m) : product.a;

    const std::size_t threads = std::max(1U, std::thread::hardware_concurrency());
    constexpr double multiply_adds_per_thread = 5e9;
    const double multiply_adds_per_column = static_cast<double>(m) * static_cast<double>(k);
    const double affordable = multiply_adds_per_thread * static_cast<double>(threads) / multiply_adds_per_column;
    const std::size_t count =
        affordable >= static_cast<double>(n) ? n : std::max<std::size_t>(2, static_cast<std::size_t>(affordable));

    Reference result{std::vector<std::size_t>(count), std::vector<double>(count * m), std::vector<double>(count * m)};
    const auto compute_every = [&](std::size_t first, std::size_t step) {
        for (std::size_t c = first; c < count; c += step) {
            const std::size_t j = count == n ? c : c * (n - 1) / (count - 1);
            result.columns[c] = j;
            clgemm::reference::add_line(m, k, &product.b[j * k], 1, a.data(), m, &result.values[c * m],
                                        &result.magnitudes[c * m]);
        }
    };
    std::vector<std::thread> workers;
    for (std::size_t t = 0; t < threads; t++)
        workers.emplace_back(compute_every, t, threads);
    for (auto& worker : workers)
        worker.join();
    return result;
}

// Against the bound that the tests have, too, for each element by itself.
inline Deviation compare(std::span<const float> c, const Reference& reference, const Product& product)
{
    Deviation result;
    for (std::size_t column = 0; column < reference.columns.size(); column++)
        for (std::size_t i = 0; i < product.m; i++) {
            const std::size_t at = column * product.m + i;
            const double error = std::abs(c[reference.columns[column] * product.m + i] - reference.values[at]);
            const double bound = clgemm::reference::error_bound(product.k, reference.magnitudes[at]);
            result.take(error, error == 0 ? 0 : error / bound);
        }
    return result;
}

} // namespace demo
