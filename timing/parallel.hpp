// Loops over 10^8 elements must not take longer than what is measured: all of the processor's threads share them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <thread>
#include <vector>

namespace timing {

// Calls work(begin, end) for parts that make up 0 to count, each in a thread of its own, and waits for all of them.
template <typename Work> void in_parallel(std::size_t count, const Work& work)
{
    const std::size_t threads = std::max(1U, std::thread::hardware_concurrency());
    std::vector<std::jthread> team;
    for (std::size_t t = 0; t < threads; t++)
        team.emplace_back([&work, begin = count * t / threads, end = count * (t + 1) / threads] { work(begin, end); });
}

} // namespace timing
