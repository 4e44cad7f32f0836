// Builds programs in processes of their own, ahead of their use. On a GPU most of the time of whoever measures many kernels
// goes into building, and NVIDIA's driver builds the programs of one process one after the other, whatever number of threads
// ask for them. What another process has built is on disk then: the library finds it in its own cache, and the driver in the
// driver's.
#pragma once

#include "timing/build_ahead/worker.hpp"

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

namespace clgemm::build_ahead {

// How many are worth it: none on a CPU, whose cores are what is measured, nor where the library keeps no programs on disk.
// Elsewhere half the cores have one each, as far as the device has memory for so many contexts; at least two, or none.
std::size_t builders_for(const core::DeviceProfile& device);

class Builders {
public:
    // They start when something is first expected; fewer where no more processes can be started. With none, nothing is built
    // ahead.
    explicit Builders(std::size_t count) : most_(count) {}
    Builders(const Builders&) = delete;
    Builders& operator=(const Builders&) = delete;
    ~Builders();

    std::size_t count(); // of those that have not ended

    // The programs of these plans will be wanted, those of the first plans first: they are built while the caller goes on,
    // in place of what was expected before and is not begun. (Calls that are timed meanwhile take longer, since the host is
    // busy: on 16 cores of which 8 built programs, calls of 11 to 23 us took 1.16 times as long.)
    void expect(const std::vector<core::Plan>& plans);
    // The programs of these plans are wanted now: if anything was ever expected, returns when all are built, or cannot be.
    // Why not, the library says when it is asked for them.
    void finish(const std::vector<core::Plan>& plans);
    // Nothing is expected any more: returns when nothing is being built.
    void rest();

    bool have_built(const std::vector<core::Plan>& plans);

private:
    // What a worker is told to build, as a line.
    using Line = std::string;

    void start();
    void tell(const Worker& worker); // one thread for each worker
    // The programs of these plans that are neither built nor begun, each once.
    std::vector<Line> to_begin(const std::vector<core::Plan>& plans) const;
    bool has_built(const std::vector<core::Plan>& plans) const;

    const std::size_t most_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Line> waiting_;
    std::set<Line> begun_, built_;
    std::size_t at_work_ = 0; // workers that have not ended
    bool has_started_ = false, ends_ = false;
    std::list<Worker> workers_;
    std::vector<std::thread> threads_;
};

// A program that has builders begins with this, since they are copies of it: is this such a copy? Then it does what follows,
// and nothing else.
bool builds_for_another(int argument_count, char** arguments);
// Builds for the default device what standard input names, until that ends. Returns an exit status.
int build_for_another();

} // namespace clgemm::build_ahead
