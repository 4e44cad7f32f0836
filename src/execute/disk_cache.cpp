#include "execute/disk_cache.hpp"

#include "support/environment.hpp"
#include "support/error.hpp"

#include "clgemm/clgemm.h"

#include <array>
#include <cstdint>
#include <fstream>
#include <random>
#include <system_error>

namespace clgemm::core {
namespace {

// A file: magic, key length, key, binary length, checksum of the binary, binary. The key is stored whole, so that two keys
// of one file name cannot be taken for each other.
constexpr std::array<char, 8> magic{'c', 'l', 'g', 'e', 'm', 'm', '0', '1'};

// FNV-1a. Names files and finds damage; it guards against accidents, not against an enemy who can write the user's files.
std::uint64_t hash(const void* data, std::size_t size, std::uint64_t seed)
{
    std::uint64_t result = seed;
    for (std::size_t i = 0; i < size; i++)
        result = (result ^ static_cast<const unsigned char*>(data)[i]) * 0x100000001b3U;
    return result;
}
constexpr std::uint64_t fnv_seed = 0xcbf29ce484222325U;

template <typename T> void write(std::ostream& out, const T& value)
{
    out.write(reinterpret_cast<const char*>(&value), sizeof value);
}

template <typename T> bool read(std::istream& in, T& value)
{
    return static_cast<bool>(in.read(reinterpret_cast<char*>(&value), sizeof value));
}

} // namespace

std::filesystem::path DiskCache::path(const std::string& key) const
{
    if (!directory_)
        return {};
    constexpr char digits[] = "0123456789abcdef";
    std::string name;
    for (std::uint64_t rest = hash(key.data(), key.size(), fnv_seed), i = 0; i < 16; i++, rest >>= 4)
        name += digits[rest & 15];
    return *directory_ / (name + ".program");
}

std::optional<ProgramBinary> DiskCache::load(const std::string& key) const
{
    if (!directory_)
        return std::nullopt;
    std::error_code error;
    const std::uintmax_t file_size = std::filesystem::file_size(path(key), error);
    std::ifstream file(path(key), std::ios::binary);
    if (error || !file)
        return std::nullopt;

    std::array<char, 8> found_magic{};
    std::uint64_t key_size = 0, binary_size = 0, checksum = 0;
    if (!read(file, found_magic) || found_magic != magic || !read(file, key_size) || key_size != key.size())
        return std::nullopt;
    std::string found_key(key.size(), '\0');
    if (!file.read(found_key.data(), static_cast<std::streamsize>(key.size())) || found_key != key)
        return std::nullopt;
    if (!read(file, binary_size) || !read(file, checksum) || binary_size > file_size)
        return std::nullopt;
    ProgramBinary binary(binary_size);
    if (!file.read(reinterpret_cast<char*>(binary.data()), static_cast<std::streamsize>(binary_size)) ||
        hash(binary.data(), binary.size(), fnv_seed) != checksum)
        return std::nullopt;
    return binary;
}

void DiskCache::store(const std::string& key, const ProgramBinary& binary) const
{
    if (!directory_)
        return;
    std::error_code ignored;
    std::filesystem::create_directories(*directory_, ignored);

    // Written under a name of its own, then renamed: a reader never meets half a file.
    std::filesystem::path temporary = path(key);
    temporary += std::to_string(std::random_device{}()) + ".tmp";
    {
        std::ofstream file(temporary, std::ios::binary);
        file.write(magic.data(), magic.size());
        write(file, std::uint64_t{key.size()});
        file.write(key.data(), static_cast<std::streamsize>(key.size()));
        write(file, std::uint64_t{binary.size()});
        write(file, hash(binary.data(), binary.size(), fnv_seed));
        file.write(reinterpret_cast<const char*>(binary.data()), static_cast<std::streamsize>(binary.size()));
        if (!file.flush()) {
            file.close();
            std::filesystem::remove(temporary, ignored);
            return;
        }
    }
    std::error_code failed;
    std::filesystem::rename(temporary, path(key), failed);
    if (failed)
        std::filesystem::remove(temporary, ignored);
}

const DiskCache& disk_cache()
{
    // Never destroyed, so that calls from static destructors find it; the same goes for the library's other statics.
    static const auto* const process = [] {
        const auto& asked = environment();
        if (asked.cache_directory_was_asked_for) {
            std::error_code error;
            std::filesystem::create_directories(*asked.cache_directory, error);
            if (!std::filesystem::is_directory(*asked.cache_directory, error))
                throw Error(CLGEMM_INVALID_ENVIRONMENT,
                            "CLGEMM_CACHE_DIR is '" + *asked.cache_directory +
                                "', which is no directory and cannot be made one: " + error.message());
        }
        return new DiskCache(asked.cache_directory);
    }();
    return *process;
}

} // namespace clgemm::core
