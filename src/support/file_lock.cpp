#include "support/file_lock.hpp"

#include <cerrno>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>

#if !defined(_WIN32)
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace clgemm::core {

#if defined(_WIN32)

FileLock::FileLock(const std::filesystem::path&, std::chrono::milliseconds) {}
FileLock::~FileLock() = default;

#else

namespace {

[[noreturn]] void fail(const std::filesystem::path& path, int error)
{
    throw std::runtime_error("cannot write " + path.string() + ": " + std::generic_category().message(error));
}

bool is_file_of_name(int descriptor, const std::filesystem::path& path)
{
    struct stat locked = {}, named = {};
    return fstat(descriptor, &locked) == 0 && stat(path.c_str(), &named) == 0 && locked.st_dev == named.st_dev &&
           locked.st_ino == named.st_ino;
}

} // namespace

FileLock::FileLock(const std::filesystem::path& path, std::chrono::milliseconds most)
{
    const auto end = std::chrono::steady_clock::now() + most;
    for (;;) {
        descriptor_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (descriptor_ < 0)
            fail(path, errno);
        const bool locked = flock(descriptor_, LOCK_EX | LOCK_NB) == 0;
        const int error = errno;
        if (locked && is_file_of_name(descriptor_, path))
            return;
        close(descriptor_);
        if (!locked && error != EWOULDBLOCK && error != EINTR)
            fail(path, error);
        if (std::chrono::steady_clock::now() >= end)
            throw std::runtime_error("cannot write " + path.string() + ": another process has locked it");
        if (!locked)
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
}

FileLock::~FileLock()
{
    flock(descriptor_, LOCK_UN); // a child that was forked meanwhile has the file open, too: closing it here is not enough
    close(descriptor_);
}

#endif

} // namespace clgemm::core
