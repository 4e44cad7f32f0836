// clgemm-selftest: is the library right on this device, and how fast is it there? Its findings go into one file, which can
// be sent in for devices that nobody has measured. Results and speeds are those of the public API, and so of the library
// that is installed. No public function says what else could have been chosen: for that the program contains a copy of the
// library.
#define CL_HPP_ENABLE_EXCEPTIONS
#include "timing/build_ahead/builders.hpp"
#include "tools/info/device.hpp"
#include "tools/program/interrupt.hpp"
#include "tools/program/machine.hpp"
#include "tools/program/program.hpp"
#include "tools/program/progress.hpp"
#include "tools/selftest/checks.hpp"
#include "tools/selftest/choices.hpp"
#include "tools/selftest/speed.hpp"

#include "support/replace_file.hpp"

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>

namespace {

using namespace clgemm::selftest;
using Json = nlohmann::ordered_json;

struct Asked {
    double seconds = 180;
    unsigned long seed = 1;
    std::string output; // empty: no file
};

// The parts of the test, one after the other, each with its share of the time.
class Clock {
public:
    explicit Clock(double seconds) : seconds_(seconds) {}

    double passed() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }
    double share() const { return std::min(1.0, passed() / seconds_); }
    // Is there time until this share of it has passed?
    std::function<bool()> until(double share) const
    {
        return [this, share] { return this->share() < share && !clgemm::program::is_interrupted(); };
    }

private:
    double seconds_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// Shares of all time. (Of the usual 180 seconds 40 are left for choices.)
constexpr double end_of_kernels = 0.28, end_of_random = 0.6, end_of_speed = 0.78;

Json as_json(const Findings& findings)
{
    Json result{{"products", findings.products},
                {"complete", findings.complete},
                {"wrong", findings.wrong},
                {"of_the_bound", findings.of_the_bound}};
    if (!findings.not_run.empty())
        result["not_run"] = findings.not_run;
    return result;
}

// Everything that is wrong, a line each.
void print_wrong(const Findings& findings)
{
    for (const std::string& line : findings.wrong)
        std::cout << "  WRONG: " << line << "\n";
}

// The file of that name; none where the name leads to something else, such as what the program prints (/dev/stdout).
std::optional<std::filesystem::path> file_to_replace(const std::string& name)
try {
    if (!std::filesystem::is_regular_file(name))
        return std::nullopt;
    return clgemm::core::regular_file(name);
} catch (const std::runtime_error&) {
    return std::nullopt;
}

class SelfTest {
public:
    SelfTest(const cl::Device& device, const Asked& asked)
        : device_(device), asked_(asked), clock_(asked.seconds), checks_(device)
    {
        const cl::Platform platform(device_.getInfo<CL_DEVICE_PLATFORM>());
        report_ = {{"clgemm", clgemm_version()},
                   {"device", clgemm::info::describe(platform, device_, true)},
                   {"clock_mhz", device_.getInfo<CL_DEVICE_MAX_CLOCK_FREQUENCY>()},
                   {"vendor", device_.getInfo<CL_DEVICE_VENDOR>()},
                   {"extensions", device_.getInfo<CL_DEVICE_EXTENSIONS>()}};
    }

    // Throws where nothing can be computed at all.
    void need_a_product() { checks_.need_a_product(); }

    void check_kernels()
    {
        const auto names = clgemm::kernel_names();
        Json all = Json::object();
        for (std::size_t i = 0; i < names.size(); i++) {
            progress_.show(clock_.share(), "kernel " + names[i]);
            // The time that one kernel leaves goes to the others.
            const double left = end_of_kernels - clock_.share();
            const double end = clock_.share() + left / static_cast<double>(names.size() - i);
            const Findings findings = checks_.of_kernel(names[i], clock_.until(end));
            if (findings.products > 0)
                kernels_.push_back(names[i]);
            all[names[i]] = as_json(findings);
            add(findings, "kernel " + names[i]);
        }
        report_["kernels"] = std::move(all);
    }

    void check_random_products()
    {
        std::mt19937 random(static_cast<std::mt19937::result_type>(asked_.seed));
        Findings findings;
        const auto goes_on = clock_.until(end_of_random);
        do { // one at least, however long the kernels took
            progress_.show(clock_.share(), std::to_string(findings.products) + " random products");
            checks_.random_product(random, kernels_, findings);
        } while (goes_on());
        report_["random"] = as_json(findings);
        report_["random"]["seed"] = asked_.seed;
        add(findings, "random products");
    }

    void measure_speed()
    {
        progress_.show(clock_.share(), "speed");
        report_["speed"] = speeds(device_, clock_.until(end_of_speed));
        progress_.clear();
        for (const Json& row : report_["speed"])
            std::printf("%6zu x %5zu x %5zu %-8s %9.1f GFLOP/s  %s\n", row["m"].get<std::size_t>(),
                        row["n"].get<std::size_t>(), row["k"].get<std::size_t>(), row["math"].get<std::string>().c_str(),
                        row["gflops"].get<double>(), row["kernel"].get<std::string>().c_str());
    }

