#include "tune/output.hpp"

#include "support/environment.hpp"
#include "support/replace_file.hpp"
#include "tuning/tuning_file.hpp"
#include "tuning/tuning_sources.hpp"

#include <chrono>
#include <iostream>
#include <stdexcept>
#include <string>
#include <system_error>

namespace clgemm::tune {
namespace {

// The file to replace, with links followed. The folder of the user's own file is made. That of a file that was named is not:
// the name may be a mistake.
std::filesystem::path writable_file(const std::filesystem::path& path, bool is_named)
{
    const std::filesystem::path folder = path.parent_path();
    std::error_code failed;
    if (is_named && !folder.empty() && !std::filesystem::is_directory(folder, failed))
        throw std::runtime_error("cannot write " + path.string() + ": there is no folder " + folder.string());
    if (!is_named)
        std::filesystem::create_directories(folder, failed);
    if (failed)
        throw std::runtime_error("cannot make the folder " + folder.string() + ": " + failed.message());
    std::filesystem::path file = core::regular_file(path);
    core::check_replaceable(file);
    return file;
}

std::filesystem::path file_for(const Asked& asked, const core::DeviceProfile& device)
{
    const auto own = core::user_tuning_file(device);
    if (asked.output.empty() && !own && !asked.dry_run)
        throw std::runtime_error("there is no home directory to write to: give --output");
    const std::filesystem::path named = asked.output.empty() && own ? *own : std::filesystem::path(asked.output);
    return asked.dry_run ? named : writable_file(named, !asked.output.empty());
}

} // namespace

Output::Output(const Asked& asked, const core::DeviceProfile& device)
    : device_(device), to_standard_output_(asked.dry_run), file_(file_for(asked, device))
{
}

std::unique_ptr<const core::FileLock> Output::lock() const
{
    constexpr std::chrono::seconds longest_wait{10}; // for other tuners, which hold the lock for milliseconds
    std::error_code failed;
    if (to_standard_output_ || !std::filesystem::exists(file_, failed))
        return nullptr;
    return std::make_unique<const core::FileLock>(file_, longest_wait);
}

void Output::write(const core::Tuning& tuning) const
{
    if (tuning.measurements.empty() && tuning.calls.empty())
        throw std::runtime_error("nothing that runs was found");
    const std::string text = core::to_text(tuning, device_);
    if (text.size() > core::largest_tuning_file)
        throw std::runtime_error("the file would have " + std::to_string(text.size()) + " bytes, with " +
                                 std::to_string(tuning.calls.size()) + " single calls, and the library reads no more than " +
                                 std::to_string(core::largest_tuning_file) + ": nothing is written");
    if (to_standard_output_) {
        if (!(std::cout << text << std::flush))
            throw std::runtime_error("cannot write to standard output");
        return;
    }
    core::replace_file(file_, text, core::Readers::everybody);
    const std::string calls = tuning.calls.empty() ? "" : ", " + std::to_string(tuning.calls.size()) + " single calls";
    std::printf("wrote %s: %zu kernels%s\n", file_.string().c_str(), tuning.measurements.size(), calls.c_str());
    std::error_code failed; // where the other one is not there
    if (const std::string& named = core::environment().tuning_file;
        !named.empty() && !std::filesystem::equivalent(named, file_, failed))
        std::printf("CLGEMM_TUNING names another file, which the library reads in its place: %s\n", named.c_str());
}

void Output::write_or_remove(const core::Tuning& tuning) const
{
    if (!tuning.measurements.empty() || !tuning.calls.empty()) {
        write(tuning);
        return;
    }
    if (!to_standard_output_) {
        std::error_code failed;
        std::filesystem::remove(file_, failed);
        if (failed)
            throw std::runtime_error("cannot remove " + file_.string() +
                                     ", whose entries are no longer worth it: " + failed.message());
    }
    std::fprintf(report(), "none of its entries is worth it any longer: %s %s\n",
                 to_standard_output_ ? "would remove" : "removed", file_.string().c_str());
}

} // namespace clgemm::tune
