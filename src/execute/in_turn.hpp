// Commands that are enqueued one after the other as one operation, each after the one before.
#pragma once

#include "execute/submission.hpp"

#include <utility>

namespace clgemm::core {

class InTurn {
public:
    // `all`: how the operation as a whole is submitted.
    explicit InTurn(const Submission& all) : all_(all), wait_for_(all.wait_for) {}
    InTurn(const InTurn&) = delete;
    InTurn& operator=(const InTurn&) = delete;

    // How the next command is submitted. The last one's event is the operation's.
    Submission next(bool is_last) const
    {
        return {all_.queue, all_.in_order, wait_for_, is_last ? all_.wants_event : !all_.in_order};
    }

    // That command was enqueued; `done`: its event, if it was to have one.
    void enqueued(cl::Event done)
    {
        last_ = std::move(done);
        // On an in-order queue the next one waits by itself.
        wait_for_ = all_.in_order ? std::span<const cl_event>() : std::span<const cl_event>(&last_(), 1);
    }

    // The last command's, to be taken once; null where it has none.
    cl::Event take_event() { return std::move(last_); }

private:
    const Submission all_;
    std::span<const cl_event> wait_for_;
    cl::Event last_;
};

} // namespace clgemm::core
