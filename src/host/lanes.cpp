#include "host/lanes.hpp"

#include <utility>

namespace clgemm::core {

PinnedBlock::PinnedBlock(const cl::CommandQueue& queue, std::size_t bytes)
    : queue_(queue), buffer_(queue.getInfo<CL_QUEUE_CONTEXT>(), CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes),
      data_(static_cast<std::byte*>(queue.enqueueMapBuffer(buffer_, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes)))
{
}

PinnedBlock::PinnedBlock(PinnedBlock&& other) noexcept
    : queue_(std::move(other.queue_)), buffer_(std::move(other.buffer_)), data_(std::exchange(other.data_, nullptr))
{
}

PinnedBlock& PinnedBlock::operator=(PinnedBlock&& other) noexcept
{
    std::swap(queue_, other.queue_);
    std::swap(buffer_, other.buffer_);
    std::swap(data_, other.data_);
    return *this;
}

PinnedBlock::~PinnedBlock()
{
    if (!data_)
        return;
    // Whatever fails here, the memory goes all the same.
    cl_event unmapped = nullptr;
    if (clEnqueueUnmapMemObject(queue_(), buffer_(), data_, 0, nullptr, &unmapped) == CL_SUCCESS) {
        clWaitForEvents(1, &unmapped);
        clReleaseEvent(unmapped);
    }
}

TransferQueues::TransferQueues(const cl::Context& context, const cl::Device& device)
    : up(context, device), compute(context, device), down(context, device)
{
}

SmallLane::SmallLane(const cl::Context& context, const cl::Device& device, std::size_t in_the_block)
    : queue(context, device), block(queue, in_the_block), on_device(context, CL_MEM_READ_WRITE, in_the_block)
{
}

} // namespace clgemm::core
