// How fast clgemm is, next to every other BLAS of the machine: whole calls on the wall clock, from the call to the finished
// queue, on random data. docs/benchmarks.md says how to run it, and how and why it measures that way.
//
//   sgemm_bench --suite=gpu --contenders=clgemm,cublas
#include "command_line.hpp"
#include "contenders/contenders.hpp"
#include "race.hpp"
#include "report.hpp"
#include "setting.hpp"
#include "timing/check.hpp"

#include "tools/program/interrupt.hpp"
#include "tools/program/machine.hpp"
#include "tools/program/program.hpp"
#include "tools/program/progress.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <iterator>

namespace {

using namespace bench;
using namespace timing;

// What the command line asks.
struct Asked {
    std::vector<std::string> suites, shapes, transposes{"NN", "NT", "TN", "TT"}, contenders;
    std::string kernel, clblast_tuning;
    float beta = 0;
    Effort effort{0.8, 0};
    bool json = false;
    bool pins_pocl = false;
};

void add_options(clgemm::program::Program& app, Asked& asked)
{
    const auto list = [&](const char* name, std::vector<std::string>& values, const char* says) {
        return app.add_option(name, values, says)->delimiter(',');
    };
    list(
        "--suite", asked.suites,
        "Shapes by name: gpu (squares, awkward, skinny, deep, small) or some of these; cpu (cpu-squares, cpu-awkward, "
        "cpu-skinny, cpu-256, cpu-small, cpu-gemv) or some of these; host, for contenders on host memory; batches (batched, "
        "batched-ragged, winograd) and cpu-batches; default: gpu or cpu, what fits the device")
        ->check(readable_by(suites_named));
    list("--shapes", asked.shapes,
         "Other shapes, MxNxK or one number for a square: op(A) is M x K, op(B) is K x N; 1000*MxNxK is a batch of 1000")
        ->check(readable_by(parse_product));
    list("--transposes", asked.transposes, "Which to take; default: all")->check(CLI::IsMember({"NN", "NT", "TN", "TT"}));
    list("--contenders", asked.contenders,
         "Who takes part; default: all that are found, but those on host memory only on CPUs, and neither clgemm-prepared "
         "nor those in other math modes (-strict, -fast, -tf32)")
        ->check(CLI::IsMember({"clgemm", "clgemm-strict", "clgemm-fast", "clgemm-tf32", "clgemm-prepared", "clgemm-host",
                               "cublas", "cublas-tf32", "cublas-host", "clblast", "clblas", "openblas", "blis", "mkl",
                               "libxsmm"}));
    app.add_option("--kernel", asked.kernel, clgemm::program::kernel_option_says)
        ->check(clgemm::program::known_kernel_and_parameters());
    app.add_option("--clblast-tuning", asked.clblast_tuning,
                   "A folder of JSON files that CLBlast's tuners wrote on this device, to be applied")
        ->envname("CLBLAST_TUNING")
        ->check(CLI::ExistingDirectory);
    app.add_option("--beta", asked.beta, "Of the calls that are timed; results are checked with 0")->capture_default_str();
    app.add_option("--budget", asked.effort.seconds, "Seconds for each product, all contenders together; default: 0.8")
        ->check(clgemm::program::positive_number());
    app.add_option("--rounds", asked.effort.rounds, "Turns of each contender; default: as many as the budget allows")
        ->check(CLI::PositiveNumber);
    app.add_flag("--json", asked.json, "Print JSON, at the end, instead of Markdown");
    app.add_device_option();
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
        std::transform(asked.shapes.begin(), asked.shapes.end(), std::back_inserter(suites.back().products), parse_product);
    }
    return suites;
}

struct Entrant {
    std::string name;
    std::unique_ptr<Contender> contender;
};

