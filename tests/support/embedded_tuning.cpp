#include "embedded_tuning.hpp"

#include "device/instructions.hpp"
#include "tuning/tuning_file.hpp"

#include <nlohmann/json.hpp>

#include <limits>
#include <stdexcept>

namespace clgemm::test {

using namespace core;

const EmbeddedText& tuning_text_of(std::string_view device_name)
{
    for (const EmbeddedText& file : tuning_texts())
        if (device_of(file).name == device_name)
            return file;
    throw std::runtime_error("no file that is compiled in is about " + std::string(device_name));
}

DeviceProfile device_of(const EmbeddedText& file)
{
    const auto json = nlohmann::json::parse(file.text());
    DeviceProfile device;
    device.platform_name = json["device"]["platform"];
    device.name = json["device"]["name"];
    for (const auto type : {DeviceType::cpu, DeviceType::gpu, DeviceType::accelerator})
        if (json["device"]["type"] == to_string(type))
            device.type = type;
    device.compute_units = json["device"]["compute_units"];
    constexpr auto anything = std::numeric_limits<std::size_t>::max();
    device.max_work_group_size = device.local_memory = device.retargeted_local_memory = anything;
    device.architecture = json["properties"]["architecture"];
    device.driver_version = device.platform_name == "NVIDIA CUDA" ? "580.159.04" : "";
    device.compute_capability = device.platform_name == "NVIDIA CUDA" ? 90 : 0; // the files' only NVIDIA GPU is a Hopper
    for (const auto& kernel : json["kernels"])
        if (kernel["kernel"] == "cpu_amx")
            device.tiles = Tiles::amx; // without which it could not have been measured
    device.instructions = find_instructions(device);
    device.max_work_item_sizes = {anything, anything, anything};
    device.global_memory = std::size_t{1} << 36;
    device.max_allocation = std::size_t{1} << 34;
    return device;
}

Tuning tuning_of(const EmbeddedText& file)
{
    Tuning result = parse_tuning(file.text(), device_of(file), std::string(file.name));
    if (!result.left_out.empty())
        throw std::runtime_error(left_out_in_short(result));
    return result;
}

} // namespace clgemm::test
