#include "peak.hpp"

#include <algorithm>
#include <chrono>
#include <string>

namespace bench {
namespace {

// Sixteen sums that do not wait for each other hide how long one multiply-add takes.
constexpr const char* source = R"(
kernel void peak(global float* out, const float factor, const float summand, const int steps)
{
    VECTOR sums[16];
    #pragma unroll
    for (int i = 0; i < 16; i++)
        sums[i] = (VECTOR)(get_global_id(0) + i);
    for (int step = 0; step < steps; step++) {
        #pragma unroll
        for (int i = 0; i < 16; i++)
            sums[i] = fma(sums[i], (VECTOR)(factor), (VECTOR)(summand));
    }
    VECTOR sum = sums[0];
    #pragma unroll
    for (int i = 1; i < 16; i++)
        sum += sums[i];
    union { VECTOR all; float each[WIDTH]; } last;
    last.all = sum;
    out[get_global_id(0)] = last.each[WIDTH - 1];
}
)";

} // namespace

double measured_peak(const cl::CommandQueue& queue)
{
    const auto device = queue.getInfo<CL_QUEUE_DEVICE>();
    const auto context = queue.getInfo<CL_QUEUE_CONTEXT>();
    const bool on_cpu = (device.getInfo<CL_DEVICE_TYPE>() & CL_DEVICE_TYPE_CPU) != 0;
    const auto native = device.getInfo<CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT>();
    const unsigned width = on_cpu ? std::clamp(native, 4U, 16U) : 1; // a GPU's work-items are the lanes
    const std::string type = width == 1 ? "float" : "float" + std::to_string(width);

    cl::Program program(context, source);
    program.build({device}, ("-DVECTOR=" + type + " -DWIDTH=" + std::to_string(width)).c_str());
    const std::size_t group = on_cpu ? 1 : 256;
    const std::size_t items = device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>() * group * (on_cpu ? 4 : 16);
    const cl::Buffer out(context, CL_MEM_WRITE_ONLY, items * sizeof(float));
    cl::Kernel kernel(program, "peak");
    kernel.setArg(0, out);
    kernel.setArg(1, 0.999f);
    kernel.setArg(2, 0.5f);

    double best = 0;
    // Long enough for a launch to cost little of it, short enough for some of them to meet no other process.
    constexpr double enough_seconds = 0.002;
    constexpr int launches = 1000;
    int steps = 1 << 10, measured = 0;
    while (measured < launches) {
        kernel.setArg(3, steps);
        const auto start = std::chrono::steady_clock::now();
        queue.enqueueNDRangeKernel(kernel, cl::NullRange, items, group);
        queue.finish();
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        const double flops = 2.0 * 16 * width * static_cast<double>(steps) * static_cast<double>(items);
        if (seconds < enough_seconds) { // a launch costs too much of it
            steps *= 2;
            continue;
        }
        best = std::max(best, flops / seconds * 1e-9);
        measured++;
    }
    return best;
}

} // namespace bench
