// Which processor the host, and with it a CPU device, has. Its name does not tell: hypervisors often give different
// processors the same name.
#pragma once

#include <string>

namespace clgemm::core {

// Tells apart processors that compute in different ways: AMD's by family ("AMD family 26" is Zen 5), Intel's by family and
// model, since nearly all are of family 6. Empty for processors of other makers.
std::string host_processor();

// The same for a processor that CPUID describes like this: who made it, and its signature (leaf 1, EAX).
std::string processor_named(const std::string& maker, unsigned signature);

} // namespace clgemm::core
