// Keeps other processes that use the library away from a file while one of them reads, changes and replaces it.
#pragma once

#include <chrono>
#include <filesystem>

namespace clgemm::core {

// Locks the file of this name, which may be replaced (support/replace_file.hpp) while it is locked. The lock is on the file
// itself, so no other file is left behind; whoever gets it after the file was replaced locks the new one instead. Processes
// that do not ask for the lock are not kept from anything. On Windows there is no such lock, and nothing is done.
class FileLock {
public:
    // Makes an empty file where there is none. Throws std::runtime_error, with the reason, where the file cannot be opened
    // for writing, or another process holds the lock for longer than `most`.
    FileLock(const std::filesystem::path& path, std::chrono::milliseconds most);
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;
    ~FileLock();

private:
    int descriptor_ = -1;
};

} // namespace clgemm::core
