#include "select/cpu_blocks.hpp"

#include "support/arithmetic.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace clgemm::core {
namespace {

double number(std::size_t value)
{
    return static_cast<double>(value);
}

// Costs are in multiply-adds. What an element of A or B takes that is packed, or whose cache line is fetched while it is
// read in place: measured with kernels 16 and 17 (docs/cpu.md).
constexpr double packing = 8;
constexpr double packing_apart = 12; // through memory
constexpr double in_place = 8, in_place_along_n = 16;
// What a block costs besides, and storing an element of C: they decide between blocks, but do not grow with K.
constexpr double a_block = 20000, storing = 8;
// The last blocks seldom end together.
constexpr double waiting = 0.15;
// A runtime's first thread computes that much before the others have woken up (PoCL: about 20 us).
constexpr double waking = 1e6;

// The size of each of `parts` equal parts in multiples of `unit`.
std::size_t even(std::size_t size, std::size_t parts, std::size_t unit)
{
    return round_up(divide_up(size, parts), unit);
}

CpuBlocks packed(const Parameters& p, const Problem& problem, std::size_t units)
{
    // Two to eight panels of A, which the second-level cache holds; at least eight of B.
    constexpr std::size_t fewest_m = 2, most_m = 8, fewest_n = 8, most_blocks_n = 256;
    const std::size_t all_m = divide_up(problem.m, p["WPTM"]), all_n = divide_up(problem.n, p["WPTN"]);
    std::size_t best_m = 1, best_n = 1;
    double least = std::numeric_limits<double>::infinity(), least_load = 0;
    for (std::size_t most = std::min(fewest_m, all_m); most <= std::min(most_m, all_m); most++) {
        const std::size_t m = divide_up(all_m, divide_up(all_m, most));
        for (std::size_t parts = 1; parts <= std::min(divide_up(all_n, fewest_n), most_blocks_n); parts++) {
            const std::size_t n = divide_up(all_n, parts);
            const std::size_t groups = divide_up(all_m, m) * divide_up(all_n, n);
            const double block = number(m * n) + 0.5 * number(n) + number(m);
            const double load = number(divide_up(groups, units)) * block;
            const double cost = load + (groups < 8 * units ? 0.25 * number(m * n) : 0);
            if (cost < least) {
                least = cost;
                least_load = load;
                best_m = m;
                best_n = n;
            }
        }
    }
    const double packed_elements = number(all_m * p["WPTM"]) + number(all_n * p["WPTN"]);
    return {best_m * p["WPTM"], best_n * p["WPTN"], problem.k,
            least_load + packing_apart * packed_elements / number(units * p["WPTM"] * p["WPTN"])};
}

// When the last of `groups` equal blocks ends that are handed out one by one.
double end_of(std::size_t groups, double block, std::size_t units)
{
    if (units == 1)
        return number(groups) * block;
    // The units that wake up compute `each`, the first one the rest.
    const double share = (number(groups) - waking / block) / number(units);
    double end = std::numeric_limits<double>::infinity();
    for (const double each : {std::floor(std::max(share, 0.0)), std::ceil(std::max(share, 0.0))}) {
        const double rest = std::max(number(groups) - each * number(units - 1), 0.0);
        end = std::min(end, std::max(rest * block, each > 0 ? waking + each * block : 0));
    }
    return end;
}

class FusedBlocks {
public:
    FusedBlocks(const Parameters& p, const Problem& problem, std::size_t splits, std::size_t units)
        : p_(p), problem_(problem), units_(units)
    {
        best_.k = even(problem.k, splits, 16);
        slices_ = divide_up(problem.k, best_.k);
    }

