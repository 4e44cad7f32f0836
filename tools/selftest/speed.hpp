// What some calls take on a device, and what the library chooses for them.
#pragma once

#include <clgemm/clgemm.hpp>

#include <nlohmann/json.hpp>

#include <functional>

namespace clgemm::selftest {

// A list of objects: m, n, k, math, GFLOP/s of whole calls (the median, on the wall clock) and the kernel that was chosen.
// Random numbers, column-major, no transposition. Ends early when `goes_on` says no.
nlohmann::ordered_json speeds(const cl::Device& device, const std::function<bool()>& goes_on);

} // namespace clgemm::selftest
