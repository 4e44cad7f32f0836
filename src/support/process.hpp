// What the process around a call does that the call cannot survive: it forks, or cancels the thread.
#pragma once

namespace clgemm::core {

// True in a child that was forked after the first call of this function. The threads of its OpenCL driver did not come with
// it, and a lock that one of them held is held for ever. Thread-safe, and takes no lock.
bool is_forked_since_first_asked();

// The same, but a call of this does not count as the first one: for what a process may do, in the parent and in the child,
// before any call that counts.
bool is_forked();

// A call's relation to pthread_cancel(): its beginning is a cancellation point, where nothing has been done yet. After that
// and while this lives, the thread is not cancelled: cut short inside a driver, the call would leave locks behind. A call
// that a destructor may make has no such point, since a cancelled thread cannot be unwound through a destructor.
class WithoutCancellation {
public:
    explicit WithoutCancellation(bool begins_with_a_point = true);
    WithoutCancellation(const WithoutCancellation&) = delete;
    WithoutCancellation& operator=(const WithoutCancellation&) = delete;
    ~WithoutCancellation();

private:
    int before_ = 0;
};

} // namespace clgemm::core
