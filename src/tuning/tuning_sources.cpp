#include "tuning/tuning_sources.hpp"

#include "device/quirks.hpp"
#include "support/environment.hpp"
#include "support/log.hpp"
#include "support/plain_text.hpp"
#include "support/warning.hpp"
#include "tuning/derived_tuning.hpp"
#include "tuning/tuning_file.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

namespace clgemm::core {
namespace {

// None where it cannot be read. (A FIFO might hold the call for ever, and a device might give bytes without end.)
std::optional<std::string> read_file(const std::filesystem::path& path)
{
    std::error_code ignored;
    std::ifstream file;
    if (std::filesystem::is_regular_file(path, ignored))
        file.open(path);
    if (!file.is_open())
        return std::nullopt;
    std::string text(largest_tuning_file + 1, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(file.gcount()));
    return text;
}

Tuning parsed(const std::filesystem::path& path, const std::string& text, const DeviceProfile& device)
{
    if (text.size() > largest_tuning_file)
        throw TuningFileError("it has more than " + std::to_string(largest_tuning_file) + " bytes");
    Tuning result = parse_tuning(text, device, path.string());
    if (result.measurements.empty() && result.calls.empty())
        throw TuningFileError("all of it is left out, " + left_out_in_short(result));
    return result.measurements.empty() ? result : completed_by_guesses(std::move(result), device);
}

std::optional<Tuning> usable(const std::filesystem::path& path, const std::string& text, const DeviceProfile& device)
{
    try {
        return parsed(path, text, device);
    } catch (const TuningFileError& error) {
        warn_once("tuning file " + path.string() + " is not used: " + error.what());
        return std::nullopt;
    }
}

// What the user's files have. That may be single calls alone; then the next source has the rest.
std::optional<Tuning> users_tuning(const DeviceProfile& device)
{
    std::optional<Tuning> result;
    if (const auto& named = environment().tuning_file; !named.empty()) {
        const auto text = read_file(named);
        if (!text)
            warn_once(EnvironmentError("CLGEMM_TUNING", named, "a regular file that can be read").what() +
                      std::string("; tuning is taken from elsewhere"));
        else
            result = usable(named, *text, device);
    }
    if (result && !result->measurements.empty())
        return result;
    if (const auto path = user_tuning_file(device))
        if (const auto text = read_file(*path))
            if (auto own = usable(*path, *text, device))
                return result ? completed_by(std::move(*result), *own) : own;
    return result;
}

// In the log alone, since users can do nothing about it.
void tell_of_spoilt(std::string_view name, const TuningFileError& error)
{
    log_line([&] { return "the library's own tuning data " + std::string(name) + " is not used: " + error.what(); });
}

struct Relative {
    std::string_view name;
    TuningFile file;
};

// The relatives that the texts are about, the nearest first; equally near ones stay in the order of the texts.
std::vector<Relative> relatives_among(std::span<const EmbeddedText> texts, const DeviceProfile& device)
{
    std::vector<Relative> result;
    for (const EmbeddedText& each : texts)
        try {
            TuningFile file(each.text());
            if (kinship(file.device(), device) != Kinship::none)
                result.push_back({each.name, std::move(file)});
        } catch (const TuningFileError& error) {
            tell_of_spoilt(each.name, error);
        }
    // Whether a CPU has tiles matters more than its model, which virtual machines make up, and than its number of cores. So
    // data with tiles comes first, behind the device's own alone.
    const bool has_tiles = device.instructions.has(Instructions::intel_amx);
    const auto nearness = [&](const Relative& relative) {
        const Kinship kin = kinship(relative.file.device(), device);
        return std::tuple(kin == Kinship::itself, has_tiles && relative.file.uses(Instructions::intel_amx), kin,
                          -distance(relative.file.device(), device));
    };
    std::stable_sort(result.begin(), result.end(),
                     [&](const Relative& one, const Relative& other) { return nearness(one) > nearness(other); });
    return result;
}

} // namespace

std::optional<std::filesystem::path> user_tuning_file(const DeviceProfile& device)
{
    if (!environment().config_directory)
        return std::nullopt;
    std::string name;
    const std::string known_as = lasting_name(device.platform_name, device.name);
    for (const char c : device.platform_name + " " + known_as + " " + std::to_string(device.compute_units))
        name += is_alphanumeric(c) ? c : '_';
    return std::filesystem::path(*environment().config_directory) / "tuning" / (name + ".json");
}

Tuning tuning_in(const std::filesystem::path& path, const DeviceProfile& device)
{
    const auto text = read_file(path);
    if (!text)
        throw TuningFileError("it is no regular file that can be read");
    Tuning result = parsed(path, *text, device);
    return result.measurements.empty() ? completed_by(std::move(result), tuning_among(tuning_texts(), device)) : result;
}

Tuning tuning_among(std::span<const EmbeddedText> texts, const DeviceProfile& device, const MeasureMemory& measure_memory)
{
    std::vector<std::string> left_out;
    for (const Relative& relative : relatives_among(texts, device))
        try {
            const MeasuredDevice& measured = relative.file.device();
            Tuning tuning = relative.file.tuning_for(device, "measured on this kind of device");
            if (tuning.measurements.empty()) {
                if (left_out.empty())
                    left_out = std::move(tuning.left_out);
                continue;
            }
            if (kinship(measured, device) != Kinship::itself)
                tuning = borrowed(std::move(tuning), measured, device, measure_memory ? measure_memory() : std::nullopt);
            return completed_by_guesses(std::move(tuning), device);
        } catch (const TuningFileError& error) {
            tell_of_spoilt(relative.name, error);
        }
    Tuning result = derived_tuning(device);
    result.left_out = std::move(left_out);
    return result;
}

Tuning tuning_for(const DeviceProfile& device, const MeasureMemory& measure_memory)
{
    std::optional<Tuning> users = users_tuning(device);
    const bool is_whole = users && !users->measurements.empty();
    Tuning result = is_whole ? std::move(*users) : tuning_among(tuning_texts(), device, measure_memory);
    if (users && !is_whole)
        result = completed_by(std::move(*users), std::move(result));
    if (!result.left_out.empty())
        log_line([&] {
            return "the tuning of " + device.name + " (" + result.origin + ") leaves out " + left_out_in_short(result);
        });
    return result;
}

} // namespace clgemm::core
