// Where, when and how something was measured: the head of every report, as text and as JSON.
#pragma once

#include <clgemm/clgemm.hpp>

#include <nlohmann/json.hpp>

#include <string>

namespace bench {

using Json = nlohmann::ordered_json;

struct Setting {
    std::string program, command, date;
    std::string platform, device, driver;
    unsigned compute_units = 0;
    bool on_cpu = false;
    std::string processor; // the host's
    unsigned processors = 0;
    double load = 0; // before the first measurement
};

Setting setting_of(const std::string& program, int argc, char** argv, const cl::Device& device);

// "    program --option ...", and the device with its driver, as Markdown.
void print(const Setting& setting);

Json to_json(const Setting& setting);

} // namespace bench
