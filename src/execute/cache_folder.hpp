// A folder of compiled programs. They are executed, so nobody but the user and root may have been able to write them; and
// they never take more than a bound. An entry's name is 16 hexadecimal digits in small letters. Other files in the folder do
// not count, and are left alone.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace clgemm::core {

class CacheFolder {
public:
    CacheFolder(const std::filesystem::path& path, std::uintmax_t most_bytes);

    // Makes the folder, for the user alone, if it is not there, as the first write() does. Gives the reason if it cannot be.
    std::error_code make() const;

    // An entry's contents. Nothing if there is none, if it is no regular file, if it is larger than all may be together, or
    // if others could have written it or another file in its place.
    std::optional<std::string> read(const std::string& name) const;
    // Readers see either the whole file or none, also while several processes write it. What cannot be written is left out.
    void write(const std::string& name, std::string_view contents) const;

    // Where the file of this name is or would be.
    std::filesystem::path file(const std::string& name) const;

private:
    // Removes what was left by writers that were killed; and the entries that were not used for the longest time, until the
    // rest is small enough.
    void tidy() const;

    std::filesystem::path path_;
    std::uintmax_t most_bytes_;
};

} // namespace clgemm::core
