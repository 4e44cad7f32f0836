// How fast clgemm is, next to every other BLAS of the machine: whole calls on the wall clock, from the call to the finished
// queue, on random data. docs/benchmarks.md says how to run it, and how and why it measures that way.
//
//   sgemm_bench --suite=gpu --contenders=clgemm,cublas
#include "check.hpp"
#include "contenders/contenders.hpp"
#include "contenders/shared_library.hpp"
#include "race.hpp"
#include "report.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iterator>

namespace {

using namespace bench;

// What the command line asks.
struct Asked {
    std::vector<std::string> suites, shapes, transposes{"NN", "NT", "TN", "TT"}, contenders;
    std::string kernel, device, clblast_tuning;
    Effort effort{0.8, 0};
    bool pins_pocl = false;
};

void add_options(CLI::App& app, Asked& asked)
{
    const auto list = [&](const char* name, std::vector<std::string>& values, const char* says) {
        return app.add_option(name, values, says)->delimiter(',');
    };
    list("--suite", asked.suites,
         "Shapes by name: gpu (squares, awkward, skinny, deep, small) or some of these; cpu (cpu-squares, cpu-awkward, "
         "cpu-skinny, cpu-256, cpu-small, cpu-gemv) or some of these; default: what fits the device");
    list("--shapes", asked.shapes, "Other shapes, MxNxK or one number for a square: op(A) is M x K, op(B) is K x N");
    list("--transposes", asked.transposes, "Which to take; default: all")->check(CLI::IsMember({"NN", "NT", "TN", "TT"}));
    list("--contenders", asked.contenders, "Who takes part; default: all that are found")
        ->check(CLI::IsMember({"clgemm", "clgemm-host", "cublas", "clblast", "clblas", "openblas", "blis"}));
    app.add_option("--kernel", asked.kernel, "clgemm's kernel, by name or number; default: the library chooses");
    app.add_option("--device", asked.device, "The device whose platform/device name contains this, as CLGEMM_DEVICE does");
    app.add_option("--clblast-tuning", asked.clblast_tuning,
                   "A folder of JSON files that CLBlast's tuners wrote on this device, to be applied")
        ->envname("CLBLAST_TUNING")
        ->check(CLI::ExistingDirectory);
    app.add_option("--budget", asked.effort.seconds, "Seconds for each product, all contenders together; default: 0.8")
        ->check(CLI::PositiveNumber);
    app.add_option("--rounds", asked.effort.rounds, "Turns of each contender; default: as many as the budget allows")
        ->check(CLI::PositiveNumber);
}

std::vector<Suite> suites_asked(const Asked& asked, bool on_cpu)
{
    std::vector<std::string> names = asked.suites;
    if (names.empty() && asked.shapes.empty())
        names.emplace_back(on_cpu ? "cpu" : "gpu");
    std::vector<Suite> suites;
    for (const auto& name : names)
        for (auto& suite : suites_named(name))
            suites.push_back(std::move(suite));
    if (!asked.shapes.empty()) {
        suites.push_back({"shapes", {}});
        std::transform(asked.shapes.begin(), asked.shapes.end(), std::back_inserter(suites.back().shapes), parse_shape);
    }
    return suites;
}

struct Entrant {
    std::string name;
    std::unique_ptr<Contender> contender;
};

// Says in a line each who is there and who is not.
std::vector<Entrant> find_contenders(const Asked& asked, const DeviceMatrices& device, HostMatrices& host)
{
    const auto cl_device = device.queue.getInfo<CL_QUEUE_DEVICE>();
    const bool on_cpu = (cl_device.getInfo<CL_DEVICE_TYPE>() & CL_DEVICE_TYPE_CPU) != 0;
    constexpr cl_uint nvidia = 0x10de;
    const bool on_nvidia = !on_cpu && cl_device.getInfo<CL_DEVICE_VENDOR_ID>() == nvidia;
    const unsigned threads = cl_device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>();

    struct Candidate {
        std::string name;
        bool fits;
        std::function<std::unique_ptr<Contender>()> find;
    };
    // Processes are started for BLIS, so it comes before any other's threads.
    const Candidate candidates[] = {
        {"clgemm", true, [&] { return find_clgemm(device, asked.kernel); }},
        {"clgemm-host", on_cpu, [&] { return find_clgemm_host(device, host, asked.kernel); }},
        {"cublas", on_nvidia, [&] { return find_cublas(cl_device, host); }},
        {"blis", on_cpu, [&] { return find_blis(host, threads); }},
        {"openblas", on_cpu, [&] { return find_openblas(host, threads); }},
        {"clblast", true, [&] { return find_clblast(device, asked.clblast_tuning); }},
        {"clblas", true, [&] { return find_clblas(device); }},
    };
    std::vector<Entrant> entrants;
    for (const auto& candidate : candidates) {
        const auto& wanted = asked.contenders;
        if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), candidate.name) == wanted.end())
            continue;
        try {
            if (!candidate.fits)
                throw Absent("not for this device");
            entrants.push_back({candidate.name, candidate.find()});
            std::printf("- %s: %s\n", candidate.name.c_str(), entrants.back().contender->description().c_str());
        } catch (const Absent& absent) {
            std::printf("- %s: absent (%s)\n", candidate.name.c_str(), absent.what());
        }
    }
    return entrants;
}

