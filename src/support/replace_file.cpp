#include "support/replace_file.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <random>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#if !defined(_WIN32)
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace clgemm::core {
namespace {

// What the new file's name has after the name of the file that it replaces: a dot and random digits.
constexpr std::string_view digits = "0123456789abcdef";
constexpr std::size_t digits_in_name = 8;

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& reason)
{
    throw std::runtime_error("cannot write " + path.string() + ": " + reason);
}

std::string reason_of(int error)
{
    return std::generic_category().message(error);
}

// Null, with errno set, where there is a file of this name.
std::FILE* open_new(const std::filesystem::path& path, Readers readers)
{
#if defined(_WIN32)
    static_cast<void>(readers); // there a file gets its folder's permissions
    return std::fopen(path.string().c_str(), "wbx");
#else
    const int descriptor =
        open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, readers == Readers::owner ? 0600 : 0666);
    std::FILE* const file = descriptor < 0 ? nullptr : fdopen(descriptor, "wb");
    if (descriptor >= 0 && !file)
        close(descriptor);
    return file;
#endif
}

// The new file, removed at the end if it was not put in place.
class Replacement {
public:
    Replacement(const std::filesystem::path& path, Readers readers) : path_(path)
    {
        std::random_device random;
        do {
            beside_ = path.string() + ".";
            for (auto rest = random(), i = 0U; i < digits_in_name; i++, rest >>= 4U)
                beside_ += digits[rest & 15U];
            file_ = open_new(beside_, readers);
        } while (!file_ && errno == EEXIST);
        if (!file_)
            fail(path_, reason_of(errno));
    }
    Replacement(const Replacement&) = delete;
    Replacement& operator=(const Replacement&) = delete;
    ~Replacement()
    {
        if (file_)
            std::fclose(file_);
        if (!in_place_)
            std::remove(beside_.c_str());
    }

    // Gives the new file the mode and the owner of the one that it replaces, as far as the process may: whoever could read
    // and write that file can still do so.
    void keep_mode_and_owner() const
    {
#if !defined(_WIN32)
        struct stat before = {};
        if (stat(path_.c_str(), &before) != 0)
            return;
        constexpr auto as_it_is = static_cast<uid_t>(-1);
        const int file = fileno(file_);
        const bool has_its_group =
            fchown(file, before.st_uid, before.st_gid) == 0 || fchown(file, as_it_is, before.st_gid) == 0;
        const mode_t everything = S_IRWXU | S_IRWXO | (has_its_group ? S_IRWXG : 0U); // nothing for another group
        fchmod(file, before.st_mode & everything);
#endif
    }

    void put_in_place(std::string_view contents)
    {
        const bool written = std::fwrite(contents.data(), 1, contents.size(), file_) == contents.size();
        const int error = errno;
        const bool closed = std::fclose(std::exchange(file_, nullptr)) == 0;
        if (!written || !closed)
            fail(path_, reason_of(written ? errno : error));
        std::error_code failed;
        std::filesystem::rename(beside_, path_, failed);
        if (failed)
            fail(path_, failed.message());
        in_place_ = true;
    }

private:
    const std::filesystem::path& path_;
    std::string beside_;
    std::FILE* file_ = nullptr;
    bool in_place_ = false;
};

// In /proc, Linux has links that lead to what a process has open. Their texts are names, but whoever writes to such a link
// means the open file (a program's output, say), not another file that takes its name.
bool is_in_proc(const std::filesystem::path& link)
{
    std::error_code failed;
    const std::filesystem::path folder = std::filesystem::canonical(std::filesystem::absolute(link).parent_path(), failed);
    return !failed && folder.string().starts_with("/proc/");
}

} // namespace

std::filesystem::path regular_file(const std::filesystem::path& path)
{
    constexpr int most_links = 40; // as Linux has it
    std::filesystem::path file = path;
    std::error_code failed;
    for (int links = 0; std::filesystem::is_symlink(std::filesystem::symlink_status(file, failed)); links++) {
        if (links == most_links)
            fail(path, reason_of(ELOOP));
        if (is_in_proc(file))
            fail(path, "it is no regular file");
        file = file.parent_path() / std::filesystem::read_symlink(file, failed);
    }
    const auto status = std::filesystem::status(file, failed);
    if (std::filesystem::is_directory(status))
        fail(path, "it is a folder");
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
        fail(path, "it is no regular file");
    return file;
}

void replace_file(const std::filesystem::path& path, std::string_view contents, Readers readers)
{
    Replacement replacement(path, readers);
    if (readers == Readers::everybody)
        replacement.keep_mode_and_owner();
    replacement.put_in_place(contents);
}

std::optional<std::string_view> replaced_by(std::string_view name)
{
    const std::size_t dot = name.rfind('.');
    if (dot == std::string_view::npos || name.size() != dot + 1 + digits_in_name ||
        name.find_first_not_of(digits, dot + 1) != std::string_view::npos)
        return std::nullopt;
    return name.substr(0, dot);
}

void check_replaceable(const std::filesystem::path& path)
{
    const Replacement begun(path, Readers::owner);
}

} // namespace clgemm::core
