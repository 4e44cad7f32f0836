#include "device.hpp"

#include "device/default_device.hpp"
#include "support/environment.hpp"

namespace clgemm::test {

const TestDevice& test_device()
{
    // Never destroyed, like the library's own state: drivers may be gone before it at exit.
    static const auto* const shared = [] {
        const cl::Device device = core::choose_device(core::environment().device);
        const cl::Context context(device);
        const auto offered = device.getInfo<CL_DEVICE_QUEUE_PROPERTIES>();
        const cl_command_queue_properties wanted = offered & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
        return new TestDevice{device, context, cl::CommandQueue(context, device), cl::CommandQueue(context, device, wanted)};
    }();
    return *shared;
}

void write(const cl::CommandQueue& queue, const cl::Buffer& buffer, std::size_t bytes, const void* data)
{
    queue.enqueueWriteBuffer(buffer, CL_TRUE, 0, bytes, data);
    queue.finish();
}

} // namespace clgemm::test
