#include "timing/selection/drawn_calls.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <random>
#include <stdexcept>

namespace timing {
namespace {

// The standard's distributions differ from library to library, its generator does not.
class Drawing {
public:
    explicit Drawing(std::uint64_t seed) : random_(seed) {}

    bool flip() { return (random_() >> 63U) != 0; }
    std::size_t below(std::size_t count) { return static_cast<std::size_t>(share() * static_cast<double>(count)); }
    std::size_t size(const SizeRange& range)
    {
        return static_cast<std::size_t>(std::round(range.least * std::pow(range.most / range.least, share())));
    }

private:
    double share() { return static_cast<double>(random_() >> 11U) * 0x1p-53; } // from 0 to 1, without 1

    std::mt19937_64 random_;
};

Shape draw_shape(Drawing& draw, const Kind& kind)
{
    Shape shape;
    shape.m = draw.size(kind.m);
    shape.n = kind.is_cube ? shape.m : draw.size(kind.n);
    shape.k = kind.is_cube ? shape.m : draw.size(kind.k);
    return shape;
}

// The size, rounded to a multiple of a power of two that is at most an eighth of it, and at most 256.
std::size_t rounded(std::size_t size)
{
    std::size_t unit = 1;
    while (unit < 256 && 2 * unit <= size / 8)
        unit *= 2;
    return (size + unit / 2) / unit * unit;
}

bool fits(const Product& product, const CallLimits& limits)
{
    return std::max({product.elements_of_a(), product.elements_of_b(), product.elements_of_c()}) <= limits.most_elements &&
           product.flops() <= limits.most_flops;
}

DrawnCall draw_call(Drawing& draw, const Kind& kind, const CallLimits& limits)
{
    constexpr int attempts = 10000;
    for (int i = 0; i < attempts; i++) {
        DrawnCall call{kind.name, {draw_shape(draw, kind), {}}};
        Product& product = call.product;
        if (const auto& [m, n, k] = product.shape; draw.flip())
            product.shape = {rounded(m), rounded(n), rounded(k)};
        product.transposes.a = draw.flip();
        product.transposes.b = draw.flip();
        product.columns = draw.flip() ? Columns::aligned : Columns::unaligned;
        if (kind.count.most > 1)
            product.count = draw.size(kind.count);
        if (fits(product, limits))
            return call;
    }
    throw std::invalid_argument("there is nothing to time: the limits leave hardly any call of the kind '" +
                                std::string(kind.name) + "'");
}

} // namespace

CallLimits usual_limits(const clgemm::core::DeviceProfile& device)
{
    const double flops_of_a_unit = device.type == clgemm::core::DeviceType::cpu ? 2e9 : 8e9;
    constexpr std::size_t largest = std::size_t{1} << 30, share_of_memory = 64; // bytes
    const std::size_t bytes = std::min({largest, device.max_allocation, device.global_memory / share_of_memory});
    return {bytes / sizeof(float), flops_of_a_unit * static_cast<double>(device.compute_units)};
}

std::vector<DrawnCall> draw_calls(std::uint64_t seed, std::size_t count, const CallLimits& limits)
{
    Drawing draw(seed);
    std::vector<DrawnCall> calls;
    for (std::size_t i = 0; i < count; i++)
        calls.push_back(draw_call(draw, kinds_of_calls[draw.below(std::size(kinds_of_calls))], limits));
    return calls;
}

} // namespace timing
