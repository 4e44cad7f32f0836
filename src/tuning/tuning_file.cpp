#include "tuning/tuning_file.hpp"

#include "device/quirks.hpp"
#include "families/registry.hpp"
#include "support/error.hpp"
#include "tuning/json_members.hpp"
#include "tuning/parsed_json.hpp"
#include "tuning/single_call_json.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace clgemm::core {
namespace {

using Json = nlohmann::json;

constexpr int format = 1;

std::string device_key(const MeasuredDevice& device)
{
    return R"({"platform":)" + as_text(device.platform) + R"(,"name":)" + as_text(device.name) + R"(,"type":)" +
           as_text(device.type) + R"(,"compute_units":)" + std::to_string(device.compute_units) + "}";
}

std::string properties(const MeasuredDevice& device)
{
    return R"({"vendor":)" + as_text(device.vendor) + R"(,"architecture":)" + as_text(device.architecture) +
           R"(,"clock_mhz":)" + std::to_string(device.clock_mhz) + "}";
}

ParsedJson read_json(const std::string& text)
{
    ParsedJson json(text);
    const Json* const number = find_member(json.value(), "format");
    if (!number || !number->is_number_integer())
        throw TuningFileError("it has no format number");
    if (*number != format)
        throw TuningFileError("its format is " + as_text(*number) + ", but this version of the library reads format " +
                              std::to_string(format));
    return json;
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

std::size_t whole_number(const Json& json, const char* name)
{
    const Json& result = member(json, name);
    if (!result.is_number_unsigned())
        refuse(name, result, "a whole number");
    return result.get<std::size_t>();
}

MeasuredDevice read_device(const Json& file)
{
    const Json& key = member(file, "device");
    if (!key.is_object() || key.size() != 4)
        refuse("device", key, "an object of platform, name, type and compute_units");
    MeasuredDevice result;
    result.platform = text_in(key, "platform");
    // Files may have been written, or made by hand, where the driver gave the device another name.
    result.name = lasting_name(result.platform, text_in(key, "name"));
    result.type = text_in(key, "type");
    result.compute_units = whole_number(key, "compute_units");
    if (const Json* const known = find_member(file, "properties")) {
        if (!known->is_object())
            refuse("properties", *known, "an object");
        result.vendor = text_in(*known, "vendor");
        result.architecture = text_in(*known, "architecture");
        result.clock_mhz = whole_number(*known, "clock_mhz");
    }
    return result;
}

// A time or rate: no table can be built on nonsense. The limits keep estimates, which are products of such numbers, from
// overflowing.
double positive(const Json& json, const char* name)
{
    constexpr double least = 1e-30, most = 1e30;
    const double value = json.is_number() ? json.get<double>() : 0;
    if (!(value >= least && value <= most))
        refuse(name, json, "a positive number from 1e-30 to 1e30");
    return value;
}

Curve read_curve(const Json& json, const char* name)
{
    Curve result;
    for (const Json& point : list(json, name)) {
        if (!point.is_array() || point.size() != 2)
            refuse(std::string("a point of ") + name, point, "a pair of work-groups and ns");
        result.emplace_back(positive(point[0], name), positive(point[1], name));
        const std::size_t count = result.size();
        if (count > 1 && result[count - 2].first >= result[count - 1].first)
            throw TuningFileError(std::string(name) + " does not ascend");
    }
    return result;
}

const Json& whole_numbers(const Json& json, const char* name)
{
    const Json& result = member(json, name);
    if (!result.is_object())
        refuse(name, result, "an object");
    for (const auto& [key, value] : result.items())
        if (!value.is_number_unsigned())
            refuse("parameter " + shortened(key), value, "a whole number");
    return result;
}

// Why a measurement, or an entry for a single call, is left out although it is well formed.
class NoUseHere : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// Throws NoUseHere where this version does not have the variant, or the device cannot run it.
Variant usable_variant(const std::string& name, const Json& parameters, const Arithmetic& arithmetic,
                       const DeviceProfile& device)
{
    const KernelInfo* const kernel = find_kernel(name);
    if (!kernel)
        throw NoUseHere("there is no kernel " + shortened(name));
    Parameters values; // in the kernel's order
    for (const auto& [key, ignored] : kernel->variants.front().values())
        if (const Json* const value = find_member(parameters, key.c_str()))
            values.add(key, value->get<std::size_t>());
    if (values.values().size() != parameters.size() || !is_valid(*kernel, values))
        throw NoUseHere("kernel " + name + " cannot be built with " + shortened(parameters));
    Variant result = variant_of(*kernel, std::move(values));
    if (const Answer answer = takes(one_tile(result, arithmetic), result, device); !answer)
        throw NoUseHere("kernel " + name + " with " + result.parameters.text() + " " + answer.reason());
    return result;
}

// The arithmetic of this name. Most files name none: then it is the one that callers get who ask for nothing.
Arithmetic usable_arithmetic(const std::optional<std::string>& text)
{
    const auto result = text ? arithmetic_of(*text) : Arithmetic{};
    if (!result)
        throw NoUseHere("there is no arithmetic " + shortened(*text));
    return *result;
}

Measurement read_measurement(const Json& json, const DeviceProfile& device)
{
    Measurement result;
    const std::string name = text_in(json, "kernel");
    const Json& parameters = whole_numbers(json, "parameters");
    result.operands = text_in(json, "operands");
    if (!result.operands.empty() &&
        (result.operands.size() != 2 || std::string("NnT").find(result.operands[0]) == std::string::npos ||
         std::string("NTt").find(result.operands[1]) == std::string::npos))
        refuse("operands", member(json, "operands"), "of the letters N, n, T and N, T, t");
    result.step_ns = read_curve(json, "step_ns");
    result.resident = positive(member(json, "resident"), "resident");
    if (result.resident < 1)
        refuse("resident", member(json, "resident"), "at least 1");
    result.start_ns = read_curve(json, "start_ns");
    if (const Json* const least = find_member(json, "least_ns"))
        result.least_ns = positive(*least, "least_ns");
    const auto arithmetic = find_member(json, "arithmetic") ? std::optional(text_in(json, "arithmetic")) : std::nullopt;
    // These two throw NoUseHere. They come last, so that nonsense is found in any measurement.
    result.arithmetic = usable_arithmetic(arithmetic);
    result.variant = usable_variant(name, parameters, result.arithmetic, device);
    return result;
}

Way read_way(const Json& json)
{
    const Json& way = member(json, "way");
    if (!way.is_object())
        refuse("way", way, "an object");
    const Json& transposed = member(way, "transposed");
    if (!transposed.is_boolean())
        refuse("transposed", transposed, "true or false");
    constexpr std::size_t most_forms = 1000; // more than any family has
    return {static_cast<unsigned>(std::min(whole_number(way, "form"), most_forms)), whole_number(way, "split_k"),
            transposed.get<bool>()};
}

// Throws NoUseHere where the kernel's family does not offer this way for the problem: no kernel is told to compute in any
// other.
void check_usable(const TunedCall& tuned, const Problem& problem, const DeviceProfile& device)
{
    const auto ways = tuned.variant.family().ways(problem, device, tuned.variant);
    if (std::find(ways.begin(), ways.end(), tuned.way) == ways.end())
        throw NoUseHere("kernel " + std::string(tuned.variant.kernel->name) + " does not compute " + describe(tuned.call) +
                        " in the way of form " + std::to_string(tuned.way.form) + ", " + std::to_string(tuned.way.split_k) +
                        " parts of K" + (tuned.way.transposed ? ", transposed" : ""));
}

TunedCall read_tuned_call(const Json& json, const DeviceProfile& device)
{
    if (find_member(json, "arithmetic"))
        usable_arithmetic(text_in(json, "arithmetic"));
    TunedCall result{read_single_call(json), {}, read_way(json), positive(member(json, "ns"), "ns")};
    const std::string name = text_in(json, "kernel");
    const Json& parameters = whole_numbers(json, "parameters");
    const Problem problem = [&] {
        try {
            return problem_of(result.call);
        } catch (const Error& error) {
            throw TuningFileError(error.what());
        }
    }();
    result.variant = usable_variant(name, parameters, result.call.arithmetic, device);
    check_usable(result, problem, device);
    return result;
}

// Reads each entry of a list, or leaves it out with the reason. Throws TuningFileError, which says which entry is wrong.
template <typename Read>
void read_each(const Json& json, const char* name, std::vector<std::string>& left_out, const Read& read)
{
    std::size_t number = 0;
    for (const Json& entry : list(json, name)) {
        const std::string which = "number " + std::to_string(++number) + " of " + name + ": ";
        try {
            read(entry);
        } catch (const NoUseHere& reason) {
            left_out.push_back(which + reason.what());
        } catch (const TuningFileError& error) {
            throw TuningFileError(which + error.what());
        } catch (const JsonError& error) {
            throw TuningFileError(which + error.what());
        }
    }
}

std::string in_json(const Parameters& parameters)
{
    std::string result;
    for (const auto& [name, value] : parameters.values())
        result += (result.empty() ? "\"" : ", \"") + name + "\": " + std::to_string(value);
    return "{ " + result + " }";
}

std::string in_json(const TunedCall& tuned, const std::string& ns)
{
    return "{ " + json_members(tuned.call) + R"(, "kernel": ")" + std::string(tuned.variant.kernel->name) +
           R"(", "parameters": )" + in_json(tuned.variant.parameters) + R"(, "way": { "form": )" +
           std::to_string(tuned.way.form) + R"(, "split_k": )" + std::to_string(tuned.way.split_k) + R"(, "transposed": )" +
           (tuned.way.transposed ? "true" : "false") + R"( }, "ns": )" + ns + " }";
}

} // namespace

