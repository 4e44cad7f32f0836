#include "tuning/tuning_file.hpp"

#include <nlohmann/json.hpp>

#include <cmath>

namespace clgemm::core {
namespace {

using Json = nlohmann::ordered_json;

constexpr int format = 1;

Json device_key(const DeviceProfile& device)
{
    return {{"platform", device.platform_name},
            {"name", device.name},
            {"type", to_string(device.type)},
            {"compute_units", device.compute_units}};
}

Json read_json(const std::string& text)
{
    Json json;
    try {
        json = Json::parse(text);
    } catch (const Json::exception& error) {
        throw TuningFileError(std::string("it is no JSON: ") + error.what());
    }
    if (!json.is_object() || !json.contains("format") || !json["format"].is_number_integer())
        throw TuningFileError("it has no format number");
    if (json["format"] != format)
        throw TuningFileError("its format is " + json["format"].dump() + ", but this version of the library reads format " +
                              std::to_string(format));
    return json;
}

// A time or rate: no table can be built on nonsense.
double positive(const Json& json, const std::string& name)
{
    const double value = json.get<double>();
    if (!std::isfinite(value) || value <= 0)
        throw TuningFileError(name + " is " + json.dump() + ", but must be a positive number");
    return value;
}

Curve read_curve(const Json& json, const std::string& name)
{
    Curve result;
    for (const auto& point : json) {
        result.emplace_back(positive(point.at(0), name), positive(point.at(1), name));
        const std::size_t count = result.size();
        if (count > 1 && result[count - 2].first >= result[count - 1].first)
            throw TuningFileError(name + " does not ascend");
    }
    if (result.empty())
        throw TuningFileError(name + " is empty");
    return result;
}

Measurement read_measurement(const Json& json, const DeviceProfile& device)
{
    Measurement result;
    const auto name = json.at("kernel").get<std::string>();
    result.kernel = find_kernel(name);
    if (!result.kernel)
        throw TuningFileError("there is no kernel " + name);
    for (const auto& [key, value] : json.at("parameters").items())
        result.parameters.add(key, value.get<std::size_t>());
    if (!is_valid(*result.kernel, result.parameters))
        throw TuningFileError("kernel " + name + " cannot be built with " + result.parameters.text());
    if (!fits(result.kernel->tiling(result.parameters), device))
        throw TuningFileError("kernel " + name + " with " + result.parameters.text() +
                              " needs more work-items or local memory than " + device.name + " has");
    result.operands = json.at("operands").get<std::string>();
    if (!result.operands.empty() && (result.operands.size() != 2 || std::string("NnT").find(result.operands[0]) == std::string::npos ||
                                     std::string("NTt").find(result.operands[1]) == std::string::npos))
        throw TuningFileError("operands is \"" + result.operands + "\", but must be of the letters N, n, T and N, T, t");
    result.step_ns = read_curve(json.at("step_ns"), "step_ns");
    result.start_ns = read_curve(json.at("start_ns"), "start_ns");
    return result;
}

} // namespace

bool is_about(const std::string& text, const DeviceProfile& device)
{
    const Json json = read_json(text);
    return json.contains("device") && json["device"] == device_key(device);
}

Tuning parse_tuning(const std::string& text, const DeviceProfile& device, std::string origin)
{
    const Json json = read_json(text);
    try {
        if (json.at("device") != device_key(device))
            throw TuningFileError("it is about " + json.at("device").dump() + ", not about " + device_key(device).dump());
        Tuning result;
        result.origin = std::move(origin);
        result.launch_ns = positive(json.at("launch_ns"), "launch_ns");
        result.enqueue_ns = positive(json.at("enqueue_ns"), "enqueue_ns");
        result.bytes_per_ns = positive(json.at("bytes_per_ns"), "bytes_per_ns");
        for (const auto& kernel : json.at("kernels"))
            result.measurements.push_back(read_measurement(kernel, device));
        if (result.measurements.empty())
            throw TuningFileError("kernels is empty");
        return result;
    } catch (const Json::exception& error) {
        throw TuningFileError(std::string("a value is missing or of the wrong type: ") + error.what());
    }
}

std::string to_text(const Tuning& tuning, const DeviceProfile& device)
{
    // Nanoseconds need no more digits than this.
    const auto rounded = [](double value) { return std::round(value * 100) / 100; };
    // One line for each kernel, which people can read and compare.
    std::string kernels;
    for (const auto& measurement : tuning.measurements) {
        Json parameters = Json::object();
        for (const auto& [name, value] : measurement.parameters.values())
            parameters[name] = value;
        const auto curve = [&](const Curve& points) {
            Json result = Json::array();
            for (const auto& [groups, ns] : points)
                result.push_back({rounded(groups), rounded(ns)});
            return result;
        };
        const Json line{{"kernel", measurement.kernel->name},
                        {"operands", measurement.operands},
                        {"parameters", parameters},
                        {"step_ns", curve(measurement.step_ns)},
                        {"start_ns", curve(measurement.start_ns)}};
        kernels += (kernels.empty() ? "" : ",\n") + std::string("  ") + line.dump();
    }
    return "{\n \"format\": " + std::to_string(format) + ",\n \"device\": " + device_key(device).dump() +
           ",\n \"launch_ns\": " + Json(rounded(tuning.launch_ns)).dump() +
           ",\n \"enqueue_ns\": " + Json(rounded(tuning.enqueue_ns)).dump() +
           ",\n \"bytes_per_ns\": " + Json(rounded(tuning.bytes_per_ns)).dump() + ",\n \"kernels\": [\n" + kernels + "\n ]\n}\n";
}

} // namespace clgemm::core
