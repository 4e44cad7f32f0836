// A command-line program of clgemm's: the options that all of them have, how they fail, and what their exit status means.
#pragma once

#include <CLI/CLI.hpp>

#include <cstddef>
#include <functional>
#include <string>

namespace clgemm::program {

enum ExitStatus {
    success = 0,
    failure = 1,       // something was wrong, or could not be done; standard error says what
    wrong_usage = 2,   // an option, its value or a variable of the environment means nothing
    no_device = 3,     // there is no OpenCL device, or none of the name that was asked for
    interrupted = 130, // Ctrl-C, after what was measured until then was printed
};

// The command line as CLI11 reads it, with --help and --version. Whatever is no option is refused.
class Program : public CLI::App {
public:
    Program(const std::string& name, const std::string& description);

    void add_device_option();

    // Reads the command line and runs `body`, which returns an exit status. Exceptions become a line on standard error and
    // an exit status, and so does standard output that cannot be written.
    int run(int argc, char** argv, const std::function<int()>& body);

private:
    int guarded(const std::function<int()>& body);
    int fail(ExitStatus status, const std::string& why);
    // The library's messages name its variables; whoever gave an option should read of that option.
    std::string in_terms_of_options(std::string message) const;

    std::string device_;
};

// The kernel of this name or number; empty if there is none.
std::string kernel_named(const std::string& text);
// Refuses what is no kernel's name or number.
CLI::Validator known_kernel();
// The same where parameters may stand behind it: "06:TSM=32,WPTM=4". The library says whether they fit together.
CLI::Validator known_kernel_and_parameters();

// Refuses what is not written as a whole number from `least` on. (CLI11 takes "-1" for the largest number, "010" for 8, and
// nothing for 0.)
CLI::Validator whole_number(std::size_t least = 0);
// Refuses what is no positive number. (CLI::PositiveNumber takes NaN for one.)
CLI::Validator positive_number();
// Refuses an empty text, as an unset variable of a script leaves it: it would count as if the option were not there.
CLI::Validator not_empty();

// What all programs say alike about --kernel.
inline constexpr const char* kernel_option_says =
    "clgemm's kernel, by name or number, maybe with parameters: 06:TSM=32,WPTM=4; default: the library chooses";

} // namespace clgemm::program