TuningFile::TuningFile(const std::string& text)
try : json_(std::make_unique<const ParsedJson>(read_json(text))), device_(read_device(json_->value())) {
} catch (const JsonError& error) {
    throw TuningFileError(error.what());
}

TuningFile::TuningFile(TuningFile&&) noexcept = default;
TuningFile& TuningFile::operator=(TuningFile&&) noexcept = default;
TuningFile::~TuningFile() = default;

bool TuningFile::uses(Instructions instructions) const
{
    const Json* const kernels = find_member(json_->value(), "kernels");
    if (!kernels || !kernels->is_array())
        return false;
    return std::any_of(kernels->begin(), kernels->end(), [&](const Json& measured) {
        const Json* const name = measured.is_object() ? find_member(measured, "kernel") : nullptr;
        const KernelInfo* const kernel = name && name->is_string() ? find_kernel(name->get<std::string>()) : nullptr;
        return kernel && kernel->instructions == instructions;
    });
}

Tuning TuningFile::tuning_for(const DeviceProfile& device, std::string origin) const
try {
    const Json& json = json_->value();
    Tuning result;
    result.origin = std::move(origin);
    if (find_member(json, "calls")) {
        result.origin_of_calls = result.origin;
        read_each(json, "calls", result.left_out,
                  [&](const Json& call) { result.calls.push_back(read_tuned_call(call, device)); });
    }
    if (!find_member(json, "kernels") && find_member(json, "calls"))
        return result; // a file may have these alone
    result.launch_ns = positive(member(json, "launch_ns"), "launch_ns");
    result.enqueue_ns = positive(member(json, "enqueue_ns"), "enqueue_ns");
    result.bytes_per_ns = positive(member(json, "bytes_per_ns"), "bytes_per_ns");
    read_each(json, "kernels", result.left_out,
              [&](const Json& kernel) { result.measurements.push_back(read_measurement(kernel, device)); });
    return result;
} catch (const JsonError& error) {
    throw TuningFileError(error.what());
}

