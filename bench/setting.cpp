#include "setting.hpp"

#include "tools/program/machine.hpp"

#include <array>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <thread>

namespace bench {
namespace {

std::string today()
{
    const std::time_t now = std::time(nullptr);
    std::array<char, 32> text{};
    std::tm calendar{};
    gmtime_r(&now, &calendar);
    std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M UTC", &calendar);
    return text.data();
}

std::string processor_name()
{
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
        if (line.rfind("model name", 0) == 0)
            return line.substr(line.find(':') + 2);
    return "unknown";
}

} // namespace

Setting setting_of(const std::string& program, int argc, char** argv, const cl::Device& device)
{
    Setting setting;
    setting.program = setting.command = program;
    for (int i = 1; i < argc; i++)
        setting.command += std::string(" ") + argv[i];
    setting.date = today();
    setting.platform = cl::Platform(device.getInfo<CL_DEVICE_PLATFORM>()).getInfo<CL_PLATFORM_NAME>();
    setting.device = device.getInfo<CL_DEVICE_NAME>();
    setting.driver = device.getInfo<CL_DRIVER_VERSION>();
    setting.compute_units = device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>();
    setting.on_cpu = (device.getInfo<CL_DEVICE_TYPE>() & CL_DEVICE_TYPE_CPU) != 0;
    setting.processor = processor_name();
    setting.processors = std::thread::hardware_concurrency();
    setting.load = clgemm::program::load();
    return setting;
}

void print(const Setting& setting)
{
    std::printf("    %s\n\n%s / %s, %u compute units, driver %s; %s; clgemm %s.\n", setting.command.c_str(),
                setting.platform.c_str(), setting.device.c_str(), setting.compute_units, setting.driver.c_str(),
                setting.date.c_str(), clgemm_version());
}

Json to_json(const Setting& setting)
{
    return {{"program", setting.program},
            {"command", setting.command},
            {"date", setting.date},
            {"clgemm", clgemm_version()},
            {"device",
             {{"platform", setting.platform},
              {"name", setting.device},
              {"type", setting.on_cpu ? "CPU" : "GPU"},
              {"driver", setting.driver},
              {"compute_units", setting.compute_units}}},
            {"host", {{"processor", setting.processor}, {"processors", setting.processors}, {"load", setting.load}}}};
}

} // namespace bench
