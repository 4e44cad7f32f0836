#include "engine/memory_speed.hpp"

#include "support/log.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>

namespace clgemm::core {
namespace {

constexpr double steps_to_double = 4; // a step is a fourth root of two

// Larger than any cache, and small enough for a few ms.
std::size_t bytes_to_copy(const DeviceProfile& device)
{
    const std::size_t usual = std::size_t{device.type == DeviceType::cpu ? 64U : 256U} << 20U;
    return std::min({usual, device.global_memory / 16, device.max_allocation});
}

double copied_bytes_per_ns(const cl::Context& context, const cl::Device& device, const DeviceProfile& profile)
{
    const std::size_t bytes = bytes_to_copy(profile);
    const cl::Buffer from(context, CL_MEM_READ_WRITE, bytes), to(context, CL_MEM_READ_WRITE, bytes);
    const cl::CommandQueue queue(context, device);
    // Memory that nobody has written may not be there yet.
    for (const cl::Buffer& one : {from, to})
        queue.enqueueFillBuffer(one, std::uint32_t{1}, 0, bytes / sizeof(std::uint32_t) * sizeof(std::uint32_t));
    queue.finish();
    double least_ns = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 3; i++) {
        const auto begin = std::chrono::steady_clock::now();
        queue.enqueueCopyBuffer(from, to, 0, 0, bytes);
        queue.finish();
        least_ns =
            std::min(least_ns, std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count());
    }
    return 2 * static_cast<double>(bytes) / least_ns;
}

// The speed that is kept, as text: its number of steps. None where that is no speed that memory can have.
std::optional<double> speed_in(const ProgramBinary& text)
{
    constexpr int most_steps = 100;
    try {
        const int steps = std::stoi(std::string(text.begin(), text.end()));
        if (std::abs(steps) > most_steps)
            return std::nullopt;
        return std::exp2(steps / steps_to_double);
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

} // namespace

std::optional<double> memory_bytes_per_ns(const cl::Context& context, const cl::Device& device, const DeviceProfile& profile,
                                          const DiskCache& kept)
{
    const std::string key = "speed of memory, 1\n" + profile.platform_name + "\n" + profile.name + "\n" +
                            std::to_string(profile.compute_units) + "\n" + profile.driver_version;
    if (const auto known = kept.load(key))
        if (const auto result = speed_in(*known))
            return result;
    try {
        const double measured = copied_bytes_per_ns(context() ? context : cl::Context(device), device, profile);
        const auto steps = static_cast<int>(std::lround(steps_to_double * std::log2(measured)));
        const std::string text = std::to_string(steps);
        kept.store(key, {text.begin(), text.end()});
        log_line([&] { return "the memory of " + profile.name + " moves " + std::to_string(measured) + " GB/s"; });
        return std::exp2(steps / steps_to_double);
    } catch (const cl::Error& error) {
        log_line([&] {
            return "the memory of " + profile.name + " could not be measured: " + error.what() + " gave " +
                   std::to_string(error.err());
        });
        return std::nullopt;
    }
}

} // namespace clgemm::core
