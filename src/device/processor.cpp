#include "device/processor.hpp"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#define CLGEMM_HAS_CPUID 1
#else
#define CLGEMM_HAS_CPUID 0
#endif

namespace clgemm::core {

// Intel, "64 and IA-32 Architectures Software Developer's Manual", volume 2, CPUID: in family 15 the extended family is
// added, and the extended model has the upper bits of the model. AMD's processors do the same.
std::string processor_named(const std::string& maker, unsigned signature)
{
    const auto bits = [&](unsigned first, unsigned count) { return signature >> first & ((1U << count) - 1); };
    const unsigned family = bits(8, 4) == 15 ? 15 + bits(20, 8) : bits(8, 4);
    if (maker == "AuthenticAMD")
        return "AMD family " + std::to_string(family);
    if (maker == "GenuineIntel")
        return "Intel family " + std::to_string(family) + " model " + std::to_string(bits(16, 4) << 4 | bits(4, 4));
    return "";
}

std::string host_processor()
{
#if CLGEMM_HAS_CPUID
    unsigned signature = 0, words[3] = {}, unused = 0;
    if (__get_cpuid(0, &unused, &words[0], &words[2], &words[1]) == 0 || // EBX, EDX and ECX hold the maker's name
        __get_cpuid(1, &signature, &unused, &unused, &unused) == 0)
        return "";
    return processor_named(std::string(reinterpret_cast<const char*>(words), sizeof words), signature);
#else
    return "";
#endif
}

} // namespace clgemm::core
