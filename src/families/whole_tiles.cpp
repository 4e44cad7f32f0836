// Kernels 1 to 12, those of the tutorial and the course: a work-group computes one tile of C from all of K. Most of them
// want their operands stored in one way, padded with zeros to whole tiles. The plan adds the copies that this takes, and no
// others.
#include "families/families.hpp"

#include "families/gpu_guess.hpp"
#include "families/operands.hpp"
#include "families/tile_family.hpp"
#include "support/whole_numbers.hpp"

#include <algorithm>

namespace clgemm::core {
namespace {

constexpr std::size_t float_bytes = sizeof(float);
// No tile is longer that fits in local memory, and products of a few such numbers do not overflow.
constexpr std::size_t largest_parameter = 1024;

// How a kernel wants an operand stored.
enum class Storage {
    either, // told by TRANS_A, TRANS_B
    not_transposed,
    transposed
};

// What one of these kernels needs, and how fast it may be.
struct Needs {
    Storage a = Storage::not_transposed, b = Storage::not_transposed;
    bool whole_tiles_in = true;   // A and B must be padded with zeros to whole tiles
    bool whole_tiles_out = false; // C must be, too, and its columns be aligned like theirs
    bool takes_lists = false;     // computes a list of products in one launch
    bool keeps_order = false;     // adds along K in the order in which results are reproducible
    Tiling (*tiling)(const Parameters&) = nullptr;
    bool (*is_valid)(const Parameters&) = nullptr; // asked only for numbers from 1 to largest_parameter
    void (*add_device_features)(const DeviceProfile&, Parameters&) = nullptr;
    double gpu_flops_per_ns = 0, cpu_flops_per_ns = 0; // of a full compute unit; 0: nobody should choose it unmeasured
};

class WholeTiles : public TileFamily {
public:
    explicit WholeTiles(const Needs& needs) : needs_(needs) {}

    bool takes_other_sizes() const override { return false; }
    bool is_valid(const Parameters& parameters) const override
    {
        const auto& values = parameters.values();
        return std::all_of(values.begin(), values.end(),
                           [](const auto& each) { return each.second >= 1 && each.second <= largest_parameter; }) &&
               needs_.is_valid(parameters);
    }
    Arithmetic computes(const Arithmetic& asked) const override
    {
        return needs_.keeps_order ? fp32_in_any_order(asked) : TileFamily::computes(asked);
    }
    Tiling tiling(const Parameters& parameters) const override { return needs_.tiling(parameters); }
    void add_device_features(const DeviceProfile& device, Parameters& parameters) const override
    {
        if (needs_.add_device_features)
            needs_.add_device_features(device, parameters);
    }

    // A single way, which takes the copies that it needs.
    std::vector<Way> ways(const Problem&, const DeviceProfile&, const Variant&) const override { return {Way{}}; }
    std::size_t products_at_once(const Way&) const override { return 1; }
    std::size_t listed_products_at_once() const override { return needs_.takes_lists ? most_products_at_once : 0; }
    bool keeps_to_limit() const override { return false; }

    std::string measured_operands(const Problem& problem, const Way&) const override
    {
        return both_unaligned_if_one(operand_letters(problem));
    }

    std::optional<Guess> guess(const Variant& variant, const DeviceProfile& device) const override
    {
        const bool cpu = device.type == DeviceType::cpu;
        if ((cpu ? needs_.cpu_flops_per_ns : needs_.gpu_flops_per_ns) == 0)
            return std::nullopt;
        auto guess = cpu ? Guess{needs_.cpu_flops_per_ns} : gpu_guess(variant.tiling, device, needs_.gpu_flops_per_ns);
        guess->for_every_size = false;
        return guess;
    }
    Probing probing() const override { return {gpu_loads}; }

protected:
    // Each operand stays where it lies if that will do. Otherwise there is a place for a copy.
    Prepared prepare(const Problem& callers, const Variant& variant, const Way&, WorkspaceLayout& workspace) const override
    {
        const Tiling& tile = variant.tiling;
        const auto padded = [&](std::size_t size, std::size_t to) {
            return needs_.whole_tiles_in ? round_up(size, to) : size;
        };
        const std::size_t m = padded(callers.m, tile.m), n = padded(callers.n, tile.n), k = padded(callers.k, tile.k);
        const auto fits = [&](const Matrix& matrix, std::size_t rows, std::size_t cols) {
            return rows == matrix.rows && cols == matrix.cols && matrix.aligned_to(tile.width);
        };
        const auto place = [&](const Matrix& matrix, Storage wanted, std::size_t rows, std::size_t cols) {
            const bool transposed = wanted == Storage::either ? matrix.transposed : wanted == Storage::transposed;
            return transposed == matrix.transposed && fits(matrix, rows, cols)
                       ? matrix
                       : workspace.place_for(matrix, rows, cols, transposed);
        };
        Problem problem = callers;
        problem.k = k;
        problem.a = place(callers.a, needs_.a, m, k);
        problem.b = place(callers.b, needs_.b, k, n);
        if (needs_.whole_tiles_out && !fits(callers.c, m, n)) {
            // The kernel computes a C of that size. The last step applies beta.
            problem.m = m;
            problem.n = n;
            problem.beta = 0;
            problem.c = workspace.place(m, n, false, callers.c.element);
        }
        return {problem, {k, 1, problem.c, 0}};
    }

