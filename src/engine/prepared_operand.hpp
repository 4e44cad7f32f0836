// A prepared operand: a copy of a matrix of the caller's on one device, and the images that calls have wanted of it. Or many
// such matrices, one for each product of a batch.
#pragma once

#include "engine/device_state.hpp"
#include "execute/buffers.hpp"
#include "execute/submission.hpp"
#include "plan/plan.hpp"
#include "problem/problem.hpp"

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace clgemm::core {

class PreparedOperand {
public:
    // Makes room for a copy of op(X), or of `count` such matrices that lie matrix.distance apart. Throws cl::Error where
    // that fails.
    PreparedOperand(DeviceState& state, const Matrix& matrix, std::size_t count);

    // Enqueues the copy, from a buffer of the caller's in the state's context. It is called once, before what follows.
    // Throws cl::Error where that fails.
    void enqueue_copy(cl_mem callers, DeviceState& state, const Submission& submission);

    cl_context context() const { return context_(); }
    cl_device_id device() const { return device_(); }
    // op(X), and where it lies in the copy's buffer. Where there are several, the first one.
    const Matrix& matrix() const { return matrix_; }
    std::size_t count() const { return count_; }

    // A buffer, and when what is in it is complete; null: it is.
    struct Content {
        cl::Buffer buffer;
        cl::Event made;
    };

    // Throws Error where copying has failed on the device.
    Content copy();
    // The image that a plan wants. Where it is not kept yet, it is made on this submission's queue. Throws what building its
    // program throws; Unavailable where the device has no memory for it.
    Content image(const Image& wanted, DeviceState& state, const Submission& submission);

    // What is kept, and how many bytes that takes, for people.
    std::string contents() const;

private:
    struct Kept {
        Image image;
        Content content;
    };

    cl::Event made_copy(); // The mutex is held.

    const cl::Context context_;
    const cl::Device device_;
    Matrix matrix_;
    const std::size_t count_;
    std::size_t bytes_ = 0; // of the copy
    Memory callers_ = Memory::a;
    Plan copying_; // until it is enqueued; without steps where there is nothing to copy
    mutable std::mutex mutex_;
    Content copy_;         // its event is guarded by mutex_
    std::list<Kept> kept_; // the least recently used first; guarded by mutex_
};

// The prepared operands of a call. Null where an operand lies in a buffer of the caller's.
struct PreparedOperands {
    std::shared_ptr<PreparedOperand> a, b;

    explicit operator bool() const { return a || b; }
    PreparedOperand* operator[](Memory operand) const
    {
        return operand == Memory::a ? a.get() : operand == Memory::b ? b.get() : nullptr;
    }
};

// What one call takes of its prepared operands: their buffers, which it holds until its commands are enqueued.
class PreparedForCall {
public:
    PreparedForCall(const PreparedOperands& operands, DeviceState& state, const Submission& submission)
        : operands_(operands), state_(state), callers_(submission)
    {
    }

    // The copies, as the call's operands.
    void add_copies(Buffers& buffers);
    // The images that the plan wants. Throws what PreparedOperand::image() throws.
    void add_images(const Plan& plan, Buffers& buffers);

    // How these commands of the call are submitted, so that they wait for the copies and images, too. The result is valid
    // until this is called again, and no longer than this object.
    Submission after_making(const Submission& commands);

private:
    cl_mem hold(PreparedOperand::Content content);

    const PreparedOperands& operands_;
    DeviceState& state_;
    const Submission& callers_;
    std::vector<PreparedOperand::Content> held_;
    std::vector<cl_event> wait_for_;
};

} // namespace clgemm::core
