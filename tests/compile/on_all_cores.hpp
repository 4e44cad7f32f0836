// Compilers are processes of their own: as many run at a time as the machine has cores.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

namespace clgemm::test {

// Calls work(0) to work(count - 1).
inline void on_all_cores(std::size_t count, const std::function<void(std::size_t)>& work)
{
    std::atomic<std::size_t> next = 0;
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); i++)
        threads.emplace_back([&] {
            for (std::size_t at = next++; at < count; at = next++)
                work(at);
        });
}

} // namespace clgemm::test
