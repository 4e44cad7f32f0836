// A path as a word for the shell.
#pragma once

#include <filesystem>
#include <string>

namespace clgemm::test {

inline std::string shell_word(const std::filesystem::path& path)
{
    return std::string("'").append(path.string()).append("'");
}

} // namespace clgemm::test
