#include "tuning/tuning_file.hpp"

#include "device/quirks.hpp"
#include "families/registry.hpp"

#include "tuning/json_tree.hpp"

#include <cmath>

namespace clgemm::core {
namespace {

constexpr int format = 1;

std::string device_key(const DeviceProfile& device)
{
    return R"({"platform":)" + quoted(device.platform_name) + R"(,"name":)" +
           quoted(lasting_name(device.platform_name, device.name)) + R"(,"type":)" + quoted(to_string(device.type)) +
           R"(,"compute_units":)" + std::to_string(device.compute_units) + "}";
}

// Files may have been written, or made by hand, where the driver gave the device another name.
bool is_key_of(JsonTree key, const DeviceProfile& device)
{
    const JsonTree* const platform = key.find("platform");
    for (std::size_t i = 0; i < key.names.size(); i++)
        if (auto& name = key.members[i].scalar;
            key.names[i] == "name" && name.is_string() && platform && platform->scalar.is_string())
            name = lasting_name(platform->scalar.get<std::string>(), name.get<std::string>());
    return key.text() == device_key(device);
}

JsonTree read_json(const std::string& text)
{
    JsonTree json;
    try {
        json = parse_json(text);
    } catch (const JsonError& error) {
        throw TuningFileError(error.what());
    }
    const JsonTree* const number = json.find("format");
    if (!number || !number->scalar.is_number_integer())
        throw TuningFileError("it has no format number");
    if (number->scalar != format)
        throw TuningFileError("its format is " + number->text() + ", but this version of the library reads format " +
                              std::to_string(format));
    return json;
}

// A value in an error's message.
std::string shortened(const std::string& text)
{
    constexpr std::size_t most = 300;
    return text.size() <= most ? text : text.substr(0, most) + "...";
}

[[noreturn]] void refuse(const std::string& name, const JsonTree& json, const std::string& wanted)
{
    throw TuningFileError(name + " is " + shortened(json.text()) + ", but must be " + wanted);
}

const JsonTree& member(const JsonTree& json, const char* name)
{
    const JsonTree* const result = json.find(name);
    if (!result)
        throw TuningFileError(std::string(name) + " is missing");
    return *result;
}

const JsonTree& list(const JsonTree& json, const char* name)
{
    const JsonTree& result = member(json, name);
    if (!result.is_list())
        refuse(name, result, "a list");
    if (result.members.empty())
        throw TuningFileError(std::string(name) + " is empty");
    return result;
}

std::string text(const JsonTree& json, const char* name)
{
    const JsonTree& result = member(json, name);
    if (!result.scalar.is_string())
        refuse(name, result, "a text");
    return result.scalar.get<std::string>();
}

// A time or rate: no table can be built on nonsense. No product of such numbers that an estimate has exceeds a double, which
// could be compared with nothing.
double positive(const JsonTree& json, const char* name)
{
    constexpr double least = 1e-30, most = 1e30;
    const double value = json.scalar.is_number() ? json.scalar.get<double>() : 0;
    if (!(value >= least && value <= most))
        refuse(name, json, "a positive number from 1e-30 to 1e30");
    return value;
}

Curve read_curve(const JsonTree& json, const char* name)
{
    Curve result;
    for (const auto& point : list(json, name).members) {
        if (!point.is_list() || point.members.size() != 2)
            refuse(std::string("a point of ") + name, point, "a pair of work-groups and ns");
        result.emplace_back(positive(point.members[0], name), positive(point.members[1], name));
        const std::size_t count = result.size();
        if (count > 1 && result[count - 2].first >= result[count - 1].first)
            throw TuningFileError(std::string(name) + " does not ascend");
    }
    return result;
}

Measurement read_measurement(const JsonTree& json, const DeviceProfile& device)
{
    Measurement result;
    const std::string name = text(json, "kernel");
    const KernelInfo* const kernel = find_kernel(name);
    if (!kernel)
        throw TuningFileError("there is no kernel " + shortened(name));
    const JsonTree& parameters = member(json, "parameters");
    if (!parameters.is_object())
        refuse("parameters", parameters, "an object");
    Parameters values;
    for (std::size_t i = 0; i < parameters.members.size(); i++) {
        const JsonTree& value = parameters.members[i];
        if (!value.scalar.is_number_unsigned())
            refuse("parameter " + shortened(parameters.names[i]), value, "a whole number");
        values.add(parameters.names[i], value.scalar.get<std::size_t>());
    }
    if (!is_valid(*kernel, values))
        throw TuningFileError("kernel " + name + " cannot be built with " + shortened(values.text()));
    result.variant = variant_of(*kernel, std::move(values));
    if (!runs(result.variant, device))
        throw TuningFileError("kernel " + name + " with " + result.variant.parameters.text() +
                              " needs more work-items or local memory than " + device.name + " has, or other instructions");
    result.operands = text(json, "operands");
    if (!result.operands.empty() &&
        (result.operands.size() != 2 || std::string("NnT").find(result.operands[0]) == std::string::npos ||
         std::string("NTt").find(result.operands[1]) == std::string::npos))
        throw TuningFileError("operands is \"" + shortened(result.operands) +
                              "\", but must be of the letters N, n, T and N, T, t");
    result.step_ns = read_curve(json, "step_ns");
    result.resident = positive(member(json, "resident"), "resident");
    if (result.resident < 1)
        refuse("resident", member(json, "resident"), "at least 1");
    result.start_ns = read_curve(json, "start_ns");
    return result;
}

} // namespace

bool is_about(const std::string& text, const DeviceProfile& device)
{
    const JsonTree json = read_json(text);
    const JsonTree* const its_device = json.find("device");
    return its_device && is_key_of(*its_device, device);
}

Tuning parse_tuning(const std::string& text, const DeviceProfile& device, std::string origin)
{
    const JsonTree json = read_json(text);
    if (const JsonTree& its_device = member(json, "device"); !is_key_of(its_device, device))
        throw TuningFileError("it is about " + shortened(its_device.text()) + ", not about " + device_key(device));
    Tuning result;
    result.origin = std::move(origin);
    result.launch_ns = positive(member(json, "launch_ns"), "launch_ns");
    result.enqueue_ns = positive(member(json, "enqueue_ns"), "enqueue_ns");
    result.bytes_per_ns = positive(member(json, "bytes_per_ns"), "bytes_per_ns");
    for (const auto& kernel : list(json, "kernels").members)
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
    using Json = nlohmann::ordered_json;
    // Times need no more digits than this. What is too small or too large for them stays as it is.
    const auto rounded = [](double value) { return value >= 1 && value < 1e13 ? std::round(value * 100) / 100 : value; };
    // One line for each kernel, which people can read and compare.
    std::string kernels;
    for (const auto& measurement : tuning.measurements) {
        Json parameters = Json::object();
        for (const auto& [name, value] : measurement.variant.parameters.values())
            parameters[name] = value;
        const auto curve = [&](const Curve& points) {
            Json result = Json::array();
            for (const auto& [groups, ns] : points)
                result.push_back({groups, rounded(ns)}); // one point may lie close to the next
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
    return "{\n \"format\": " + std::to_string(format) + ",\n \"device\": " + device_key(device) +
           ",\n \"launch_ns\": " + Json(rounded(tuning.launch_ns)).dump() +
           ",\n \"enqueue_ns\": " + Json(rounded(tuning.enqueue_ns)).dump() +
           ",\n \"bytes_per_ns\": " + Json(rounded(tuning.bytes_per_ns)).dump() + ",\n \"kernels\": [\n" + kernels +
           "\n ]\n}\n";
}

} // namespace clgemm::core
