// Several threads that do something at the same moment.
#pragma once

#include <barrier>
#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

namespace clgemm::test {

// Calls work(0), work(1), ... each in a thread of its own, started together, and waits for all of them.
inline void at_once(std::size_t threads, const std::function<void(std::size_t)>& work)
{
    std::barrier start(static_cast<std::ptrdiff_t>(threads));
    std::vector<std::jthread> all;
    for (std::size_t i = 0; i < threads; i++)
        all.emplace_back([&, i] {
            start.arrive_and_wait();
            work(i);
        });
}

} // namespace clgemm::test
