#include "tuning/single_call_json.hpp"

#include "support/whole_numbers.hpp"
#include "tuning/json_members.hpp"
#include "tuning/parsed_json.hpp"

namespace clgemm::core {
namespace {

using Json = nlohmann::json;

std::size_t size_in(const Json& json, const char* name)
{
    const Json& value = member(json, name);
    if (!value.is_number_unsigned() || value == 0U)
        refuse(name, value, "a whole number from 1 on");
    return value.get<std::size_t>();
}

void read_transposes(const Json& json, SingleCall& call)
{
    const Json& value = member(json, "transposes");
    const std::string* const text = value.is_string() ? &value.get_ref<const std::string&>() : nullptr;
    if (!text || text->size() != 2 || text->find_first_not_of("NT") != std::string::npos)
        refuse("transposes", value, "NN, NT, TN or TT");
    call.trans_a = (*text)[0] == 'T';
    call.trans_b = (*text)[1] == 'T';
}

void read_alignment(const Json& json, SingleCall& call)
{
    const Json& value = member(json, "aligned");
    const auto is_width = [](const Json& width) {
        return width.is_number_unsigned() && width <= widest_vector && is_power_of_2(width.get<std::size_t>());
    };
    if (!value.is_array() || value.size() != call.aligned.size() || !is_width(value[0]) || !is_width(value[1]) ||
        !is_width(value[2]))
        refuse("aligned", value, "three powers of 2 from 1 to " + std::to_string(widest_vector));
    for (std::size_t i = 0; i < call.aligned.size(); i++)
        call.aligned[i] = value[i].get<std::size_t>();
}

void read_batch(const Json& json, SingleCall& call)
{
    if (json.contains("products"))
        call.products = size_in(json, "products");
    const Json* const shared = find_member(json, "shared");
    if (!shared)
        return;
    if (*shared != "A" && *shared != "B" && *shared != "AB")
        refuse("shared", *shared, "A, B or AB");
    if (call.products == 1)
        refuse("shared", *shared, "missing where there is one product");
    call.shared_a = *shared != "B";
    call.shared_b = *shared != "A";
}

} // namespace

std::string json_members(const SingleCall& call)
{
    const auto& [a, b, c] = call.aligned;
    std::string result = R"("m": )" + std::to_string(call.m) + R"(, "n": )" + std::to_string(call.n) + R"(, "k": )" +
                         std::to_string(call.k) + R"(, "transposes": ")" + transposes_of(call) + R"(", "aligned": [)" +
                         std::to_string(a) + ", " + std::to_string(b) + ", " + std::to_string(c) + "]";
    if (call.products > 1)
        result += R"(, "products": )" + std::to_string(call.products);
    if (call.shared_a || call.shared_b)
        result += std::string(R"(, "shared": ")") + (call.shared_a ? "A" : "") + (call.shared_b ? "B" : "") + "\"";
    if (call.arithmetic != Arithmetic{})
        result += R"(, "arithmetic": ")" + to_text(call.arithmetic) + "\"";
    return result;
}

SingleCall read_single_call(const Json& json)
{
    if (!json.is_object())
        throw JsonError(shortened(json) + " is no object");
    SingleCall call;
    call.m = size_in(json, "m");
    call.n = size_in(json, "n");
    call.k = size_in(json, "k");
    read_transposes(json, call);
    read_alignment(json, call);
    read_batch(json, call);
    if (const Json* const value = find_member(json, "arithmetic")) {
        const auto arithmetic = value->is_string() ? arithmetic_of(value->get_ref<const std::string&>()) : std::nullopt;
        if (!arithmetic)
            refuse("arithmetic", *value,
                   "one that this version of the library has, such as \"" + to_text(Arithmetic{}) + "\"");
        call.arithmetic = *arithmetic;
    }
    return call;
}

} // namespace clgemm::core
