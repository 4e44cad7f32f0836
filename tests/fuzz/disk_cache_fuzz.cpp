// Entries of the disk cache with any contents: none is taken but one that the cache itself would have written.
#include "fuzz_target.hpp"

#include "execute/disk_cache.hpp"

#include <fstream>
#include <iterator>
#include <unistd.h>

using namespace clgemm::core;
using namespace clgemm::test;
namespace fs = std::filesystem;

namespace {

const std::string key = "a key\nthat has several lines";

// Gone at the end.
struct Folder {
    fs::path path = fs::temp_directory_path() / ("clgemm-fuzz-" + std::to_string(getpid()));
    DiskCache cache{path};
    ~Folder() { fs::remove_all(path); }
};

Folder& folder()
{
    static Folder own;
    return own;
}

std::string stored(const ProgramBinary& binary)
{
    folder().cache.store(key, binary);
    std::ifstream file(folder().cache.path(key), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace

std::vector<std::string> clgemm::test::examples()
{
    return {stored({}), stored({0}), stored({1, 2, 3, 0, 255, 7}), stored(ProgramBinary(1000, 'x'))};
}

std::string clgemm::test::next_input(std::string input, std::mt19937& random)
{
    return changed(std::move(input), random);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string contents(reinterpret_cast<const char*>(data), size);
    const fs::path entry = folder().cache.path(key);
    if (!fs::exists(entry))
        stored({}); // for the folder, and the entry's mode
    std::ofstream(entry, std::ios::binary) << contents;
    if (const auto binary = folder().cache.load(key)) {
        taken++;
        require(stored(*binary) == contents, "an entry was taken that the cache would not have written");
    }
    return 0;
}
