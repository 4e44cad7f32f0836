#include "clblast_tuning.hpp"

#include "../contender.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <regex>
#include <sstream>

namespace bench {
namespace {

// A file, reduced to what counts.
struct Tuned {
    std::string kernel; // empty: none that SGEMM uses
    double speed = 0;   // elements of the problem per millisecond
    std::map<std::string, std::size_t> parameters;
};

// The tuners write one "name": "value" to a line; a JSON parser would be a dependency more.
std::string value_of(const std::string& text, const std::string& name)
{
    std::smatch match;
    return std::regex_search(text, match, std::regex('"' + name + "\": \"([^\"]*)\"")) ? match[1].str() : "";
}

double number(const std::string& text)
{
    return text.empty() ? 1.0 : std::stod(text);
}

// best_time is rounded to 0.01 ms, too coarse to compare; the results have a digit more.
double best_milliseconds(const std::string& text)
{
    const std::regex time("\"time\": ([0-9.]+)");
    double best = std::numeric_limits<double>::infinity();
    for (std::sregex_iterator match(text.begin(), text.end(), time), end; match != end; ++match)
        if (const double milliseconds = std::stod((*match)[1]); milliseconds > 0)
            best = std::min(best, milliseconds);
    return best;
}

// The tuners call one kernel by several names, after the search that was used: xgemm_1, xgemm_2, xgemm_11, xgemm_12.
std::string kernel_of(const std::string& family)
{
    static const std::map<std::string, std::string> kernels = {{"copy", "Copy"},
                                                               {"pad", "Pad"},
                                                               {"transpose", "Transpose"},
                                                               {"padtranspose", "Padtranspose"},
                                                               {"xgemm_direct", "XgemmDirect"},
                                                               {"xgemm", "Xgemm"},
                                                               {"gemm_routine", "GemmRoutine"}};
    const auto found = kernels.find(std::regex_replace(family, std::regex("_[0-9]+$"), ""));
    return found == kernels.end() ? "" : found->second;
}

Tuned read(const std::filesystem::path& path)
{
    std::stringstream contents;
    contents << std::ifstream(path).rdbuf();
    const std::string text = contents.str();

    Tuned tuned;
    if (value_of(text, "precision") != "32")
        return tuned;
    tuned.kernel = kernel_of(value_of(text, "kernel_family"));
    tuned.speed = number(value_of(text, "arg_m")) * number(value_of(text, "arg_n")) * number(value_of(text, "arg_k")) /
                  best_milliseconds(text);
    std::istringstream assignments(value_of(text, "best_parameters")); // "KWG=16 PRECISION=32 ..."
    for (std::string assignment; assignments >> assignment;) {
        const std::size_t equals = assignment.find('=');
        const std::string name = assignment.substr(0, equals);
        if (equals != std::string::npos && name != "PRECISION")
            tuned.parameters[name] = std::stoul(assignment.substr(equals + 1));
    }
    return tuned;
}

} // namespace

std::map<std::string, std::map<std::string, std::size_t>> read_clblast_tuning(const std::string& folder)
{
    std::map<std::string, Tuned> best;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
        if (entry.path().extension() != ".json")
            continue;
        Tuned tuned = read(entry.path());
        if (!tuned.kernel.empty() && !tuned.parameters.empty() && tuned.speed > best[tuned.kernel].speed)
            best[tuned.kernel] = std::move(tuned);
    }
    std::map<std::string, std::map<std::string, std::size_t>> parameters;
    for (const auto& [kernel, tuned] : best)
        if (!tuned.parameters.empty())
            parameters[kernel] = tuned.parameters;
    if (parameters.empty())
        throw Absent("'" + folder + "' holds no file of CLBlast's tuners on SGEMM's kernels");
    return parameters;
}

} // namespace bench