    std::string options(const Prepared& prepared, const Variant&) const override
    {
        const Problem& problem = prepared.problem;
        return (needs_.a == Storage::either ? flag("TRANS_A", problem.a.transposed) : "") +
               (needs_.b == Storage::either ? flag("TRANS_B", problem.b.transposed) : "");
    }

private:
    const Needs needs_;
};

// ---- What their work-groups do

Tiling naive(const Parameters& p)
{
    return {p["TSM"], p["TSN"], 1, p["TSM"], p["TSN"], 0};
}

// Kernels 2 to 4: tiles of TS x TS of both operands.
Tiling square_tiling(const Parameters& p, std::size_t rows_per_item, std::size_t columns_per_item, std::size_t width)
{
    const std::size_t side = p["TS"];
    return {side, side, side, side / rows_per_item, side / columns_per_item, 2 * side * side * float_bytes, width};
}
Tiling tiled(const Parameters& p)
{
    return square_tiling(p, 1, 1, 1);
}
Tiling work_per_thread(const Parameters& p)
{
    return square_tiling(p, 1, p["WPT"], 1);
}
Tiling wide_types(const Parameters& p)
{
    return square_tiling(p, p["WIDTH"], 1, p["WIDTH"]);
}

// Kernels 5 to 10 and 12: TSM x TSK of A and TSN x TSK of B, `buffers` times, rows of B `padding` floats longer.
Tiling rectangular_tiling(const Parameters& p, std::size_t rows_per_item, std::size_t buffers, std::size_t padding,
                          std::size_t width)
{
    const std::size_t m = p["TSM"], n = p["TSN"], k = p["TSK"];
    const std::size_t local_floats = buffers * (m * k + n * (k + padding));
    return {m, n, k, m / rows_per_item, n / p["WPTN"], local_floats * float_bytes, width};
}

constexpr std::size_t bank_padding = 2; // PAD of kernels 5 and 6

Tiling transposed_rectangular(const Parameters& p)
{
    return rectangular_tiling(p, 1, 1, bank_padding, 1);
}
Tiling register_blocking(const Parameters& p)
{
    return rectangular_tiling(p, p["WPTM"], 1, bank_padding, 1);
}
Tiling wide_loads(const Parameters& p)
{
    return rectangular_tiling(p, p["WPTM"], 1, 0, p["WIDTH"]);
}
Tiling prefetch(const Parameters& p)
{
    return rectangular_tiling(p, p["WPTM"], 2, 0, p["WIDTH"]);
}
Tiling async_copy(const Parameters& p)
{
    return rectangular_tiling(p, p["WPTM"], 2, 0, 4);
}
Tiling vector_dot(const Parameters& p)
{
    const std::size_t side = p["TS"], depth = p["TSK"];
    constexpr std::size_t vector = 8;
    return {side, side, depth, side, side, 2 * side * (depth + vector) * float_bytes, vector}; // a vector of PAD in each row
}

// ---- Which of their parameters fit together

bool is_any(const Parameters&)
{
    return true;
}
bool is_work_per_thread(const Parameters& p)
{
    return p["TS"] % p["WPT"] == 0;
}
bool is_vector_width(std::size_t width, std::size_t widest)
{
    return width >= 2 && width <= widest && is_power_of_2(width);
}
bool is_wide_types(const Parameters& p)
{
    return is_vector_width(p["WIDTH"], 16) && p["TS"] % p["WIDTH"] == 0;
}
bool is_transposed_rectangular(const Parameters& p)
{
    return p["TSM"] == p["TSN"] && p["TSN"] % p["WPTN"] == 0 && p["TSK"] % (p["TSN"] / p["WPTN"]) == 0;
}

// Does a tile consist of whole work-items, all of which load equally many vectors of each operand?
bool shares_work_evenly(const Parameters& p, std::size_t width)
{
    if (p["TSM"] % p["WPTM"] != 0 || p["TSN"] % p["WPTN"] != 0 || p["TSM"] % width != 0 || p["TSN"] % width != 0)
        return false;
    const std::size_t items = p["TSM"] / p["WPTM"] * (p["TSN"] / p["WPTN"]);
    return p["TSK"] * p["TSM"] / width % items == 0 && p["TSK"] * p["TSN"] / width % items == 0;
}
bool is_register_blocking(const Parameters& p)
{
    return p["TSM"] == p["TSN"] && shares_work_evenly(p, 1);
}
bool is_wide_loads(const Parameters& p)
{
    return p["TSM"] == p["TSN"] && is_vector_width(p["WIDTH"], 8) && shares_work_evenly(p, p["WIDTH"]);
}
bool is_device_specific(const Parameters& p)
{
    return p["WIDTH"] == 4 && is_wide_loads(p); // read-only loads move four floats
}
bool is_incomplete_tiles(const Parameters& p)
{
    return is_vector_width(p["WIDTH"], 8) && shares_work_evenly(p, p["WIDTH"]);
}
bool is_vector_dot(const Parameters& p)
{
    return p["TSK"] % 8 == 0;
}
bool is_async_copy(const Parameters& p)
{
    return p["TSM"] % p["WPTM"] == 0 && p["TSN"] % p["WPTN"] == 0 && p["TSM"] % 4 == 0 && p["TSN"] % 4 == 0;
}

void add_read_only_loads_and_shuffle(const DeviceProfile& device, Parameters& parameters)
{
    parameters.add("READ_ONLY_LOADS", device.nvidia_ptx ? 1 : 0);
    // A shuffle works in groups of WPTN lanes. WPTN must divide TSM / WPTM, so that all lanes of a group have the same
    // columns.
    const std::size_t lanes = parameters["WPTN"];
    const bool possible = (parameters["TSM"] / parameters["WPTM"]) % lanes == 0;
    parameters.add("SHUFFLE", static_cast<std::size_t>(possible ? device.shuffle : Shuffle::none));
}

// ---- The sizes they come in

// A TSM x TSN x TSK tile, WPTM x WPTN elements of it to a work-item.
Parameters register_tile(std::size_t m, std::size_t n, std::size_t k, std::size_t per_item_m, std::size_t per_item_n)
{
    return {{"TSM", m}, {"TSN", n}, {"TSK", k}, {"WPTM", per_item_m}, {"WPTN", per_item_n}};
}

// A register_tile() with vectors of four.
Parameters vector_tile(std::size_t m, std::size_t n, std::size_t k, std::size_t per_item_m, std::size_t per_item_n)
{
    Parameters result = register_tile(m, n, k, per_item_m, per_item_n);
    result.add("WIDTH", 4);
    return result;
}

// Each kernel has a family of its own, since each needs something else. (Never destroyed, as the registry is not.)
const Family* family(const Needs& needs)
{
    return new WholeTiles(needs);
}

} // namespace

// The measurements behind the order of the variants are in docs/notes/kernels.md.
std::vector<KernelInfo> whole_tiles_kernels()
{
    using enum Storage;
    return {
        {.name = "01_naive",
         .idea = "one work-item, one element",
         .family = family({.a = either,
                           .b = either,
                           .whole_tiles_in = false,
                           .takes_lists = true,
                           .keeps_order = true,
                           .tiling = naive,
                           .is_valid = is_any,
                           .gpu_flops_per_ns = 40,
                           .cpu_flops_per_ns = 1.2}),
         .variants =
             {{{"TSM", 128}, {"TSN", 4}}, {{"TSM", 32}, {"TSN", 4}}, {{"TSM", 8}, {"TSN", 8}}, {{"TSM", 1}, {"TSN", 1}}},
         .first_on_cpu = 1,
         .is_last_resort = true},
        {.name = "02_tiled",
         .idea = "square tiles in local memory",
         .family = family({.tiling = tiled, .is_valid = is_any}),
         .variants = {{{"TS", 32}}, {{"TS", 16}}, {{"TS", 8}}, {{"TS", 1}}}},
        {.name = "03_work_per_thread",
         .idea = "several columns per work-item",
         .family = family({.tiling = work_per_thread, .is_valid = is_work_per_thread}),
         .variants =
             {{{"TS", 64}, {"WPT", 32}}, {{"TS", 32}, {"WPT", 8}}, {{"TS", 16}, {"WPT", 8}}, {{"TS", 8}, {"WPT", 8}}},
         .first_on_cpu = 3},
        {.name = "04_wide_types",
         .idea = "vectors along rows",
         .family = family({.whole_tiles_out = true, .tiling = wide_types, .is_valid = is_wide_types}),
         .variants = {{{"TS", 64}, {"WIDTH", 4}},
                      {{"TS", 32}, {"WIDTH", 4}},
                      {{"TS", 32}, {"WIDTH", 16}},
                      {{"TS", 8}, {"WIDTH", 8}}},
         .first_on_cpu = 2},
        {.name = "05_transposed_rectangular",
         .idea = "B transposed beforehand, rectangular tiles",
         .family = family({.b = transposed, .tiling = transposed_rectangular, .is_valid = is_transposed_rectangular}),
         .variants = {{{"TSM", 128}, {"TSN", 128}, {"TSK", 32}, {"WPTN", 32}},
                      {{"TSM", 64}, {"TSN", 64}, {"TSK", 32}, {"WPTN", 16}},
                      {{"TSM", 32}, {"TSN", 32}, {"TSK", 16}, {"WPTN", 8}},
                      {{"TSM", 8}, {"TSN", 8}, {"TSK", 8}, {"WPTN", 8}}},
         .first_on_cpu = 2},
        {.name = "06_register_blocking",
         .idea = "a 2D tile of C in registers",
         .family = family({.b = transposed, .tiling = register_blocking, .is_valid = is_register_blocking}),
         .variants = {register_tile(128, 128, 32, 8, 8), register_tile(64, 64, 16, 8, 8), register_tile(32, 32, 16, 4, 4)},
         .first_on_cpu = 1},
        {.name = "07_wide_loads",
         .idea = "the same with vector loads",
         .family = family({.b = transposed, .tiling = wide_loads, .is_valid = is_wide_loads}),
         .variants = {vector_tile(128, 128, 32, 8, 8), vector_tile(64, 64, 16, 8, 8), vector_tile(32, 32, 16, 4, 4)},
         .first_on_cpu = 1},
        {.name = "08_device_specific",
         .idea = "read-only loads and warp shuffles",
         .family = family({.b = transposed,
                           .tiling = wide_loads,
                           .is_valid = is_device_specific,
                           .add_device_features = add_read_only_loads_and_shuffle}),
         .variants = {vector_tile(128, 128, 32, 8, 8), vector_tile(64, 64, 16, 8, 8), vector_tile(32, 32, 16, 4, 4)},
         .first_on_cpu = 1},
        {.name = "09_prefetch",
         .idea = "double-buffered tiles",
         .family = family({.b = transposed, .tiling = prefetch, .is_valid = is_wide_loads}),
         .variants = {vector_tile(128, 128, 16, 8, 8), vector_tile(64, 64, 16, 8, 8), vector_tile(32, 32, 16, 4, 4)},
         .first_on_cpu = 1},
        {.name = "10_incomplete_tiles",
         .idea = "tiles of any shape, any size by padding",
         .family = family({.b = transposed, .whole_tiles_out = true, .tiling = prefetch, .is_valid = is_incomplete_tiles}),
         .variants = {vector_tile(128, 128, 8, 16, 8), vector_tile(128, 64, 16, 8, 8), vector_tile(64, 32, 16, 8, 8)},
         .first_on_cpu = 2},
        {.name = "11_vector_dot",
         .idea = "dot products by vectors of eight along K",
         .family = family({.a = transposed, .tiling = vector_dot, .is_valid = is_vector_dot}),
         .variants = {{{"TS", 16}, {"TSK", 32}}, {{"TS", 8}, {"TSK", 32}}, {{"TS", 1}, {"TSK", 8}}}},
        {.name = "12_async_copy",
         .idea = "double buffer filled by async_work_group_copy",
         .family = family({.b = transposed, .tiling = async_copy, .is_valid = is_async_copy}),
         .variants = {register_tile(64, 64, 16, 4, 4), register_tile(32, 64, 8, 4, 4), register_tile(16, 16, 16, 8, 8)},
         .first_on_cpu = 1},
    };
}

} // namespace clgemm::core
