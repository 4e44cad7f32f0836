#include "engine/prepared_operand.hpp"

#include "execute/execution.hpp"
#include "plan/parts.hpp"
#include "plan/plan_builder.hpp"
#include "support/error.hpp"
#include "support/log.hpp"
#include "support/whole_numbers.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace clgemm::core {
namespace {

// Most shapes need one or two images. (Each takes as much memory as the matrix, or half as much again.)
constexpr std::size_t most_images = 4;

// From one line of the copy to the next one: a multiple of a cache line, unless lines are short; and no multiple of 4096
// bytes, since a CPU's cache has few places for addresses that are so far apart.
std::size_t ld_of_copy(std::size_t stored_rows)
{
    constexpr std::size_t line = 32, page = 1024; // elements
    const std::size_t ld = round_up(stored_rows, stored_rows < 2 * line ? 4 : line);
    return ld % page == 0 ? ld + line : ld;
}

// Commands on other queues may wait for this one, which OpenCL allows only once it is submitted.
cl::Event submitted(const Submission& submission, cl::Event event)
{
    submission.queue.flush();
    return event;
}

// Is there still something to wait for? An event that is complete is forgotten. One that failed makes this throw what a
// command that waits for it is told: the event's own status may be any number, which need not be one of OpenCL's codes.
bool is_under_way(cl::Event& made)
{
    if (!made())
        return false;
    const auto status = made.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>();
    if (status < 0)
        throw cl::Error(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "preparing");
    if (status != CL_COMPLETE)
        return true;
    made.wait(); // at once; asking alone does not promise that other queues see what the command wrote
    made = {};
    return false;
}

cl::Buffer allocated(const cl::Context& context, std::size_t bytes)
{
    return {context, CL_MEM_READ_WRITE, std::max<std::size_t>(bytes, 1)};
}

} // namespace

PreparedOperand::PreparedOperand(DeviceState& state, const Matrix& matrix, std::size_t count)
    : context_(state.context), device_(state.device), matrix_(matrix), count_(count), callers_(matrix.memory)
{
    // Without gaps, so that matrices that lie as one in a product may be multiplied as one (as_one_product()).
    PlanBuilder builder(state.profile());
    const std::size_t ld = ld_of_copy(matrix.stored_rows());
    const Matrix all = builder.workspace.place(ld, saturating_product(matrix.stored_cols(), count), false, matrix.element);
    matrix_.memory = all.memory;
    matrix_.alignment = all.alignment;
    matrix_.offset = all.offset;
    matrix_.ld = ld;
    matrix_.distance = count > 1 ? ld * matrix.stored_cols() : 0;
    const bool has_elements = matrix.rows > 0 && matrix.cols > 0 && count > 0;
    for (std::size_t first = 0; has_elements && first < count; first += most_products_at_once) {
        const std::size_t some = std::min(count - first, most_products_at_once);
        Matrix from = matrix, to = matrix_;
        from.offset += first * matrix.distance;
        to.offset += first * matrix_.distance;
        (matrix.transposed ? to.cols : to.rows) = ld;
        from.siblings = {some, 0, matrix.distance};
        to.siblings = {some, 0, matrix_.distance};
        builder.add_copy(from, to, "the operand");
    }
    copying_ = builder.finish();
    bytes_ = copying_.workspace_bytes;
    copy_.buffer = allocated(context_, bytes_);
}

void PreparedOperand::enqueue_copy(cl_mem callers, DeviceState& state, const Submission& submission)
{
    if (copying_.steps.empty())
        return;
    Buffers buffers;
    buffers[callers_] = callers;
    buffers.workspace = copy_.buffer();
    const Submission with_event(submission.queue, submission.in_order, submission.wait_for, true);
    copy_.made = submitted(
        with_event, execute(ready(std::exchange(copying_, {}), state.programs), state.workspaces, buffers, with_event));
}

cl::Event PreparedOperand::made_copy()
try {
    return is_under_way(copy_.made) ? copy_.made : cl::Event();
} catch (const cl::Error& error) {
    throw Error(error.err(),
                "the prepared operand could not be copied from the caller's matrix: its device, or an event that "
                "it waited for, failed");
}

