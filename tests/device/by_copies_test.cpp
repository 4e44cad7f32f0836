// Products on host memory by way of copies, on whatever device there is, in as little of its memory as makes tiles of small
// matrices; and shared by several devices.
#include "support/one_pocl_worker.hpp" // the first: PoCL reads its variables when it is loaded

#include "device/default_device.hpp"
#include "host/by_copies.hpp"
#include "host/lanes.hpp"
#include "reference/reference.hpp"
#include "support/sgemm_case.hpp"

#include <random>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

// PoCL shows one device of each kind that it is told.
[[maybe_unused]] const int four_pocl_devices = setenv("POCL_DEVICES", "pthread pthread pthread pthread", 0);

struct Shared {
    std::vector<cl::Device> devices = choose_devices(std::getenv("CLGEMM_DEVICE") ? std::getenv("CLGEMM_DEVICE") : "", 4);
    cl::Context context{devices};
};

Devices some_devices(std::size_t most)
{
    static auto* const shared = new Shared;
    Devices result;
    for (const auto& device : shared->devices)
        if (result.size() < most)
            result.push_back(device_state(shared->context(), device()));
    return result;
}

Problem problem_of(const SgemmCase& x, const Operands& operands)
{
    return make_problem({x.layout, x.trans_a, x.trans_b, x.m, x.n, x.k, x.alpha, 0, operands.a.ld, 0, operands.b.ld, x.beta,
                         0, operands.c.ld});
}

testing::AssertionResult is_right_by_copies(const SgemmCase& x, const Devices& devices, const HostLimits& limits)
{
    const Operands before(x);
    Operands after = before;
    try {
        multiply_by_copies(problem_of(x, after), {after.a.data(), after.b.data(), after.c.elements.data() + after.c.offset},
                           devices, {}, limits);
    } catch (const std::exception& failure) {
        return testing::AssertionFailure() << x << ": " << failure.what();
    }
    return is_right(x, before, after) << " with " << limits.room.all << " bytes and " << limits.threads << " threads";
}

struct Random {
    std::mt19937 random;
    std::size_t any(std::size_t least, std::size_t most)
    {
        return std::uniform_int_distribution<std::size_t>(least, most)(random);
    }
    SgemmCase a_case(std::size_t most)
    {
        constexpr clgemm_layout layouts[] = {CLGEMM_COLUMN_MAJOR, CLGEMM_ROW_MAJOR};
        constexpr clgemm_transpose transposes[] = {CLGEMM_NO_TRANS, CLGEMM_TRANS, CLGEMM_CONJ_TRANS};
        constexpr float alphas[] = {1, -0.5f}, betas[] = {0, 1, -0.7f};
        return {layouts[any(0, 1)],
                transposes[any(0, 2)],
                transposes[any(0, 2)],
                any(1, most),
                any(1, most),
                any(1, most),
                alphas[any(0, 1)],
                betas[any(0, 2)],
                {any(0, 9), any(0, 9), any(0, 9)},
                {any(0, 9), any(0, 9), any(0, 9)}};
    }
};

void check_random_cases(unsigned seed, std::size_t devices, int cases)
{
    const Devices some = some_devices(devices);
    if (some.size() < devices)
        GTEST_SKIP() << "there are no " << devices << " devices of one platform";
    Random random{std::mt19937(seed)};
    for (int i = 0; i < cases; i++) {
        const std::size_t all = std::size_t{1} << random.any(12, 22);
        const HostLimits limits{{all, all >> random.any(0, 2)}, random.any(1, 5), false};
        ASSERT_TRUE(is_right_by_copies(random.a_case(300), some, limits)) << "seed " << seed << ", number " << i;
    }
}

// The tiles do not depend on who computes them. (That they are right is the other tests' business.)
void check_same_bits(std::size_t devices, std::size_t m)
{
    if (some_devices(devices).size() < devices)
        GTEST_SKIP() << "there are no " << devices << " devices of one platform";
    const SgemmCase x{CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_TRANS, m, 4500, 1900, 1, 1, {3, 1, 2}, {}};
    const Operands before(x);
    const HostLimits limits{{SIZE_MAX / 16, SIZE_MAX / 16}, 3, false};
    const auto partition = choose_partition(problem_of(x, before), limits.room);
    ASSERT_GE(partition.m.count() * partition.n.count(), devices) << "too little to share";
    std::array<Operands, 2> after{before, before};
    for (const std::size_t i : {0U, 1U})
        multiply_by_copies(problem_of(x, after[i]),
                           {after[i].a.data(), after[i].b.data(), after[i].c.elements.data() + after[i].c.offset},
                           some_devices(i == 0 ? 1 : devices), {}, limits);
    EXPECT_FALSE(before.c.same_bits(after[0].c));
    EXPECT_TRUE(after[0].c.same_bits(after[1].c));
}

} // namespace

TEST(ByCopies, SmallProductsTravelInOneBlock)
{
    Random random{std::mt19937(1)};
    for (int i = 0; i < 60; i++)
        ASSERT_TRUE(is_right_by_copies(random.a_case(200), some_devices(1), limits_of(some_devices(1)))) << "number " << i;
}

TEST(ByCopies, TilesInLittleRoomAreRight)
{
    check_random_cases(2, 1, 120);
}

TEST(ByCopies, TwoDevicesShareAProduct)
{
    check_random_cases(3, 2, 80);
}

TEST(ByCopies, DevicesInAGridShareAProduct)
{
    check_random_cases(4, 4, 80);
}

// To pin them anew for each call took longer than two devices needed for the product.
TEST(ByCopies, TheNextCallFindsThePiecesOfAsManyThreadsAsThereMayBe)
{
    for (const std::size_t count : {1U, 2U, 8U})
        EXPECT_LE(2 * limits_of(Devices(count, some_devices(1)[0])).threads, Lanes::most_pieces);
}

// Several pieces for each tile, columns that are longer than a piece among them.
TEST(ByCopies, MatricesLargerThanABlockAreRight)
{
    const HostLimits limits{{SIZE_MAX / 16, SIZE_MAX / 16}, 4, true};
    for (const auto layout : {CLGEMM_COLUMN_MAJOR, CLGEMM_ROW_MAJOR})
        for (const float beta : {0.0f, 0.5f}) {
            ASSERT_TRUE(
                is_right_by_copies({layout, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 300000, 3, 5, 1, beta, {0, 3, 5}, {1, 2, 3}},
                                   some_devices(1), limits));
            ASSERT_TRUE(
                is_right_by_copies({layout, CLGEMM_TRANS, CLGEMM_NO_TRANS, 3, 5, 300001, 1, beta, {7, 0, 5}, {1, 2, 3}},
                                   some_devices(1), limits));
            ASSERT_TRUE(
                is_right_by_copies({layout, CLGEMM_NO_TRANS, CLGEMM_TRANS, 700, 600, 3, 1, beta, {7, 0, 5}, {1, 2, 3}},
                                   some_devices(1), limits));
        }
}

TEST(ByCopies, GivesTheSameBitsOnOneDeviceAndOnTwo)
{
    check_same_bits(2, 1200);
}

TEST(ByCopies, GivesTheSameBitsOnOneDeviceAndOnFour)
{
    check_same_bits(4, 4200);
}
