// clgemm_sgemm_host_strided_batched(), by each way in which products on host memory are computed: in place, in groups of
// small products that travel together, and one by one in tiles.
#include "host/by_copies.hpp"
#include "host/in_groups.hpp"
#include "host/in_place.hpp"
#include "host/small_product.hpp"
#include "support/batched_case.hpp"
#include "support/device.hpp"

#include <functional>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

using Multiply = std::function<void(const Problem&, const HostOperands&)>;

testing::AssertionResult is_right_by(const BatchedCase& x, const Multiply& multiply)
{
    const BatchedOperands before(x);
    BatchedOperands after = before;
    const auto memory = [&](Which which) { return after.elements[which].data() + x.offset[which]; };
    try {
        multiply(make_problem(arguments_on_host(x)), {memory(A), memory(B), memory(C)});
    } catch (const std::exception& failure) {
        return testing::AssertionFailure() << x << ": " << failure.what();
    }
    return clgemm::test::is_right(x, before, after);
}

Devices this_device()
{
    return {device_state(test_device().context(), test_device().device())};
}

// Any that a device multiplies.
BatchedCase random_product(std::mt19937& random)
{
    for (;;) {
        const BatchedCase x = random_batched_case(random);
        if (x.m > 0 && x.n > 0 && x.k > 0 && x.alpha != 0 && x.count > 0)
            return x;
    }
}

} // namespace

TEST(HostBatched, RandomOnesAreRight)
{
    std::mt19937 random(2);
    const cl_command_queue queues[] = {nullptr, test_device().in_order(), test_device().out_of_order()};
    for (int i = 0; i < 100; i++) {
        const BatchedCase x = random_batched_case(random);
        const BatchedOperands before(x);
        BatchedOperands after = before;
        const auto memory = [&](Which which) { return after.elements[which].data() + x.offset[which]; };
        ASSERT_EQ(clgemm_sgemm_host_strided_batched(x.layout, x.trans_a, x.trans_b, x.m, x.n, x.k, x.alpha, memory(A),
                                                    x.ld[A], x.distance[A], memory(B), x.ld[B], x.distance[B], x.beta,
                                                    memory(C), x.ld[C], x.distance[C], x.count, queues[i % 3]),
                  CLGEMM_SUCCESS)
            << x << ": " << clgemm_last_error();
        ASSERT_TRUE(clgemm::test::is_right(x, before, after));
    }
}

TEST(HostBatched, SmallProductsTravelInGroups)
{
    std::mt19937 random(3);
    const Devices devices = this_device();
    const auto by_copies = [&](const Problem& problem, const HostOperands& host) {
        multiply_by_copies(problem, host, devices, {}, limits_of(devices));
    };
    for (int i = 0; i < 60; i++)
        ASSERT_TRUE(is_right_by(random_product(random), by_copies)) << "number " << i;
    // Of each of these, one block holds some.
    for (const std::size_t count : {60U, 61U})
        for (const bool is_shared : {false, true}) {
            BatchedCase x;
            x.m = 300;
            x.n = 170;
            x.k = 35;
            x.count = count;
            x.beta = 0.5f;
            x.ld = {301, 36, 302};
            x.distance = {301 * 35 + 3, is_shared ? 0 : std::size_t{36 * 170}, 302 * 170};
            const Problem problem = make_problem(arguments_on_host(x));
            const std::size_t group = products_in_a_block(problem);
            EXPECT_GT(group, 5u);
            EXPECT_LT(group, count / 2) << "else there are no three groups";
            EXPECT_TRUE(is_right_by(x, by_copies));
        }
}

TEST(HostBatched, LargeProductsTravelOneByOneInTiles)
{
    std::mt19937 random(4);
    const Devices devices = this_device();
    const HostLimits limits{{30'000, 20'000}, 2, false};
    for (int i = 0; i < 20; i++)
        ASSERT_TRUE(is_right_by(random_product(random),
                                [&](const Problem& problem, const HostOperands& host) {
                                    multiply_by_copies(problem, host, devices, {}, limits);
                                }))
            << "number " << i;
}

