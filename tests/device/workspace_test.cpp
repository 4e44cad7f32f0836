// Workspace: the caller's own is used and not overrun, the library's pool stays within its limit and never shares memory
// between calls that may run at once.
#include "engine/device_state.hpp"
#include "execute/execution.hpp"
#include "families/registry.hpp"
#include "select/plan_of.hpp"
#include "support/case_on_device.hpp"
#include "support/one_pocl_worker.hpp"
#include "support/with_selection.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

constexpr SgemmCase needing_workspace{
    CLGEMM_COLUMN_MAJOR, CLGEMM_TRANS, CLGEMM_NO_TRANS, 67, 35, 29, 1, 0.5f, {1, 2, 3}, {}};

clgemm_status workspace_size(const SgemmCase& x, const Operands& o, const char* kernel, std::size_t& bytes)
{
    clgemm_options options = CLGEMM_OPTIONS_INIT;
    options.kernel = kernel;
    return clgemm_sgemm_workspace_size(x.layout, x.trans_a, x.trans_b, x.m, x.n, x.k, x.alpha, o.a.offset, o.a.ld,
                                       o.b.offset, o.b.ld, x.beta, o.c.offset, o.c.ld, test_device().device(), &options,
                                       &bytes);
}

std::size_t workspace_size(const SgemmCase& x, const char* kernel)
{
    std::size_t bytes = 0;
    EXPECT_EQ(workspace_size(x, Operands(x), kernel, bytes), CLGEMM_SUCCESS) << clgemm_last_error();
    return bytes;
}

class OwnWorkspace : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override
    {
        if (!runs_here(GetParam()))
            GTEST_SKIP() << "the device cannot run this kernel";
    }
};

TEST_P(OwnWorkspace, IsEnoughWhenExactAndIsNotOverrun)
{
    const auto& test = test_device();
    constexpr unsigned char canary = 0xa5;
    constexpr std::size_t canaries = 4096;
    for (const SgemmCase& x : {needing_workspace, SgemmCase{CLGEMM_ROW_MAJOR, CLGEMM_TRANS, CLGEMM_TRANS, 129, 127, 65}}) {
        const std::size_t bytes = workspace_size(x, GetParam());
        clgemm_options options = CLGEMM_OPTIONS_INIT;
        options.kernel = GetParam();

        cl::Buffer exact;
        if (bytes > 0)
            exact = cl::Buffer(test.context, CL_MEM_READ_WRITE, bytes);
        const cl::Buffer longer(test.context, CL_MEM_READ_WRITE, bytes + canaries);
        std::vector<unsigned char> contents(bytes + canaries, canary);
        test.in_order.enqueueWriteBuffer(longer, CL_TRUE, 0, contents.size(), contents.data());
        for (const cl::Buffer& own : {exact, longer})
            for (const auto& queue : {test.in_order, test.out_of_order}) {
                const CaseOnDevice on_device(x);
                options.workspace = own();
                ASSERT_EQ(on_device.call(queue, options), CLGEMM_SUCCESS) << clgemm_last_error();
                queue.finish();
                EXPECT_TRUE(on_device.is_right(queue));
            }
        test.in_order.enqueueReadBuffer(longer, CL_TRUE, 0, contents.size(), contents.data());
        EXPECT_TRUE(std::all_of(contents.begin() + static_cast<std::ptrdiff_t>(bytes), contents.end(),
                                [](unsigned char byte) { return byte == canary; }))
            << "written behind the workspace";
        EXPECT_TRUE(bytes == 0 || std::any_of(contents.begin(), contents.begin() + static_cast<std::ptrdiff_t>(bytes),
                                              [](unsigned char byte) { return byte != canary; }))
            << "the workspace was not used";

        if (bytes == 0)
            continue;
        const cl::Buffer small(test.context, CL_MEM_READ_WRITE, bytes - 1);
        options.workspace = small();
        const CaseOnDevice on_device(x);
        EXPECT_EQ(on_device.call(test.in_order, options), CLGEMM_WORKSPACE_TOO_SMALL);
        EXPECT_NE(std::string(clgemm_last_error()).find(std::to_string(bytes)), std::string::npos) << clgemm_last_error();
        EXPECT_TRUE(on_device.read(test.in_order).c.same_bits(on_device.before.c));
    }
}

