#include "support/process.hpp"

#include <atomic>

#if !defined(_WIN32)
#include <pthread.h>
#endif

namespace clgemm::core {

#if defined(_WIN32) // which has neither

bool is_forked_since_first_asked()
{
    return false;
}

bool is_forked()
{
    return false;
}

WithoutCancellation::WithoutCancellation(bool) {}
WithoutCancellation::~WithoutCancellation() = default;

#else

namespace {

std::atomic<bool> is_asked{false}, is_child{false};

} // namespace

bool is_forked_since_first_asked()
{
    if (!is_asked && !is_asked.exchange(true))
        pthread_atfork(nullptr, nullptr, [] { is_child = true; });
    return is_child;
}

bool is_forked()
{
    return is_child;
}

WithoutCancellation::WithoutCancellation(bool begins_with_a_point)
{
    if (begins_with_a_point)
        pthread_testcancel();
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_);
}

WithoutCancellation::~WithoutCancellation()
{
    int ignored = 0;
    pthread_setcancelstate(before_, &ignored);
}

#endif

} // namespace clgemm::core
