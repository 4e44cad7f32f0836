// clgemm-tune: finds the fastest kernels for a device and writes them to a file that the library picks up by itself.
//
//   clgemm-tune [--device NAME] [--budget SECONDS] [--only KERNEL[:PARAMETERS]] [--output FILE] [--dry-run]
//   clgemm-tune [--device NAME] --compare FILE [--size M N K]...
//   clgemm-tune [--device NAME] --calls FILE [--budget SECONDS] [--output FILE] [--dry-run]
//
// Every candidate's result is checked before it is timed, and what was found is compared with what the library chose before.
// Ctrl-C ends the work and keeps what was found; another one ends the program at once.
#include "tune/compare_file.hpp"
#include "tune/tune_calls.hpp"
#include "tune/tune_device.hpp"

#include "timing/build_ahead/builders.hpp"
#include "tools/program/interrupt.hpp"
#include "tools/program/machine.hpp"
#include "tools/program/program.hpp"

#include "families/registry.hpp"
#include "select/asked_kernel.hpp"

#include <cmath>
#include <cstdlib>

using namespace clgemm;

namespace {

// Parameters replace those of each of the kernel's sizes, as callers of the library have it.
void search_only(const std::string& text, tune::Asked& asked)
{
    const core::AskedKernel kernel = core::asked_kernel(text);
    if (!kernel.kernel)
        throw CLI::ValidationError("--only", "'" + text + "' must be " + kernel.wanted);
    asked.only = core::find_kernel(kernel.kernel->name);
    if (text.find(':') != std::string::npos)
        asked.first = kernel.kernel;
}

} // namespace

int main(int argc, char** argv)
{
    if (build_ahead::builds_for_another(argc, argv))
        return build_ahead::build_for_another();
    tune::Asked asked;
    // Not CLI::Range alone, in which NaN lies.
    const CLI::Validator seconds(
        [](std::string& text) {
            const std::string complaint = CLI::Range(1.0, 86400.0)(text);
            return complaint.empty() && std::isnan(std::strtod(text.c_str(), nullptr)) ? "no number: " + text : complaint;
        },
        "FLOAT in [1 - 86400]");
    program::Program program("clgemm-tune",
                             "Finds the fastest clgemm kernels for a device and writes them to a file that the "
                             "library picks up by itself.");
    program.add_device_option();
    const auto* const budget = program
                                   .add_option("--budget", asked.budget,
                                               "Seconds to search; with the trial all takes 2.5 times as long at most. With "
                                               "--calls, by default 5 for each call")
                                   ->capture_default_str()
                                   ->check(seconds);
    program.add_option("--output", asked.output, "File to write; default: the user's own")
        ->type_name("FILE")
        ->check(program::not_empty());
    program
        .add_option_function<std::string>(
            "--only", [&](const std::string& kernel) { search_only(kernel, asked); },
            "Search for this kernel alone, and keep what is known of the others. "
            "Parameters behind it (06:TSM=32,WPTM=4) are measured first")
        ->type_name("KERNEL[:PARAMETERS]")
        ->check(program::known_kernel_and_parameters());
    program.add_flag("--dry-run", asked.dry_run, "Print what would be written");
    auto* const compare = program.add_option(
        "--compare", asked.compared, "Tune nothing, but time calls by this tuning file and by what is chosen without it");
    compare->type_name("FILE")->excludes("--budget", "--output", "--only", "--dry-run")->check(program::not_empty());
    program.add_option("--size", asked.sizes, "A call to compare; may be given several times")
        ->type_size(3)
        ->expected(1, CLI::detail::expected_max_vector_size)
        ->type_name("M N K")
        ->check(program::whole_number(1))
        ->needs(compare);
    program
        .add_option("--calls", asked.calls,
                    "Tune the calls of this record alone, which CLGEMM_RECORD=FILE writes for a program")
        ->type_name("FILE")
        ->excludes("--compare", "--only")
        ->check(program::not_empty());
    return program.run(argc, argv, [&] {
        asked.budget_is_given = budget->count() > 0;
        program::catch_interrupts();
        program::pin_pocl();
        if (!asked.calls.empty())
            return tune::tune_calls(asked);
        return asked.compared.empty() ? tune::tune_device(asked) : tune::compare_file(asked);
    });
}