PreparedOperand::Content PreparedOperand::copy()
{
    const std::lock_guard lock(mutex_);
    return {copy_.buffer, made_copy()};
}

PreparedOperand::Content PreparedOperand::image(const Image& wanted, DeviceState& state, const Submission& submission)
{
    const std::lock_guard lock(mutex_);
    const auto known =
        std::find_if(kept_.begin(), kept_.end(), [&](const Kept& kept) { return kept.image.is_made_like(wanted); });
    if (known != kept_.end()) {
        try {
            Content& content = known->content;
            kept_.splice(kept_.end(), kept_, known);
            return {content.buffer, is_under_way(content.made) ? content.made : cl::Event()};
        } catch (const cl::Error&) {
            kept_.pop_back(); // the device failed: it is made anew
        }
    }

    const cl::Event copied = made_copy();
    try {
        Content content{allocated(context_, wanted.bytes), {}};
        Buffers buffers;
        buffers[wanted.operand] = copy_.buffer();
        buffers[image_of(wanted.operand)] = content.buffer();
        const std::size_t events = copied() ? 1 : 0;
        const Submission making(submission.queue, submission.in_order, {&copied(), events}, true);
        const ReadyPlan plan = ready(Plan{{wanted.making}}, state.programs);
        content.made = submitted(making, execute(plan, state.workspaces, buffers, making));
        kept_.push_back({wanted, content});
        if (kept_.size() > most_images)
            kept_.pop_front(); // calls that are under way still hold its buffer
        log_line(
            [&] { return "prepared operand: " + wanted.making.purpose + ", " + std::to_string(wanted.bytes) + " bytes"; });
        return content;
    } catch (const cl::Error& error) {
        // The images of a batch may be larger together than a buffer can be.
        if (!is_lack_of_memory(error.err()) && error.err() != CL_INVALID_BUFFER_SIZE)
            throw;
        throw Unavailable(error.err(), "the device has no " + std::to_string(wanted.bytes) + " bytes for an image");
    }
}

std::string PreparedOperand::contents() const
{
    const std::lock_guard lock(mutex_);
    std::size_t all = bytes_;
    std::string result = (count_ == 1 ? "" : std::to_string(count_) + " of ") + std::to_string(matrix_.rows) + " x " +
                         std::to_string(matrix_.cols) + (count_ == 1 ? ", as it is, " : ", as they are, ") +
                         std::to_string(bytes_) + " bytes";
    for (const auto& [image, content] : kept_) {
        result += "; " + image.making.purpose + " (" + std::string(image.making.source->name) + ".cl), " +
                  std::to_string(image.bytes) + " bytes";
        all += image.bytes;
    }
    return result + "; " + std::to_string(all) + " bytes in all";
}

Submission PreparedForCall::after_making(const Submission& commands)
{
    wait_for_.assign(commands.wait_for.begin(), commands.wait_for.end());
    for (const PreparedOperand::Content& content : held_)
        if (content.made())
            wait_for_.push_back(content.made());
    return {commands.queue, commands.in_order, wait_for_, commands.wants_event};
}

cl_mem PreparedForCall::hold(PreparedOperand::Content content)
{
    held_.push_back(std::move(content));
    return held_.back().buffer();
}

void PreparedForCall::add_copies(Buffers& buffers)
{
    const auto copy_of = [](PreparedOperand& operand, const char* name) {
        try {
            return operand.copy();
        } catch (const Error& error) {
            throw Error(error.status(), std::string(name) + ": " + error.what());
        }
    };
    if (operands_.a)
        buffers.a = hold(copy_of(*operands_.a, "preparedA"));
    if (operands_.b)
        buffers.b = hold(copy_of(*operands_.b, "preparedB"));
}

void PreparedForCall::add_images(const Plan& plan, Buffers& buffers)
{
    for (const Image& image : plan.images)
        buffers[image_of(image.operand)] = hold(operands_[image.operand]->image(image, state_, callers_));
}

} // namespace clgemm::core
