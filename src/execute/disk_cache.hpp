// Compiled programs on disk, one file each, so that a second process need not compile. Everything about it is best effort:
// what cannot be read is compiled again, what cannot be written is left out.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace clgemm::core {

using ProgramBinary = std::vector<unsigned char>;

class DiskCache {
public:
    // `directory` is made when first written to; none: nothing is kept.
    explicit DiskCache(std::optional<std::filesystem::path> directory) : directory_(std::move(directory)) {}

    // The binary stored under exactly this key; nothing if there is none, or if it is damaged.
    std::optional<ProgramBinary> load(const std::string& key) const;
    // Readers see either the whole entry or none, also while several processes store at once.
    void store(const std::string& key, const ProgramBinary& binary) const;

    // Whether anything is kept. If not, there is no need to ask a driver for its binaries, which may take it long.
    bool keeps() const { return directory_.has_value(); }

    // Where the entry of this key is or would be; empty without a directory.
    std::filesystem::path path(const std::string& key) const;

private:
    std::optional<std::filesystem::path> directory_;
};

// The process's cache, where the environment says. Throws CLGEMM_INVALID_ENVIRONMENT if CLGEMM_CACHE_DIR names something
// that cannot be a directory.
const DiskCache& disk_cache();

} // namespace clgemm::core
