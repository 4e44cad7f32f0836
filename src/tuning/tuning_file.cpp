#include "tuning/tuning_file.hpp"

#include "device/quirks.hpp"
#include "families/registry.hpp"

#include <nlohmann/json.hpp>

#include <cmath>

namespace clgemm::core {
namespace {

using Json = nlohmann::ordered_json;

constexpr int format = 1;

Json device_key(const DeviceProfile& device)
{
    return {{"platform", device.platform_name},
            {"name", lasting_name(device.platform_name, device.name)},
            {"type", to_string(device.type)},
            {"compute_units", device.compute_units}};
}

// Files may have been written, or made by hand, where the driver gave the device another name.
bool is_key_of(Json key, const DeviceProfile& device)
{
    const auto is_text = [&](const char* name) { return key.is_object() && key.contains(name) && key[name].is_string(); };
    if (is_text("platform") && is_text("name"))
        key["name"] = lasting_name(key["platform"].get<std::string>(), key["name"]);
    return key == device_key(device);
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

[[noreturn]] void refuse(const std::string& name, const Json& json, const std::string& wanted)
{
    throw TuningFileError(name + " is " + json.dump() + ", but must be " + wanted);
}

const Json& member(const Json& json, const char* name)
{
    if (!json.is_object() || !json.contains(name))
        throw TuningFileError(std::string(name) + " is missing");
    return json[name];
}

const Json& list(const Json& json, const char* name)
{
    const Json& result = member(json, name);
    if (!result.is_array())
        refuse(name, result, "a list");
    if (result.empty())
        throw TuningFileError(std::string(name) + " is empty");
    return result;
}

std::string text(const Json& json, const char* name)
{
    const Json& result = member(json, name);
    if (!result.is_string())
        refuse(name, result, "a text");
    return result;
}

// A time or rate: no table can be built on nonsense.
double positive(const Json& json, const char* name)
{
    if (!json.is_number() || !std::isfinite(json.get<double>()) || json.get<double>() <= 0)
        refuse(name, json, "a positive number");
    return json;
}

Curve read_curve(const Json& json, const char* name)
{
    Curve result;
    for (const auto& point : list(json, name)) {
        if (!point.is_array() || point.size() != 2)
            refuse(std::string("a point of ") + name, point, "a pair of work-groups and ns");
        result.emplace_back(positive(point[0], name), positive(point[1], name));
        const std::size_t count = result.size();
        if (count > 1 && result[count - 2].first >= result[count - 1].first)
            throw TuningFileError(std::string(name) + " does not ascend");
    }
    return result;
}

Measurement read_measurement(const Json& json, const DeviceProfile& device)
{
    Measurement result;
    const std::string name = text(json, "kernel");
    const KernelInfo* const kernel = find_kernel(name);
    if (!kernel)
        throw TuningFileError("there is no kernel " + name);
    const Json& parameters = member(json, "parameters");
    if (!parameters.is_object())
        refuse("parameters", parameters, "an object");
    Parameters values;
    for (const auto& [key, value] : parameters.items()) {
        if (!value.is_number_unsigned())
            refuse("parameter " + key, value, "a whole number");
        values.add(key, value);
    }
    if (!is_valid(*kernel, values))
        throw TuningFileError("kernel " + name + " cannot be built with " + values.text());
    result.variant = variant_of(*kernel, std::move(values));
    if (!runs(result.variant, device))
        throw TuningFileError("kernel " + name + " with " + result.variant.parameters.text() +
                              " needs more work-items or local memory than " + device.name + " has, or other instructions");
    result.operands = text(json, "operands");
    if (!result.operands.empty() &&
        (result.operands.size() != 2 || std::string("NnT").find(result.operands[0]) == std::string::npos ||
         std::string("NTt").find(result.operands[1]) == std::string::npos))
        throw TuningFileError("operands is \"" + result.operands + "\", but must be of the letters N, n, T and N, T, t");
    result.step_ns = read_curve(json, "step_ns");
    result.resident = positive(member(json, "resident"), "resident");
    if (result.resident < 1)
        refuse("resident", json["resident"], "at least 1");
    result.start_ns = read_curve(json, "start_ns");
    return result;
}

} // namespace

bool is_about(const std::string& text, const DeviceProfile& device)
{
    const Json json = read_json(text);
    return json.contains("device") && is_key_of(json["device"], device);
}

Tuning parse_tuning(const std::string& text, const DeviceProfile& device, std::string origin)
{
    const Json json = read_json(text);
    if (!is_key_of(member(json, "device"), device))
        throw TuningFileError("it is about " + json["device"].dump() + ", not about " + device_key(device).dump());
    Tuning result;
    result.origin = std::move(origin);
    result.launch_ns = positive(member(json, "launch_ns"), "launch_ns");
    result.enqueue_ns = positive(member(json, "enqueue_ns"), "enqueue_ns");
    result.bytes_per_ns = positive(member(json, "bytes_per_ns"), "bytes_per_ns");
    for (const auto& kernel : list(json, "kernels"))
        try {
            result.measurements.push_back(read_measurement(kernel, device));
        } catch (const TuningFileError& error) {
            throw TuningFileError("number " + std::to_string(result.measurements.size() + 1) +
                                  " of kernels: " + error.what());
        }
    return result;
}

std::string to_text(const Tuning& tuning, const DeviceProfile& device)
{
    // Nanoseconds need no more digits than this.
    const auto rounded = [](double value) { return std::round(value * 100) / 100; };
    // One line for each kernel, which people can read and compare.
    std::string kernels;
    for (const auto& measurement : tuning.measurements) {
        Json parameters = Json::object();
        for (const auto& [name, value] : measurement.variant.parameters.values())
            parameters[name] = value;
        const auto curve = [&](const Curve& points) {
            Json result = Json::array();
            for (const auto& [groups, ns] : points)
                result.push_back({rounded(groups), rounded(ns)});
            return result;
        };
        const Json line{{"kernel", measurement.variant.kernel->name},
                        {"operands", measurement.operands},
                        {"parameters", parameters},
                        {"step_ns", curve(measurement.step_ns)},
                        {"resident", measurement.resident},
                        {"start_ns", curve(measurement.start_ns)}};
        kernels += (kernels.empty() ? "" : ",\n") + std::string("  ") + line.dump();
    }
    return "{\n \"format\": " + std::to_string(format) + ",\n \"device\": " + device_key(device).dump() +
           ",\n \"launch_ns\": " + Json(rounded(tuning.launch_ns)).dump() +
           ",\n \"enqueue_ns\": " + Json(rounded(tuning.enqueue_ns)).dump() +
           ",\n \"bytes_per_ns\": " + Json(rounded(tuning.bytes_per_ns)).dump() + ",\n \"kernels\": [\n" + kernels +
           "\n ]\n}\n";
}

} // namespace clgemm::core
