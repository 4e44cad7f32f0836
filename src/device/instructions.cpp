#include "device/instructions.hpp"

#include <charconv>

namespace clgemm::core {
namespace {

// The first number of a driver version such as NVIDIA's "580.159.04".
unsigned nvidia_driver(const DeviceProfile& device)
{
    const std::string& version = device.driver_version;
    unsigned number = 0;
    std::from_chars(version.data(), version.data() + version.size(), number);
    return number;
}

} // namespace

InstructionSet find_instructions(const DeviceProfile& device)
{
    InstructionSet result;
#define CLGEMM_ADD(name, words, is_there)                                                                                   \
    if (is_there)                                                                                                           \
        result.add(Instructions::name);
    CLGEMM_INSTRUCTIONS(CLGEMM_ADD)
#undef CLGEMM_ADD
    return result;
}

const char* in_words(Instructions instructions)
{
    switch (instructions) {
    case Instructions::none: break;
#define CLGEMM_WORDS(name, words, is_there)                                                                                 \
    case Instructions::name: return words;
        CLGEMM_INSTRUCTIONS(CLGEMM_WORDS)
#undef CLGEMM_WORDS
    }
    return "nothing";
}

} // namespace clgemm::core
