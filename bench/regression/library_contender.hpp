// A libclgemm in a file: two versions of the library can take part in one process, on the same device, queue and matrices.
#pragma once

#include "../contenders/shared_library.hpp"
#include "timing/contender.hpp"
#include "timing/matrices.hpp"

namespace bench {

// The functions of one file. The program itself must not be linked with a shared libclgemm, whose functions would take the
// place of those that the files' own calls mean. Two files of one soname are two libraries to the loader; one file loaded
// twice is one. A name without a folder that is the soname of a loaded library would mean that one, so the loader is given
// the file's whole path.
class ClgemmLibrary {
public:
    // Throws Absent where there is no such library.
    explicit ClgemmLibrary(const std::string& file);

    std::string description() const;

    const std::string path;
    const SharedLibrary library;
    decltype(clgemm_version)* const version;
    decltype(clgemm_last_error)* const last_error;
    decltype(clgemm_sgemm)* const sgemm;
    decltype(clgemm_sgemm_host)* const sgemm_host;
};

// clgemm_sgemm() of that library, and clgemm_sgemm_host().
std::unique_ptr<timing::Contender> on_buffers(const ClgemmLibrary& library, const timing::DeviceMatrices& matrices);
std::unique_ptr<timing::Contender> on_host_memory(const ClgemmLibrary& library, const timing::DeviceMatrices& device,
                                                  timing::HostMatrices& matrices);

} // namespace bench
