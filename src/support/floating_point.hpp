// How the calling thread computes floating-point numbers. A program may have it round otherwise, take subnormal numbers for
// zero (gcc's -ffast-math does that to a whole program) or end at the first NaN. The library's results do not depend on it.
#pragma once

#include <cfenv>
#include <optional>

namespace clgemm::core {

// While this lives, the thread computes as one of a new process does, and so do threads that it makes.
class UsualFloatingPoint {
public:
    UsualFloatingPoint();
    UsualFloatingPoint(const UsualFloatingPoint&) = delete;
    UsualFloatingPoint& operator=(const UsualFloatingPoint&) = delete;
    ~UsualFloatingPoint();

private:
    std::optional<std::fenv_t> callers_; // none: it was the usual one
};

} // namespace clgemm::core
