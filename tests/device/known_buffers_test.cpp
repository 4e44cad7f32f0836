// What the library remembers of buffers rests on the driver's word that a buffer goes. Here that word comes from another
// thread, as NVIDIA's driver gives it.
#include "engine/known_buffers.hpp"
#include "support/device.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <memory>
#include <thread>

namespace {

using Notify = void(CL_CALLBACK*)(cl_mem, void*);

struct Listener {
    Notify notify;
    void* data;
};

void CL_CALLBACK tell_by_another_thread(cl_mem buffer, void* data)
{
    const std::unique_ptr<Listener> listener(static_cast<Listener*>(data));
    std::thread(listener->notify, buffer, listener->data).join();
}

} // namespace

// In place of OpenCL's own function, for all that is linked into this program.
extern "C" cl_int CL_API_CALL clSetMemObjectDestructorCallback(cl_mem buffer, Notify notify, void* data)
{
    static const auto real =
        reinterpret_cast<decltype(&clSetMemObjectDestructorCallback)>(dlsym(RTLD_NEXT, "clSetMemObjectDestructorCallback"));
    return real(buffer, tell_by_another_thread, new Listener{notify, data});
}

// However quick that thread is: next time the buffer's handle may be another buffer's before it tells.
TEST(KnownBuffers, AreNotRememberedWhereAnotherThreadTellsOfTheirEnd)
{
    EXPECT_FALSE(clgemm::core::tells_when_buffers_go(clgemm::test::test_device().context));
}
