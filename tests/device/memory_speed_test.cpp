// The short measurement of a device's memory: it is made once and kept, and what was kept is taken only where it can be
// true.
#include "engine/memory_speed.hpp"
#include "support/device.hpp"
#include "support/failing_opencl.hpp"
#include "support/with_selection.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

class MemorySpeed : public testing::Test {
protected:
    ~MemorySpeed() override { std::filesystem::remove_all(folder); }

    std::optional<double> speed() const
    {
        return memory_bytes_per_ns(test_device().context, test_device().device, profile, disk);
    }

    // Under the key by which the library keeps it.
    void spoil_what_is_kept(const std::string& by) const
    {
        const std::string key = "speed of memory, 1\n" + profile.platform_name + "\n" + profile.name + "\n" +
                                std::to_string(profile.compute_units) + "\n" + profile.driver_version;
        ASSERT_TRUE(disk.load(key)) << "it is kept under another key";
        disk.store(key, {by.begin(), by.end()});
    }

    const DeviceProfile profile = test_profile();
    const std::filesystem::path folder =
        std::filesystem::path(testing::TempDir()) / ("clgemm-memory-speed-" + std::to_string(std::random_device()()));
    const DiskCache disk{folder};
};

TEST_F(MemorySpeed, IsAFourthRootOfTwoToSomePowerAndMeasuredOnce)
{
    const auto measured = speed();
    ASSERT_TRUE(measured);
    EXPECT_GT(*measured, 0);
    EXPECT_NEAR(4 * std::log2(*measured), std::round(4 * std::log2(*measured)), 1e-9);
    fail_opencl({"clEnqueueCopyBuffer", Failure::never, Failure::never});
    EXPECT_EQ(speed(), measured);
    EXPECT_EQ(stop_failing_opencl().calls, 0) << "it was measured again";
}

TEST_F(MemorySpeed, ThatIsKeptIsTakenAsItIs)
{
    ASSERT_TRUE(speed());
    spoil_what_is_kept("-8");
    EXPECT_EQ(speed(), 0.25);
}

TEST_F(MemorySpeed, ThatNoMemoryHasIsMeasuredAnew)
{
    ASSERT_TRUE(speed());
    for (const char* const nonsense : {"", "fast", "101", "-101", "99999999999999999999"}) {
        spoil_what_is_kept(nonsense);
        fail_opencl({"clEnqueueCopyBuffer", Failure::never, Failure::never});
        EXPECT_TRUE(speed());
        EXPECT_GT(stop_failing_opencl().calls, 0) << nonsense;
    }
}

TEST_F(MemorySpeed, IsUnknownWhereOpenClFails)
{
    for (const char* const function : {"clCreateBuffer", "clCreateCommandQueue", "clEnqueueCopyBuffer"}) {
        fail_opencl({function, 1, Failure::for_ever});
        EXPECT_EQ(speed(), std::nullopt) << function;
        EXPECT_EQ(stop_failing_opencl().caught, function);
    }
    EXPECT_TRUE(speed()) << "nothing was kept of what failed";
}

} // namespace
