#include "timing/build_ahead/builders.hpp"

#include "device/query_profile.hpp"
#include "execute/disk_cache.hpp"
#include "execute/program_cache.hpp"

#include <clgemm/clgemm.hpp>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <sstream>
#include <string_view>

namespace clgemm::build_ahead {
namespace {

using namespace core;

constexpr const char* told_to_build = "--build-for-another";

// What decides a step's program. No source's name and no option has a tab or the end of a line in it.
std::string line_of(const Step& step)
{
    return std::string(step.source->name) + "\t" + step.options + "\t" + std::to_string(step.retargeted_local_bytes);
}

Step step_of(const std::string& line)
{
    Step step;
    std::istringstream fields(line);
    std::string name;
    std::getline(fields, name, '\t');
    std::getline(fields, step.options, '\t');
    fields >> step.retargeted_local_bytes;
    step.source = &kernel_source(name);
    return step;
}

// A folder may be full, or not be this user's.
bool keeps_what_it_is_given(const DiskCache& disk)
{
    const std::string key = "is what builders build kept?";
    const ProgramBinary answer{'y'};
    disk.store(key, answer);
    return disk.load(key) == answer;
}

} // namespace

std::size_t builders_for(const DeviceProfile& device)
{
    if (device.type == DeviceType::cpu || device.keeps_programs || !keeps_what_it_is_given(disk_cache()))
        return 0;
    constexpr std::size_t most = 8, memory_of_each = std::size_t{2} << 30U;
    const std::size_t count =
        std::min({most, std::size_t{std::thread::hardware_concurrency()} / 2, device.global_memory / memory_of_each});
    return count > 1 ? count : 0; // one alone would build no faster than whoever waits for it
}

void Builders::start()
{
    has_started_ = true;
    while (workers_.size() < most_) {
        auto worker = Worker::start(told_to_build);
        if (!worker)
            break;
        workers_.push_back(std::move(*worker));
    }
    try {
        for (const Worker& worker : workers_) {
            threads_.emplace_back([&] { tell(worker); });
            at_work_++;
        }
    } catch (const std::exception&) {
        // Then fewer of them are told what to do.
    }
}

Builders::~Builders()
{
    {
        const std::lock_guard lock(mutex_);
        ends_ = true;
    }
    changed_.notify_all();
    for (const Worker& worker : workers_)
        worker.tell_to_end();
    for (std::thread& thread : threads_)
        thread.join();
}

void Builders::tell(const Worker& worker)
{
    std::unique_lock lock(mutex_);
    for (bool answers = true; answers;) {
        changed_.wait(lock, [&] { return ends_ || !waiting_.empty(); });
        if (ends_)
            break;
        const Line line = std::move(waiting_.front());
        waiting_.pop_front();
        begun_.insert(line);
        lock.unlock();
        answers = worker.does(line);
        lock.lock();
        begun_.erase(line);
        built_.insert(line); // or it cannot be: it is not tried again here
        changed_.notify_all();
    }
    at_work_--;
    changed_.notify_all();
}

std::vector<Builders::Line> Builders::to_begin(const std::vector<Plan>& plans) const
{
    std::vector<Line> result;
    std::set<Line> seen;
    for (const Plan& plan : plans)
        for (const Step& step : plan.steps)
            if (Line line = line_of(step); built_.count(line) == 0 && begun_.count(line) == 0 && seen.insert(line).second)
                result.push_back(std::move(line));
    return result;
}

bool Builders::has_built(const std::vector<Plan>& plans) const
{
    return std::all_of(plans.begin(), plans.end(), [&](const Plan& plan) {
        return std::all_of(plan.steps.begin(), plan.steps.end(),
                           [&](const Step& step) { return built_.count(line_of(step)) > 0; });
    });
}

bool Builders::have_built(const std::vector<Plan>& plans)
{
    const std::lock_guard lock(mutex_);
    return has_built(plans);
}

std::size_t Builders::count()
{
    const std::lock_guard lock(mutex_);
    return has_started_ ? at_work_ : most_;
}

void Builders::expect(const std::vector<Plan>& plans)
{
    const std::lock_guard lock(mutex_);
    if (!has_started_)
        start();
    if (at_work_ == 0)
        return;
    const std::vector<Line> lines = to_begin(plans);
    waiting_.assign(lines.begin(), lines.end());
    changed_.notify_all();
}

void Builders::finish(const std::vector<Plan>& plans)
{
    std::unique_lock lock(mutex_);
    if (at_work_ == 0)
        return;
    const std::vector<Line> first = to_begin(plans);
    std::erase_if(waiting_, [&](const Line& line) { return std::find(first.begin(), first.end(), line) != first.end(); });
    waiting_.insert(waiting_.begin(), first.begin(), first.end());
    changed_.notify_all();
    changed_.wait(lock, [&] { return at_work_ == 0 || has_built(plans); });
}

void Builders::rest()
{
    std::unique_lock lock(mutex_);
    waiting_.clear();
    changed_.wait(lock, [&] { return at_work_ == 0 || begun_.empty(); });
}

bool builds_for_another(int argument_count, char** arguments)
{
    return argument_count == 2 && std::string_view(arguments[1]) == told_to_build;
}

int build_for_another()
try {
    std::signal(SIGINT, SIG_IGN); // Ctrl-C is for the process that this one builds for, with which it ends
    end_after_input(std::chrono::minutes(1));
    const cl::Device device = default_device();
    const cl::Context context(device);
    const DeviceProfile profile = query_profile(device);
    for (std::string line; std::getline(std::cin, line);) {
        const Step step = step_of(line);
        const Step* const steps[] = {&step};
        try {
            ProgramCache(context, device, profile, disk_cache()).programs(steps); // for this one, so that none is kept here
        } catch (const std::exception&) {
            // The other process will find that out, too.
        }
        answer();
    }
    return EXIT_SUCCESS;
} catch (const std::exception&) {
    return EXIT_FAILURE; // without a device, say: the other process builds by itself then
}

} // namespace clgemm::build_ahead
