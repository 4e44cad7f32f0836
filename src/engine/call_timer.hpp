// How long a call takes, where the process records its calls (engine/call_record.hpp). OpenCL tells, and nobody waits for
// the call.
#pragma once

#include "device/profile.hpp"
#include "engine/request.hpp"
#include "execute/submission.hpp"
#include "problem/problem.hpp"

#include <memory>

namespace clgemm::core {

// Around the submission of one call. Where the process does not record its calls, nothing is done. Else the device is told
// to signal when the call could begin, by a marker, and when it has ended, by the call's own event; callbacks of the driver
// note the time of both. Nothing is waited for, and no command of the caller's waits for the marker.
class CallTimer {
public:
    // To be made right before the steps of the call are enqueued. `problem` and `request`: the call's. `is_whole`: one plan
    // computes all of it. A batch of several plans is not recorded.
    CallTimer(const Problem& problem, bool is_whole, const Request& request, const DeviceProfile& device,
              const Submission& callers) noexcept;

    // How the steps are to be submitted: as the caller wants them, but maybe with an event besides.
    const Submission& submission() const { return submission_; }

    // To be given the event of this submission. Returns it if the caller wanted one, else null.
    cl::Event enqueued(cl::Event done) const noexcept;

private:
    struct Timing;

    std::shared_ptr<Timing> timing_; // null where the call is not recorded
    const bool callers_wants_event_;
    const Submission submission_;
};

} // namespace clgemm::core
