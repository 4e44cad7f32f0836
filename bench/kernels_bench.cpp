// How fast each kernel multiplies n x n matrices, stored the way it wants them, so that no helper step runs: the multiply
// kernel alone. Whole calls on the wall clock, from the call to the finished queue; random data; each result is checked.
// Kernels that are less accurate than FP32 are asked for in a mode that accepts them.
//
//   kernels_bench --kernels=1,2,3 --sizes=1024,4096
//   kernels_bench --kernel=6 --parameters=TSM=32,WPTM=4
#include "contenders/contenders.hpp"
#include "peak.hpp"
#include "race.hpp"
#include "report.hpp"
#include "setting.hpp"
#include "timing/check.hpp"

#include "problem/arithmetic.hpp"

#include "tools/program/interrupt.hpp"
#include "tools/program/machine.hpp"
#include "tools/program/program.hpp"
#include "tools/program/progress.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <optional>

namespace {

using namespace bench;
using namespace timing;
using clgemm::program::is_interrupted;

// What the command line asks.
struct Asked {
    std::vector<std::string> kernels; // as written
    std::string parameters;           // of the only kernel, as the library takes them behind its name; empty: its own
    std::vector<std::size_t> sizes;
    Effort effort{0.5, 0};
    bool json = false;
};

void add_options(clgemm::program::Program& program, Asked& asked)
{
    auto* const kernels =
        program.add_option("--kernels,--kernel", asked.kernels, "Which kernels, by name or number; default: all")
            ->delimiter(',')
            ->check(clgemm::program::known_kernel());
    program
        .add_option("--parameters", asked.parameters,
                    "Some of the kernel's parameters in place of its own, such as TSM=32,WPTM=4; with one kernel")
        ->needs(kernels);
    constexpr int largest = 32768; // for which three matrices take 12 GiB
    program.callback([&asked] {
        if (!asked.parameters.empty() && asked.kernels.size() != 1)
            throw CLI::ValidationError("--parameters", "are those of one kernel, but --kernels names several");
    });
    program.add_option("--sizes", asked.sizes, "Which n; default: 512 on a CPU, else 1024 and 4096")
        ->delimiter(',')
        ->check(CLI::Range(1, largest));
    program.add_option("--budget", asked.effort.seconds, "Seconds for each kernel and size")
        ->capture_default_str()
        ->check(clgemm::program::positive_number());
    program.add_flag("--json", asked.json, "Print JSON instead of Markdown");
    program.add_device_option();
}

std::vector<std::string> kernels_asked(const Asked& asked)
{
    if (asked.kernels.empty())
        return clgemm::kernel_names();
    std::vector<std::string> names;
    std::transform(asked.kernels.begin(), asked.kernels.end(), std::back_inserter(names), clgemm::program::kernel_named);
    if (!asked.parameters.empty())
        names.front() += ":" + asked.parameters;
    return names;
}

// A kernel, and in which accuracy it is asked for.
struct Entry {
    std::string kernel;
    clgemm_math math = CLGEMM_MATH_DEFAULT;
};

// What a call with this kernel does. Throws where the device cannot run it.
std::string explanation(const Entry& entry, const Transposes& transposes, std::size_t n, const cl::Device& device)
{
    const auto transpose = [](bool yes) { return yes ? clgemm::Transpose::yes : clgemm::Transpose::no; };
    clgemm::Call call;
    call.transA = transpose(transposes.a);
    call.transB = transpose(transposes.b);
    call.m = call.n = call.k = call.lda = call.ldb = call.ldc = n;
    clgemm::Options options;
    options.kernel = entry.kernel;
    options.math = static_cast<clgemm::Math>(entry.math);
    return clgemm::explain(call, device, options);
}

// How many steps a call with this kernel has.
std::size_t count_steps(const Entry& entry, const Transposes& transposes, const cl::Device& device)
{
    constexpr std::size_t n = 1024; // of whole tiles
    const std::string text = explanation(entry, transposes, n, device);
    std::size_t count = 0;
    for (auto at = text.find(".cl, "); at != std::string::npos; at = text.find(".cl, ", at + 1))
        count++;
    return count;
}

// "TSM=32, TSN=32, ...", with which a call of this size is computed.
std::string parameters_used(const Entry& entry, const Transposes& transposes, std::size_t n, const cl::Device& device)
{
    const std::string text = explanation(entry, transposes, n, device), word = "parameters: ";
    const std::size_t begin = text.find(word) + word.size();
    return text.substr(begin, text.find('\n', begin) - begin);
}

// How the kernel likes its operands best: as it takes them with the fewest launches.
Transposes best_transposes(const Entry& entry, const cl::Device& device)
{
    Transposes best;
    std::size_t fewest = std::numeric_limits<std::size_t>::max();
    for (const bool a : {false, true})
        for (const bool b : {false, true})
            if (const std::size_t count = count_steps(entry, {a, b}, device); count < fewest) {
                fewest = count;
                best = {a, b};
            }
    return best;
}

// The kernel in the most accurate mode in which the device runs it; none if there is no such mode.
std::optional<Entry> entry_for(const std::string& kernel, const cl::Device& device)
{
    for (const clgemm_math math : {CLGEMM_MATH_DEFAULT, CLGEMM_MATH_FAST, CLGEMM_MATH_TF32})
        try {
            const Entry entry{kernel, math};
            count_steps(entry, {}, device);
            return entry;
        } catch (const clgemm::Error& error) {
            if (error.status() != CLGEMM_KERNEL_NOT_SUPPORTED)
                throw;
        }
    return std::nullopt;
}

struct Row {
    std::string kernel;
    std::optional<Entry> entry; // none where the device does not run it
    Transposes transposes;
    // One for each size; fewer after Ctrl-C.
    std::vector<Outcome> outcomes;
    std::vector<std::string> parameters;
};

void print_head(const Setting& setting, double peak, const std::vector<std::size_t>& sizes)
{
    print(setting);
    std::printf("GFLOP/s of whole calls; measured FP32 peak %.0f.\n\n| %-26s | op |", peak, "kernel");
    std::string line = "|---|---|";
    for (const std::size_t n : sizes) {
        std::printf(" %9zu |", n);
        line += "--:|";
    }
    std::printf("\n%s\n", line.c_str());
}

void print(const Row& row)
{
    std::printf("| %-26s | %s |", row.kernel.c_str(), row.entry ? to_string(row.transposes).c_str() : "  ");
    if (!row.entry)
        std::printf(" not on this device |");
    for (const auto& outcome : row.outcomes)
        outcome.problem.empty() ? std::printf(" %9.1f |", outcome.gflops) : std::printf(" %9s |", outcome.problem.c_str());
    std::printf("\n");
    std::fflush(stdout);
}

Json to_json(const Row& row, const std::vector<std::size_t>& sizes)
{
    Json about{{"name", row.kernel}, {"runs_here", row.entry.has_value()}};
    if (!row.entry)
        return about;
    about["math"] = clgemm::core::accuracy_of(row.entry->math).name;
    about["transposes"] = to_string(row.transposes);
    about["gflops"] = Json::object();
    about["parameters"] = Json::object();
    for (std::size_t i = 0; i < row.outcomes.size(); i++) {
        const Outcome& outcome = row.outcomes[i];
        const std::string size = std::to_string(sizes[i]);
        about["parameters"][size] = row.parameters[i];
        about["gflops"][size] = outcome.problem.empty() ? Json(outcome.gflops) : Json(nullptr);
        about["best_gflops"][size] = outcome.problem.empty() ? Json(outcome.best) : Json(nullptr);
    }
    return about;
}

void print_parameters(const Row& row, const std::vector<std::size_t>& sizes)
{
    for (std::size_t i = 0; i < row.parameters.size(); i++)
        std::printf("%sAt %zu: %s.\n", i == 0 ? "\n" : "", sizes[i], row.parameters[i].c_str());
}

// Where the result is wrong, or there is none, a line on standard error says so.
Outcome measure(const Entry& entry, const Product& product, const DeviceMatrices& device, const HostMatrices& host,
                const Effort& effort)
{
    try {
        const auto contender = find_clgemm(device, entry.kernel, entry.math);
        Reference(host, product).check(*contender);
        const CallTimes times = race({contender.get()}, product, effort).front();
        return {product.flops() * 1e-9 / times.median, product.flops() * 1e-9 / times.best, ""};
    } catch (const std::exception& error) {
        std::fprintf(stderr, "kernels_bench: %s, %zu: %s\n", entry.kernel.c_str(), product.shape.m, error.what());
        return {0, 0, "failed"};
    }
}

int run(const Asked& asked, int argc, char** argv)
{
    const cl::Device device = clgemm::default_device();
    std::vector<Row> to_measure; // parameters that mean nothing are found before anything is printed
    for (const auto& kernel : kernels_asked(asked))
        to_measure.push_back({kernel, entry_for(kernel, device), {}, {}, {}});
    const Setting setting = setting_of("kernels_bench", argc, argv, device);
    std::vector<std::size_t> sizes = asked.sizes;
    if (sizes.empty())
        sizes = setting.on_cpu ? std::vector<std::size_t>{512} : std::vector<std::size_t>{1024, 4096};
    const std::size_t largest = *std::max_element(sizes.begin(), sizes.end());
    Sizes room;
    room.make_room_for(Shape{largest, largest, largest});
    const HostMatrices host(room);
    const DeviceMatrices on_device(cl::CommandQueue(cl::Context(device), device), host);
    const double peak = measured_peak(on_device.queue);
    if (!asked.json)
        print_head(setting, peak, sizes);

    prepare_races();
    clgemm::program::Progress progress;
    std::size_t done = 0;
    bool all_right = true;
    Json rows = Json::array();
    for (Row& row : to_measure) {
        if (is_interrupted())
            break;
        if (row.entry)
            row.transposes = best_transposes(*row.entry, device);
        for (const std::size_t n : sizes) {
            if (is_interrupted() || !row.entry)
                break;
            progress.show(static_cast<double>(done) / static_cast<double>(to_measure.size()),
                          std::to_string(done + 1) + " of " + std::to_string(to_measure.size()) + ": " + row.kernel,
                          std::to_string(n));
            row.parameters.push_back(parameters_used(*row.entry, row.transposes, n, device));
            row.outcomes.push_back(measure(*row.entry, {{n, n, n}, row.transposes}, on_device, host, asked.effort));
            all_right = all_right && row.outcomes.back().problem.empty();
        }
        progress.clear();
        done++;
        if (!asked.json)
            print(row);
        if (!asked.json && to_measure.size() == 1)
            print_parameters(row, sizes);
        rows.push_back(to_json(row, sizes));
    }
    if (asked.json) {
        Json all = bench::to_json(setting);
        all["interrupted"] = is_interrupted();
        all["peak_gflops"] = peak;
        all["kernels"] = rows;
        std::printf("%s\n", all.dump(1).c_str());
    }
    return is_interrupted() ? clgemm::program::interrupted : all_right ? clgemm::program::success : clgemm::program::failure;
}

} // namespace

int main(int argc, char** argv)
{
    clgemm::program::Program program("kernels_bench", "Times each of clgemm's kernels by itself.");
    Asked asked;
    add_options(program, asked);
    return program.run(argc, argv, [&] {
        clgemm::program::catch_interrupts();
        clgemm::program::pin_pocl();
        clgemm::program::warn_if_loaded("kernels_bench");
        return run(asked, argc, argv);
    });
}
