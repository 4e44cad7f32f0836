// How accurate clgemm is, next to cuBLAS in FP32: errors against double precision, on inputs that are hard on arithmetic
// other than plain FP32. docs/accuracy.md says what it measures.
//
//   accuracy_bench --kernel=14
//
// Exit status 1: clgemm was beyond the bound of FP32's rounding errors, inexact on integers, wrong about NaN or infinity, or
// a call failed.
#include "accuracy_report.hpp"
#include "contenders/contenders.hpp"
#include "contenders/shared_library.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>

namespace {

using namespace bench;

// What the command line asks.
struct Asked {
    std::vector<std::string> inputs;
    std::vector<std::size_t> ks{16, 64, 256, 1024, 4096, 16384, 65536};
    std::size_t size = 256, rows = 16;
    std::string kernel, device;
};

std::vector<std::string> names_of_inputs()
{
    std::vector<std::string> names;
    std::transform(all_inputs().begin(), all_inputs().end(), std::back_inserter(names),
                   [](const Input& input) { return input.name; });
    return names;
}

void add_options(CLI::App& app, Asked& asked)
{
    app.add_option("--inputs", asked.inputs, "Which to take; default: all")
        ->delimiter(',')
        ->check(CLI::IsMember(names_of_inputs()));
    // Up to there the integers' sums stay below 2^24 with factors above 1.
    app.add_option("--k", asked.ks, "Lengths of the dot products, at least 2")
        ->delimiter(',')
        ->check(CLI::Range(2, 1 << 22));
    app.add_option("--size", asked.size, "M and N")->capture_default_str()->check(CLI::Range(1, 1 << 15));
    app.add_option("--rows", asked.rows, "How many rows of C are checked; all where NaN and infinities are")
        ->capture_default_str()
        ->check(CLI::PositiveNumber);
    app.add_option("--kernel", asked.kernel, "A kernel of clgemm's, by name or number, that takes part besides");
    app.add_option("--device", asked.device, "The device whose platform/device name contains this, as CLGEMM_DEVICE does");
}

struct Entrant {
    std::string name;
    std::unique_ptr<Contender> contender;
    bool is_ours = true;
};

// Says in a line each who is there and who is not.
std::vector<Entrant> find_contenders(const Asked& asked, const DeviceMatrices& device, const HostMatrices& host)
{
    std::vector<Entrant> entrants;
    entrants.push_back({"clgemm", find_clgemm(device, "")});
    entrants.push_back({"clgemm strict", find_clgemm(device, "", CLGEMM_MATH_STRICT)});
    if (!asked.kernel.empty())
        entrants.push_back({"kernel " + asked.kernel, find_clgemm(device, asked.kernel)});
    std::string absence;
    try {
        entrants.push_back({"cublas", find_cublas(device.queue.getInfo<CL_QUEUE_DEVICE>(), host), false});
    } catch (const Absent& absent) {
        absence = absent.what();
    }
    for (const auto& entrant : entrants)
        std::printf("- %s: %s\n", entrant.name.c_str(), entrant.contender->description().c_str());
    if (!absence.empty())
        std::printf("- cublas: absent (%s)\n", absence.c_str());
    return entrants;
}

void print_header(int argc, char** argv, const cl::Device& device, std::size_t size)
{
    std::printf("    accuracy_bench");
    for (int i = 1; i < argc; i++)
        std::printf(" %s", argv[i]);
    std::printf("\n\n%s / %s, driver %s. M = N = %zu, column-major, B transposed, alpha = 1, beta = 0.\n\n",
                cl::Platform(device.getInfo<CL_DEVICE_PLATFORM>()).getInfo<CL_PLATFORM_NAME>().c_str(),
                device.getInfo<CL_DEVICE_NAME>().c_str(), device.getInfo<CL_DRIVER_VERSION>().c_str(), size);
}

// What is wrong with errors of ours; empty: nothing.
std::string complaint(const Errors& errors, const Input& input, std::size_t k)
{
    if (errors.misclassified > 0)
        return std::to_string(errors.misclassified) + " elements are NaN, infinite or finite where they should not be";
    if (input.kind == Input::Kind::exact && errors.max > 0)
        return "integers are not exact";
    if (errors.max <= static_cast<double>(k))
        return "";
    char text[64];
    std::snprintf(text, sizeof(text), "an error is %.3g times the bound", errors.max / static_cast<double>(k));
    return text;
}

// Says on standard error what is wrong with ours. Whether nothing is.
bool measure(const std::vector<Entrant>& entrants, const Input& input, const Product& product, const ExactProduct& exact,
             AccuracyReport& report)
{
    bool all_right = true;
    std::vector<std::optional<Errors>> errors;
    for (const auto& [name, contender, is_ours] : entrants) {
        std::string problem;
        try {
            const std::size_t elements = product.shape.m * product.shape.n;
            contender->reload(product);
            contender->spoil_c(elements);
            contender->multiply(product);
            errors.emplace_back(exact.errors_of(contender->read_c(0, elements)));
            problem = is_ours ? complaint(*errors.back(), input, product.shape.k) : "";
        } catch (const std::exception& error) {
            errors.emplace_back(std::nullopt);
            problem = error.what();
        }
        if (!problem.empty())
            std::fprintf(stderr, "accuracy_bench: %s, %s, K = %zu: %s\n", name.c_str(), input.name.c_str(), product.shape.k,
                         problem.c_str());
        all_right = all_right && problem.empty();
    }
    report.add(input, product.shape.k, errors);
    return all_right;
}

bool run(int argc, char** argv, const Asked& asked)
{
    const cl::Device device = clgemm::default_device();
    Sizes sizes;
    for (const std::size_t k : asked.ks)
        sizes.make_room_for({asked.size, asked.size, k});
    const HostMatrices host(sizes);
    DeviceMatrices on_device(cl::CommandQueue(cl::Context(device), device), host);

    print_header(argc, argv, device, asked.size);
    const std::vector<Entrant> entrants = find_contenders(asked, on_device, host);
    std::vector<std::string> names;
    std::transform(entrants.begin(), entrants.end(), std::back_inserter(names),
                   [](const auto& entrant) { return entrant.name; });
    AccuracyReport report(names);

    bool all_right = true;
    report.begin();
    for (const auto& input : all_inputs()) {
        if (!asked.inputs.empty() && std::find(asked.inputs.begin(), asked.inputs.end(), input.name) == asked.inputs.end())
            continue;
        for (const std::size_t k : asked.ks) {
            const Operands operands{asked.size, asked.size, k, host.a.get(), host.b.get()};
            const Product product{{operands.m, operands.n, operands.k}, {false, true}};
            input.fill(operands);
            on_device.reload(host, product);
            const ExactProduct exact(operands, input.kind == Input::Kind::special ? asked.size : asked.rows);
            all_right = measure(entrants, input, product, exact, report) && all_right;
        }
    }
    report.summarize();
    return all_right;
}

} // namespace

int main(int argc, char** argv)
{
    CLI::App app("Measures clgemm's errors against double precision, next to cuBLAS's.", "accuracy_bench");
    Asked asked;
    add_options(app, asked);
    CLI11_PARSE(app, argc, argv);
    if (!asked.device.empty())
        set_environment("CLGEMM_DEVICE", asked.device.c_str()); // which the library reads at its first call
    try {
        return run(argc, argv, asked) ? EXIT_SUCCESS : EXIT_FAILURE;
    } catch (const cl::Error& error) {
        std::fprintf(stderr, "accuracy_bench: %s: %s\n", error.what(), clgemm_status_string(error.err()));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "accuracy_bench: %s\n", error.what());
    }
    return EXIT_FAILURE;
}
