// Which processor the host has, and with it a CPU device: a hypervisor often gives different ones the same name.
#pragma once

#include <string>

namespace clgemm::core {

// What tells processors apart that compute in different ways: AMD's by their family ("AMD family 26" is Zen 5), Intel's,
// which are all of family 6, by their model, too. Empty where the processor is of another kind.
std::string host_processor();

// The same of what CPUID says: who made the processor, and its signature (leaf 1, EAX).
std::string processor_named(const std::string& maker, unsigned signature);

} // namespace clgemm::core
