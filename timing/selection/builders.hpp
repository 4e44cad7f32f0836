// Processes that build programs for this one, which takes what they leave in the library's cache on disk and in the
// driver's. Some drivers (NVIDIA's) build one program at a time in a process, however many threads ask, and random calls
// want thousands.
#pragma once

#include "device/profile.hpp"
#include "plan/plan.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace bench {

class Builders {
public:
    // To be made before this process has threads, or asks OpenCL for anything: both would be broken in the new processes.
    // These use the device that the environment names, and wait for work at once. (On Windows there are none.)
    Builders();
    Builders(const Builders&) = delete;
    Builders& operator=(const Builders&) = delete;
    ~Builders(); // ends them

    // How many build at a time on such a device; 0 where they are of no use: a CPU's drivers compile most at the first
    // launch.
    std::size_t count_on(const clgemm::core::DeviceProfile& device) const;

    // Builds the programs of these steps side by side, and returns when all are built. What cannot be built is left to
    // whoever needs it, who is told why.
    void build(const clgemm::core::DeviceProfile& device, std::span<const clgemm::core::Step> steps);

private:
    struct Process {
        int socket = -1, id = -1;
    };
    std::vector<Process> processes_;
};

} // namespace bench
