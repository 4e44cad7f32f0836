#include "families/wgmma_family.hpp"

#include "families/gpu_guess.hpp"

namespace clgemm::core {

bool is_wgmma_tile(const Parameters& p, std::size_t most_rows, std::size_t most_stages)
{
    const std::size_t m = p["TSM"], stages = p["STAGES"];
    const bool one_half = m >= 64 && m <= 128 && m % 16 == 0, two_halves = m >= 160 && m <= most_rows && m % 32 == 0;
    const bool columns = p["TSN"] == 128 || (p["TSN"] == 64 && one_half && stages % 2 == 0 && stages >= 4);
    return (one_half || two_halves) && columns && p["TSK"] == 32 && stages >= 2 && stages <= most_stages && p["GROUP"] > 0 &&
           p["GROUP"] <= 64;
}

std::size_t wgmma_span(std::size_t rows)
{
    return rows > 128 ? rows / 2 : rows;
}

bool WgmmaFamily::is_valid(const Parameters& p) const
{
    return is_wgmma_tile(p, most_rows_, 8);
}

// STAGES stages of both operands, their pieces, and the barriers of each stage; and the tiles, eight deep, for what it
// computes from the floats themselves.
Tiling WgmmaFamily::tiling(const Parameters& p) const
{
    const std::size_t m = p["TSM"], n = p["TSN"], k = p["TSK"];
    const std::size_t span = wgmma_span(m);
    constexpr std::size_t plain_depth = 8, work_items = 384, other = 1024; // its compiler takes some, too
    const std::size_t stages = p["STAGES"] * ((m + n) * k * bytes_of_pieces() + 16);
    return {m, n, k, work_items, 1, stages + (span + n) * plain_depth * sizeof(float) + other, 1, stages};
}

std::optional<Guess> WgmmaFamily::guess(const Variant& variant, const DeviceProfile& device) const
{
    return gpu_guess(variant.tiling, device, flops_per_ns_);
}

Parameters wgmma_tile(std::size_t m, std::size_t stages, std::size_t n)
{
    return {{"TSM", m}, {"TSN", n}, {"TSK", 32}, {"STAGES", stages}, {"GROUP", 8}};
}

} // namespace clgemm::core