Tuning parse_tuning(const std::string& text, const DeviceProfile& device, std::string origin)
{
    const TuningFile file(text);
    const Kinship found = kinship(file.device(), device);
    if (found == Kinship::namesake)
        throw OtherDevice("it is about a device of the same name, but of the architecture " +
                          as_text(file.device().architecture) + ", not " + as_text(device.architecture));
    if (found != Kinship::itself)
        throw OtherDevice("it is about " + device_key(file.device()) + ", not about " + device_key(as_measured(device)));
    return file.tuning_for(device, std::move(origin));
}

std::string to_text(const Tuning& tuning, const DeviceProfile& device)
{
    using Ordered = nlohmann::ordered_json;
    // Times need no more digits than this. What is too small or too large for them stays as it is.
    const auto rounded = [](double value) { return value >= 1 && value < 1e13 ? std::round(value * 100) / 100 : value; };
    // One line for each kernel, which people can read and compare.
    std::string kernels;
    for (const auto& measurement : tuning.measurements) {
        Ordered parameters = Ordered::object();
        for (const auto& [name, value] : measurement.variant.parameters.values())
            parameters[name] = value;
        const auto curve = [&](const Curve& points) {
            Ordered result = Ordered::array();
            for (const auto& [groups, ns] : points)
                result.push_back({groups, rounded(ns)}); // groups as they are: one point may lie close to the next
            return result;
        };
        Ordered line{{"kernel", measurement.variant.kernel->name},
                     {"operands", measurement.operands},
                     {"parameters", parameters},
                     {"step_ns", curve(measurement.step_ns)},
                     {"resident", measurement.resident},
                     {"start_ns", curve(measurement.start_ns)}};
        if (measurement.least_ns > 0)
            line["least_ns"] = rounded(measurement.least_ns);
        if (measurement.arithmetic != Arithmetic{})
            line["arithmetic"] = to_text(measurement.arithmetic);
        kernels += (kernels.empty() ? "" : ",\n") + std::string("  ") + line.dump();
    }
    std::string calls;
    for (const TunedCall& tuned : tuning.calls)
        calls += (calls.empty() ? "" : ",\n") + std::string("  ") + in_json(tuned, Ordered(rounded(tuned.ns)).dump());
    const MeasuredDevice measured = as_measured(device);
    std::string result = "{\n \"format\": " + std::to_string(format) + ",\n \"device\": " + device_key(measured) +
                         ",\n \"properties\": " + properties(measured);
    if (!kernels.empty())
        result += ",\n \"launch_ns\": " + Ordered(rounded(tuning.launch_ns)).dump() +
                  ",\n \"enqueue_ns\": " + Ordered(rounded(tuning.enqueue_ns)).dump() +
                  ",\n \"bytes_per_ns\": " + Ordered(rounded(tuning.bytes_per_ns)).dump() + ",\n \"kernels\": [\n" +
                  kernels + "\n ]";
    if (!calls.empty())
        result += ",\n \"calls\": [\n" + calls + "\n ]";
    return result + "\n}\n";
}

} // namespace clgemm::core