// The contenders that are there. Says by `tell` what each candidate is, or why it is absent. Throws where there are none.
std::vector<Entrant>
find_contenders(const Asked& asked, const DeviceMatrices& device, HostMatrices& host,
                const std::function<void(const std::string& name, const char* is, const std::string& what)>& tell)
{
    const auto cl_device = device.queue.getInfo<CL_QUEUE_DEVICE>();
    const bool on_cpu = (cl_device.getInfo<CL_DEVICE_TYPE>() & CL_DEVICE_TYPE_CPU) != 0;
    constexpr cl_uint nvidia = 0x10de;
    const bool on_nvidia = !on_cpu && cl_device.getInfo<CL_DEVICE_VENDOR_ID>() == nvidia;
    const bool host_memory = on_cpu || !asked.contenders.empty(); // over a bus they are another league: only where named
    const unsigned threads = cl_device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>();

    struct Candidate {
        std::string name;
        bool fits;
        std::function<std::unique_ptr<Contender>()> find;
        bool only_if_named = false;
    };
    // Processes are started for BLIS, so it comes before any other's threads.
    const Candidate candidates[] = {
        {"clgemm", true, [&] { return find_clgemm(device, asked.kernel); }},
        {"clgemm-strict", true, [&] { return find_clgemm(device, asked.kernel, CLGEMM_MATH_STRICT); }, true},
        {"clgemm-fast", true, [&] { return find_clgemm(device, asked.kernel, CLGEMM_MATH_FAST); }, true},
        {"clgemm-tf32", true, [&] { return find_clgemm(device, asked.kernel, CLGEMM_MATH_TF32); }, true},
        {"clgemm-prepared", true, [&] { return find_clgemm_prepared(device, asked.kernel); }, true},
        {"clgemm-host", host_memory, [&] { return find_clgemm_host(device, host, asked.kernel); }},
        {"cublas", on_nvidia, [&] { return find_cublas(cl_device, host); }},
        {"cublas-tf32", on_nvidia, [&] { return find_cublas(cl_device, host, CLGEMM_MATH_TF32); }, true},
        {"cublas-host", on_nvidia && host_memory, [&] { return find_cublas_host(cl_device, host); }},
        {"blis", on_cpu, [&] { return find_blis(host, threads); }},
        {"openblas", on_cpu, [&] { return find_openblas(host, threads); }},
        {"mkl", on_cpu, [&] { return find_mkl(host, threads); }},
        {"libxsmm", on_cpu, [&] { return find_libxsmm(host, threads); }, true},
        {"clblast", true, [&] { return find_clblast(device, asked.clblast_tuning); }},
        {"clblas", true, [&] { return find_clblas(device); }},
    };
    std::vector<Entrant> entrants;
    std::string absences;
    for (const auto& candidate : candidates) {
        const auto& wanted = asked.contenders;
        const bool is_named = std::find(wanted.begin(), wanted.end(), candidate.name) != wanted.end();
        if (!is_named && (!wanted.empty() || candidate.only_if_named))
            continue;
        try {
            if (!candidate.fits)
                throw Absent("not for this device");
            entrants.push_back({candidate.name, candidate.find()});
            tell(candidate.name, "description", entrants.back().contender->description());
        } catch (const Absent& absent) {
            tell(candidate.name, "absent", absent.what());
            absences += (absences.empty() ? "" : ", ") + candidate.name + " is absent (" + absent.what() + ")";
        }
    }
    if (entrants.empty())
        throw std::runtime_error("there is nobody to time: " + absences);
    return entrants;
}

// Contenders that give a wrong result, or none, are not timed.
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
            std::fprintf(stderr, "sgemm_bench: %s, %s %s: %s\n", entrants[i].name.c_str(), to_string(product).c_str(),
                         to_string(product.transposes).c_str(), error.what());
        }
    }
    const std::vector<CallTimes> times = race(racing, product, effort);
    for (std::size_t i = 0; i < racing.size(); i++) {
        outcomes[columns[i]].gflops = product.flops() * 1e-9 / times[i].median;
        outcomes[columns[i]].best = product.flops() * 1e-9 / times[i].best;
    }
    return outcomes;
}