INSTANTIATE_TEST_SUITE_P(Of, OwnWorkspace, testing::ValuesIn(every_kernel()), name_of_kernel);

TEST(OwnWorkspaces, ReplaceThePool)
{
    const auto& test = test_device();
    const cl::Context context(test.device);
    const cl::CommandQueue queue(context, test.device);
    const CaseOnDevice on_device(needing_workspace, context);
    const cl::Buffer own(context, CL_MEM_READ_WRITE, workspace_size(needing_workspace, "10"));
    clgemm_options options = CLGEMM_OPTIONS_INIT;
    options.kernel = "10";
    options.workspace = own();
    ASSERT_EQ(on_device.call(queue, options), CLGEMM_SUCCESS) << clgemm_last_error();
    EXPECT_EQ(device_state(context(), test.device())->workspaces.bytes_kept(), 0u);
    ASSERT_EQ(on_device.call(queue, "10"), CLGEMM_SUCCESS) << clgemm_last_error();
    EXPECT_GT(device_state(context(), test.device())->workspaces.bytes_kept(), 0u);
    queue.finish();
    clgemm_teardown(context());
}

// Skinny matrices that take little memory themselves, but, padded to a kernel's tiles, more than the device has.
TEST(Workspace, ThatCannotBeHadGivesTheAllocationErrorAndLeavesC)
{
    const auto& test = test_device();
    SgemmCase x{CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 1, 100'000, 1, 1, 0.5f, {}, {}};
    const std::size_t bytes_for_each_column = workspace_size(x, "10") / x.n;
    x.n = 2 * test.device.getInfo<CL_DEVICE_GLOBAL_MEM_SIZE>() / bytes_for_each_column;

    const cl::Buffer one(test.context, CL_MEM_READ_WRITE, sizeof(float)),
        row(test.context, CL_MEM_READ_WRITE, x.n * sizeof(float)), c(test.context, CL_MEM_READ_WRITE, x.n * sizeof(float));
    constexpr float old = 7;
    for (const auto& [buffer, count] : {std::pair{one, std::size_t{1}}, {row, x.n}, {c, x.n}})
        test.in_order.enqueueFillBuffer(buffer, old, 0, count * sizeof(float));
    clgemm_options options = CLGEMM_OPTIONS_INIT;
    options.kernel = "10";
    EXPECT_EQ(clgemm_sgemm_ex(x.layout, x.trans_a, x.trans_b, x.m, x.n, x.k, x.alpha, one(), 0, 1, row(), 0, 1, x.beta, c(),
                              0, 1, test.in_order(), 0, nullptr, nullptr, &options),
              CL_MEM_OBJECT_ALLOCATION_FAILURE)
        << clgemm_last_error();
    std::vector<float> now(x.n);
    test.in_order.enqueueReadBuffer(c, CL_TRUE, 0, x.n * sizeof(float), now.data());
    EXPECT_TRUE(std::all_of(now.begin(), now.end(), [](float value) { return value == old; }));
    EXPECT_TRUE(is_right(needing_workspace, by_api("10"))) << "the next call fails";
}

// Else the second call would write the temporaries that the first one still needs.
TEST(Pool, OverItsLimitACallWaitsForTheTemporariesOfAnotherQueuesCall)
{
    const auto& test = test_device();
    const auto state = device_state(test.context(), test.device());
    const CaseOnDevice first(needing_workspace), second(needing_workspace);
    const KernelInfo& kernel = *find_kernel("10");
    const Selection selection = tested(kernel, kernel.variants.front());
    const ReadyPlan plan =
        ready(plan_of(problem_of(needing_workspace, first.before), test_profile(), selection.variant, {}), state->programs);
    ASSERT_GT(plan.plan.workspace_bytes, 0u);
    WorkspacePool pool(test.context, std::make_shared<KeptMemory>(plan.plan.workspace_bytes)); // for one of them

    const cl::CommandQueue one(test.context, test.device), other(test.context, test.device);
    cl::UserEvent gate(test.context);
    const cl_event gates[] = {gate()};
    execute(plan, pool, {first.a(), first.b(), first.c()}, {one, true, gates, true});
    const cl::Event done = execute(plan, pool, {second.a(), second.b(), second.c()}, {other, true, {}, true});
    other.flush();
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    EXPECT_GT(done.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>(), CL_COMPLETE);
    gate.setStatus(CL_COMPLETE);
    other.finish();
    one.finish();
    EXPECT_TRUE(first.is_right(one));
    EXPECT_TRUE(second.is_right(other));
    EXPECT_LE(pool.bytes_kept(), plan.plan.workspace_bytes);
}

TEST(Pool, DoesNotGrowOverManyCallsOfVaryingSizesOnMixedQueues)
{
    const auto& test = test_device();
    const cl::Context context(test.device);
    const auto properties = test.device.getInfo<CL_DEVICE_QUEUE_PROPERTIES>() & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    const cl::CommandQueue queues[] = {{context, test.device}, {context, test.device}, {context, test.device, properties}};
    const auto kernels = kernels_here();
    std::size_t largest = 0;
    std::vector<CaseOnDevice> cases;
    for (std::size_t i = 0; i < 3 * kernels.size(); i++) {
        SgemmCase x = needing_workspace;
        x.m += 13 * i;
        cases.emplace_back(x, context);
        largest = std::max(largest, workspace_size(x, kernels[i % kernels.size()]));
    }
    // A new buffer is made only while all that are large enough are in use, so there are never more than calls in a round.
    const std::size_t most = cases.size() * largest;
    const auto state = device_state(context(), test.device());
    for (int round = 0; round < 20; round++) {
        for (std::size_t i = 0; i < cases.size(); i++) {
            ASSERT_EQ(cases[i].call(queues[i % 3], kernels[i % kernels.size()]), CLGEMM_SUCCESS) << clgemm_last_error();
            ASSERT_LE(state->workspaces.bytes_kept(), std::min(most, state->profile().memory_for_temporaries()));
        }
        for (const auto& queue : queues)
            queue.finish();
    }
    clgemm_teardown(context());
}

// A pool with a small limit of its own, whose leases are used by fills that write the lease's number.
class SmallPool : public testing::Test {
protected:
    static constexpr std::size_t limit = 1 << 20;

    enum class Event { given, none };

    // Uses a lease on the queue, in the way of a call, and copies one of the written values to `results`. `event`: does the
    // pool have one for the end of that?
    void use(std::size_t bytes, std::size_t number, const cl::CommandQueue& queue, Event event = Event::given)
    {
        WorkspacePool::Lease lease = pool.acquire(bytes, queue, true);
        ASSERT_GE(lease.bytes, bytes);
        const std::vector<cl::Event> first{lease.ready};
        cl::Event done;
        queue.enqueueFillBuffer(lease.buffer, static_cast<float>(number), 0, bytes, lease.ready() ? &first : nullptr);
        queue.enqueueCopyBuffer(lease.buffer, results, bytes - sizeof(float), number * sizeof(float), sizeof(float), nullptr,
                                event == Event::given ? &done : nullptr);
        queue.flush();
        pool.give_back(std::move(lease), queue, done);
    }

    // After 1000 uses.
    void expect_own_values()
    {
        for (const auto& queue : queues)
            queue.finish();
        std::vector<float> found(1000);
        queues[0].enqueueReadBuffer(results, CL_TRUE, 0, 1000 * sizeof(float), found.data());
        for (std::size_t i = 0; i < 1000; i++)
            ASSERT_EQ(found[i], static_cast<float>(i)) << "somebody else wrote into this call's memory";
    }

    cl::Context context = test_device().context;
    cl::CommandQueue queues[3] = {
        {context, test_device().device}, {context, test_device().device}, {context, test_device().device}};
    cl::Buffer results{context, CL_MEM_READ_WRITE, 1000 * sizeof(float)};
    std::shared_ptr<KeptMemory> kept = std::make_shared<KeptMemory>(limit);
    WorkspacePool pool{context, kept};
};

TEST_F(SmallPool, StaysWithinItsLimitAndGivesNoMemoryToTwoAtOnce)
{
    for (std::size_t i = 0; i < 1000; i++) {
        use(4 * (1 + i * 7919 % (limit / 8)), i, queues[i % 3]);
        ASSERT_LE(kept->bytes(), limit);
    }
    expect_own_values();
}

TEST_F(SmallPool, KeepsTheMemoryOfACallLargerThanItsLimitAlone)
{
    use(limit / 4, 0, queues[0]);
    std::size_t largest = 0;
    for (const std::size_t bytes : {3 * limit, 2 * limit, 4 * limit, limit / 2, 5 * limit}) {
        use(bytes, 1, queues[1]);
        largest = std::max(largest, bytes);
        EXPECT_LE(kept->bytes(), largest);
    }
    for (const auto& queue : queues)
        queue.finish();
}

TEST_F(SmallPool, ReusesMemoryOfCallsThatAreOver)
{
    for (std::size_t i = 0; i < 10; i++) {
        use(limit / 4, i, queues[i % 3]);
        queues[i % 3].finish();
        EXPECT_EQ(kept->bytes(), limit / 4);
    }
}

// Only the last call's event may not be asked for yet when the next call comes on another queue.
TEST_F(SmallPool, KeepsTwoBuffersAtMostOfCallsThatAreOverOnHoweverManyQueues)
{
    std::size_t number = 0;
    std::vector<cl::CommandQueue> used;
    for (int i = 0; i < 10; i++) {
        used.emplace_back(context, test_device().device);
        for (int calls = 0; calls <= i % 4; calls++) {
            use(limit / 16, number++, used.back(), Event::none);
            for (const auto& queue : used)
                queue.finish();
            ASSERT_LE(kept->bytes(), 2 * (limit / 16)) << "queue " << i;
        }
    }
}

// A program may let go of contexts whose pools are still there; the device has memory for all of them together only.
TEST_F(SmallPool, StaysWithinItsLimitTogetherWithThePoolsOfOtherContexts)
{
    const cl::Context other_context(test_device().device);
    const cl::CommandQueue other_queue(other_context, test_device().device);
    {
        WorkspacePool other(other_context, kept);
        for (std::size_t i = 0; i < 20; i++) {
            use(limit / 2, i, queues[0]);
            other.give_back(other.acquire(limit / 4 * 3, other_queue, true), other_queue, {});
            EXPECT_LE(kept->bytes(), limit);
            EXPECT_EQ(other.bytes_kept(), limit / 4 * 3) << "the last one to need memory has it";
        }
        use(limit / 4, 20, queues[0]);
        EXPECT_EQ(kept->bytes(), limit);
    }
    EXPECT_EQ(kept->bytes(), limit / 4) << "a pool that goes takes its own along, and nothing else";
    EXPECT_EQ(pool.bytes_kept(), limit / 4);
    queues[0].finish();
}

// The next user has nothing to wait for: waiting for an event that failed would fail it, too, or hold it for ever.
TEST_F(SmallPool, DoesNotPassOnTheFailureOfACall)
{
    cl::UserEvent failing(context);
    pool.give_back(pool.acquire(1000, queues[0], true), queues[0], failing);
    failing.setStatus(-1);
    for (const auto& queue : queues) {
        WorkspacePool::Lease lease = pool.acquire(1000, queue, true);
        EXPECT_TRUE(!lease.ready() || lease.ready.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() >= CL_COMPLETE);
        pool.give_back(std::move(lease), queue, failing);
    }
}

// Calls on in-order queues give their memory back without an event, also while they still run: here, while a gate holds
// what uses it.
class SmallPoolWithoutEvents : public SmallPool {
protected:
    ~SmallPoolWithoutEvents() override { open_gate(); }

    void open_gate()
    {
        if (!open_)
            gate_.setStatus(CL_COMPLETE);
        open_ = true;
    }

    // The handle of the memory that a call on this queue has used, and still uses until the gate is open.
    cl_mem use_behind_gate(std::size_t bytes, const cl::CommandQueue& queue)
    {
        WorkspacePool::Lease lease = pool.acquire(bytes, queue, true);
        cl_mem const memory = lease.buffer();
        const std::vector<cl::Event> behind{gate_};
        queue.enqueueFillBuffer(lease.buffer, 1.0f, 0, bytes, &behind);
        queue.flush();
        pool.give_back(std::move(lease), queue, cl::Event());
        return memory;
    }

private:
    cl::UserEvent gate_{context};
    bool open_ = false;
};

TEST_F(SmallPoolWithoutEvents, GivesTheSameQueueItsMemoryAtOnce)
{
    cl_mem const memory = use_behind_gate(limit / 4, queues[0]);
    for (int i = 0; i < 3; i++) {
        WorkspacePool::Lease lease = pool.acquire(limit / 4, queues[0], true);
        EXPECT_EQ(lease.buffer(), memory);
        EXPECT_FALSE(lease.ready()) << "the queue itself keeps the order";
        pool.give_back(std::move(lease), queues[0], cl::Event());
    }
    EXPECT_EQ(kept->bytes(), limit / 4);
}

TEST_F(SmallPoolWithoutEvents, GivesAnotherQueueTheMemoryOnlyAfterwards)
{
    cl_mem const memory = use_behind_gate(limit / 4, queues[0]);
    for (const bool in_order : {true, false}) {
        const WorkspacePool::Lease meanwhile = pool.acquire(limit / 4, queues[1], in_order);
        EXPECT_NE(meanwhile.buffer(), memory) << "it is still in use";
        EXPECT_FALSE(meanwhile.ready()) << "new memory, nobody's before";
    }
    open_gate();
    queues[0].finish();
    const WorkspacePool::Lease afterwards = pool.acquire(limit / 4, queues[1], true);
    EXPECT_EQ(afterwards.buffer(), memory);
    EXPECT_FALSE(afterwards.ready());
}

// What was asked for at the end of an in-order queue may wait for this very call, so nobody lines up behind it.
TEST_F(SmallPoolWithoutEvents, OverItsLimitMakesNobodyWaitForAnotherQueue)
{
    cl_mem const memory = use_behind_gate(limit / 4 * 3, queues[0]);
    WorkspacePool::Lease meanwhile = pool.acquire(limit / 4 * 3, queues[1], true);
    EXPECT_NE(meanwhile.buffer(), memory);
    EXPECT_FALSE(meanwhile.ready());
    pool.give_back(std::move(meanwhile), queues[1], cl::Event());
    EXPECT_LE(kept->bytes(), limit);
}

TEST_F(SmallPoolWithoutEvents, OverItsLimitLinesUpBehindACallThatHasAnEvent)
{
    cl::UserEvent done(context);
    WorkspacePool::Lease first = pool.acquire(limit / 4 * 3, queues[0], false);
    cl_mem const memory = first.buffer();
    pool.give_back(std::move(first), queues[0], done);
    for (const auto& queue : queues) { // each of them out of order
        WorkspacePool::Lease next = pool.acquire(limit / 4 * 3, queue, false);
        EXPECT_EQ(next.buffer(), memory);
        EXPECT_EQ(next.ready(), done());
        pool.give_back(std::move(next), queue, done);
    }
    done.setStatus(CL_COMPLETE);
}

TEST_F(SmallPoolWithoutEvents, GivesNoMemoryToTwoAtOnce)
{
    // As SmallPool.StaysWithinItsLimit..., with an event in every third call alone.
    for (std::size_t i = 0; i < 1000; i++) {
        use(4 * (1 + i * 7919 % (limit / 8)), i, queues[i / 2 % 3], i % 3 == 0 ? Event::given : Event::none);
        ASSERT_LE(kept->bytes(), limit);
    }
    expect_own_values();
}

} // namespace