    CpuBlocks best()
    {
        // More blocks than this for each unit make none of them end sooner.
        const std::size_t most_blocks = std::max<std::size_t>(16, 4 * units_);
        const std::size_t tile_m = p_["WPTM"], tile_n = p_["WPTN"], width = p_["WIDTH"];
        for (std::size_t parts_m = 1; parts_m <= std::min(divide_up(problem_.m, width), most_blocks); parts_m++) {
            std::size_t m = even(problem_.m, parts_m, width);
            if (m > tile_m)
                m = round_up(m, tile_m);
            const std::size_t most_n = std::min(divide_up(problem_.n, tile_n), most_blocks / parts_m);
            for (std::size_t parts_n = 1; parts_n <= most_n; parts_n++)
                consider(m, even(problem_.n, parts_n, tile_n));
        }
        // A large block for the unit that begins, a small one for the unit that wakes up.
        const std::size_t half = even(problem_.m, 2, width);
        if (units_ > 1 && slices_ == 1 && time_of(half, problem_.n) < 4 * waking)
            for (std::size_t m = half; m < problem_.m; m += width)
                consider_pair(m);
        return best_;
    }

private:
    // Multiply-adds for each step of K.
    double by_depth(std::size_t m, std::size_t n) const
    {
        const std::size_t tile_m = p_["WPTM"];
        // Narrower tiles compute less, but not in proportion.
        const std::size_t narrow = round_up(m % tile_m, p_["WIDTH"]);
        const double rows = number(m / tile_m * tile_m) + (narrow == 0 ? 0 : number(narrow) + 0.125 * number(tile_m));
        const double of_b = problem_.b.transposed ? in_place_along_n : in_place;
        return rows * number(n) + packing * number(m) + of_b * number(n * divide_up(m, p_["TSM"]));
    }

    double time_of(std::size_t m, std::size_t n) const
    {
        const double blocks_of_k = number(divide_up(best_.k, p_["TSK"]));
        return by_depth(m, n) * number(best_.k) + storing * number(m * n) * blocks_of_k + a_block;
    }

    void consider(std::size_t m, std::size_t n)
    {
        const std::size_t groups = divide_up(problem_.m, m) * divide_up(problem_.n, n) * slices_;
        const double block = time_of(m, n);
        keep_if_best(m, n, end_of(groups, block, units_) + waiting * block, number(divide_up(groups, units_)));
    }

    void consider_pair(std::size_t m)
    {
        const std::size_t n = round_up(problem_.n, p_["WPTN"]);
        const double block = time_of(m, n), other = time_of(problem_.m - m, n);
        keep_if_best(m, n, std::max(block, waking + other) + waiting * block, 0.5 * (1 + other / block));
    }

    // `rounds`: the blocks that each unit computes, if the work is long enough for them to wake up at one time.
    void keep_if_best(std::size_t m, std::size_t n, double time, double rounds)
    {
        if (time >= least_)
            return;
        least_ = time;
        best_.m = m;
        best_.n = n;
        best_.tiles_per_unit = (rounds + waiting) * by_depth(m, n) / number(p_["WPTM"] * p_["WPTN"]);
    }

    const Parameters& p_;
    const Problem& problem_;
    const std::size_t units_;
    std::size_t slices_ = 1;
    CpuBlocks best_;
    double least_ = std::numeric_limits<double>::infinity();
};

CpuBlocks vectors(const Parameters& p, const Problem& problem, std::size_t splits, std::size_t units)
{
    // Long streams down the columns, if that is how memory runs; along the rows anything will do.
    const std::size_t blocks = problem.a.transposed ? std::min(4 * units, divide_up(problem.m, 256))
                                                    : std::min(2 * units, divide_up(problem.m, 1024));
    CpuBlocks result;
    result.m = std::min(p["TSM"], even(problem.m, blocks, p["WIDTH"]));
    result.n = p["COLUMNS"];
    result.k = even(problem.k, splits, 16);
    const std::size_t groups =
        divide_up(problem.m, result.m) * divide_up(problem.n, result.n) * divide_up(problem.k, result.k);
    result.tiles_per_unit = number(divide_up(groups, units) * divide_up(result.m, p["WIDTH"]));
    return result;
}

} // namespace

CpuBlocks cpu_blocks(const KernelInfo& kernel, const Parameters& parameters, const Problem& problem, std::size_t splits,
                     std::size_t compute_units)
{
    switch (kernel.scheme) {
    case Scheme::cpu_packed: return packed(parameters, problem, compute_units);
    case Scheme::cpu_fused: return FusedBlocks(parameters, problem, splits, compute_units).best();
    case Scheme::cpu_vector: return vectors(parameters, problem, splits, compute_units);
    case Scheme::tiles:
    case Scheme::tensor:
    case Scheme::tensor_direct: break;
    }
    throw std::logic_error(std::string(kernel.name) + " has no blocks");
}

} // namespace clgemm::core
