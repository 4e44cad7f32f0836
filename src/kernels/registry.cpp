#include "kernels/registry.hpp"

#include <algorithm>
#include <charconv>

namespace clgemm::core {
namespace {

constexpr std::size_t float_bytes = sizeof(float);

Tiling naive_tiling(const Parameters& p)
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

// Kernel 13: work-groups of one dimension; STAGES tiles of each operand, at worst (turned) four floats longer in each row,
// and the same memory for the sums of half of the slices.
Tiling warp_tiled(const Parameters& p)
{
    const std::size_t m = p["TSM"], n = p["TSN"], k = p["TSK"];
    const std::size_t items = 32 * (m / p["WTM"]) * (n / p["WTN"]) * p["SLICES"];
    const std::size_t tiles = p["STAGES"] * k * (m + 4 + n + 4);
    const std::size_t sums = p["SLICES"] / 2 * m * n;
    return {m, n, k, items, 1, std::max(tiles, sums) * float_bytes};
}

// Kernel 14: STAGES stages of both operands, three pieces of two bytes for each element, and the barriers of each stage; and
// the tiles, eight deep, for what it computes from the floats themselves.
Tiling tensor_cores(const Parameters& p)
{
    const std::size_t m = p["TSM"], n = p["TSN"], k = p["TSK"];
    const std::size_t span = m > 128 ? m / 2 : m;
    constexpr std::size_t plain_depth = 8, items = 384, other = 1024; // its compiler takes some, too
    const std::size_t stages = p["STAGES"] * ((m + n) * k * 6 + 16);
    return {m, n, k, items, 1, stages + (span + n) * plain_depth * float_bytes + other, 1, stages};
}

// Kernel 19: STAGES stages, where they have room for the tile's sums, too; and the tiles of its plain path. Parts of K are
// multiples of what the image has at a time, whatever a stage has.
std::size_t tensor_mma_stages(const Parameters& p)
{
    return p["STAGES"] * (p["TSM"] + p["TSN"]) * p["TSK"] * 6;
}

Tiling tensor_mma(const Parameters& p)
{
    const std::size_t m = p["TSM"], n = p["TSN"], stages = tensor_mma_stages(p);
    constexpr std::size_t image_depth = 32, plain_depth = 8, other = 64; // of which its compiler takes some
    constexpr std::size_t of_opencl = std::size_t{48} << 10;
    const std::size_t local_bytes = stages + (m + n) * plain_depth * float_bytes + other;
    return {m, n, image_depth, 2 * n, 1, local_bytes, 1, local_bytes > of_opencl ? stages : 0};
}

// Kernel 20: STAGES stages of A in pieces, their barriers, and the floats of eight stages on their way to them, at worst
// four longer in each row; or all sums. And the tiles of its plain path.
Tiling tensor_direct(const Parameters& p)
{
    const std::size_t m = p["TSM"], n = p["TSN"], k = p["TSK"];
    constexpr std::size_t plain_depth = 8, fetched = 8, items = 384, other = 1024; // its compiler takes some, too
    const std::size_t stages = p["STAGES"] * (m * k * 6 + 16) + fetched * m * (k + 4) * float_bytes;
    const std::size_t memory = std::max(stages, n * (m + 8) * float_bytes);
    return {m, n, k, items, 1, memory + (m + n) * plain_depth * float_bytes + other, 1, memory};
}

bool is_power_of_2(std::size_t value)
{
    return value > 0 && (value & (value - 1)) == 0;
}

// The constraints that the kernel's file names.
bool is_warp_tiled(const Parameters& p)
{
    for (const auto* name : {"TSM", "TSN", "TSK", "WTM", "WTN", "WPTM", "WPTN", "SLICES"})
        if (!is_power_of_2(p[name]))
            return false;
    const std::size_t m = p["TSM"], n = p["TSN"], k = p["TSK"];
    if (p["WPTM"] % 4 != 0 || p["WPTN"] % 4 != 0 || p["WTM"] % p["WPTM"] != 0 || p["WTN"] % p["WPTN"] != 0 ||
        p["WTM"] / p["WPTM"] * (p["WTN"] / p["WPTN"]) != 32 || m % p["WTM"] != 0 || n % p["WTN"] != 0)
        return false;
    const std::size_t items = warp_tiled(p).items_m;
    return k % 8 == 0 && k % p["SLICES"] == 0 && p["STAGES"] >= 2 && p["STAGES"] <= 16 && p["ORDER"] <= 3 &&
           p["RUNNING"] <= 1 && std::max(m, n) <= 4 * items && m <= 1024 && n <= 1024 && k <= 1024;
}

bool is_tensor_cores(const Parameters& p)
{
    const std::size_t m = p["TSM"];
    const bool one_half = m >= 64 && m <= 128 && m % 16 == 0;
    const bool columns = p["TSN"] == 128 || (p["TSN"] == 64 && one_half && p["STAGES"] % 2 == 0 && p["STAGES"] >= 4);
    return (one_half || m == 160) && columns && p["TSK"] == 32 && p["STAGES"] >= 2 && p["STAGES"] <= 8 && p["GROUP"] > 0 &&
           p["GROUP"] <= 64;
}

bool is_tensor_mma(const Parameters& p)
{
    const std::size_t m = p["TSM"], n = p["TSN"], k = p["TSK"];
    return (m == 64 || m == 128) && (n == 64 || n == 128) && n <= m && (k == 16 || k == 32) && p["STAGES"] >= 2 &&
           p["STAGES"] <= 8 && tensor_mma_stages(p) >= n * (m + 8) * float_bytes && p["GROUP"] > 0 && p["GROUP"] <= 64;
}

bool is_tensor_direct(const Parameters& p)
{
    const std::size_t m = p["TSM"];
    return (m == 48 || m == 64 || m == 80) && p["TSN"] == 128 && p["TSK"] == 32 && p["STAGES"] >= 4 && p["STAGES"] <= 8 &&
           p["GROUP"] > 0 && p["GROUP"] <= 64;
}

// wgmma is Hopper's alone.
bool has_wgmma(const DeviceProfile& device)
{
    return device.compute_capability == 90;
}

// mma with bf16 numbers, cp.async.
bool has_bf16_mma(const DeviceProfile& device)
{
    return device.compute_capability >= 80;
}

// Kernel 15: the local memory of the worse of A's two directions, as the kernel's file counts it.
std::size_t skinny_local_floats(const Parameters& p)
{
    const std::size_t columns = p["NR"], k = p["TSK"];
    const std::size_t of_b = std::max(columns * (k + 4), k * (columns > 4 ? columns + 4 : columns));
    const auto of_c = [&](std::size_t at_once) { return p["PARTS"] * (p["TSM"] * at_once + 32 / p["LANES"]); };
    constexpr std::size_t most = 5120;
    std::size_t at_once = columns;
    while (at_once > 1 && of_c(at_once) > most)
        at_once /= 2;
    return std::max(of_b, of_c(at_once));
}

Tiling skinny(const Parameters& p)
{
    // A step along K is four times as deep where memory runs along K; the larger one is a multiple of both.
    return {p["TSM"],
            p["NR"],
            4 * p["PARTS"] * p["UNROLL"],
            p["TSM"] / p["ROWS"] * p["PARTS"],
            1,
            skinny_local_floats(p) * float_bytes};
}

bool is_skinny(const Parameters& p)
{
    for (const auto* name : {"NR", "TSM", "ROWS", "PARTS", "LANES", "UNROLL", "TSK"})
        if (!is_power_of_2(p[name]) || p[name] > 4096)
            return false;
    return p["NR"] <= 16 && p["ROWS"] % 4 == 0 && p["ROWS"] <= 16 && p["TSM"] % p["ROWS"] == 0 && p["LANES"] <= 32 &&
           p["LANES"] <= p["PARTS"] && p["UNROLL"] <= 16 && p["TSK"] % (4 * p["PARTS"] * p["UNROLL"]) == 0 &&
           p["TSM"] / p["ROWS"] * p["PARTS"] % (8 * p["NR"]) == 0 && skinny_local_floats(p) <= 8000;
}

// Kernels 16 to 18: a tile is what a work-item's registers hold, and blocks of K are multiples of 16 deep.
constexpr std::size_t cpu_depth = 16;

Tiling cpu_packed(const Parameters& p)
{
    return {p["WPTM"], p["WPTN"], cpu_depth};
}

Tiling cpu_fused(const Parameters& p)
{
    return {p["WPTM"], p["WPTN"], cpu_depth, 1, 1, p["TSM"] * p["TSK"] * float_bytes};
}

Tiling cpu_vector(const Parameters& p)
{
    return {p["WIDTH"], p["COLUMNS"], cpu_depth, 1, 1, p["COLUMNS"] * (p["TSM"] + p["TSK"]) * float_bytes};
}

bool is_vector_width(std::size_t width)
{
    return width == 4 || width == 8 || width == 16;
}

bool is_cpu_packed(const Parameters& p)
{
    // More registers than this no CPU has, and many more than that are hard on its compiler.
    const std::size_t width = p["WIDTH"], m = p["WPTM"], n = p["WPTN"], k = p["TSK"];
    return is_vector_width(width) && m > 0 && m % width == 0 && n > 0 && n % 4 == 0 && m <= 256 && n <= 256 &&
           m / width * (n + 1) + 1 <= 40 && k > 0 && k % cpu_depth == 0 && k <= 4096;
}

bool is_cpu_fused(const Parameters& p)
{
    return is_cpu_packed(p) && p["TSM"] > 0 && p["TSM"] % p["WPTM"] == 0 && p["TSM"] <= 4096;
}

bool is_cpu_vector(const Parameters& p)
{
    const std::size_t width = p["WIDTH"], columns = p["COLUMNS"], m = p["TSM"], k = p["TSK"];
    return is_vector_width(width) && is_power_of_2(columns) && m > 0 && m % width == 0 && m <= 65536 && k > 0 &&
           k % width == 0 && k <= 65536 && p["DEPTH"] > 0 && p["DEPTH"] <= 32 && p["ROWS"] > 0 &&
           p["ROWS"] * std::min<std::size_t>(columns, 4) <= 32;
}

void add_async_copies(const DeviceProfile& device, Parameters& parameters)
{
    parameters.add("ASYNC", device.compute_capability >= 80 ? 1 : 0);
}

void add_read_only_loads_and_shuffle(const DeviceProfile& device, Parameters& parameters)
{
    parameters.add("READ_ONLY_LOADS", device.nvidia_ptx ? 1 : 0);
    // A shuffle works in groups of WPTN lanes, which must be RTSM's divisor so that a group shares its columns.
    const std::size_t lanes = parameters["WPTN"];
    const bool possible = (parameters["TSM"] / parameters["WPTM"]) % lanes == 0;
    parameters.add("SHUFFLE", static_cast<std::size_t>(possible ? device.shuffle : Shuffle::none));
}

// A TSM x TSN x TSK tile, WPTM x WPTN elements of it to a work-item.
Parameters register_tile(std::size_t m, std::size_t n, std::size_t k, std::size_t per_item_m, std::size_t per_item_n)
{
    return {{"TSM", m}, {"TSN", n}, {"TSK", k}, {"WPTM", per_item_m}, {"WPTN", per_item_n}};
}

// The same with vectors of four.
Parameters vector_tile(std::size_t m, std::size_t n, std::size_t k, std::size_t per_item_m, std::size_t per_item_n)
{
    Parameters result = register_tile(m, n, k, per_item_m, per_item_n);
    result.add("WIDTH", 4);
    return result;
}

Parameters warp_tile(std::size_t m, std::size_t n, std::size_t k, std::size_t stages, std::size_t warp_m, std::size_t warp_n,
                     std::size_t per_item_m, std::size_t per_item_n, std::size_t slices)
{
    return {{"TSM", m},         {"TSN", n},      {"TSK", k},           {"STAGES", stages},
            {"WTM", warp_m},    {"WTN", warp_n}, {"WPTM", per_item_m}, {"WPTN", per_item_n},
            {"SLICES", slices}, {"ORDER", 2},    {"RUNNING", 0}};
}

Parameters tensor_tile(std::size_t m, std::size_t stages, std::size_t n = 128)
{
    return {{"TSM", m}, {"TSN", n}, {"TSK", 32}, {"STAGES", stages}, {"GROUP", 8}};
}

Parameters mma_tile(std::size_t m, std::size_t n, std::size_t k, std::size_t stages)
{
    return {{"TSM", m}, {"TSN", n}, {"TSK", k}, {"STAGES", stages}, {"GROUP", 8}};
}

Parameters skinny_size(std::size_t columns, std::size_t m, std::size_t rows, std::size_t parts, std::size_t lanes,
                       std::size_t unroll, std::size_t k)
{
    return {{"NR", columns}, {"TSM", m}, {"ROWS", rows}, {"PARTS", parts}, {"LANES", lanes}, {"UNROLL", unroll}, {"TSK", k}};
}

// Registers hold the tiles of AVX-512 and AVX2, and more than those of NEON; what fits them best is in docs/cpu.md.
Parameters packed_size(std::size_t width, std::size_t per_item_m, std::size_t per_item_n)
{
    return {{"WIDTH", width}, {"WPTM", per_item_m}, {"WPTN", per_item_n}, {"TSK", 384}};
}

Parameters fused_size(std::size_t width, std::size_t per_item_m, std::size_t per_item_n, std::size_t m, std::size_t k)
{
    return {{"WIDTH", width}, {"WPTM", per_item_m}, {"WPTN", per_item_n}, {"TSM", m}, {"TSK", k}};
}

// Those of 8 columns are not quite 48 KB of local memory, of which NVIDIA's compiler takes some for itself.
Parameters vector_size(std::size_t width, std::size_t columns, std::size_t m, std::size_t k, std::size_t depth,
                       std::size_t rows)
{
    return {{"WIDTH", width}, {"COLUMNS", columns}, {"TSM", m}, {"TSK", k}, {"DEPTH", depth}, {"ROWS", rows}};
}

// The measurements behind the order of the variants are in docs/kernels.md.
const std::vector<KernelInfo>& rows()
{
    using enum Storage;
    // clang-format off
    static const auto* const table = new std::vector<KernelInfo>{
        {"01_naive", "one work-item, one element", either, either, false, false,
         {{{"TSM", 128}, {"TSN", 4}}, {{"TSM", 32}, {"TSN", 4}}, {{"TSM", 8}, {"TSN", 8}}, {{"TSM", 1}, {"TSN", 1}}},
         1, naive_tiling},
        {"02_tiled", "square tiles in local memory", not_transposed, not_transposed, true, false,
         {{{"TS", 32}}, {{"TS", 16}}, {{"TS", 8}}, {{"TS", 1}}},
         0, tiled},
        {"03_work_per_thread", "several columns per work-item", not_transposed, not_transposed, true, false,
         {{{"TS", 64}, {"WPT", 32}}, {{"TS", 32}, {"WPT", 8}}, {{"TS", 16}, {"WPT", 8}}, {{"TS", 8}, {"WPT", 8}}},
         3, work_per_thread},
        {"04_wide_types", "vectors along rows", not_transposed, not_transposed, true, true,
         {{{"TS", 64}, {"WIDTH", 4}}, {{"TS", 32}, {"WIDTH", 4}}, {{"TS", 32}, {"WIDTH", 16}}, {{"TS", 8}, {"WIDTH", 8}}},
         2, wide_types},
        {"05_transposed_rectangular", "B transposed beforehand, rectangular tiles", not_transposed, transposed, true, false,
         {{{"TSM", 128}, {"TSN", 128}, {"TSK", 32}, {"WPTN", 32}},
          {{"TSM", 64}, {"TSN", 64}, {"TSK", 32}, {"WPTN", 16}},
          {{"TSM", 32}, {"TSN", 32}, {"TSK", 16}, {"WPTN", 8}},
          {{"TSM", 8}, {"TSN", 8}, {"TSK", 8}, {"WPTN", 8}}},
         2, transposed_rectangular},
        {"06_register_blocking", "a 2D tile of C in registers", not_transposed, transposed, true, false,
         {register_tile(128, 128, 32, 8, 8), register_tile(64, 64, 16, 8, 8), register_tile(32, 32, 16, 4, 4)},
         1, register_blocking},
        {"07_wide_loads", "the same with vector loads", not_transposed, transposed, true, false,
         {vector_tile(128, 128, 32, 8, 8), vector_tile(64, 64, 16, 8, 8), vector_tile(32, 32, 16, 4, 4)},
         1, wide_loads},
        {"08_device_specific", "read-only loads and warp shuffles", not_transposed, transposed, true, false,
         {vector_tile(128, 128, 32, 8, 8), vector_tile(64, 64, 16, 8, 8), vector_tile(32, 32, 16, 4, 4)},
         1, wide_loads, add_read_only_loads_and_shuffle},
        {"09_prefetch", "double-buffered tiles", not_transposed, transposed, true, false,
         {vector_tile(128, 128, 16, 8, 8), vector_tile(64, 64, 16, 8, 8), vector_tile(32, 32, 16, 4, 4)},
         1, prefetch},
        {"10_incomplete_tiles", "tiles of any shape, any size by padding", not_transposed, transposed, true, true,
         {vector_tile(128, 128, 8, 16, 8), vector_tile(128, 64, 16, 8, 8), vector_tile(64, 32, 16, 8, 8)},
         2, prefetch},
        {"11_vector_dot", "dot products by vectors of eight along K", transposed, not_transposed, true, false,
         {{{"TS", 16}, {"TSK", 32}}, {{"TS", 8}, {"TSK", 32}}, {{"TS", 1}, {"TSK", 8}}},
         0, vector_dot},
        {"12_async_copy", "double buffer filled by async_work_group_copy", not_transposed, transposed, true, false,
         {register_tile(64, 64, 16, 4, 4), register_tile(32, 64, 8, 4, 4), register_tile(16, 16, 16, 8, 8)},
         1, async_copy},
        {"13_warp_tiled", "warp tiles, copies under way, any size and transpose", either, either, false, false,
         {warp_tile(128, 128, 16, 2, 64, 32, 8, 8, 1), warp_tile(64, 64, 16, 2, 32, 64, 8, 8, 1),
          warp_tile(64, 32, 32, 2, 64, 32, 8, 8, 4), warp_tile(32, 32, 32, 2, 32, 32, 4, 8, 4),
          warp_tile(32, 16, 64, 2, 32, 16, 4, 4, 8)},
         1, warp_tiled, add_async_copies, true, true, false, is_warp_tiled},
        {"14_tensor_cores", "three bf16 pieces of each float on Hopper's tensor cores, as accurate as FP32", either, either,
         false, false,
         {tensor_tile(128, 4), tensor_tile(160, 3), tensor_tile(112, 4), tensor_tile(96, 5), tensor_tile(80, 5),
          tensor_tile(64, 6), tensor_tile(128, 4, 64), tensor_tile(96, 6, 64)},
         0, tensor_cores, nullptr, true, false, false, is_tensor_cores, Scheme::tensor, has_wgmma},
        {"15_skinny", "few columns: A is read once, as fast as memory gives it", either, either, false, false,
         {skinny_size(1, 128, 4, 8, 8, 4, 1024), skinny_size(1, 32, 4, 64, 32, 4, 1024), skinny_size(1, 16, 4, 64, 32, 2, 1024),
          skinny_size(4, 128, 4, 8, 8, 4, 1024), skinny_size(4, 16, 4, 64, 32, 2, 1024), skinny_size(16, 32, 4, 64, 8, 1, 256),
          skinny_size(16, 64, 4, 8, 8, 2, 256)},
         0, skinny, nullptr, true, false, true, is_skinny},
        {"16_cpu_packed", "for CPUs: both operands packed, then register tiles of vectors", either, either, false, false,
         {packed_size(16, 48, 8), packed_size(8, 24, 4), packed_size(4, 12, 8)},
         0, cpu_packed, nullptr, false, false, false, is_cpu_packed, Scheme::cpu_packed},
        {"17_cpu_fused", "for CPUs: A packed on the way, B in place, one launch", either, either, false, false,
         {fused_size(16, 64, 4, 192, 384), fused_size(8, 24, 4, 192, 384), fused_size(4, 12, 8, 192, 384),
          fused_size(16, 64, 4, 64, 128), fused_size(8, 24, 4, 48, 128), fused_size(4, 12, 8, 48, 128)},
         0, cpu_fused, nullptr, true, false, false, is_cpu_fused, Scheme::cpu_fused},
        {"18_cpu_vector", "for CPUs: few columns, A is read once, in place", either, either, false, false,
         {vector_size(16, 1, 2048, 4096, 8, 8), vector_size(16, 2, 2048, 2048, 8, 8), vector_size(16, 4, 1024, 512, 8, 4),
          vector_size(16, 8, 1024, 480, 8, 4), vector_size(16, 16, 1024, 512, 16, 4), vector_size(8, 1, 2048, 4096, 8, 8),
          vector_size(8, 2, 2048, 2048, 8, 8), vector_size(8, 4, 1024, 512, 8, 4), vector_size(8, 8, 1024, 480, 8, 4),
          vector_size(8, 16, 1024, 512, 16, 4), vector_size(4, 1, 2048, 4096, 8, 8), vector_size(4, 2, 2048, 2048, 8, 8),
          vector_size(4, 4, 1024, 512, 8, 4), vector_size(4, 8, 1024, 480, 8, 4), vector_size(4, 16, 1024, 512, 16, 4)},
         0, cpu_vector, nullptr, true, false, true, is_cpu_vector, Scheme::cpu_vector},
        {"19_tensor_mma", "kernel 14's products by mma.sync, on NVIDIA GPUs since the A100", either, either, false, false,
         {mma_tile(128, 64, 16, 2), mma_tile(64, 64, 16, 3), mma_tile(128, 128, 16, 3), mma_tile(128, 128, 32, 3)},
         0, tensor_mma, nullptr, true, false, false, is_tensor_mma, Scheme::tensor, has_bf16_mma},
        {"20_tensor_direct", "kernel 14's products straight from the floats, in one launch", either, either, false, false,
         {tensor_tile(64, 4), tensor_tile(80, 4), tensor_tile(48, 4)},
         0, tensor_direct, nullptr, true, false, false, is_tensor_direct, Scheme::tensor_direct, has_wgmma},
    };
    // clang-format on
    return *table;
}

} // namespace

std::size_t number_of(const KernelInfo& kernel)
{
    std::size_t number = 0;
    std::from_chars(kernel.name.data(), kernel.name.data() + kernel.name.size(), number);
    return number;
}

std::span<const KernelInfo> kernels()
{
    return rows();
}

const KernelInfo* find_kernel(std::string_view wanted)
{
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), number);
    const bool is_number = error == std::errc() && end == wanted.data() + wanted.size();
    const auto table = kernels();
    const auto found = std::find_if(table.begin(), table.end(), [&](const KernelInfo& row) {
        return is_number ? number_of(row) == number : row.name == wanted;
    });
    return found == table.end() ? nullptr : &*found;
}

