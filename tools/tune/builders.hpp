// Builds programs in processes of their own, ahead of their use. On a GPU most of the tuner's time goes into building, and
// NVIDIA's driver builds the programs of one process one after the other, whatever number of threads ask for them. What
// another process has built is on disk then: the library finds it in its own cache, and the driver in the driver's.
#pragma once

#include "tune/worker.hpp"

#include "device/profile.hpp"
#include "plan/plan.hpp"

#include <condition_variable>
#include <deque>
#include <list>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace clgemm::tune {

// How many are worth it: none on a CPU, whose cores are what is measured, nor where programs are not kept on disk. Elsewhere
// half the cores have one each, as far as the device has memory for so many contexts.
std::size_t builders_for(const core::DeviceProfile& device);

class Builders {
public:
    // Fewer where no more processes can be started. With none, nothing is built ahead.
    explicit Builders(std::size_t count);
    Builders(const Builders&) = delete;
    Builders& operator=(const Builders&) = delete;
    ~Builders();

    // The programs of these plans will be wanted, those of the first plans first. What was expected before and is not begun
    // is not built any more.
    void expect(const std::vector<core::Plan>& plans);
    // The programs of these plans are wanted now: returns when all are built, or cannot be. Why not, the library says when
    // it is asked for them.
    void finish(const std::vector<core::Plan>& plans);

private:
    // What a worker is told to build, as a line.
    using Line = std::string;

    void tell(const Worker& worker); // one thread for each worker
    std::vector<Line> not_built(const std::vector<core::Plan>& plans) const;

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Line> waiting_;
    std::set<Line> begun_, built_;
    std::size_t at_work_ = 0; // workers that have not ended
    bool ends_ = false;
    std::list<Worker> workers_;
    std::vector<std::thread> threads_;
};

// The argument that makes a program such a process, and what it does then: it builds for the default device what its
// standard input names, until that ends.
inline constexpr const char* builders_argument = "--build-for-another";
int build_for_another();

} // namespace clgemm::tune
