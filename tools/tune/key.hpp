// What tells one measurement from another: the kernel, its size, how its operands lie, and the arithmetic, where that is not
// the kernel's usual one.
#pragma once

#include "families/registry.hpp"
#include "tuning/tuning.hpp"

#include <string>

namespace clgemm::tune {

inline std::string key_of(const core::Variant& variant, const std::string& operands)
{
    return operands + " " + std::string(variant.kernel->name) + " " + variant.parameters.text();
}

inline std::string key_of(const core::Measurement& measurement)
{
    std::string result = key_of(measurement.variant, measurement.operands);
    if (measurement.arithmetic != usual_arithmetic(*measurement.variant.kernel))
        result.append(" ").append(to_text(measurement.arithmetic));
    return result;
}

} // namespace clgemm::tune
