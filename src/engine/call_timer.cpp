#include "engine/call_timer.hpp"

#include "engine/call_record.hpp"

#include <chrono>
#include <exception>
#include <mutex>
#include <optional>

namespace clgemm::core {

using Clock = std::chrono::steady_clock;

// One call under way. The callbacks may come in any order, and from any thread.
struct CallTimer::Timing {
    CallRecord& record;
    const RecordedCall call;
    std::mutex mutex;            // of what follows
    std::size_t to_wait_for = 0; // signals to come before it can begin
    Clock::time_point begin;     // when the last of them came
    std::optional<Clock::time_point> end;

    Timing(CallRecord& its_record, RecordedCall its_call) : record(its_record), call(std::move(its_call)) {}

    static std::shared_ptr<Timing> of_call(const Problem& problem, bool is_whole, const Request& request,
                                           const DeviceProfile& device) noexcept
    try {
        CallRecord* const record = call_record();
        // Whoever names the kernel leaves nothing to choose.
        auto call =
            record && is_whole && !request.options.kernel && !request.is_of_a_list ? single_call_of(problem) : std::nullopt;
        if (!call)
            return nullptr;
        call->arithmetic = request.arithmetic_for(problem.k); // also where the call has fallen back to another one
        return std::make_shared<Timing>(*record, RecordedCall{*call, recorded_name(device)});
    } catch (const std::exception&) {
        return nullptr;
    }

    void note_begin()
    {
        const std::lock_guard lock(mutex);
        begin = Clock::now();
        to_wait_for--;
        add_if_all_is_known();
    }

    void note_end()
    {
        const std::lock_guard lock(mutex);
        end = Clock::now();
        add_if_all_is_known();
    }

    void add_if_all_is_known()
    {
        if (to_wait_for == 0 && end && begin <= *end)
            record.add(call, {0, 1, std::chrono::duration<double, std::micro>(*end - begin).count()});
    }

    template <void (Timing::*note)()> static void CL_CALLBACK told(cl_event, cl_int status, void* timing)
    {
        const std::unique_ptr<std::shared_ptr<Timing>> own(static_cast<std::shared_ptr<Timing>*>(timing));
        if (status == CL_COMPLETE) // or it has failed
            ((**own).*note)();
    }

    // Where the library's code may be unloaded before the driver tells, nothing is timed.
    template <void (Timing::*note)()> static void note_when_complete(const std::shared_ptr<Timing>& timing, cl_event event)
    {
#if defined(CLGEMM_STAYS_LOADED)
        auto own = std::make_unique<std::shared_ptr<Timing>>(timing);
        if (clSetEventCallback(event, CL_COMPLETE, told<note>, own.get()) == CL_SUCCESS)
            static_cast<void>(own.release());
#else
        static_cast<void>(timing);
        static_cast<void>(event);
#endif
    }

    // When the device could begin with a call. On an in-order queue the commands before it hold it up, too.
    static void expect_begin(const std::shared_ptr<Timing>& timing, const Submission& callers)
    {
        const auto count = static_cast<cl_uint>(callers.wait_for.size());
        timing->begin = Clock::now();
        timing->to_wait_for = callers.in_order ? 1 : count;
        if (!callers.in_order) {
            for (cl_event event : callers.wait_for)
                note_when_complete<&Timing::note_begin>(timing, event);
            return;
        }
        cl_event marker = nullptr;
        if (clEnqueueMarkerWithWaitList(callers.queue(), count, count > 0 ? callers.wait_for.data() : nullptr, &marker) !=
            CL_SUCCESS)
            return;
        const cl::Event own(marker);
        note_when_complete<&Timing::note_begin>(timing, marker);
    }
};

CallTimer::CallTimer(const Problem& problem, bool is_whole, const Request& request, const DeviceProfile& device,
                     const Submission& callers) noexcept
    : timing_(Timing::of_call(problem, is_whole, request, device)), callers_wants_event_(callers.wants_event),
      submission_(callers.queue, callers.in_order, callers.wait_for, callers.wants_event || timing_)
{
    try {
        if (timing_)
            Timing::expect_begin(timing_, callers);
    } catch (const std::exception&) {
        return; // the call is counted all the same
    }
}

cl::Event CallTimer::enqueued(cl::Event done) const noexcept
{
    if (!timing_)
        return done;
    timing_->record.add(timing_->call, {1, 0, 0});
    try {
        Timing::note_when_complete<&Timing::note_end>(timing_, done());
    } catch (const std::exception&) {
        return callers_wants_event_ ? done : cl::Event();
    }
    return callers_wants_event_ ? done : cl::Event();
}

} // namespace clgemm::core
