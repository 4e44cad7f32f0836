// The calls by which selection is measured: drawn at random, and the same ones for the same seed and limits.
#pragma once

#include "timing/product.hpp"

#include "device/profile.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace timing {

// What a device has room and time for.
struct CallLimits {
    std::size_t most_elements = 0; // of one matrix, its gaps included
    double most_flops = 0;         // of a call
};

// With these limits a large call takes about as long on every device, and A, B and C fit both on the device and in host
// memory.
CallLimits usual_limits(const clgemm::core::DeviceProfile& device);

struct SizeRange {
    double least, most;
};

// Sizes are drawn log-uniformly, so that there are as many small as large ones, in every proportion. Proportions that take
// kernels and ways of their own would be rare then, so each kind has its share.
struct Kind {
    std::string_view name;
    SizeRange m, n, k;
    bool is_cube = false;     // one size for all three
    SizeRange count = {1, 1}; // products in the call
};
inline constexpr SizeRange usual_size{1, 8192}, size_in_batch{1, 512};
inline constexpr Kind kinds_of_calls[] = {
    {"any", usual_size, usual_size, usual_size},
    {"square", usual_size, usual_size, usual_size, true},
    {"tall", {2048, 1 << 20}, {1, 256}, usual_size},
    {"wide", {1, 256}, {2048, 1 << 20}, usual_size},
    {"flat", {256, 32768}, {256, 32768}, {1, 128}},
    {"deep", {1, 512}, {1, 512}, {4096, 1 << 20}},
    {"batch", size_in_batch, size_in_batch, size_in_batch, false, {2, 4096}},
};

struct DrawnCall {
    std::string_view kind; // a Kind's name, or what else a call is
    Product product;       // its columns are aligned or unaligned
};

// Half of the calls have round sizes, as most programs do; half have aligned columns; each of the transposes is as likely. A
// call beyond the limits is drawn anew. Throws std::invalid_argument where the limits leave hardly any call.
std::vector<DrawnCall> draw_calls(std::uint64_t seed, std::size_t count, const CallLimits& limits);

} // namespace timing
