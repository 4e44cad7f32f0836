// How accurate clgemm is, next to cuBLAS in FP32: errors against double precision, on inputs that are hard on arithmetic
// other than plain FP32. docs/accuracy.md says what it measures.
//
//   accuracy_bench --kernel=14
//
// Exit status 1: clgemm was beyond the bound of FP32's rounding errors or what its math mode promises, inexact on integers,
// wrong about NaN or infinity, or a call failed.
#include "accuracy_report.hpp"
#include "contenders/contenders.hpp"
#include "setting.hpp"

#include "problem/arithmetic.hpp"

#include "tools/program/interrupt.hpp"
#include "tools/program/program.hpp"
#include "tools/program/progress.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>

namespace {

using namespace bench;
using namespace timing;

// What the command line asks.
struct Asked {
    std::vector<std::string> inputs;
    std::vector<std::size_t> ks{16, 64, 256, 1024, 4096, 16384, 65536};
    std::size_t size = 256, rows = 16;
    std::string kernel;
    bool json = false;
};

std::vector<std::string> names_of_inputs()
{
    std::vector<std::string> names;
    std::transform(all_inputs().begin(), all_inputs().end(), std::back_inserter(names),
                   [](const Input& input) { return input.name; });
    return names;
}

void add_options(clgemm::program::Program& app, Asked& asked)
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
    app.add_option("--kernel", asked.kernel, "A kernel of clgemm's, by name or number, that takes part besides")
        ->check(clgemm::program::known_kernel());
    app.add_flag("--json", asked.json, "Print JSON, at the end, instead of Markdown");
    app.add_device_option();
}

struct Entrant {
    std::string name;
    std::unique_ptr<Contender> contender;
    bool is_ours = true;
};

// A device without subnormal numbers has no reproducible results.
bool is_refused(clgemm_math math, const cl::Device& device)
{
    clgemm_options options = CLGEMM_OPTIONS_INIT;
    options.math = math;
    std::size_t length = 0;
    return clgemm_explain(CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 1, 1, 1, 1, 0, 1, 0, 1, 0, 0, 1, device(),
                          &options, nullptr, 0, &length) == CLGEMM_KERNEL_NOT_SUPPORTED;
}

// The contenders that are there. Adds to the report's head what each is, or why it is absent.
std::vector<Entrant> find_contenders(const Asked& asked, const DeviceMatrices& device, const HostMatrices& host, Json& head)
{
    std::vector<Entrant> entrants;
    Json absent = Json::array();
    entrants.push_back({"clgemm", find_clgemm(device, "")});
    for (const clgemm_math math : {CLGEMM_MATH_STRICT, CLGEMM_MATH_REPRODUCIBLE, CLGEMM_MATH_FAST, CLGEMM_MATH_TF32}) {
        const std::string name = "clgemm " + std::string(clgemm::core::accuracy_of(math).name);
        if (is_refused(math, device.queue.getInfo<CL_QUEUE_DEVICE>()))
            absent.push_back({{"name", name}, {"absent", "the device refuses it"}});
        else
            entrants.push_back({name, find_clgemm(device, "", math)});
    }
    if (!asked.kernel.empty())
        entrants.push_back({"kernel " + asked.kernel, find_clgemm(device, asked.kernel)});
    try {
        entrants.push_back({"cublas", find_cublas(device.queue.getInfo<CL_QUEUE_DEVICE>(), host), false});
    } catch (const Absent& why) {
        absent.push_back({{"name", "cublas"}, {"absent", why.what()}});
    }
    for (const auto& entrant : entrants)
        head.push_back({{"name", entrant.name}, {"description", entrant.contender->description()}});
    head.insert(head.end(), absent.begin(), absent.end());
    return entrants;
}

void print_head(const Setting& setting, std::size_t size, const Json& contenders)
{
    print(setting);
    std::printf("M = N = %zu, column-major, B transposed, alpha = 1, beta = 0.\n\n", size);
    for (const Json& one : contenders)
        if (one.contains("absent"))
            std::printf("- %s: absent (%s)\n", one["name"].get<std::string>().c_str(),
                        one["absent"].get<std::string>().c_str());
        else
            std::printf("- %s: %s\n", one["name"].get<std::string>().c_str(), one["description"].get<std::string>().c_str());
}

Json to_json(const Input& input, std::size_t k, const std::vector<Entrant>& entrants,
             const std::vector<std::optional<Errors>>& errors)
{
    Json about{{"input", input.name}, {"k", k}, {"errors", Json::object()}};
    for (std::size_t i = 0; i < entrants.size(); i++)
        about["errors"][entrants[i].name] = errors[i] ? Json{{"mean", errors[i]->mean},
                                                             {"max", errors[i]->max},
                                                             {"misclassified", errors[i]->misclassified},
                                                             {"of_the_promise", errors[i]->of_the_promise}}
                                                      : Json(nullptr);
    return about;
}