void print_header(int argc, char** argv, const cl::Device& device)
{
    std::printf("    sgemm_bench");
    for (int i = 1; i < argc; i++)
        std::printf(" %s", argv[i]);
    std::printf(
        "\n\n%s / %s, %u compute units, driver %s. Column-major, alpha = 1, beta = 0, random numbers from -1 to 1.\n\n",
        cl::Platform(device.getInfo<CL_DEVICE_PLATFORM>()).getInfo<CL_PLATFORM_NAME>().c_str(),
        device.getInfo<CL_DEVICE_NAME>().c_str(), device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>(),
        device.getInfo<CL_DRIVER_VERSION>().c_str());
}

// Who gives a wrong result, or none, is not timed.
std::vector<Outcome> measure(const std::vector<Entrant>& entrants, const HostMatrices& host, const Product& product,
                             const Effort& effort)
{
    std::vector<Outcome> outcomes(entrants.size());
    const Reference reference(host, product);
    std::vector<Contender*> racing;
    std::vector<std::size_t> columns;
    for (std::size_t i = 0; i < entrants.size(); i++) {
        try {
            reference.check(*entrants[i].contender);
            racing.push_back(entrants[i].contender.get());
            columns.push_back(i);
        } catch (const std::exception& error) {
            outcomes[i].problem = "failed";
            std::fprintf(stderr, "sgemm_bench: %s, %s %s: %s\n", entrants[i].name.c_str(), to_string(product.shape).c_str(),
                         to_string(product.transposes).c_str(), error.what());
        }
    }
    const std::vector<double> seconds = race(racing, product, effort);
    for (std::size_t i = 0; i < racing.size(); i++)
        outcomes[columns[i]].gflops = product.flops() * 1e-9 / seconds[i];
    return outcomes;
}

// Whether everyone was right everywhere.
bool run(int argc, char** argv, const Asked& asked)
{
    const cl::Device device = clgemm::default_device();
    const bool on_cpu = (device.getInfo<CL_DEVICE_TYPE>() & CL_DEVICE_TYPE_CPU) != 0;
    const std::vector<Suite> suites = suites_asked(asked, on_cpu);
    std::vector<Transposes> transposes;
    std::transform(asked.transposes.begin(), asked.transposes.end(), std::back_inserter(transposes), parse_transposes);

    Sizes sizes;
    for (const auto& suite : suites)
        for (const auto& shape : suite.shapes)
            sizes.make_room_for(shape);
    HostMatrices host(sizes);
    const DeviceMatrices on_device(cl::CommandQueue(cl::Context(device), device), host);

    print_header(argc, argv, device);
    if (on_cpu && asked.pins_pocl)
        std::printf("- POCL_AFFINITY=1 is set, so that each of PoCL's threads keeps to a core\n");
    const std::vector<Entrant> entrants = find_contenders(asked, on_device, host);
    std::vector<std::string> names;
    std::transform(entrants.begin(), entrants.end(), std::back_inserter(names),
                   [](const auto& entrant) { return entrant.name; });
    Report report(names);

    prepare_races();
    bool all_right = true;
    for (const auto& suite : suites) {
        report.begin(suite.name);
        for (const auto& shape : suite.shapes)
            for (const auto& transpose : transposes) {
                const Product product{shape, transpose};
                const auto outcomes = measure(entrants, host, product, asked.effort);
                report.add(product, outcomes);
                for (const auto& outcome : outcomes)
                    all_right = all_right && outcome.problem.empty();
            }
        report.end();
    }
    return all_right;
}

} // namespace

int main(int argc, char** argv)
{
    CLI::App app("Times clgemm next to every other BLAS of the machine.", "sgemm_bench");
    Asked asked;
    add_options(app, asked);
    CLI11_PARSE(app, argc, argv);
    if (!asked.device.empty())
        set_environment("CLGEMM_DEVICE", asked.device.c_str()); // which the library reads at its first call
    // PoCL reads it at the first OpenCL call; without it, Linux often leaves two of its threads on one core for as long as a
    // short kernel takes. What the user has set stays.
    constexpr const char* affinity = "POCL_AFFINITY";
    asked.pins_pocl = std::getenv(affinity) == nullptr; // NOLINT(concurrency-mt-unsafe): there is one thread yet
    if (asked.pins_pocl)
        set_environment(affinity, "1");
    try {
        return run(argc, argv, asked) ? EXIT_SUCCESS : EXIT_FAILURE;
    } catch (const cl::Error& error) {
        std::fprintf(stderr, "sgemm_bench: %s: %s\n", error.what(), clgemm_status_string(error.err()));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "sgemm_bench: %s\n", error.what());
    }
    return EXIT_FAILURE;
}
