// What tells one measurement from another: the kernel, its size, and how its operands lie.
#pragma once

#include "tuning/tuning.hpp"

#include <string>

namespace clgemm::tune {

inline std::string key_of(const core::Variant& variant, const std::string& operands)
{
    return operands + " " + std::string(variant.kernel->name) + " " + variant.parameters.text();
}

inline std::string key_of(const core::Measurement& measurement)
{
    return key_of(measurement.variant, measurement.operands);
}

} // namespace clgemm::tune
