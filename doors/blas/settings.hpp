// What the environment says about which products run through OpenCL.
#pragma once

#include <optional>
#include <string>

namespace clgemm::doors {

enum class Offload { never, automatic, always };

struct Settings {
    Offload offload = Offload::automatic;              // CLGEMM_OFFLOAD: never, auto or always
    const char* why_never = "CLGEMM_OFFLOAD is never"; // if it is, for the log
    std::optional<double> min_flops;                   // CLGEMM_OFFLOAD_MIN_FLOPS: with auto, from how many operations on
    std::string cpu_blas;                              // CLGEMM_CPU_BLAS: the file of the BLAS for everything else
    bool reproducible = false;                         // CLGEMM_MATH is reproducible: the CPU's BLAS would give other bits
    bool log = false;                                  // CLGEMM_LOG: 1 for a line per call on standard error
};

// Read when the library is loaded. A value that means nothing is told once, on standard error. Then nothing is offloaded,
// since we do not know what was wanted, and the CPU is right in any case; but a wrong CLGEMM_LOG only means that nothing is
// logged.
const Settings& settings();

} // namespace clgemm::doors
