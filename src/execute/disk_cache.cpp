#include "execute/disk_cache.hpp"

#include "support/environment.hpp"
#include "support/warning.hpp"

#include <cstdint>
#include <string_view>

namespace clgemm::core {
namespace {

// FNV-1a. Names files and finds damage; it guards against accidents, while the folder guards against other users.
std::uint64_t hash(std::string_view data)
{
    std::uint64_t result = 0xcbf29ce484222325U;
    for (const char c : data)
        result = (result ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    return result;
}

std::string name_of(const std::string& key)
{
    constexpr char digits[] = "0123456789abcdef";
    std::string name;
    for (std::uint64_t rest = hash(key), i = 0; i < 16; i++, rest >>= 4U)
        name += digits[rest & 15U];
    return name;
}

std::string bytes_of(std::uint64_t value)
{
    return {reinterpret_cast<const char*>(&value), sizeof value};
}

// What an entry begins with; the binary's checksum and the binary follow, to the end of the file. The key is stored whole,
// so that two keys of one file name cannot be taken for each other.
std::string head_of(const std::string& key)
{
    return "clgemm02" + bytes_of(key.size()) + key;
}

} // namespace

DiskCache::DiskCache(const std::optional<std::filesystem::path>& directory, std::uintmax_t most_bytes)
{
    if (directory)
        folder_.emplace(*directory, most_bytes);
}

std::filesystem::path DiskCache::path(const std::string& key) const
{
    return folder_ ? folder_->file(name_of(key)) : std::filesystem::path();
}

std::optional<ProgramBinary> DiskCache::load(const std::string& key) const
{
    const auto entry = folder_ ? folder_->read(name_of(key)) : std::nullopt;
    const std::string head = head_of(key);
    if (!entry || !entry->starts_with(head))
        return std::nullopt;
    const std::string_view rest = std::string_view(*entry).substr(head.size());
    const std::string_view checksum = rest.substr(0, sizeof(std::uint64_t)), binary = rest.substr(checksum.size());
    if (checksum != bytes_of(hash(binary)))
        return std::nullopt;
    return ProgramBinary(binary.begin(), binary.end());
}

void DiskCache::store(const std::string& key, const ProgramBinary& binary) const
{
    if (!folder_)
        return;
    const std::string text(binary.begin(), binary.end());
    folder_->write(name_of(key), head_of(key) + bytes_of(hash(text)) + text);
}

const DiskCache& disk_cache()
{
    // Never destroyed, so that calls from static destructors find it; the same goes for the library's other statics.
    static const auto* const process = [] {
        const auto& asked = environment();
        if (asked.cache_directory_was_asked_for)
            if (const auto reason = CacheFolder(*asked.cache_directory, DiskCache::usual_bytes).make()) {
                warn_once("CLGEMM_CACHE_DIR is '" + *asked.cache_directory +
                          "', which is no directory and cannot be made one (" + reason.message() +
                          "); compiled kernels are not kept");
                return new DiskCache(std::nullopt);
            }
        return new DiskCache(asked.cache_directory);
    }();
    return *process;
}

} // namespace clgemm::core
