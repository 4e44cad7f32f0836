#define CL_HPP_ENABLE_EXCEPTIONS
#include "tools/selftest/speed.hpp"

#include "tools/info/device.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <random>
#include <vector>

namespace clgemm::selftest {
namespace {

using Size = std::array<std::size_t, 3>;

constexpr Size sizes[] = {{64, 64, 64},     {256, 256, 256},  {1000, 1000, 1000}, {1024, 1024, 1024}, {2048, 2048, 2048},
                          {4096, 16, 4096}, {16, 4096, 4096}, {64, 64, 65536},    {10000, 300, 64},   {4096, 4096, 4096}};
constexpr double seconds_for_each = 0.5;

// Elements of the largest operand.
constexpr std::size_t most_elements = std::size_t{4096} * 4096;

struct Operands {
    explicit Operands(const cl::Context& context)
    {
        std::mt19937 random(1);
        std::uniform_real_distribution<float> numbers(-1, 1);
        std::vector<float> values(most_elements);
        std::generate(values.begin(), values.end(), [&] { return numbers(random); });
        a = b = cl::Buffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, values.size() * sizeof(float), values.data());
        c = cl::Buffer(context, CL_MEM_READ_WRITE, values.size() * sizeof(float));
    }

    cl::Buffer a, b, c;
};

void multiply(const Size& size, const Operands& operands, const cl::CommandQueue& queue, const Options& options)
{
    const auto& [m, n, k] = size;
    sgemm(Layout::column_major, Transpose::no, Transpose::no, m, n, k, 1, operands.a, 0, m, operands.b, 0, k, 0, operands.c,
          0, m, queue, nullptr, nullptr, options);
    queue.finish();
}

double median_ns(const Size& size, const Operands& operands, const cl::CommandQueue& queue, const Options& options)
{
    using Clock = std::chrono::steady_clock;
    multiply(size, operands, queue, options); // builds its programs
    std::vector<double> times;
    const auto end = Clock::now() + std::chrono::duration<double>(seconds_for_each);
    do {
        const auto begin = Clock::now();
        multiply(size, operands, queue, options);
        times.push_back(std::chrono::duration<double, std::nano>(Clock::now() - begin).count());
    } while (Clock::now() < end);
    std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
    return times[times.size() / 2];
}

} // namespace

nlohmann::ordered_json speeds(const cl::Device& device, const std::function<bool()>& goes_on)
{
    const cl::Context context(device);
    const cl::CommandQueue queue(context, device);
    const Operands operands(context);
    auto result = nlohmann::ordered_json::array();
    for (const Size& size : sizes)
        for (const Math math : {Math::standard, Math::strict}) {
            if (!goes_on())
                return result;
            const auto& [m, n, k] = size;
            Options options;
            options.math = math;
            const double ns = median_ns(size, operands, queue, options);
            const std::string text = explain(Layout::column_major, Transpose::no, Transpose::no, m, n, k, 1, 0, m, 0, k, 0,
                                             0, m, device, options);
            const std::string kernel = info::line_after(text, "kernel:");
            result.push_back({{"m", m},
                              {"n", n},
                              {"k", k},
                              {"math", math == Math::strict ? "strict" : "default"},
                              {"gflops", std::round(2.0 * static_cast<double>(m * n * k) / ns * 10) / 10},
                              {"kernel", kernel.substr(0, kernel.find(','))},
                              {"parameters", info::line_after(text, "parameters:")}});
        }
    return result;
}

} // namespace clgemm::selftest
