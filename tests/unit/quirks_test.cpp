// What is done about single drivers, and that it is done about no other.
#include "device/quirks.hpp"
#include "made_up.hpp"

#include <gtest/gtest.h>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

DeviceProfile with_driver(const std::string& platform, const std::string& version)
{
    DeviceProfile profile = made_up_cpu();
    profile.platform_name = platform;
    profile.platform_version = version;
    work_around_quirks(profile);
    return profile;
}

DeviceProfile pocl(const std::string& version)
{
    return with_driver("Portable Computing Language", "OpenCL 3.0 PoCL " + version + "+debian  Linux, RELOC, LLVM 16.0.6");
}

} // namespace

TEST(Quirks, PoCL5And6CompileOpenCLC3)
{
    for (const auto* version : {"5.0", "6.0"})
        EXPECT_EQ(pocl(version).language, "CL3.0") << version;
    for (const auto* version : {"3.0", "3.1", "7.0", "7.1"})
        EXPECT_EQ(pocl(version).language, "CL1.2") << version;
    EXPECT_EQ(with_driver("NVIDIA CUDA", "OpenCL 3.0 CUDA 13.0.84").language, "CL1.2");
}

TEST(Quirks, PoCLKeepsProgramsByItself)
{
    for (const auto* version : {"3.1", "6.0", "7.1"})
        EXPECT_TRUE(pocl(version).keeps_programs) << version;
    EXPECT_FALSE(with_driver("Intel(R) OpenCL", "OpenCL 3.1 LINUX").keeps_programs);
}

TEST(Quirks, PoCL5IsNotAskedForProgramsWithAssembly)
{
    EXPECT_FALSE(pocl("5.0").gives_assembly_away);
    for (const auto* version : {"3.1", "6.0", "7.1"})
        EXPECT_TRUE(pocl(version).gives_assembly_away) << version;
}

TEST(Quirks, PoCLCompilesAtLaunch)
{
    for (const auto* version : {"3.1", "6.0", "7.1"})
        EXPECT_TRUE(pocl(version).compiles_at_launch) << version;
    EXPECT_FALSE(with_driver("NVIDIA CUDA", "OpenCL 3.0 CUDA 13.0.84").compiles_at_launch);
}

// Ponte Vecchio has no sub-groups of 8; gen9 and Alchemist do.
TEST(Quirks, SubGroupsAreAskedForWhereIntelsCompilerDoesNotLookAtRegisters)
{
    EXPECT_EQ(sub_group_to_ask_for({16, 32}), 16U);
    EXPECT_EQ(sub_group_to_ask_for({32, 16}), 16U);
    EXPECT_EQ(sub_group_to_ask_for({8, 16, 32}), 0U);
    EXPECT_EQ(sub_group_to_ask_for({32}), 0U);
    EXPECT_EQ(sub_group_to_ask_for({}), 0U);
}

TEST(Quirks, OfAProcessorsCacheCoresHaveTheirShare)
{
    constexpr std::size_t mega = 1 << 20;
    EXPECT_EQ(cache_of_cores(480 * mega, 2), 32 * mega);
    EXPECT_EQ(cache_of_cores(32 * mega, 2), 32 * mega);
    EXPECT_EQ(cache_of_cores(480 * mega, 120), 480 * mega);
    EXPECT_EQ(cache_of_cores(0, 2), 0U) << "the driver does not say";
}

TEST(Quirks, PoCLTakesAssemblyOfItsProcessor)
{
    EXPECT_TRUE(pocl("3.1").takes_x86_assembly);
    EXPECT_FALSE(with_driver("Intel(R) OpenCL", "OpenCL 3.1 LINUX").takes_x86_assembly);
    DeviceProfile gpu = large_gpu(); // PoCL has devices of other kinds, too
    gpu.platform_name = "Portable Computing Language";
    work_around_quirks(gpu);
    EXPECT_FALSE(gpu.takes_x86_assembly);
}

TEST(Quirks, OclgrindBuildsOneProgramAtATime)
{
    EXPECT_TRUE(with_driver("Oclgrind", "OpenCL 1.2 (Oclgrind 21.10)").builds_one_at_a_time);
    EXPECT_FALSE(pocl("3.1").builds_one_at_a_time);
    EXPECT_FALSE(with_driver("NVIDIA CUDA", "OpenCL 3.0 CUDA 13.0.84").builds_one_at_a_time);
}

TEST(Quirks, ADevicesNameLasts)
{
    const std::string platform = "Portable Computing Language";
    EXPECT_EQ(lasting_name(platform, "cpu-skylake-avx512-AMD EPYC"), "pthread-skylake-avx512-AMD EPYC");
    for (const auto* name : {"pthread-skylake-avx512-AMD EPYC", "basic", "a cpu-like device", ""})
        EXPECT_EQ(lasting_name(platform, name), name);
    EXPECT_EQ(lasting_name("another platform", "cpu-skylake"), "cpu-skylake");
}