    void judge_choices()
    {
        const auto there_is_time = clock_.until(1);
        const auto judged = judged_choices(device_, asked_.seed, [&](std::size_t calls) {
            progress_.show(clock_.share(), std::to_string(calls) + " choices judged");
            return there_is_time();
        });
        progress_.clear();
        report_["choices"] = timing::to_json(judged);
        report_["choices"]["seed"] = asked_.seed;
        if (judged.empty())
            return;
        std::printf("\n");
        timing::print(judged);
        std::printf("\n");
        for (const timing::JudgedCall& one : judged)
            for (const std::string& failure : one.verdict.failures) {
                wrong_++;
                const timing::Product& product = one.call.product;
                std::cout << "  WRONG: " << to_string(product) << " " << to_string(product.transposes) << ": " << failure
                          << "\n";
            }
    }

    // What was found before the device failed is worth knowing, too.
    void fails(const std::string& failure)
    {
        progress_.clear();
        std::printf("FAILED: %s\n", failure.c_str());
        report_["failure"] = failure;
    }

    // Prints the verdict, and returns the program's exit status.
    int end(std::ofstream& file)
    {
        progress_.clear();
        const bool interrupted = clgemm::program::is_interrupted();
        report_["seconds"] = clock_.passed();
        report_["interrupted"] = interrupted;
        report_["right"] = wrong_ == 0 && !report_.contains("failure");
        std::printf("%zu products, %zu wrong, in %.0f seconds%s\n", products_, wrong_, clock_.passed(),
                    interrupted ? "; interrupted" : "");
        const std::string text = clgemm::info::as_text(report_, 1) + "\n";
        if (const auto older = file_to_replace(asked_.output))
            clgemm::core::replace_file(*older, text, clgemm::core::Readers::everybody);
        else if (file.is_open() && !(file << text << std::flush))
            throw std::runtime_error("cannot write to " + asked_.output);
        const bool failed = wrong_ > 0 || report_.contains("failure");
        return interrupted ? clgemm::program::interrupted : failed ? clgemm::program::failure : clgemm::program::success;
    }

private:
    void add(const Findings& findings, const std::string& what)
    {
        progress_.clear();
        products_ += findings.products;
        wrong_ += findings.wrong.size();
        std::printf("%-36s ", what.c_str());
        if (findings.not_run.empty())
            std::printf("%6zu products, %zu wrong, at most %.2f of the error bound%s\n", findings.products,
                        findings.wrong.size(), findings.of_the_bound, findings.complete ? "" : "; cut short");
        else
            std::printf("not on this device\n");
        std::fflush(stdout);
        print_wrong(findings);
    }

    const cl::Device device_;
    const Asked asked_;
    const Clock clock_;
    Checks checks_;
    clgemm::program::Progress progress_;
    std::vector<std::string> kernels_; // that run here
    std::size_t products_ = 0, wrong_ = 0;
    Json report_;
};

int run(const Asked& asked)
{
    clgemm::program::catch_interrupts();
    clgemm::program::pin_pocl();
    const cl::Device device = clgemm::default_device(); // first: where there is none, no empty file is left
    // Opened now, since whoever cannot write it should know that before three minutes have passed. An older report stays
    // until the new one is written.
    std::ofstream file;
    if (!asked.output.empty()) {
        file.open(asked.output, std::ios::app);
        if (!file)
            throw std::runtime_error("cannot write to " + asked.output);
    }
    std::cout << device.getInfo<CL_DEVICE_NAME>() << ", clgemm " << clgemm_version() << std::endl;
    SelfTest test(device, asked);
    test.need_a_product();
    try {
        test.check_kernels();
        test.check_random_products();
        test.measure_speed();
        test.judge_choices();
    } catch (const std::exception& error) {
        test.fails(error.what());
    }
    return test.end(file);
}

} // namespace

int main(int argc, char** argv)
{
    if (clgemm::build_ahead::builds_for_another(argc, argv))
        return clgemm::build_ahead::build_for_another();
    Asked asked;
    clgemm::program::Program program("clgemm-selftest",
                                     "Checks clgemm on this machine's device, times it, and judges its choices.");
    program.add_option("--seconds", asked.seconds, "How long it may take; default: 180")
        ->check(clgemm::program::positive_number());
    program.add_option("--seed", asked.seed, "Which random products and calls; default: 1")
        ->check(clgemm::program::whole_number());
    program.add_option("--output", asked.output, "A file for all that was found, as JSON")
        ->type_name("FILE")
        ->check(clgemm::program::not_empty());
    program.add_device_option();
    return program.run(argc, argv, [&] { return run(asked); });
}