TEST(HostBatched, ProductsInPlaceAreRightInGroupsOfAnySize)
{
    const auto state = this_device()[0];
    if (!state->profile().shares_host_memory)
        GTEST_SKIP() << "the device has memory of its own";
    std::mt19937 random(5);
    for (const std::size_t group : {1U, 2U, 3U})
        for (int i = 0; i < 20; i++)
            ASSERT_TRUE(is_right_by(random_product(random),
                                    [&](const Problem& problem, const HostOperands& host) {
                                        in_groups(problem, group, {}, [&](const Problem& some, const Request& request) {
                                            multiply_in_place(some, host, test_device().in_order, true, *state, request);
                                        });
                                    }))
                << "number " << i;
}

TEST(HostBatched, AsManyAreInPlaceAsBuffersHold)
{
    DeviceProfile device;
    const auto at_a_time = [&](std::size_t distance_a, std::size_t bytes) {
        device.max_allocation = 3 * bytes;
        return products_in_place(make_problem({CLGEMM_COLUMN_MAJOR,
                                               CLGEMM_NO_TRANS,
                                               CLGEMM_NO_TRANS,
                                               2,
                                               2,
                                               2,
                                               1,
                                               0,
                                               3,
                                               0,
                                               2,
                                               0,
                                               0,
                                               2,
                                               {},
                                               {9},
                                               distance_a,
                                               0,
                                               4}),
                                 device);
    };
    device.shares_host_memory = false;
    EXPECT_EQ(at_a_time(10, 4000), 0u);
    device.shares_host_memory = true;
    EXPECT_EQ(at_a_time(10, 4000), 9u);
    EXPECT_EQ(at_a_time(10, 4 * (80 + 5)), 9u) << "exactly";
    EXPECT_EQ(at_a_time(10, 4 * (80 + 5) - 1), 8u);
    EXPECT_EQ(at_a_time(0, 4 * (5 * 4 + 4) - 1), 5u) << "of C";
    EXPECT_EQ(at_a_time(10, 4 * 5), 1u);
    EXPECT_EQ(at_a_time(10, 4 * 5 - 1), 0u);
}

// Another device's driver may write gaps back that another thread has written.
TEST(HostBatched, OnlyCpusComputeInPlaceWhereCHasGaps)
{
    DeviceProfile device;
    device.shares_host_memory = true;
    device.max_allocation = 1 << 20;
    const auto at_a_time = [&](DeviceType type, std::size_t ldc) {
        device.type = type;
        return products_in_place(make_problem({CLGEMM_COLUMN_MAJOR,
                                               CLGEMM_NO_TRANS,
                                               CLGEMM_NO_TRANS,
                                               2,
                                               2,
                                               2,
                                               1,
                                               0,
                                               2,
                                               0,
                                               2,
                                               0,
                                               0,
                                               ldc,
                                               {},
                                               {5},
                                               4,
                                               4,
                                               2 * ldc}),
                                 device);
    };
    EXPECT_EQ(at_a_time(DeviceType::cpu, 2), 5u);
    EXPECT_EQ(at_a_time(DeviceType::cpu, 3), 5u);
    EXPECT_EQ(at_a_time(DeviceType::gpu, 2), 5u);
    EXPECT_EQ(at_a_time(DeviceType::gpu, 3), 0u);
}

// A group that fails leaves those before it computed.
TEST(HostBatched, SaysThatPartOfItWasComputed)
{
    const Problem problem = make_problem(
        {CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 2, 2, 2, 1, 0, 2, 0, 2, 0, 0, 2, {}, {5}, 4, 4, 4});
    const auto status_where_fails = [&](std::size_t failing) {
        std::size_t computed = 0;
        try {
            in_groups(problem, 2, {}, [&](const Problem& group, const Request&) {
                if (computed == failing)
                    throw Error(CL_OUT_OF_RESOURCES, "as the test has it");
                computed += group.batch.count;
            });
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find("as the test has it"), std::string::npos);
            return error.status();
        }
        EXPECT_EQ(computed, 5u);
        return clgemm_status{CLGEMM_SUCCESS};
    };
    EXPECT_EQ(status_where_fails(0), CL_OUT_OF_RESOURCES);
    EXPECT_EQ(status_where_fails(2), CLGEMM_INCOMPLETE);
    EXPECT_EQ(status_where_fails(4), CLGEMM_INCOMPLETE);
    EXPECT_EQ(status_where_fails(6), CLGEMM_SUCCESS);
}