std::string kernel_names()
{
    std::string result;
    for (const auto& kernel : kernels())
        result += (result.empty() ? "" : ", ") + std::string(kernel.name);
    return result;
}

bool is_valid(const KernelInfo& kernel, const Parameters& parameters)
{
    // The same names, in any order: a parameter that is missing would silently be the source's default.
    const auto names = [](const Parameters& of) {
        std::vector<std::string> result;
        for (const auto& [name, value] : of.values())
            result.push_back(name);
        std::sort(result.begin(), result.end());
        return result;
    };
    if (names(parameters) != names(kernel.variants.front()))
        return false;
    return kernel.valid ? kernel.valid(parameters)
                        : std::any_of(kernel.variants.begin(), kernel.variants.end(),
                                      [&](const Parameters& variant) { return variant.text() == parameters.text(); });
}

bool suits(const KernelInfo& kernel, const Parameters& parameters, const DeviceProfile& device)
{
    if (!is_for_cpus(kernel.scheme))
        return true;
    const std::size_t width = device.vector_width >= 16 ? 16 : device.vector_width >= 8 ? 8 : 4;
    return parameters["WIDTH"] == width;
}

bool fits(const Tiling& tiling, const DeviceProfile& device)
{
    return tiling.items_m <= device.max_work_item_sizes[0] && tiling.items_n <= device.max_work_item_sizes[1] &&
           tiling.items_m * tiling.items_n <= device.max_work_group_size &&
           tiling.local_bytes <= (tiling.retargeted_bytes > 0 ? device.retargeted_local_memory : device.local_memory);
}

bool runs(const KernelInfo& kernel, const Parameters& parameters, const DeviceProfile& device)
{
    return (!kernel.has_instructions || kernel.has_instructions(device)) && fits(kernel.tiling(parameters), device);
}

} // namespace clgemm::core
