// Whether a CPU has AMX tiles: the device's answer is Linux's own, and to ask does no harm where there are none.
#include "device/tiles.hpp"
#include "execute/program_cache.hpp"
#include "support/device.hpp"
#include "support/with_selection.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

// As Linux tells of the processor.
bool linux_knows_tiles()
{
    std::ifstream file("/proc/cpuinfo");
    std::string line;
    while (std::getline(file, line))
        if (line.rfind("flags", 0) == 0)
            return line.find(" amx_tile") != std::string::npos && line.find(" amx_bf16") != std::string::npos;
    return false;
}

} // namespace

TEST(Tiles, AreThereWhereLinuxKnowsThem)
{
    if (!test_profile().takes_x86_assembly)
        GTEST_SKIP() << "the device's OpenCL C takes no inline assembly";
    for (int i = 0; i < 3; i++) { // to ask again changes nothing
        const TilesAnswer answer = ask_for_tiles(test_device().device);
        EXPECT_EQ(answer.are_there, linux_knows_tiles());
        EXPECT_EQ(answer.permission == 1, !answer.are_there) << "Linux is asked where there are tiles, and nowhere else";
    }
}

// PoCL 5.0 aborts the process if it is asked to give such a program away.
TEST(Tiles, ProgramsWithAssemblyAreBuiltAlsoWhereProgramsAreKeptOnDisk)
{
    if (!test_profile().takes_x86_assembly)
        GTEST_SKIP() << "the device's OpenCL C takes no inline assembly";
    const auto folder =
        std::filesystem::path(testing::TempDir()) / ("clgemm-assembly-" + std::to_string(std::random_device()()));
    const DiskCache disk{folder};
    ASSERT_TRUE(disk.keeps());
    Step step;
    step.source = &kernel_source("permit_tiles");
    const Step* const steps[] = {&step};
    ProgramCache programs(test_device().context, test_device().device, test_profile(), disk);
    EXPECT_EQ(programs.programs(steps).size(), 1U);
    std::filesystem::remove_all(folder);
}

TEST(Tiles, AreNotAskedForWhereNobodyHasThem)
{
    DeviceProfile gpu = test_profile(), other_driver = test_profile(), other_vendor = test_profile();
    gpu.type = DeviceType::gpu;
    other_driver.takes_x86_assembly = false;
    other_vendor.vendor = "AuthenticAMD";
    for (const DeviceProfile& profile : {gpu, other_driver, other_vendor})
        EXPECT_EQ(find_tiles(cl::Device(), profile), Tiles::none); // which would fail if it were asked
}

TEST(Tiles, ThatCannotBeAskedForAreNone)
{
    DeviceProfile profile = test_profile();
    profile.type = DeviceType::cpu;
    profile.takes_x86_assembly = true;
    profile.vendor = "GenuineIntel";
    EXPECT_EQ(find_tiles(cl::Device(), profile), Tiles::none) << "no context can be made for no device";
}
