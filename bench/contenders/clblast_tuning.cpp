#include "clblast_tuning.hpp"

#include "timing/contender.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace bench {
namespace {

// The fastest of a file's results.
struct Tuned {
    std::string kernel; // empty: none that SGEMM uses
    double speed = 0;   // elements of the problem per millisecond
    ClBlastParameters parameters;
};

// In the tuners' files a kernel's name has the number of the search behind it: xgemm_1, xgemm_2, xgemm_11, xgemm_12.
std::string kernel_of(const std::string& family)
{
    static const std::map<std::string, std::string> kernels = {{"copy", "Copy"},
                                                               {"pad", "Pad"},
                                                               {"transpose", "Transpose"},
                                                               {"padtranspose", "Padtranspose"},
                                                               {"xgemm", "Xgemm"},
                                                               {"xgemm_direct", "XgemmDirect"},
                                                               {"gemm_routine", "GemmRoutine"}};
    const auto found = kernels.find(family.substr(0, family.find_last_not_of("_0123456789") + 1));
    return found == kernels.end() ? "" : found->second;
}

// CLBlast 1.5.3 takes these where its tuners found them the fastest, and then computes only a part of C.
bool gives_wrong_results(const ClBlastParameters& parameters)
{
    const auto value = [&](const char* name) {
        const auto found = parameters.find(name);
        return found == parameters.end() ? 0 : found->second;
    };
    return value("GEMMK") == 1 && value("MWG") != value("NWG");
}

// The tuners write one thing to a line: "name": "value", or "parameters": {"KWG": 16,"PRECISION": 32}, each time after the
// result's "time". A JSON parser would be one more dependency.
Tuned read(const std::filesystem::path& path)
{
    Tuned tuned;
    double problem = 1, milliseconds = 0;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        std::replace_if(
            line.begin(), line.end(), [](char c) { return std::string("{}[]\",:").find(c) != std::string::npos; }, ' ');
        std::istringstream words(line);
        std::string name, value;
        words >> name;
        if (name == "parameters") {
            ClBlastParameters parameters;
            for (std::size_t number = 0; words >> name >> number;)
                if (name != "PRECISION")
                    parameters[name] = number;
            const double speed = milliseconds > 0 ? problem / milliseconds : 0;
            if (speed > tuned.speed && !gives_wrong_results(parameters)) {
                tuned.speed = speed;
                tuned.parameters = std::move(parameters);
            }
            continue;
        }
        words >> value;
        if (name == "kernel_family")
            tuned.kernel = kernel_of(value);
        else if (name == "precision" && value != "32")
            return {};
        else if (name == "arg_m" || name == "arg_n" || name == "arg_k")
            problem *= std::stod(value);
        else if (name == "time")
            milliseconds = std::stod(value);
    }
    return tuned;
}

} // namespace

std::map<std::string, ClBlastParameters> read_clblast_tuning(const std::string& folder)
{
    std::map<std::string, Tuned> best;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
        if (entry.path().extension() != ".json")
            continue;
        Tuned tuned = read(entry.path());
        if (!tuned.kernel.empty() && tuned.speed > best[tuned.kernel].speed)
            best[tuned.kernel] = std::move(tuned);
    }
    std::map<std::string, ClBlastParameters> parameters;
    for (const auto& [kernel, tuned] : best)
        if (tuned.speed > 0)
            parameters[kernel] = tuned.parameters;
    if (parameters.empty())
        throw timing::Absent("'" + folder + "' holds no file of CLBlast's tuners on SGEMM's kernels");
    return parameters;
}

} // namespace bench
