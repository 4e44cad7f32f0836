// Processes that build programs ahead: what they have built, the library finds on disk.
#include "engine/device_state.hpp"
#include "families/registry.hpp"
#include "select/plan_of.hpp"
#include "support/device.hpp"

#include "timing/build_ahead/builders.hpp"

#include <clgemm/clgemm.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <thread>
#include <unistd.h>

using namespace clgemm::test;
using namespace clgemm::core;
using namespace clgemm::build_ahead;

namespace {

// A kernel's plan for one tile, by a program that no other test here has.
Plan plan_by(const char* kernel, const DeviceProfile& device)
{
    const KernelInfo& info = *find_kernel(kernel);
    const Variant variant = variant_of(info, info.variants.front());
    Plan plan = plan_of(one_tile(variant), device, variant, {});
    std::erase_if(plan.steps, [&](const Step& step) { return step.source->name != info.name; }); // copies are others', too
    return plan;
}

std::string said_of_building(const Plan& plan)
{
    std::string said;
    const auto add = [](const char* line, void* to) { *static_cast<std::string*>(to) += std::string(line) + "\n"; };
    EXPECT_EQ(clgemm_set_log(add, &said), CLGEMM_SUCCESS);
    const auto state = device_state(test_device().context(), test_device().device());
    const Step* const steps[] = {&plan.steps.front()};
    state->programs.programs(steps);
    EXPECT_EQ(clgemm_set_log(nullptr, nullptr), CLGEMM_SUCCESS);
    return said;
}

const DeviceProfile& profile()
{
    return device_state(test_device().context(), test_device().device())->profile();
}

TEST(Builders, PutOnDiskWhatTheyHaveBuilt)
{
    Builders builders(2);
    const Plan plan = plan_by("01", profile()), other = plan_by("02", profile());
    builders.expect({other, plan});
    builders.finish({plan, plan});
    EXPECT_TRUE(builders.have_built({plan}));
    EXPECT_NE(said_of_building(plan).find("loaded from the disk cache"), std::string::npos);
    builders.finish({other});
    EXPECT_NE(said_of_building(other).find("loaded from the disk cache"), std::string::npos);
}

TEST(Builders, BuildWhatNobodyExpected)
{
    Builders builders(1);
    const Plan plan = plan_by("03", profile());
    builders.expect({});
    EXPECT_FALSE(builders.have_built({plan}));
    builders.finish({plan});
    EXPECT_NE(said_of_building(plan).find("loaded from the disk cache"), std::string::npos);
}

// A plan's program with other options.
std::vector<Plan> many_like(const Plan& plan)
{
    std::vector<Plan> many(50, plan);
    for (std::size_t i = 0; i < many.size(); i++)
        many[i].steps.front().options += " -DNUMBER=" + std::to_string(i);
    return many;
}

TEST(Builders, LeaveWhatIsNoLongerExpected)
{
    Builders builders(1);
    const Plan plan = plan_by("04", profile());
    const std::vector<Plan> many = many_like(plan);
    builders.expect(many);
    builders.expect({plan});
    for (int i = 0; i < 600 && !builders.have_built({plan}); i++)
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    EXPECT_TRUE(builders.have_built({plan}));
    EXPECT_FALSE(builders.have_built({many.back()}));
    EXPECT_NE(said_of_building(many.back()).find("compiled"), std::string::npos);
}

TEST(Builders, BuildNothingWhenTheyRest)
{
    Builders builders(1);
    const std::vector<Plan> many = many_like(plan_by("05", profile()));
    builders.expect(many);
    builders.rest();
    const auto built = [&] {
        return std::count_if(many.begin(), many.end(), [&](const Plan& plan) { return builders.have_built({plan}); });
    };
    const auto when_they_rest = built();
    std::this_thread::sleep_for(std::chrono::seconds(1)); // in which it would build several
    EXPECT_EQ(built(), when_they_rest);
    builders.finish({many.back()});
    EXPECT_TRUE(builders.have_built({many.back()})) << "it goes on when it is asked";
}

TEST(Builders, KeepNobodyWaitingForWhatDoesNotBuild)
{
    Builders builders(1);
    Plan plan = plan_by("06", profile());
    plan.steps.front().options = "-DTSM=none";
    builders.expect({plan});
    builders.finish({plan});
    const Plan right = plan_by("07", profile());
    builders.finish({right}); // by the same process
    EXPECT_NE(said_of_building(right).find("loaded from the disk cache"), std::string::npos);
}

TEST(Builders, KeepNobodyWaitingWhereThereAreNone)
{
    Builders builders(0);
    const Plan plan = plan_by("08", profile());
    builders.finish({plan});
    EXPECT_NE(said_of_building(plan).find("compiled"), std::string::npos);
}

// Is there a process that was started with this argument?
bool runs(const std::string& argument)
{
    for (const auto& process : std::filesystem::directory_iterator("/proc")) {
        std::ostringstream line;
        line << std::ifstream(process.path() / "cmdline").rdbuf();
        if (line.str().find(argument) != std::string::npos)
            return true;
    }
    return false;
}

TEST(Builders, LeaveNoProcessThatHangs)
{
    const std::string argument = "--hangs-for-" + std::to_string(getpid());
    {
        const auto worker = Worker::start(argument.c_str());
        ASSERT_TRUE(worker);
        EXPECT_TRUE(worker->does("a line"));
        EXPECT_TRUE(runs(argument));
    }
    for (int i = 0; i < 600 && runs(argument); i++)
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    EXPECT_FALSE(runs(argument));
}

TEST(Builders, AreForGpusAlone)
{
    DeviceProfile device;
    device.global_memory = std::size_t{80} << 30U;
    device.type = DeviceType::cpu;
    EXPECT_EQ(builders_for(device), 0u);
    device.type = DeviceType::gpu;
    const std::size_t half = std::min(8U, std::thread::hardware_concurrency() / 2);
    EXPECT_EQ(builders_for(device), half > 1 ? half : 0);
    device.keeps_programs = true;
    EXPECT_EQ(builders_for(device), 0u) << "the library keeps none of its programs";
    device.keeps_programs = false;
    device.global_memory = std::size_t{1} << 30U;
    EXPECT_EQ(builders_for(device), 0u) << "it has no memory for another context";
}

} // namespace

// The processes are copies of this program. They and the library have a cache of their own, which is empty.
int main(int count, char** arguments)
{
    if (builds_for_another(count, arguments))
        return build_for_another();
    if (count == 2 && std::string(arguments[1]).starts_with("--hangs")) {
        end_after_input(std::chrono::seconds(1));
        std::cin.get();
        answer();
        for (;;)
            pause();
    }
    testing::InitGoogleTest(&count, arguments);
    const std::filesystem::path cache =
        std::filesystem::path(testing::TempDir()) / ("builders_test." + std::to_string(getpid()));
    setenv("CLGEMM_CACHE_DIR", cache.c_str(), 1);
    const int status = RUN_ALL_TESTS();
    std::error_code failed;
    std::filesystem::remove_all(cache, failed);
    return status;
}
