#define CL_HPP_ENABLE_EXCEPTIONS
#include "tools/program/program.hpp"

#include "tools/program/machine.hpp"

#include <clgemm/clgemm.hpp>

#include <charconv>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <limits>
#include <new>
#include <system_error>

namespace clgemm::program {
namespace {

std::string replaced(std::string text, const std::string& part, const std::string& by)
{
    const auto at = text.find(part);
    return at == std::string::npos ? text : text.replace(at, part.size(), by);
}

ExitStatus status_of(const Error& error)
{
    switch (error.status()) {
    case CLGEMM_NO_DEVICE: return no_device;
    case CLGEMM_INVALID_ENVIRONMENT:
    case CLGEMM_UNKNOWN_KERNEL: return wrong_usage; // which only the command line names
    default: return failure;
    }
}

// Empty where it is a kernel's name or number.
std::string complaint_about(const std::string& kernel)
{
    std::string all;
    for (const auto& name : kernel_names())
        all += (all.empty() ? "" : ", ") + name;
    return kernel_named(kernel).empty() ? "'" + kernel + "' is no kernel; there are: " + all : "";
}

} // namespace

Program::Program(const std::string& name, const std::string& description) : CLI::App(description, name)
{
    set_version_flag("--version", name + " " + clgemm_version());
    failure_message([name](const CLI::App*, const CLI::Error& error) {
        return name + ": " + error.what() + "\nRun " + name + " --help for what there is.\n";
    });
    footer("Exit status: 0 success; 1 failure; 2 an option, a value or a CLGEMM_ variable that means nothing;\n"
           "3 no OpenCL device; 130 interrupted, after printing what was measured until then.");
}

void Program::add_device_option()
{
    add_option("--device", device_, "The device whose platform/device name contains this, as CLGEMM_DEVICE does")
        ->type_name("SUBSTRING");
}

int Program::run(int argc, char** argv, const std::function<int()>& body)
{
    int status = success;
    try {
        parse(argc, argv);
        // The library reads it at its first call, so one rule serves the option and the variable.
        if (!device_.empty())
            set_environment("CLGEMM_DEVICE", device_.c_str());
        status = guarded(body);
    } catch (const CLI::ParseError& error) { // --help and --version, too
        status = exit(error) == 0 ? success : wrong_usage;
    }
    if (status == success && (!std::cout.flush() || std::fflush(stdout) != 0 || std::ferror(stdout) != 0))
        return fail(failure, "cannot write to standard output"); // it is full, say
    return status;
}

int Program::guarded(const std::function<int()>& body)
{
    try {
        return body();
    } catch (const Error& error) {
        return fail(status_of(error), in_terms_of_options(error.what()));
    } catch (const cl::Error& error) {
        return fail(failure, std::string("OpenCL: ") + error.what() + " returned " + clgemm_status_string(error.err()));
    } catch (const std::bad_alloc&) {
        return fail(failure, "this machine has not enough memory for it");
    } catch (const std::exception& error) {
        return fail(failure, error.what());
    }
}

int Program::fail(ExitStatus status, const std::string& why)
{
    std::fprintf(stderr, "%s: %s\n", get_name().c_str(), why.c_str());
    return status;
}

std::string Program::in_terms_of_options(std::string message) const
{
    return device_.empty() ? message : replaced(std::move(message), "CLGEMM_DEVICE", "--device");
}

std::string kernel_named(const std::string& text)
{
    // The first twenty names are in the order of the numbers that their kernels have or had; later kernels never had any. A
    // former name is such a number, "_" and the present name.
    constexpr std::size_t numbered = 20;
    const auto names = kernel_names();
    for (std::size_t i = 0; i < names.size(); i++) {
        const std::string number = std::to_string(i + 1);
        const bool is_number = text == number || text == "0" + number || text == number + "_" + names[i];
        if (text == names[i] || (i < numbered && is_number))
            return names[i];
    }
    return "";
}

CLI::Validator known_kernel()
{
    return {complaint_about, ""};
}

CLI::Validator known_kernel_and_parameters()
{
    return {[](const std::string& text) { return complaint_about(text.substr(0, text.find(':'))); }, ""};
}

CLI::Validator whole_number(std::size_t least)
{
    return {[least](const std::string& text) {
                std::size_t number = 0;
                const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
                const bool is_one = error == std::errc() && std::to_string(number) == text && number >= least;
                return is_one ? ""
                              : "'" + text + "' is no whole number from " + std::to_string(least) + " to " +
                                    std::to_string(std::numeric_limits<std::size_t>::max());
            },
            ""};
}

CLI::Validator positive_number()
{
    return {[](const std::string& text) {
                double number = 0;
                const bool is_one = CLI::detail::lexical_cast(text, number) && number > 0 && std::isfinite(number);
                return is_one ? "" : "'" + text + "' is no positive number";
            },
            "POSITIVE"};
}

CLI::Validator not_empty()
{
    return {[](const std::string& text) { return text.empty() ? "is empty" : ""; }, ""};
}

} // namespace clgemm::program
