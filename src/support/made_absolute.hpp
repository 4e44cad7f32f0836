// Names of files that mean the same wherever the process goes later.
#pragma once

#include <filesystem>
#include <system_error>

namespace clgemm::core {

// A relative path is one from where the process is now. It stays as it is where the process's own folder is gone.
inline std::filesystem::path made_absolute(const std::filesystem::path& path)
{
    std::error_code failed;
    const std::filesystem::path result = std::filesystem::absolute(path, failed);
    return path.empty() || failed ? path : result;
}

} // namespace clgemm::core