Json to_json(const Product& product, const std::vector<Entrant>& entrants, const std::vector<Outcome>& outcomes)
{
    const auto& [m, n, k] = product.shape;
    Json about{{"m", m}, {"n", n}, {"k", k}, {"transposes", to_string(product.transposes)}, {"gflops", Json::object()}};
    if (product.count > 1)
        about["count"] = product.count;
    for (std::size_t i = 0; i < entrants.size(); i++) {
        const Outcome& outcome = outcomes[i];
        about["gflops"][entrants[i].name] = outcome.problem.empty() ? Json(outcome.gflops) : Json(nullptr);
        about["best_gflops"][entrants[i].name] = outcome.problem.empty() ? Json(outcome.best) : Json(nullptr);
    }
    return about;
}

int run(int argc, char** argv, const Asked& asked)
{
    using clgemm::program::is_interrupted;
    const cl::Device device = clgemm::default_device();
    const Setting setting = setting_of("sgemm_bench", argc, argv, device);
    const std::vector<Suite> suites = suites_asked(asked, setting.on_cpu);
    std::vector<Transposes> transposes;
    std::transform(asked.transposes.begin(), asked.transposes.end(), std::back_inserter(transposes), parse_transposes);

    Sizes sizes;
    std::size_t count = 0;
    for (const auto& suite : suites)
        for (const auto& product : suite.products) {
            sizes.make_room_for(product);
            count += transposes.size();
        }
    HostMatrices host(sizes);
    const DeviceMatrices on_device(cl::CommandQueue(cl::Context(device), device), host);

    Json all = to_json(setting);
    if (!asked.json) {
        print(setting);
        std::printf("Column-major, alpha = 1, beta = %g, random numbers from -1 to 1.\n\n", static_cast<double>(asked.beta));
        if (setting.on_cpu && asked.pins_pocl)
            std::printf("- POCL_AFFINITY=1 is set, so that each of PoCL's threads keeps to a core\n");
    }
    const auto tell = [&](const std::string& name, const char* is, const std::string& what) {
        all["contenders"].push_back({{"name", name}, {is, what}});
        if (!asked.json)
            std::printf(is == std::string("absent") ? "- %s: absent (%s)\n" : "- %s: %s\n", name.c_str(), what.c_str());
    };
    const std::vector<Entrant> entrants = find_contenders(asked, on_device, host, tell);
    std::vector<std::string> names;
    std::transform(entrants.begin(), entrants.end(), std::back_inserter(names),
                   [](const auto& entrant) { return entrant.name; });
    Report report(names);

    prepare_races();
    clgemm::program::Progress progress;
    std::size_t done = 0;
    bool all_right = true;
    for (const auto& suite : suites) {
        if (is_interrupted())
            break;
        all["suites"].push_back({{"name", suite.name}, {"products", Json::array()}});
        if (!asked.json)
            report.begin(suite.name);
        for (Product product : suite.products)
            for (const auto& transpose : transposes) {
                if (is_interrupted())
                    break;
                product.transposes = transpose;
                product.beta = asked.beta;
                progress.show(static_cast<double>(done) / static_cast<double>(count),
                              std::to_string(done + 1) + " of " + std::to_string(count) + ": " + to_string(product) + " " +
                                  to_string(transpose));
                const auto outcomes = measure(entrants, host, product, asked.effort);
                progress.clear();
                done++;
                all["suites"].back()["products"].push_back(to_json(product, entrants, outcomes));
                if (!asked.json)
                    report.add(product, outcomes);
                for (const auto& outcome : outcomes)
                    all_right = all_right && outcome.problem.empty();
            }
        if (!asked.json)
            report.end();
    }
    all["interrupted"] = is_interrupted();
    if (asked.json)
        std::printf("%s\n", all.dump(1).c_str());
    if (is_interrupted()) {
        std::fprintf(stderr, "sgemm_bench: interrupted after %zu of %zu products\n", done, count);
        return clgemm::program::interrupted;
    }
    return all_right ? clgemm::program::success : clgemm::program::failure;
}

} // namespace

int main(int argc, char** argv)
{
    clgemm::program::Program program("sgemm_bench", "Times clgemm next to every other BLAS of the machine.");
    Asked asked;
    add_options(program, asked);
    return program.run(argc, argv, [&] {
        clgemm::program::catch_interrupts();
        asked.pins_pocl = clgemm::program::pin_pocl();
        clgemm::program::warn_if_loaded("sgemm_bench");
        return run(argc, argv, asked);
    });
}
