// How long the first call of a process takes, on device buffers, until its result is there: each time in a process of its
// own, whose context, queue and buffers exist already.
//
//   first_call_bench --sizes=64,2048
//
// Cold: no program is kept anywhere. From disk: clgemm's own cache has them. Warmed up: as cold, after clgemm_warm_up(),
// which is timed as well. Second: the same call once more. The driver's own cache is off, or in an empty folder, so that it
// does not hide ours. docs/notes/benchmarks.md has results.
#include "setting.hpp"

#include "clgemm/clgemm.h"

#include "tools/program/program.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

struct Asked {
    std::vector<std::size_t> sizes{64, 2048};
    std::string kernel, part; // part: what a process of its own is to time; empty: this one starts them
    std::size_t processes = 5;
};

void add_options(clgemm::program::Program& app, Asked& asked)
{
    app.add_option("--sizes", asked.sizes, "M = N = K")->delimiter(',')->check(CLI::Range(1, 1 << 15));
    app.add_option("--kernel", asked.kernel, "This one instead of the library's choice, by name or number")
        ->check(clgemm::program::known_kernel());
    app.add_option("--processes", asked.processes, "Of whose times the medians are printed")
        ->capture_default_str()
        ->check(CLI::Range(1, 1000));
    app.add_option("--part", asked.part, "Time this in this process alone, and print milliseconds")
        ->check(CLI::IsMember({"call", "warm-up"}));
    app.add_device_option();
}

void must(clgemm_status status)
{
    if (status != CLGEMM_SUCCESS)
        throw std::runtime_error(clgemm_last_error());
}

template <typename Work> double milliseconds(const Work& work)
{
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

// Times in this process the warm-up, if it is wanted, the first call, and the second.
void time_here(const Asked& asked)
{
    cl_device_id device = nullptr;
    must(clgemm_default_device(&device));
    const cl::Device on(device, true);
    const cl::Context context(on);
    const cl::CommandQueue queue(context, on);
    const std::size_t n = asked.sizes.front();
    const std::vector<float> zeros(n * n);
    const auto buffer = [&] {
        const cl::Buffer result(context, CL_MEM_READ_WRITE, zeros.size() * sizeof(float));
        queue.enqueueWriteBuffer(result, CL_TRUE, 0, zeros.size() * sizeof(float), zeros.data());
        return result;
    };
    const cl::Buffer a = buffer(), b = buffer(), c = buffer();
    clgemm_options options = CLGEMM_OPTIONS_INIT;
    options.kernel = asked.kernel.empty() ? nullptr : asked.kernel.c_str();
    double warm_up = 0;
    if (asked.part == "warm-up") {
        clgemm_call call = CLGEMM_CALL_INIT;
        call.transA = CLGEMM_TRANS;
        call.m = call.n = call.k = call.lda = call.ldb = call.ldc = n;
        warm_up = milliseconds([&] { must(clgemm_warm_up(context(), device, 1, &call, &options)); });
    }
    const auto call = [&] {
        must(clgemm_sgemm_ex(CLGEMM_COLUMN_MAJOR, CLGEMM_TRANS, CLGEMM_NO_TRANS, n, n, n, 1, a(), 0, n, b(), 0, n, 0, c(), 0,
                             n, queue(), 0, nullptr, nullptr, &options));
        queue.finish();
    };
    const double first = milliseconds(call), second = milliseconds(call);
    std::printf("%g %g %g\n", warm_up, first, second);
}

struct Times {
    std::vector<double> warm_up, first, second;
};

// Starts a process of its own, with these variables, that times this part.
void time_elsewhere(const std::string& program, const std::string& variables, const std::string& part, std::size_t size,
                    const Asked& asked, Times& times)
{
    std::string command = variables + " '" + program + "' --part=" + part + " --sizes=" + std::to_string(size);
    if (!asked.kernel.empty())
        command += " --kernel=" + asked.kernel;
    std::FILE* const output = popen(command.c_str(), "r");
    double warm_up = 0, first = 0, second = 0;
    const int read = output ? std::fscanf(output, "%lf %lf %lf", &warm_up, &first, &second) : 0;
    const int status = output ? pclose(output) : -1;
    if (read != 3 || status != 0)
        throw std::runtime_error("this failed: " + command);
    times.warm_up.push_back(warm_up);
    times.first.push_back(first);
    times.second.push_back(second);
}

double median(std::vector<double> times)
{
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    return *middle;
}

void time_in_processes(const Asked& asked)
{
    const std::string program = fs::read_symlink("/proc/self/exe");
    std::string folder = fs::temp_directory_path() / "first_call_bench.XXXXXX";
    if (!mkdtemp(folder.data()))
        throw std::runtime_error("there is no folder for the caches");
    const fs::path caches = folder;
    // NVIDIA's and PoCL's own caches; those of other drivers stay as they are.
    const auto variables = [&](const char* ours, bool is_new) {
        const fs::path own = caches / ours, drivers = caches / "driver";
        fs::remove_all(drivers);
        if (is_new)
            fs::remove_all(own);
        fs::create_directories(drivers);
        return "CUDA_CACHE_DISABLE=1 POCL_CACHE_DIR='" + drivers.string() + "' CLGEMM_CACHE_DIR='" + own.string() + "'";
    };
    std::printf(
        "| size | cold, ms | from disk | warm-up | first call after it | second call |\n|--:|--:|--:|--:|--:|--:|\n");
    for (const std::size_t size : asked.sizes) {
        Times cold, disk, warmed_up;
        for (std::size_t i = 0; i < asked.processes; i++) {
            time_elsewhere(program, variables("ours", true), "call", size, asked, cold);
            time_elsewhere(program, variables("ours", false), "call", size, asked, disk);
            time_elsewhere(program, variables("another", true), "warm-up", size, asked, warmed_up);
        }
        std::printf("| %zu | %.4g | %.4g | %.4g | %.4g | %.4g |\n", size, median(cold.first), median(disk.first),
                    median(warmed_up.warm_up), median(warmed_up.first), median(warmed_up.second));
        std::fflush(stdout);
    }
    fs::remove_all(caches);
}

} // namespace

int main(int argc, char** argv)
{
    clgemm::program::Program program("first_call_bench", "Times the first call of a process: cold, from disk, warmed up.");
    Asked asked;
    add_options(program, asked);
    return program.run(argc, argv, [&] {
        if (!asked.part.empty()) {
            time_here(asked);
            return clgemm::program::success;
        }
        bench::print(bench::setting_of("first_call_bench", argc, argv, clgemm::default_device()));
        time_in_processes(asked);
        return clgemm::program::success;
    });
}
