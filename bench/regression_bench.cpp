// Whether the library has become slower: two files, an older libclgemm and a newer one, multiply in turns in one process, on
// the same device, queue and matrices. docs/testing.md says what it decides by.
//
//   regression_bench --old release/libclgemm.so.0 --new build/release/src/libclgemm.so.0
#include "command_line.hpp"
#include "race.hpp"
#include "regression/judgement.hpp"
#include "regression/library_contender.hpp"
#include "setting.hpp"
#include "shapes.hpp"
#include "timing/check.hpp"

#include "tools/program/interrupt.hpp"
#include "tools/program/machine.hpp"
#include "tools/program/program.hpp"
#include "tools/program/progress.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>

namespace {

using namespace bench;
using namespace timing;

// What the command line asks.
struct Asked {
    std::string old_file, new_file;
    std::vector<std::string> shapes;
    float beta = 0;
    Effort effort{0.6, 0};
    RegressionLimits limits;
    int repeats = 2;
};

void add_options(clgemm::program::Program& app, Asked& asked)
{
    app.add_option("--old", asked.old_file, "The file of the older libclgemm")->check(CLI::ExistingFile);
    app.add_option("--new", asked.new_file, "The file of the newer libclgemm")->check(CLI::ExistingFile);
    app.add_option("--shapes", asked.shapes,
                   "Instead of the suite's: MxNxK, or one number for a square; each in all transposes, and on host memory")
        ->delimiter(',')
        ->check(readable_by(parse_shape));
    app.add_option("--beta", asked.beta, "Of the calls that are timed; results are checked with 0")->capture_default_str();
    app.add_option("--mean", asked.limits.mean,
                   "Fails where the new times are more than so many times the old ones, in the mean")
        ->capture_default_str()
        ->check(clgemm::program::positive_number());
    app.add_option("--single", asked.limits.single, "Fails where one product takes more than so many times as long")
        ->capture_default_str()
        ->check(clgemm::program::positive_number());
    app.add_option("--repeats", asked.repeats, "How often what is too slow is measured again before it fails")
        ->capture_default_str()
        ->check(CLI::Range(0, 100));
    app.add_option("--budget", asked.effort.seconds, "Seconds for each product, both libraries together")
        ->capture_default_str()
        ->check(clgemm::program::positive_number());
    app.add_option("--rounds", asked.effort.rounds, "Turns of each library; default: as many as the budget allows")
        ->check(CLI::PositiveNumber);
    app.add_device_option();
}

struct Interrupted {};

// A product that both libraries compute, on buffers or on host memory.
struct Entry {
    Product product;
    bool on_host = false;

    std::string name() const
    {
        return to_string(product.shape) + " " + to_string(product.transposes) + (on_host ? " on host memory" : "");
    }
};

// Each shape in all transposes on buffers, and once on host memory: five products.
std::vector<Entry> entries_of(const std::vector<Product>& shapes)
{
    std::vector<Entry> entries;
    for (Product product : shapes) {
        entries.push_back({product, true});
        for (const auto* transposes : {"NN", "NT", "TN", "TT"}) {
            product.transposes = parse_transposes(transposes);
            entries.push_back({product, false});
        }
    }
    return entries;
}

std::vector<Product> shapes_asked(const Asked& asked, bool on_cpu)
{
    std::vector<Product> products;
    if (asked.shapes.empty())
        products = suites_named(on_cpu ? "regression-cpu" : "regression-gpu").front().products;
    for (const std::string& shape : asked.shapes)
        products.push_back({parse_shape(shape)});
    for (Product& product : products)
        product.beta = asked.beta;
    return products;
}

void print(const std::vector<Entry>& entries, const Judged& judged, const RegressionLimits& limits)
{
    std::printf("\n| M x N x K, transposes | new time / old time |\n|---|--:|\n");
    const Judgement& judgement = judged.judgement;
    for (std::size_t i = 0; i < entries.size(); i++) {
        const bool is_too_slow = std::count(judgement.too_slow.begin(), judgement.too_slow.end(), i) > 0;
        std::printf(is_too_slow ? "| %s | **%.3f** |\n" : "| %s | %.3f |\n", entries[i].name().c_str(),
                    judged.products[i].ratio());
    }
    std::printf("\n%s: the mean of %zu products is %.3f (at most %g), and %zu of them are slower than %g by more than "
                "chance explains.\n",
                judgement.passed() ? "No slower" : "Slower", entries.size(), judgement.mean, limits.mean,
                judgement.too_slow.size(), limits.single);
}

int run(int argc, char** argv, const Asked& asked)
{
    const cl::Device device = clgemm::default_device();
    const Setting setting = setting_of("regression_bench", argc, argv, device);
    if (asked.old_file.empty() || asked.new_file.empty()) {
        std::fprintf(stderr, "regression_bench: --old and --new must both be given\n");
        return clgemm::program::wrong_usage;
    }
    std::error_code ignored;
    if (std::filesystem::equivalent(asked.old_file, asked.new_file, ignored))
        throw std::runtime_error("--old and --new are one file, which the loader would load once");
    const ClgemmLibrary older(asked.old_file), newer(asked.new_file);
    const std::vector<Entry> entries = entries_of(shapes_asked(asked, setting.on_cpu));
    Sizes sizes;
    for (const auto& entry : entries)
        sizes.make_room_for(entry.product);
    HostMatrices host(sizes);
    const DeviceMatrices on_device(cl::CommandQueue(cl::Context(device), device), host);
    const auto old_on_buffers = on_buffers(older, on_device), new_on_buffers = on_buffers(newer, on_device);
    const auto old_on_host = on_host_memory(older, on_device, host), new_on_host = on_host_memory(newer, on_device, host);

    print(setting);
    std::printf("- old: %s\n- new: %s\n", old_on_buffers->description().c_str(), new_on_buffers->description().c_str());
    std::fflush(stdout);

    prepare_races();
    clgemm::program::Progress progress;
    std::size_t measured = 0;
    const auto measure = [&](std::size_t index) {
        if (clgemm::program::is_interrupted())
            throw Interrupted();
        const Entry& entry = entries[index];
        const bool again = measured >= entries.size();
        progress.show(again ? 1.0 : static_cast<double>(measured) / static_cast<double>(entries.size()),
                      (again ? "again: " : "") + entry.name());
        Contender* const old_one = (entry.on_host ? old_on_host : old_on_buffers).get();
        Contender* const new_one = (entry.on_host ? new_on_host : new_on_buffers).get();
        const Reference reference(host, entry.product);
        reference.check(*old_one);
        reference.check(*new_one);
        const auto times = race({old_one, new_one}, entry.product, asked.effort);
        measured++;
        progress.clear();
        return OldAndNew{times[0].turns, times[1].turns};
    };
    const Judged judged = judge_repeatedly(entries.size(), measure, asked.limits, asked.repeats);
    print(entries, judged, asked.limits);
    return judged.judgement.passed() ? clgemm::program::success : clgemm::program::failure;
}

} // namespace

int main(int argc, char** argv)
{
    clgemm::program::Program program("regression_bench", "Tells whether a newer libclgemm is slower than an older one.");
    Asked asked;
    add_options(program, asked);
    return program.run(argc, argv, [&]() -> int {
        clgemm::program::catch_interrupts();
        clgemm::program::pin_pocl();
        clgemm::program::warn_if_loaded("regression_bench");
        try {
            return run(argc, argv, asked);
        } catch (const Interrupted&) {
            std::fprintf(stderr, "regression_bench: interrupted, and nothing was decided\n");
            return clgemm::program::interrupted;
        }
    });
}
