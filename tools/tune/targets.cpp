#include "tune/targets.hpp"

#include "families/registry.hpp"
#include "support/whole_numbers.hpp"
#include "tuning/derived_tuning.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <random>

namespace clgemm::tune {
namespace {

using namespace core;

// Squares, tall, wide, deep and shallow ones, and vectors: what calls look like, small enough to measure.
constexpr Shape gpu_shapes[] = {{4096, 4096, 4096}, {1024, 1024, 1024}, {512, 512, 512},    {2048, 2048, 2048},
                                {256, 256, 256},    {64, 64, 64},       {8192, 64, 4096},   {64, 8192, 4096},
                                {128, 128, 16384},  {4096, 4096, 16},   {4096, 16, 4096},   {16, 4096, 4096},
                                {8192, 1, 8192},    {1, 8192, 8192},    {1536, 1536, 1536}, {128, 128, 128},
                                {4096, 4096, 4},    {100000, 40, 8},    {40, 100000, 8}};
constexpr Shape cpu_shapes[] = {{512, 512, 512},  {1024, 1024, 1024}, {256, 256, 256},  {128, 128, 128}, {1024, 16, 1024},
                                {16, 1024, 1024}, {64, 64, 8192},     {1024, 1024, 16}, {2048, 1, 2048}, {1, 2048, 2048}};

// Batches. One launch computes them all where a family can, so other kernels are the fastest, and some take nothing else.
constexpr Shape gpu_batches[] = {{8, 8, 8, 50000}, {24, 24, 24, 8000}, {64, 64, 64, 3000}, {128, 128, 128, 500}};
constexpr Shape cpu_batches[] = {{16, 16, 16, 2000}, {64, 64, 64, 200}};

// As varied, but other shapes: a choice that suits those of the search by chance does not suit these. Large ones are
// measured here alone. Those whose choice matters most come first, since time may end before the last.
constexpr Shape gpu_compared[] = {{3000, 3000, 3000}, {896, 896, 896},    {384, 384, 384},    {1700, 1700, 1700},
                                  {192, 192, 192},    {6000, 6000, 6000}, {2000, 700, 350},   {700, 2000, 350},
                                  {6144, 32, 3072},   {32, 6144, 3072},   {6144, 1, 6144},    {1, 6144, 6144},
                                  {200, 200, 9000},   {3000, 3000, 24},   {1300, 1300, 1300}, {640, 640, 640},
                                  {96, 96, 96},       {5000, 8, 2500},    {8, 5000, 2500},    {4500, 4500, 4500}};
constexpr Shape cpu_compared[] = {
    {2500, 2500, 2500}, {1000, 1000, 1000}, {384, 384, 384},    {700, 700, 700},    {192, 192, 192},  {1500, 1500, 1500},
    {1200, 300, 500},   {300, 1200, 500},   {2000, 12, 2000},   {12, 2000, 2000},   {3000, 1, 3000},  {1, 3000, 3000},
    {100, 100, 6000},   {1300, 1300, 24},   {96, 96, 96},       {2000, 2000, 2000}, {3000, 4, 1500},  {4, 3000, 1500},
    {850, 850, 850},    {3400, 3400, 3400}, {1200, 1200, 1200}, {3000, 500, 200},   {200, 500, 3000}, {600, 600, 600},
    {1800, 7, 2200},    {7, 2200, 1800},    {2400, 2, 1600},    {64, 160, 10000}};

constexpr Shape gpu_compared_batches[] = {{16, 16, 16, 20000}, {7, 7, 7, 50000},    {32, 32, 32, 10000},  {48, 48, 48, 4000},
                                          {13, 13, 13, 30000}, {64, 100, 64, 16},   {100, 100, 100, 800}, {64, 64, 8, 10000},
                                          {4, 4, 1000, 10000}, {256, 256, 256, 100}};
constexpr Shape cpu_compared_batches[] = {{32, 32, 32, 500}, {7, 10, 12, 5000}, {100, 100, 100, 50}, {64, 100, 64, 16}};

// Sizes are drawn from such ranges.
struct Range {
    double least, most;
};
struct Region {
    Range side, depth;
    Range operations; // of the call: fewer take less than a launch, more take longer than can be waited for
    std::size_t count;
};
// With a shallow K nearly all that is moved is C, and GPUs have a kernel for that case.
constexpr Region gpu_regions[] = {{{4, 8000}, {16, 20000}, {1e7, 2e11}, 180}, {{4, 200000}, {1, 16}, {3e5, 2e9}, 42}};
constexpr Region cpu_regions[] = {{{2, 3000}, {16, 10000}, {2e6, 2e9}, 140}};

// Draws as many small sizes as large ones, in every proportion, and the same ones each time. Between the listed sizes other
// things decide: how a tile divides the sides, and how many parts of K make work for all compute units.
std::vector<Shape> drawn_shapes(const Region& region)
{
    std::mt19937 random(1);
    const auto draw = [&](const Range& range) {
        const double share = static_cast<double>(random()) / 4294967296.0;
        return static_cast<std::size_t>(std::round(range.least * std::pow(range.most / range.least, share)));
    };
    std::vector<Shape> result;
    while (result.size() < region.count) {
        const std::size_t m = draw(region.side), n = draw(region.side), k = draw(region.depth);
        const double operations = 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
        if (region.operations.least <= operations && operations <= region.operations.most)
            result.push_back({m, n, k});
    }
    return result;
}

// Aligned and transposed in every way; then the unaligned ones.
constexpr const char* all_letters[] = {"NT", "NN", "TN", "TT", "nt", "nN", "Tt"};

// The kernels in whose sizes there is something to search for.
std::vector<Variant> searched_for(const DeviceProfile& device)
{
    std::vector<Variant> result;
    for (const Measurement& guess : guesses_for(device))
        if (guess.variant.family().takes_other_sizes())
            result.push_back(guess.variant);
    return result;
}

std::vector<Target> targets(std::span<const Shape> shapes, const std::vector<const char*>& letters)
{
    std::vector<Target> result;
    for (const Shape& shape : shapes)
        for (const char* lies : letters)
            result.push_back({problem_of(shape, lies), lies});
    return result;
}

void append(std::vector<Target>& targets, std::vector<Target> more)
{
    targets.insert(targets.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

} // namespace

std::vector<const char*> letters_for(const DeviceProfile& device)
{
    const std::vector<Variant> variants = searched_for(device);
    const auto is_measured = [&](const char* letters) {
        constexpr Shape any{1000, 1000, 1000};
        const Problem problem = problem_of(any, letters);
        return std::any_of(variants.begin(), variants.end(), [&](const Variant& variant) {
            return variant.family().measured_operands(problem, {}) == letters;
        });
    };
    std::vector<const char*> result;
    std::copy_if(std::begin(all_letters), std::end(all_letters), std::back_inserter(result), is_measured);
    return result;
}

std::vector<clgemm_math> accuracies_for(const DeviceProfile& device)
{
    const std::vector<Variant> variants = searched_for(device);
    std::vector<clgemm_math> result{CLGEMM_MATH_DEFAULT};
    const auto kept_to_by = [&](clgemm_math accuracy) {
        return std::count_if(variants.begin(), variants.end(), [&](const Variant& variant) {
            return satisfies(variant.family().computes({}), {.accuracy = accuracy});
        });
    };
    for (const Accuracy& accuracy : accuracies)
        if (const auto count = kept_to_by(accuracy.math); count != 0 && count != kept_to_by(CLGEMM_MATH_DEFAULT))
            result.push_back(accuracy.math);
    return result;
}

Problem with_accuracy(Problem problem, clgemm_math accuracy)
{
    problem.arithmetic.accuracy = accuracy;
    return problem;
}

Problem problem_of(const Shape& shape, const std::string& letters, float alpha, float beta)
{
    const auto& [m, n, k, count] = shape;
    // Columns are aligned where they all begin at multiples of 16 bytes; a single row lies as it comes.
    const auto ld = [](std::size_t rows, bool aligned) {
        return aligned ? (rows == 1 ? rows : round_up(rows, 4)) : rows | 1;
    };
    const bool trans_a = letters[0] == 'T', trans_b = letters[1] != 'N';
    const std::size_t lda = trans_a ? k : ld(m, letters[0] == 'N'), ldb = trans_b ? ld(n, letters[1] == 'T') : k;
    return make_problem({CLGEMM_COLUMN_MAJOR,
                         trans_a ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                         trans_b ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                         m,
                         n,
                         k,
                         alpha,
                         0,
                         lda,
                         0,
                         ldb,
                         beta,
                         0,
                         m,
                         {},
                         {count},
                         lda * (trans_a ? m : k),
                         ldb * (trans_b ? k : n),
                         m * n});
}

std::vector<Target> targets_to_search(const DeviceProfile& device)
{
    const bool is_cpu = device.type == DeviceType::cpu;
    const std::vector<const char*> letters = letters_for(device);
    std::vector<Target> result = targets(is_cpu ? std::span<const Shape>(cpu_shapes) : gpu_shapes, letters);
    append(result, targets(is_cpu ? std::span<const Shape>(cpu_batches) : gpu_batches, letters));
    return result;
}

std::vector<Target> targets_to_compare(const DeviceProfile& device, std::span<const Shape> shapes)
{
    const std::vector<Target> by_default = targets(shapes, letters_for(device));
    std::vector<Target> result = by_default;
    for (const clgemm_math accuracy : accuracies_for(device))
        for (const Target& any : by_default)
            if (accuracy != CLGEMM_MATH_DEFAULT && (any.letters == "NT" || any.letters == "TN"))
                result.push_back({with_accuracy(any.problem, accuracy), any.letters});
    return result;
}

std::vector<Target> targets_to_compare(const DeviceProfile& device)
{
    const bool is_cpu = device.type == DeviceType::cpu;
    std::vector<Target> result = targets_to_compare(device, is_cpu ? std::span<const Shape>(cpu_compared) : gpu_compared);
    const auto letters = letters_for(device);
    append(result, targets(is_cpu ? std::span<const Shape>(cpu_compared_batches) : gpu_compared_batches, letters));
    // Each of the drawn sizes has its operands in one way, and all ways are equally frequent. One of three calls is in
    // another accuracy than the default one, if there is another.
    const auto accuracies = accuracies_for(device);
    const std::size_t others = accuracies.size() - 1;
    std::size_t count = 0;
    for (const Region& region : is_cpu ? std::span<const Region>(cpu_regions) : gpu_regions)
        for (const Shape& shape : drawn_shapes(region)) {
            const bool is_other = others > 0 && count % 3 == 0;
            const clgemm_math accuracy = is_other ? accuracies[1 + count / 3 % others] : CLGEMM_MATH_DEFAULT;
            const char* lies = letters[count++ % letters.size()];
            result.push_back({with_accuracy(problem_of(shape, lies), accuracy), lies});
        }
    return result;
}

} // namespace clgemm::tune
