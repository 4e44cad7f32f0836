// What a call on host memory needs besides buffers on the device: pinned memory, and queues on which transfers and
// computation overlap. All of it is costly to make, so it is kept from call to call beside the DeviceState.
#pragma once

#include "support/idle.hpp"
#include "support/opencl.hpp"

#include <cstddef>

namespace clgemm::core {

// Pinned memory of the host: a device with memory of its own copies from and to it by itself, at the speed of the bus. For
// ordinary memory a driver goes through such a block of its own, with one thread. Pinning memory takes about a millisecond
// for each MiB, so blocks are small.
class PinnedBlock {
public:
    // Maps the block for good by way of the queue. Throws cl::Error.
    PinnedBlock(const cl::CommandQueue& queue, std::size_t bytes);
    PinnedBlock(PinnedBlock&& other) noexcept;
    PinnedBlock& operator=(PinnedBlock&& other) noexcept;
    PinnedBlock(const PinnedBlock&) = delete;
    PinnedBlock& operator=(const PinnedBlock&) = delete;
    ~PinnedBlock();

    std::byte* data() const { return data_; }

private:
    cl::CommandQueue queue_;
    cl::Buffer buffer_;
    std::byte* data_ = nullptr; // null: moved from
};

// In-order queues of the library's own, for the two directions and for what lies between.
struct TransferQueues {
    TransferQueues(const cl::Context& context, const cl::Device& device);
    cl::CommandQueue up, compute, down;
};

// All that a product needs if its matrices fit into one block together.
struct SmallLane {
    static constexpr std::size_t bytes = std::size_t{6} << 20; // of the block, as a rule

    SmallLane(const cl::Context& context, const cl::Device& device, std::size_t in_the_block = bytes);
    cl::CommandQueue queue;
    PinnedBlock block;
    cl::Buffer on_device; // as large as the block
};

// What a device in a context keeps for calls on host memory.
struct Lanes {
    // So many are kept. What a call takes beyond them, it pins anew each time.
    static constexpr std::size_t most_pieces = 64;

    Idle<SmallLane> small{8};
    Idle<TransferQueues> queues{4};
    Idle<PinnedBlock> pieces{most_pieces}, large_pieces{most_pieces};
};

} // namespace clgemm::core
