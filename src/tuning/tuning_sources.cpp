#include "tuning/tuning_sources.hpp"

#include "support/embedded.hpp"
#include "support/environment.hpp"
#include "support/warning.hpp"
#include "tuning/derived_tuning.hpp"
#include "tuning/tuning_file.hpp"

#include <cctype>
#include <fstream>
#include <sstream>

namespace clgemm::core {
namespace {

std::optional<std::string> read_file(const std::filesystem::path& path)
{
    std::error_code ignored;
    std::ifstream file(path);
    if (!file || std::filesystem::is_directory(path, ignored))
        return std::nullopt;
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

std::optional<Tuning> usable(const std::filesystem::path& path, const std::string& text, const DeviceProfile& device)
{
    try {
        return parse_tuning(text, device, path.string());
    } catch (const TuningFileError& error) {
        warn_once("tuning file " + path.string() + " is not used: " + error.what());
        return std::nullopt;
    }
}

} // namespace

std::optional<std::filesystem::path> user_tuning_file(const DeviceProfile& device)
{
    if (!environment().config_directory)
        return std::nullopt;
    std::string name;
    for (const char c : device.platform_name + " " + device.name + " " + std::to_string(device.compute_units))
        name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    return std::filesystem::path(*environment().config_directory) / "tuning" / (name + ".json");
}

Tuning tuning_for(const DeviceProfile& device)
{
    if (const auto& named = environment().tuning_file; !named.empty()) {
        const auto text = read_file(named);
        if (!text)
            warn_once(EnvironmentError("CLGEMM_TUNING", named, "a file that can be read").what() +
                      std::string("; tuning is taken from elsewhere"));
        else if (auto tuning = usable(named, *text, device))
            return std::move(*tuning);
    }
    if (const auto path = user_tuning_file(device))
        if (const auto text = read_file(*path))
            if (auto tuning = usable(*path, *text, device))
                return std::move(*tuning);
    for (const auto& embedded : tuning_texts())
        if (is_about(embedded.text, device))
            return parse_tuning(embedded.text, device, "measured on this kind of device");
    return derived_tuning(device);
}

} // namespace clgemm::core
