#include "execute/cache_folder.hpp"

#include "support/replace_file.hpp"
#include "support/warning.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <system_error>
#include <vector>

#if !defined(_WIN32)
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace clgemm::core {
namespace {

// An entry's file is named after the entry, with this behind. A file that is being written has something more behind that.
constexpr std::string_view suffix = ".program";

bool is_file_of_an_entry(std::string_view name)
{
    constexpr std::size_t digits = 16;
    return name.size() == digits + suffix.size() && name.ends_with(suffix) &&
           name.find_first_not_of("0123456789abcdef") == digits;
}

// Nothing else of the name is changed: where a part of it is a link, "x/.." need not be the folder that x stands in.
std::filesystem::path without_slash(const std::filesystem::path& folder)
{
    return folder.has_filename() ? folder : folder.parent_path();
}

} // namespace

CacheFolder::CacheFolder(const std::filesystem::path& path, std::uintmax_t most_bytes)
    : path_(without_slash(path)), most_bytes_(most_bytes)
{
}

std::filesystem::path CacheFolder::file(const std::string& name) const
{
    return path_ / std::string(name).append(suffix);
}

#if defined(_WIN32)

std::error_code CacheFolder::make() const
{
    std::error_code failed;
    std::filesystem::create_directories(path_, failed);
    return failed;
}

// Files have no owner and mode there that say who else can write them: nothing is kept.
std::optional<std::string> CacheFolder::read(const std::string&) const
{
    return std::nullopt;
}

void CacheFolder::write(const std::string&, std::string_view) const {}

#else

namespace {

// An open file, closed at the end.
class Descriptor {
public:
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor()
    {
        if (number_ >= 0)
            close(number_);
    }
    int number() const { return number_; }

private:
    int number_;
};

bool only_user_and_root_can_write(const struct stat& about)
{
    return (about.st_uid == geteuid() || about.st_uid == 0) && (about.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

// The folder is asked about while it is open. So the answer holds for the files that are then opened in it, whatever is
// renamed meanwhile.
bool is_trusted(const Descriptor& folder, const std::filesystem::path& path)
{
    struct stat about = {};
    if (fstat(folder.number(), &about) != 0)
        return false; // it could not be opened: there is none
    if (only_user_and_root_can_write(about))
        return true;
    warn_once("compiled kernels are not kept in " + path.string() + ", which other users can write to");
    return false;
}

Descriptor opened_folder(const std::filesystem::path& path)
{
    return Descriptor(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

} // namespace

std::error_code CacheFolder::make() const
{
    std::error_code failed;
    std::filesystem::create_directories(path_.parent_path(), failed);
    if (failed || mkdir(path_.c_str(), S_IRWXU) == 0)
        return failed;
    const std::error_code reason(errno, std::generic_category());
    if (reason != std::errc::file_exists)
        return reason;
    return std::filesystem::is_directory(path_, failed) ? std::error_code()
                                                        : std::make_error_code(std::errc::not_a_directory);
}

std::optional<std::string> CacheFolder::read(const std::string& name) const
{
    const Descriptor folder = opened_folder(path_);
    if (!is_trusted(folder, path_))
        return std::nullopt;
    // Not blocking, or a FIFO would hold the call until somebody writes to it.
    const Descriptor entry(
        openat(folder.number(), file(name).filename().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat about = {};
    if (fstat(entry.number(), &about) != 0 || !S_ISREG(about.st_mode) || !only_user_and_root_can_write(about) ||
        static_cast<std::uintmax_t>(about.st_size) > most_bytes_)
        return std::nullopt;

    std::string contents(static_cast<std::size_t>(about.st_size), '\0');
    for (std::size_t done = 0; done < contents.size();) {
        const ssize_t count = ::read(entry.number(), &contents[done], contents.size() - done);
        if (count <= 0)
            return std::nullopt;
        done += static_cast<std::size_t>(count);
    }
    futimens(entry.number(), nullptr); // its time is that of its last use
    return contents;
}

void CacheFolder::write(const std::string& name, std::string_view contents) const
{
    if (contents.size() > most_bytes_ || make() || !is_trusted(opened_folder(path_), path_))
        return;
    try {
        replace_file(file(name), contents, Readers::owner);
    } catch (const std::runtime_error&) {
        return; // a full disk, or one that is only read
    }
    tidy();
}

#endif

void CacheFolder::tidy() const
{
    constexpr auto longest_writing = std::chrono::hours(1);
    struct Entry {
        std::filesystem::path path;
        std::uintmax_t bytes;
        std::filesystem::file_time_type used;
    };
    std::vector<Entry> entries;
    std::uintmax_t bytes = 0;
    std::error_code failed;
    // Other processes may remove what is looked at: each failure is this one file's.
    std::error_code ignored;
    for (std::filesystem::directory_iterator item(path_, failed), end; !failed && item != end; item.increment(failed)) {
        const std::string name = item->path().filename().string();
        const bool is_entry = is_file_of_an_entry(name);
        const bool is_on_its_way = !is_entry && is_file_of_an_entry(replaced_by(name).value_or(""));
        if ((!is_entry && !is_on_its_way) || !std::filesystem::is_regular_file(item->symlink_status(ignored)))
            continue;
        const auto size = item->file_size(ignored);
        if (ignored)
            continue;
        const auto used = item->last_write_time(ignored);
        if (ignored)
            continue;
        if (is_entry) {
            entries.push_back({item->path(), size, used});
            bytes += size;
        } else if (std::filesystem::file_time_type::clock::now() - used > longest_writing) {
            std::filesystem::remove(item->path(), ignored);
        }
    }
    std::sort(entries.begin(), entries.end(), [](const Entry& x, const Entry& y) { return x.used < y.used; });
    for (auto oldest = entries.begin(); bytes > most_bytes_; ++oldest) {
        std::filesystem::remove(oldest->path, ignored);
        bytes -= oldest->bytes;
    }
}

} // namespace clgemm::core
