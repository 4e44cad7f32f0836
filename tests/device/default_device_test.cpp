// Which device is used where the caller names none, also where drivers fail.
#include "clgemm/clgemm.h"
#include "device/default_device.hpp"
#include "device/query_profile.hpp"
#include "support/error.hpp"
#include "support/failing_opencl.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

// PoCL gives two devices, so that one can fail beside another. Before main(), since PoCL reads it when it is loaded.
[[maybe_unused]] const int two_devices = setenv("POCL_DEVICES", "basic pthread", 1);

// What choose_device() says where this fails; CLGEMM_SUCCESS and no text if it finds a device.
struct Said {
    cl_int status;
    std::string text;
};

Said choose_while(const Failure& failure, const std::string& wanted = "")
{
    fail_opencl(failure);
    Said said{CLGEMM_SUCCESS, ""};
    try {
        choose_device(wanted);
    } catch (const Error& error) {
        said = {error.status(), error.what()};
    } catch (const cl::Error& error) {
        said = {error.err(), error.what()};
    }
    stop_failing_opencl();
    return said;
}

std::size_t number_of_platforms()
{
    std::vector<cl::Platform> platforms;
    cl::Platform::get(&platforms);
    return platforms.size();
}

std::size_t number_of_devices()
{
    std::vector<cl::Platform> platforms;
    cl::Platform::get(&platforms);
    std::size_t count = 0;
    for (const auto& platform : platforms) {
        std::vector<cl::Device> devices;
        platform.getDevices(CL_DEVICE_TYPE_ALL, &devices);
        count += devices.size();
    }
    return count;
}

TEST(DefaultDevice, IsAnotherWhereOneCannotBeAsked)
{
    if (number_of_devices() < 2)
        GTEST_SKIP() << "there is one device only";
    const std::string usual = query_profile(choose_device("")).name;
    fail_opencl({"clGetDeviceInfo", Failure::never});
    choose_device("");
    const long calls = stop_failing_opencl().calls;
    bool another = false;
    for (long call = 1; call <= calls; call++) {
        fail_opencl({"clGetDeviceInfo", call});
        cl::Device device;
        ASSERT_NO_THROW(device = choose_device("")) << "call " << call << " of " << calls;
        stop_failing_opencl();
        another = another || query_profile(device).name != usual;
    }
    EXPECT_TRUE(another);
}

// A kernel that is run on every device to know all of it takes a while, and leaves the drivers' threads in the process.
TEST(DefaultDevice, IsChosenWithoutAContext)
{
    for (const char* function : {"clCreateContext", "clCreateProgramWithSource", "clBuildProgram"}) {
        fail_opencl({function, Failure::never});
        EXPECT_NO_THROW(choose_device(""));
        EXPECT_EQ(stop_failing_opencl().calls, 0) << function;
    }
}

TEST(DefaultDevice, IsNoneWhereNoneCanBeAskedAndTheReasonIsTold)
{
    for (const cl_int code : {CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES})
        for (const char* function : {"clGetPlatformIDs", "clGetDeviceIDs", "clGetDeviceInfo"}) {
            const Said said = choose_while({function, 1, Failure::for_ever, code});
            EXPECT_EQ(said.status, code) << "as the driver has it: " << said.text;
            EXPECT_NE(said.text.find(function), std::string::npos) << said.text;
        }
}

TEST(DefaultDevice, APlatformWithoutDevicesIsNamed)
{
    const Said said = choose_while({"clGetDeviceIDs", 1, Failure::for_ever, CL_DEVICE_NOT_FOUND});
    EXPECT_EQ(said.status, CLGEMM_NO_DEVICE);
    EXPECT_NE(said.text.find("found, but without devices"), std::string::npos) << said.text;
    EXPECT_NE(said.text.find(query_profile(choose_device("")).platform_name), std::string::npos) << said.text;
}

TEST(DefaultDevice, ThatIsWantedButCannotBeAskedIsMentioned)
{
    if (number_of_devices() < 2 || number_of_platforms() > 1)
        GTEST_SKIP() << "it is not known which device is asked first";
    const Said said = choose_while({"clGetDeviceInfo", 1}, "no device's name");
    EXPECT_EQ(said.status, CLGEMM_NO_DEVICE);
    EXPECT_NE(said.text.find("no device's name"), std::string::npos) << said.text;
    EXPECT_NE(said.text.find("clGetDeviceInfo returned CL_OUT_OF_RESOURCES"), std::string::npos) << said.text;
}

} // namespace