// What is wrong with errors of ours; empty: nothing.
std::string complaint(const Errors& errors, const Input& input, std::size_t k, clgemm_math accuracy)
{
    if (errors.misclassified > 0)
        return std::to_string(errors.misclassified) + " elements are NaN, infinite or finite where they should not be";
    const bool rounds_operands = clgemm::core::accuracy_of(accuracy).operand_roundoff > 0;
    if (input.kind == Input::Kind::exact && errors.max > 0 && !rounds_operands)
        return "integers are not exact";
    const double of_the_bound = rounds_operands ? errors.of_the_promise : errors.max / static_cast<double>(k);
    if (of_the_bound <= 1)
        return "";
    char text[64];
    std::snprintf(text, sizeof(text), "an error is %.3g times the bound", of_the_bound);
    return text;
}

// Each one's errors; none where the call failed. Says on standard error what is wrong with ours, and takes note of it.
std::vector<std::optional<Errors>> measure(const std::vector<Entrant>& entrants, const Input& input, const Product& product,
                                           const ExactProduct& exact, bool& all_right)
{
    std::vector<std::optional<Errors>> errors;
    for (const auto& [name, contender, is_ours] : entrants) {
        std::string problem;
        try {
            const std::size_t elements = product.shape.m * product.shape.n;
            contender->reload(product);
            contender->spoil_c(elements);
            contender->multiply(product);
            errors.emplace_back(exact.errors_of(contender->read_c(0, elements), contender->accuracy()));
            problem = is_ours ? complaint(*errors.back(), input, product.shape.k, contender->accuracy()) : "";
        } catch (const std::exception& error) {
            errors.emplace_back(std::nullopt);
            problem = error.what();
        }
        if (!problem.empty())
            std::fprintf(stderr, "accuracy_bench: %s, %s, K = %zu: %s\n", name.c_str(), input.name.c_str(), product.shape.k,
                         problem.c_str());
        all_right = all_right && problem.empty();
    }
    return errors;
}

std::vector<Input> inputs_asked(const Asked& asked)
{
    std::vector<Input> inputs;
    std::copy_if(all_inputs().begin(), all_inputs().end(), std::back_inserter(inputs), [&](const Input& input) {
        return asked.inputs.empty() || std::find(asked.inputs.begin(), asked.inputs.end(), input.name) != asked.inputs.end();
    });
    return inputs;
}

int run(int argc, char** argv, const Asked& asked)
{
    using clgemm::program::is_interrupted;
    const cl::Device device = clgemm::default_device();
    const Setting setting = setting_of("accuracy_bench", argc, argv, device);
    Sizes sizes;
    for (const std::size_t k : asked.ks)
        sizes.make_room_for(Shape{asked.size, asked.size, k});
    const HostMatrices host(sizes);
    DeviceMatrices on_device(cl::CommandQueue(cl::Context(device), device), host);

    Json all = bench::to_json(setting);
    all["size"] = asked.size;
    all["contenders"] = Json::array();
    const std::vector<Entrant> entrants = find_contenders(asked, on_device, host, all["contenders"]);
    std::vector<std::string> names;
    std::transform(entrants.begin(), entrants.end(), std::back_inserter(names),
                   [](const auto& entrant) { return entrant.name; });
    AccuracyReport report(names);
    if (!asked.json) {
        print_head(setting, asked.size, all["contenders"]);
        report.begin();
    }

    clgemm::program::Progress progress;
    const auto inputs = inputs_asked(asked);
    const std::size_t count = inputs.size() * asked.ks.size();
    std::size_t done = 0;
    bool all_right = true;
    all["products"] = Json::array();
    for (const auto& input : inputs)
        for (const std::size_t k : asked.ks) {
            if (is_interrupted())
                break;
            progress.show(static_cast<double>(done) / static_cast<double>(count),
                          std::to_string(done + 1) + " of " + std::to_string(count) + ": " + input.name +
                              ", K = " + std::to_string(k));
            const Operands operands{asked.size, asked.size, k, host.a.get(), host.b.get()};
            const Product product{{operands.m, operands.n, operands.k}, {false, true}};
            input.fill(operands);
            on_device.reload(host, product);
            const ExactProduct exact(operands, input.kind == Input::Kind::special ? asked.size : asked.rows);
            const auto errors = measure(entrants, input, product, exact, all_right);
            progress.clear();
            done++;
            all["products"].push_back(to_json(input, k, entrants, errors));
            if (!asked.json)
                report.add(input, k, errors);
        }
    all["interrupted"] = is_interrupted();
    if (asked.json)
        std::printf("%s\n", all.dump(1).c_str());
    else
        report.summarize();
    if (is_interrupted()) {
        std::fprintf(stderr, "accuracy_bench: interrupted after %zu of %zu products\n", done, count);
        return clgemm::program::interrupted;
    }
    return all_right ? clgemm::program::success : clgemm::program::failure;
}

} // namespace

int main(int argc, char** argv)
{
    clgemm::program::Program program("accuracy_bench",
                                     "Measures clgemm's errors against double precision, next to cuBLAS's.");
    Asked asked;
    add_options(program, asked);
    return program.run(argc, argv, [&] {
        clgemm::program::catch_interrupts();
        return run(argc, argv, asked);
    });
}
