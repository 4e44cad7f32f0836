// One product, computed by every kernel and by the library's own choice, timed and checked.
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
};

// How one kernel fared.
struct Run {
    std::string kernel; // empty: the automatic choice
    double seconds = 0; // of a whole call, from the call to the finished queue; the median of several
    Deviation deviation;
    std::string failure;      // what the library said, if it could not
    bool unsupported = false; // this kernel cannot run on this device, which is no failure

    bool good() const { return failure.empty() && deviation.right(); }
};

struct Race {
    std::vector<Run> runs;   // as the kernels are numbered, the automatic choice last; those until Ctrl-C
    std::vector<float> c;    // the automatic choice's result
    std::string explanation; // clgemm_explain() of the automatic choice
};

inline double seconds_since(std::chrono::steady_clock::time_point start)
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The whole race. Before each run, says to `progress` which kernel comes ("" for the automatic choice).
inline Race race(const Machine& machine, const Product& product, const Reference& reference,
                 const std::function<void(const std::string&)>& progress)
{
    constexpr std::size_t most_runs = 21;
    constexpr double enough_seconds = 0.25; // for the timed runs of one kernel; there is at least one
    const std::size_t m = product.m, n = product.n, k = product.k;
    const auto& queue = machine.queue;
    const auto transA = product.a_is_transposed ? clgemm::Transpose::yes : clgemm::Transpose::no;

    const auto upload = [&](const std::vector<float>& values) {
        cl::Buffer buffer(machine.context, CL_MEM_READ_ONLY, values.size() * sizeof(float));
        queue.enqueueWriteBuffer(buffer, CL_TRUE, 0, values.size() * sizeof(float), values.data());
        return buffer;
    };
    const cl::Buffer a = upload(product.a), b = upload(product.b);
    const cl::Buffer c(machine.context, CL_MEM_READ_WRITE, m * n * sizeof(float));

    const auto time_one_call = [&](const clgemm::Options& options) {
        // So that no run can pass by what an earlier one left.
        queue.enqueueFillBuffer(c, std::numeric_limits<float>::quiet_NaN(), 0, m * n * sizeof(float));
        queue.finish();
        const auto start = std::chrono::steady_clock::now();
        clgemm::sgemm(clgemm::Layout::column_major, transA, clgemm::Transpose::no, m, n, k, 1.0f, a, 0, product.lda(), b, 0,
                      k, 0.0f, c, 0, m, queue, nullptr, nullptr, options);
        queue.finish();
        return seconds_since(start);
    };

    Race result;
    result.c.resize(m * n);
    std::vector<std::string> kernels = clgemm::kernel_names();
    kernels.emplace_back(); // the automatic choice
    for (const auto& kernel : kernels) {
        if (clgemm::program::is_interrupted())
            break;
        progress(kernel);
        Run run;
        run.kernel = kernel;
        clgemm::Options options;
        options.kernel = kernel;
        try {
            time_one_call(options); // the warm-up, which also compiles
            std::vector<double> times;
            const auto start = std::chrono::steady_clock::now();
            do
                times.push_back(time_one_call(options));
            while (times.size() < most_runs && seconds_since(start) < enough_seconds);
            std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
            run.seconds = times[times.size() / 2];
            queue.enqueueReadBuffer(c, CL_TRUE, 0, m * n * sizeof(float), result.c.data());
            run.deviation = compare(result.c, reference, product);
        } catch (const clgemm::Error& error) {
            if (error.status() == CLGEMM_INVALID_ENVIRONMENT)
                throw; // no kernel's fault
            run.failure = error.what();
            run.unsupported = error.status() == CLGEMM_KERNEL_NOT_SUPPORTED;
        } catch (const cl::Error& error) {
            run.failure = std::string(error.what()) + ": " + clgemm_status_string(error.err());
        }
        result.runs.push_back(run);
    }
    result.explanation = clgemm::explain(clgemm::Layout::column_major, transA, clgemm::Transpose::no, m, n, k, 1.0f, 0,
                                         product.lda(), 0, k, 0.0f, 0, m, machine.device);
    return result;
}

} // namespace demo
