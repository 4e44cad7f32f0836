// What the kernels for CPUs (16 to 18 and cpu_amx) have in common. There a work-group is a single work-item, which computes
// a block of C in many tiles, from vector registers.
#pragma once

#include "families/family.hpp"
#include "families/multiplication.hpp"
#include "families/operands.hpp"
#include "support/whole_numbers.hpp"

#include <algorithm>
#include <limits>

namespace clgemm::core {

// The size of each of `parts` equal parts in multiples of `unit`.
inline std::size_t equal_part(std::size_t size, std::size_t parts, std::size_t unit)
{
    return round_up(divide_up(size, parts), unit);
}

inline double as_double(std::size_t value)
{
    return static_cast<double>(value);
}

// The multiply-adds of a unit at its peak, with vectors of `width` floats: two vectors in each clock, as large processors
// do. (AMD's family 25, Zen 4, computes a vector of 16 in two halves.)
inline double multiply_adds_per_clock(const DeviceProfile& device, std::size_t width)
{
    const std::size_t at_once = device.architecture == "AMD family 25" ? std::min<std::size_t>(width, 8) : width;
    return 2 * as_double(at_once);
}

class CpuFamily : public Family {
public:
    Arithmetic computes(const Arithmetic& asked) const override { return fp32_in_any_order(asked); }

    // Whether columns are aligned does not matter, so there are no small letters.
    std::string measured_operands(const Problem& problem, const Way& way) const override
    {
        const Problem computed = as_computed(problem, way);
        return {computed.a.transposed ? 'T' : 'N', computed.b.transposed ? 'T' : 'N'};
    }

    Probing probing() const override
    {
        // The points of the curve are the tiles in a unit's blocks. On two units 4096 tiles each, of 48 x 8, make a C of
        // 1773 x 1773. (Five steps, so that depths are no powers of two: a CPU's cache has few places for addresses that are
        // so far apart.)
        static constexpr std::size_t loads[] = {1, 4, 16, 64, 256, 1024, 4096};
        return {.loads = loads, .in_blocks = true, .in_rounds = false, .few_steps = 5};
    }

    // Register tiles grow by whole vectors, and by four columns.
    std::size_t step_of(std::string_view parameter, const Parameters& parameters) const override
    {
        return parameter == "WPTM" ? parameters["WIDTH"] : parameter == "WPTN" ? 4 : 0;
    }

protected:
    // For kernels whose work-groups take all products of a batch at once, unless they take parts of K.
    static std::size_t products_unless_split(const Way& way)
    {
        return way.split_k == 1 ? std::numeric_limits<std::size_t>::max() : 1;
    }

    // The variant as it is built for this problem: where the result must be reproducible, the depth of blocks of K is given.
    static Variant with_given_depth(const Variant& variant, const Problem& problem)
    {
        if (!is_reproducible(problem.arithmetic))
            return variant;
        return {variant.kernel, variant.parameters.with("TSK", reproducible_depth), variant.tiling};
    }

    // The same with `rows` rows at a time (TSM): as many as local memory then has room for; 0: it has none.
    static Variant with_rows(const Variant& variant, std::size_t rows)
    {
        return {variant.kernel, variant.parameters.with("TSM", rows), variant.tiling};
    }

    // The share of memory's speed that so many work-groups get, which are handed out one by one. A few units take all of it.
    static double share_of_memory(std::size_t groups, const DeviceProfile& device)
    {
        constexpr std::size_t take_all = 4;
        const double at_a_time = as_double(groups) / as_double(divide_up(groups, device.compute_units));
        return std::min(1.0, at_a_time / as_double(std::min(device.compute_units, take_all)));
    }

    // A tile is computed for as many k as there are, so of the last step along K only what K fills counts. (`part`: the
    // depth of a part of K. If K is whole, this may be more than K.)
    static void count_partial_step(Outline::Launch& launch, const Problem& problem, std::size_t part, const Tiling& tile)
    {
        launch.steps_saved = as_double(launch.load.steps) - as_double(std::min(part, problem.k)) / as_double(tile.k);
    }

    // Adds the beginning of each product of a batch, which takes as long as `multiply_adds`. (A single product's beginning
    // is measured with its launch.)
    static void count_beginnings(Outline& outline, const Problem& problem, const DeviceProfile& device, const Tiling& tile,
                                 double multiply_adds)
    {
        if (problem.batch.count <= 1)
            return;
        Outline::Launch& launch = outline.launches.front();
        launch.load.per_unit += as_double(divide_up(problem.batch.count, device.compute_units)) * multiply_adds /
                                as_double(tile.m * tile.n * problem.k);
        launch.rounds_overlap = true; // the measured beginning counts for the first products alone
    }

    // The share of computing or fetching that the other hides. A unit does both by the same instructions, so that it is not
    // all (docs/notes/cpu.md).
    static constexpr double hidden = 0.85;

    static constexpr std::size_t unit_k = 16; // blocks of K are multiples of it

    // K in as few blocks as possible, equally deep, at most `most`: the same as block_depth() in the kernels.
    static std::size_t block_depth(std::size_t k, std::size_t most, std::size_t unit)
    {
        return equal_part(k, divide_up(k, most), unit);
    }

    static bool is_vector_width(std::size_t width) { return width == 4 || width == 8 || width == 16; }

    // For kernels 16 and 17. No CPU has more registers than this, and far larger tiles are hard on its compiler.
    static bool is_register_tile(const Parameters& p)
    {
        const std::size_t width = p["WIDTH"], m = p["WPTM"], n = p["WPTN"], k = p["TSK"];
        return is_vector_width(width) && m > 0 && m % width == 0 && n > 0 && n % 4 == 0 && m <= 256 && n <= 256 &&
               m / width * (n + 1) + 1 <= 40 && k > 0 && k % unit_k == 0 && k <= 4096;
    }

    // `flops_per_ns`: of a compute unit, for each element of its vectors.
    static std::optional<Guess> cpu_guess(const Variant& variant, const DeviceProfile& device, double flops_per_ns)
    {
        if (device.type != DeviceType::cpu)
            return std::nullopt;
        return Guess{flops_per_ns * static_cast<double>(variant.parameters["WIDTH"])};
    }

    // The most parts of K. (Blocks of C are as many as the compute units need even without parts.)
    static std::size_t most_parts(const DeviceProfile& device) { return 4 * device.compute_units; }

    // A launch of work-groups of one work-item.
    static Step step(const Variant& variant, std::string purpose, const char* function, const std::string& options,
                     std::array<std::size_t, 3> groups, std::vector<Memory> buffers, ArgumentBytes arguments)
    {
        Step result;
        result.purpose = std::move(purpose);
        result.source = &variant.kernel->source();
        result.function = function;
        result.options = variant.parameters.options() + options;
        result.groups = groups;
        result.buffers = std::move(buffers);
        result.arguments = std::move(arguments);
        return result;
    }
};

} // namespace clgemm::core
