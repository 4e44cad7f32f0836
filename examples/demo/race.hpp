// Contenders for the same products, timed and checked: every kernel and the library's own choice for one product, and a call
// for each of many small ones next to one call for all.
#pragma once

#include "product.hpp"

#include "tools/program/interrupt.hpp"

#include <chrono>
#include <functional>
#include <limits>

namespace demo {

// Where everything runs.
struct Machine {
    cl::Device device;
    cl::Context context;
    cl::CommandQueue queue;

    Machine() : device(clgemm::default_device()), context(device), queue(context, device) {}
    bool is_cpu() const { return device.getInfo<CL_DEVICE_TYPE>() & CL_DEVICE_TYPE_CPU; }
    cl::Buffer upload(const std::vector<float>& values) const
    {
        cl::Buffer buffer(context, CL_MEM_READ_ONLY, values.size() * sizeof(float));
        queue.enqueueWriteBuffer(buffer, CL_TRUE, 0, values.size() * sizeof(float), values.data());
        return buffer;
    }
};

// How one contender fared.
struct Run {
    std::string contender;
    double seconds = 0; // from the first call to the finished queue; the median of several
    Deviation deviation;
    std::string failure;      // what the library said, if it could not
    bool unsupported = false; // this kernel cannot run on this device, which is no failure

    bool good() const { return failure.empty() && deviation.right(); }
};

struct Race {
    std::vector<Run> runs;   // the first is what the others are compared with, the automatic choice last; those until Ctrl-C
    std::vector<float> c;    // the automatic choice's result
    std::string explanation; // the library's, of the automatic choice
};

inline double seconds_since(std::chrono::steady_clock::time_point start)
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Adds what becomes of one contender: `multiply` enqueues its calls, and `deviation` compares what is then in race.c.
inline void run(Race& race, const Machine& machine, const cl::Buffer& c, const std::string& contender,
                const std::function<void()>& multiply, const std::function<Deviation()>& deviation)
{
    constexpr std::size_t most_runs = 21;
    constexpr double enough_seconds = 0.25; // for the timed runs; there is at least one
    const std::size_t bytes = race.c.size() * sizeof(float);
    const auto& queue = machine.queue;
    const auto time_once = [&] {
        // So that no run can pass by what an earlier one left.
        queue.enqueueFillBuffer(c, std::numeric_limits<float>::quiet_NaN(), 0, bytes);
        queue.finish();
        const auto start = std::chrono::steady_clock::now();
        multiply();
        queue.finish();
        return seconds_since(start);
    };
    Run run;
    run.contender = contender;
    try {
        time_once(); // the warm-up, which also compiles
        std::vector<double> times;
        const auto start = std::chrono::steady_clock::now();
        do
            times.push_back(time_once());
        while (times.size() < most_runs && seconds_since(start) < enough_seconds);
        std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
        run.seconds = times[times.size() / 2];
        queue.enqueueReadBuffer(c, CL_TRUE, 0, bytes, race.c.data());
        run.deviation = deviation();
    } catch (const clgemm::Error& error) {
        if (error.status() == CLGEMM_INVALID_ENVIRONMENT)
            throw; // no contender's fault
        run.failure = error.what();
        run.unsupported = error.status() == CLGEMM_KERNEL_NOT_SUPPORTED;
    } catch (const cl::Error& error) {
        run.failure = std::string(error.what()) + ": " + clgemm_status_string(error.err());
    }
    race.runs.push_back(run);
}

// Every kernel as they are numbered, and the automatic choice. Before each run, says to `progress` which one comes.
inline Race race_of_kernels(const Machine& machine, const Product& product, const Reference& reference,
                            const std::function<void(const std::string&)>& progress)
{
    const std::size_t m = product.m, n = product.n, k = product.k;
    const auto transA = product.a_is_transposed ? clgemm::Transpose::yes : clgemm::Transpose::no;
    const cl::Buffer a = machine.upload(product.a), b = machine.upload(product.b);
    const cl::Buffer c(machine.context, CL_MEM_READ_WRITE, m * n * sizeof(float));
    Race result;
    result.c.resize(m * n);
    std::vector<std::string> kernels = clgemm::kernel_names();
    kernels.emplace_back(); // the automatic choice
    for (const auto& kernel : kernels) {
        if (clgemm::program::is_interrupted())
            break;
        const std::string contender = kernel.empty() ? "automatic" : kernel;
        progress(contender);
        clgemm::Options options;
        options.kernel = kernel;
        const auto multiply = [&] {
            clgemm::sgemm(clgemm::Layout::column_major, transA, clgemm::Transpose::no, m, n, k, 1.0f, a, 0, product.lda(), b,
                          0, k, 0.0f, c, 0, m, machine.queue, nullptr, nullptr, options);
        };
        run(result, machine, c, contender, multiply, [&] { return compare(result.c, reference, product); });
    }
    result.explanation = clgemm::explain(clgemm::Layout::column_major, transA, clgemm::Transpose::no, m, n, k, 1.0f, 0,
                                         product.lda(), 0, k, 0.0f, 0, m, machine.device);
    return result;
}

// Products of one shape, which lie behind one another in the device's memory: by a call for each, and by one call for all.
inline Race race_of_calls(const Machine& machine, const std::vector<Product>& products)
{
    const Product& first = products.front();
    const std::size_t m = first.m, n = first.n, k = first.k, count = products.size();
    const auto layout = clgemm::Layout::column_major;
    const auto transA = first.a_is_transposed ? clgemm::Transpose::yes : clgemm::Transpose::no;
    const auto transB = clgemm::Transpose::no;
    std::vector<float> all_a, all_b;
    std::vector<Reference> references;
    for (const Product& product : products) {
        all_a.insert(all_a.end(), product.a.begin(), product.a.end());
        all_b.insert(all_b.end(), product.b.begin(), product.b.end());
        references.push_back(multiply_on_cpu(product));
    }
    const cl::Buffer a = machine.upload(all_a), b = machine.upload(all_b);
    const cl::Buffer c(machine.context, CL_MEM_READ_WRITE, count * m * n * sizeof(float));
    Race result;
    result.c.resize(count * m * n);
    const auto deviation = [&] {
        Deviation all;
        for (std::size_t i = 0; i < count; i++) {
            const Deviation one = compare(std::span(result.c).subspan(i * m * n, m * n), references[i], products[i]);
            all.take(one.largest, one.of_bound);
        }
        return all;
    };
    const auto a_call_for_each = [&] {
        for (std::size_t i = 0; i < count; i++)
            clgemm::sgemm(layout, transA, transB, m, n, k, 1.0f, a, i * m * k, first.lda(), b, i * k * n, k, 0.0f, c,
                          i * m * n, m, machine.queue);
    };
    run(result, machine, c, std::to_string(count) + " single calls", a_call_for_each, deviation);
    const auto one_call = [&] {
        clgemm::sgemm_strided_batched(layout, transA, transB, m, n, k, 1.0f, a, 0, first.lda(), m * k, b, 0, k, k * n, 0.0f,
                                      c, 0, m, m * n, count, machine.queue);
    };
    run(result, machine, c, "one call for all", one_call, deviation);
    result.explanation = clgemm::explain(
        {layout, transA, transB, m, n, k, 1.0f, 0, first.lda(), 0, k, 0.0f, 0, m, count, m * k, k * n, m * n},
        machine.device);
    return result;
}

} // namespace demo
