// What OpenCL says of a device, and clgemm of its tuning there. Uses the public API only.
#pragma once

#include <clgemm/clgemm.hpp>

#include <nlohmann/json.hpp>

#include <string>

namespace clgemm::info {

// An object: name, platform, opencl, driver and so on, and whether it is tuned, and by what.
nlohmann::ordered_json describe(const cl::Platform& platform, const cl::Device& device, bool is_default);

// Names of devices and files need not be UTF-8: what is not becomes U+FFFD.
std::string as_text(const nlohmann::ordered_json& json, int indent);

// clgemm_explain() of some multiplication on this device, with this kernel; empty: the library's choice.
std::string explain_any_problem(const cl::Device& device, const std::string& kernel);

// The rest of the text's line that begins with `start`; empty where there is none.
std::string line_after(const std::string& text, const std::string& start);

} // namespace clgemm::info
