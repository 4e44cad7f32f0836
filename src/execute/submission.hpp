// Where the commands of a call go, and what comes before and after them.
#pragma once

#include "support/opencl.hpp"

#include <span>

namespace clgemm::core {

struct Submission {
    Submission(const cl::CommandQueue& its_queue, bool is_in_order, std::span<const cl_event> waits = {},
               bool wants_an_event = false)
        : queue(its_queue), in_order(is_in_order), wait_for(waits), wants_event(wants_an_event)
    {
    }

    const cl::CommandQueue& queue;
    bool in_order; // the queue's commands wait for one another by themselves
    std::span<const cl_event> wait_for;
    bool wants_event;
};

} // namespace clgemm::core
