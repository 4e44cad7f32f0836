// Compiled programs on disk, one file each, so that a second process need not compile; and, as short texts, what was found
// out about programs and devices. Everything about it is best effort: what cannot be read is made again, and what cannot be
// written is left out.
#pragma once

#include "execute/cache_folder.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace clgemm::core {

using ProgramBinary = std::vector<unsigned char>;

class DiskCache {
public:
    static constexpr std::uintmax_t usual_bytes = std::uintmax_t{256} << 20U; // about two thousand programs

    // Without a directory nothing is kept.
    explicit DiskCache(const std::optional<std::filesystem::path>& directory, std::uintmax_t most_bytes = usual_bytes);

    // The binary stored under exactly this key; nothing if there is none, or if it is damaged.
    std::optional<ProgramBinary> load(const std::string& key) const;
    void store(const std::string& key, const ProgramBinary& binary) const;

    // Whether anything is kept. If not, there is no need to ask a driver for its binaries, which may take it long.
    bool keeps() const { return folder_.has_value(); }

    // Where the entry of this key is or would be; empty without a directory.
    std::filesystem::path path(const std::string& key) const;

private:
    std::optional<CacheFolder> folder_;
};

// The process's cache, where the environment says. Where CLGEMM_CACHE_DIR names something that cannot be a directory, a
// warning says so and nothing is kept.
const DiskCache& disk_cache();

} // namespace clgemm::core
