// Events: a call waits for its wait list, and its event covers all of its steps, on queues in order and out of order, on
// several queues at once, and when what it waits for fails.
#include "support/case_on_device.hpp"
#include "support/driver_defects.hpp"
#include "support/one_pocl_worker.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

using namespace clgemm::test;

namespace {

// Sizes and transposes for which the kernels from 7 on need all the steps there are.
constexpr SgemmCase of_many_steps{CLGEMM_COLUMN_MAJOR, CLGEMM_TRANS, CLGEMM_NO_TRANS, 131, 67, 45, 1, 0.5f,
                                  {1, 2, 3},           {3, 1, 5}};
constexpr const char* kernel_of_many_steps = "10_incomplete_tiles";

int status_of(const cl::Event& event)
{
    return event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>();
}

void let_others_run()
{
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
}

// Holds back whatever waits for its event. Opens at the latest when it goes, since a queue that is never let go hangs.
class Gate {
public:
    explicit Gate(const cl::Context& context = test_device().context) : event_(context) {}
    Gate(const Gate&) = delete;
    Gate& operator=(const Gate&) = delete;
    ~Gate() { end_with(CL_COMPLETE); }

    const cl::Event& event() const { return event_; }
    void end_with(cl_int status)
    {
        if (!ended_)
            event_.setStatus(status);
        ended_ = true;
    }

private:
    cl::UserEvent event_;
    bool ended_ = false;
};

struct QueueKind {
    const char* name;
    cl_command_queue_properties properties;
};

// A queue of this kind, or in order where the device has no other.
cl::CommandQueue make_queue(const QueueKind& kind, const cl::Context& context = test_device().context)
{
    const auto& device = test_device().device;
    return {context, device, kind.properties & device.getInfo<CL_DEVICE_QUEUE_PROPERTIES>()};
}

class Events : public testing::TestWithParam<QueueKind> {
protected:
    cl::CommandQueue queue = make_queue(GetParam());
    cl::CommandQueue other = make_queue({"in order", 0}); // knows nothing of what happens on `queue`
};

INSTANTIATE_TEST_SUITE_P(Queue, Events,
                         testing::Values(QueueKind{"in_order", 0},
                                         QueueKind{"out_of_order", CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE}),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(KernelOfManySteps, HasThem)
{
    const SgemmCase& x = of_many_steps;
    const Operands o(x);
    clgemm_options options = CLGEMM_OPTIONS_INIT;
    options.kernel = kernel_of_many_steps;
    std::string text(10'000, '\0');
    ASSERT_EQ(clgemm_explain(x.layout, x.trans_a, x.trans_b, x.m, x.n, x.k, x.alpha, o.a.offset, o.a.ld, o.b.offset, o.b.ld,
                             x.beta, o.c.offset, o.c.ld, test_device().device(), &options, text.data(), text.size(),
                             nullptr),
              CLGEMM_SUCCESS);
    for (const char* const step : {"transpose A", "transpose B", "multiply", "unpad C"})
        EXPECT_NE(text.find(step), std::string::npos) << step << " is not among the steps:\n" << text.c_str();
}

TEST_P(Events, TheCallStartsOnlyWhenItsWholeWaitListIsComplete)
{
    for (const char* const kernel : kernels_here()) {
        // The operands arrive behind the gate: whoever does not wait multiplies garbage.
        const CaseOnDevice on_device(of_many_steps);
        const auto& [a, b] = std::pair{on_device.before.a, on_device.before.b};
        const cl::CommandQueue uploads = make_queue({"in order", 0});
        uploads.enqueueFillBuffer(on_device.a, 1e30f, 0, a.bytes());
        uploads.enqueueFillBuffer(on_device.b, 1e30f, 0, b.bytes());
        uploads.finish();
        Gate first, second;
        cl::Event uploaded_a, uploaded_b, done;
        const std::vector<cl::Event> behind_first{first.event()}, behind_second{second.event()};
        uploads.enqueueWriteBuffer(on_device.a, CL_FALSE, 0, a.bytes(), a.elements.data(), &behind_first, &uploaded_a);
        uploads.enqueueWriteBuffer(on_device.b, CL_FALSE, 0, b.bytes(), b.elements.data(), &behind_second, &uploaded_b);
        uploads.flush();
        ASSERT_EQ(on_device.call(queue, kernel, {uploaded_a, uploaded_b}, &done), CLGEMM_SUCCESS) << clgemm_last_error();
        queue.flush();

        let_others_run();
        EXPECT_GT(status_of(done), CL_COMPLETE) << kernel << " did not wait at all";
        first.end_with(CL_COMPLETE);
        let_others_run();
        EXPECT_GT(status_of(done), CL_COMPLETE) << kernel << " waited for the first event alone";
        Operands now = on_device.before;
        other.enqueueReadBuffer(on_device.c, CL_TRUE, 0, now.c.bytes(), now.c.elements.data());
        EXPECT_TRUE(now.c.same_bits(on_device.before.c)) << kernel << " wrote C before its time";

        second.end_with(CL_COMPLETE);
        done.wait();
        EXPECT_EQ(status_of(done), CL_COMPLETE);
        ASSERT_TRUE(on_device.is_right(other)) << kernel;
    }
}

TEST_P(Events, TheEventCoversEveryStep)
{
    SgemmCase x = of_many_steps;
    x.m = 259; // long enough steps that a read between them finds C unfinished
    x.n = 261;
    const CaseOnDevice on_device(x);
    for (const char* const kernel : kernels_here()) {
        write(other, on_device.c, on_device.before.c.bytes(), on_device.before.c.elements.data());
        cl::Event done;
        ASSERT_EQ(on_device.call(queue, kernel, {}, &done), CLGEMM_SUCCESS) << clgemm_last_error();
        queue.flush();
        done.wait();
        ASSERT_TRUE(on_device.is_right(other)) << kernel;
    }
}

// ((S * S) * S) * S ... of small integers, so that the last product is exact, too.
TEST_P(Events, ChainCallsOfWhichEachTakesTheResultOfTheOneBefore)
{
    constexpr std::size_t n = 45, links = 8;
    const SgemmCase x{CLGEMM_ROW_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, n, n, n, 1, 0, {}, {}};
    std::mt19937 random(3);
    std::uniform_int_distribution<std::size_t> column(0, n - 1);
    GuardedMatrix signs(CLGEMM_ROW_MAJOR, n, n, 0, 0);
    for (std::size_t i = 0; i < n; i++)
        for (std::size_t j = 0; j < n; j++)
            signs.at(i, j) = 0;
    for (std::size_t i = 0; i < n; i++) { // rows whose magnitudes sum to 3: products grow by at most that each time
        signs.at(i, column(random)) = 2;
        signs.at(i, column(random)) = -1;
    }
    for (const char* const kernel : kernels_here()) {
        CaseOnDevice link(x, Operands(x));
        write(other, link.b, signs.bytes(), signs.elements.data());
        write(other, link.a, signs.bytes(), signs.elements.data());
        cl::Event before;
        std::vector<double> expected(signs.elements.begin(), signs.elements.begin() + n * n);
        for (std::size_t i = 0; i < links; i++) {
            cl::Event after;
            ASSERT_EQ(link.call(queue, kernel, before() ? std::vector{before} : std::vector<cl::Event>{}, &after),
                      CLGEMM_SUCCESS)
                << clgemm_last_error();
            before = after;
            std::swap(link.a, link.c); // the result is the next factor; C is overwritten, so it may be any buffer
            std::vector<double> product(n * n);
            for (std::size_t r = 0; r < n; r++)
                for (std::size_t l = 0; l < n; l++)
                    for (std::size_t c = 0; c < n; c++)
                        product[r * n + c] += expected[r * n + l] * signs.at(l, c);
            expected = product;
        }
        queue.flush();
        before.wait();
        std::vector<float> found(n * n);
        other.enqueueReadBuffer(link.a, CL_TRUE, 0, n * n * sizeof(float), found.data());
        EXPECT_TRUE(std::equal(found.begin(), found.end(), expected.begin(), [](float one, double two) {
            return static_cast<double>(one) == two;
        })) << kernel;
    }
}

TEST(EventsOfSeveralQueues, InterleavedCallsShareTheWorkspaceWithoutDisturbingEachOther)
{
    std::vector<cl::CommandQueue> queues;
    for (const auto properties :
         std::initializer_list<cl_command_queue_properties>{0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0, 0})
        queues.push_back(make_queue({"", properties}));
    const auto kernels = kernels_here();
    std::vector<CaseOnDevice> cases;
    for (std::size_t i = 0; i < 4 * kernels.size(); i++) {
        SgemmCase x = of_many_steps;
        x.m += 7 * (i % 5);
        x.n += 11 * (i % 3);
        cases.emplace_back(x);
    }
    // Nobody waits for anybody: each call finds temporaries of calls that may still run.
    for (std::size_t i = 0; i < cases.size(); i++)
        ASSERT_EQ(cases[i].call(queues[i % queues.size()], kernels[i % kernels.size()]), CLGEMM_SUCCESS)
            << clgemm_last_error();
    for (const auto& queue : queues)
        queue.finish();
    for (const auto& one : cases)
        ASSERT_TRUE(one.is_right(queues[0]));
}

// A call that is held back holds temporaries; calls on other queues must neither wait for it nor touch them.
TEST(EventsOfSeveralQueues, ACallThatIsHeldBackHoldsBackNoOther)
{
    const auto held_queue = make_queue({"", 0}), free_queue = make_queue({"", 0});
    const CaseOnDevice held(of_many_steps), free(of_many_steps);
    ASSERT_EQ(free.call(free_queue, kernel_of_many_steps), CLGEMM_SUCCESS) << clgemm_last_error(); // builds what there is
    free_queue.finish();
    Gate gate;
    cl::Event held_done, free_done;
    ASSERT_EQ(held.call(held_queue, kernel_of_many_steps, {gate.event()}, &held_done), CLGEMM_SUCCESS)
        << clgemm_last_error();
    held_queue.flush();
    for (int i = 0; i < 5; i++) {
        ASSERT_EQ(free.call(free_queue, kernel_of_many_steps, {}, &free_done), CLGEMM_SUCCESS) << clgemm_last_error();
        free_queue.flush();
        for (int tries = 0; tries < 200 && status_of(free_done) > CL_COMPLETE; tries++)
            let_others_run();
        ASSERT_EQ(status_of(free_done), CL_COMPLETE) << "waits for a call that it has nothing to do with";
    }
    EXPECT_GT(status_of(held_done), CL_COMPLETE);
    gate.end_with(CL_COMPLETE);
    held_done.wait();
    ASSERT_TRUE(held.is_right(free_queue));
}

TEST_P(Events, AQuickReturnHasAnEventThatWaitsForTheList)
{
    SgemmCase none = of_many_steps, only_scale = of_many_steps;
    none.m = 0;
    only_scale.alpha = 0;
    for (const SgemmCase& x : {none, only_scale}) {
        const CaseOnDevice on_device(x);
        Gate gate;
        cl::Event done;
        ASSERT_EQ(on_device.call(queue, nullptr, {gate.event()}, &done), CLGEMM_SUCCESS) << clgemm_last_error();
        ASSERT_TRUE(done());
        queue.flush();
        let_others_run();
        EXPECT_GT(status_of(done), CL_COMPLETE) << x;
        gate.end_with(CL_COMPLETE);
        done.wait();
        EXPECT_EQ(status_of(done), CL_COMPLETE);
        EXPECT_TRUE(on_device.is_right(other));
    }
}

// Nor does it wait for what else is on a queue that is out of order, since no call does there.
TEST(EventsOfSeveralQueues, AQuickReturnOutOfOrderWaitsForNothingElse)
{
    const auto& test = test_device();
    if ((test.out_of_order.getInfo<CL_QUEUE_PROPERTIES>() & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0)
        GTEST_SKIP() << "the device has no such queue";
    Gate gate;
    const cl::Buffer buffer(test.context, CL_MEM_READ_WRITE, 64 * sizeof(float));
    const std::vector<cl::Event> first{gate.event()};
    const float one = 1;
    cl::Event written;
    test.out_of_order.enqueueWriteBuffer(buffer, CL_FALSE, 0, sizeof one, &one, &first, &written);
    cl_event nothing_computed = nullptr, nothing_read = nullptr;
    ASSERT_EQ(clgemm_sgemm(CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 0, 8, 8, 1, buffer(), 0, 1, buffer(), 0, 8,
                           0, buffer(), 0, 1, test.out_of_order(), 0, nullptr, &nothing_computed),
              CLGEMM_SUCCESS)
        << clgemm_last_error();
    clgemm_prepared prepared = nullptr;
    ASSERT_EQ(clgemm_prepare(CLGEMM_COLUMN_MAJOR, CLGEMM_OPERAND_B, CLGEMM_NO_TRANS, 8, 0, 8, buffer(), 0, 8,
                             test.out_of_order(), 0, nullptr, &nothing_read, nullptr, &prepared),
              CLGEMM_SUCCESS)
        << clgemm_last_error();
    for (const cl::Event& event : {cl::Event(nothing_computed), cl::Event(nothing_read)})
        EXPECT_EQ(status_of(event), CL_COMPLETE);
    clgemm_release_prepared(prepared);
    gate.end_with(CL_COMPLETE);
    written.wait();
}

// In a context of its own, which OpenCL lets a driver give up when a command fails.
TEST_P(Events, WhenTheWaitListFailsTheCallFailsAndLeavesC)
{
    if (!heeds_failed_wait_lists())
        GTEST_SKIP() << "the driver does not heed that a wait list failed";
    const auto& device = test_device().device;
    const cl::Context context(device);
    const auto failing_queue = make_queue(GetParam(), context), good_queue = make_queue({"", 0}, context);
    SgemmCase none = of_many_steps, only_scale = of_many_steps;
    none.m = 0;
    only_scale.alpha = 0;
    std::vector<std::pair<SgemmCase, const char*>> calls{
        {of_many_steps, "01_naive"}, {none, nullptr}, {only_scale, nullptr}};
    if (fails_safely_over_several_steps())
        calls.emplace_back(of_many_steps, kernel_of_many_steps);
    for (const auto& [x, kernel] : calls) {
        const CaseOnDevice failing(x, context);
        Gate gate(context);
        cl::Event done;
        ASSERT_EQ(failing.call(failing_queue, kernel, {gate.event()}, &done), CLGEMM_SUCCESS) << clgemm_last_error();
        failing_queue.flush();
        gate.end_with(-1);
        const cl_event handle = done();
        EXPECT_LT(clWaitForEvents(1, &handle), 0) << x;
        EXPECT_LT(status_of(done), 0) << x;
        Operands now = failing.before;
        if (clEnqueueReadBuffer(good_queue(), failing.c(), CL_TRUE, 0, now.c.bytes(), now.c.elements.data(), 0, nullptr,
                                nullptr) != CL_SUCCESS)
            GTEST_SKIP() << "the driver gave the context up";
        EXPECT_TRUE(now.c.same_bits(failing.before.c)) << x;
    }

    // What the failed calls held is no trap for the next ones. (On PoCL 3.1 a command that waits for an event that has
    // already failed never starts, so a defect shows as one that does not end.)
    const CaseOnDevice next(of_many_steps, context);
    std::vector<cl::CommandQueue> queues_of_next{good_queue};
    if (queues_recover_at_once())
        queues_of_next.insert(queues_of_next.begin(), failing_queue);
    for (const auto& queue_of_next : queues_of_next) {
        cl::Event done;
        ASSERT_EQ(next.call(queue_of_next, kernel_of_many_steps, {}, &done), CLGEMM_SUCCESS) << clgemm_last_error();
        queue_of_next.flush();
        for (int tries = 0; tries < 1000 && status_of(done) > CL_COMPLETE; tries++)
            let_others_run();
        ASSERT_EQ(status_of(done), CL_COMPLETE) << "the call after a failed one does not end well";
        Operands now = next.read(good_queue);
        ASSERT_TRUE(is_right(next.x, next.before, now));
        good_queue.enqueueWriteBuffer(next.c, CL_TRUE, 0, next.before.c.bytes(), next.before.c.elements.data());
    }
}

} // namespace
