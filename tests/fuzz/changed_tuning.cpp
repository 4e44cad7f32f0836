// Tuning files made of tuning files. Bytes changed at random are hardly ever one any more, so that what comes after the
// syntax would not be tried.
#include "fuzz_target.hpp"

#include "families/registry.hpp"
#include "tuning/parsed_json.hpp"

#include <iterator>
#include <optional>

namespace clgemm::test {
namespace {

using namespace clgemm::core;

using Json = nlohmann::ordered_json;

// Takes a tuning file apart, makes one change after the other, and has it as text again.
class TuningChanges {
    std::size_t below(std::size_t limit) { return random_() % limit; }
    bool one_in(std::size_t count) { return below(count) == 0; }
    template <typename List> auto& any(List&& list) { return list[below(std::size(list))]; }

public:
    TuningChanges(Json file, std::mt19937& random) : file_(std::move(file)), random_(random) {}

    std::string text() const { return file_.dump(-1, ' ', false, Json::error_handler_t::replace); }

    void change()
    {
        Json* const kernels = member(file_, "kernels");
        if (!kernels || !kernels->is_array() || kernels->empty() || one_in(12)) {
            change_members(file_);
            return;
        }
        Json& all = *kernels;
        const std::size_t which = below(all.size());
        switch (below(12)) {
        case 0: all.erase(which); break;
        case 1: all.push_back(Json(all[which])); break;
        case 2: all = Json::array({Json(all[which])}); break;
        case 3: std::swap(all[which], any(all)); break;
        case 4: change_members(all[which]); break;
        case 5:
        case 6:
        case 7: exchange_kernel(all[which]); break;
        default: change_parameter(all[which]); break;
        }
    }

private:
    static Json* member(Json& json, const char* name)
    {
        const auto found = json.find(name);
        return found == json.end() ? nullptr : &*found;
    }

    // A value becomes another one of its kind; or a member is left out, comes twice, or is one that nobody knows.
    void change_members(Json& object)
    {
        if (!object.is_object() || object.empty())
            return;
        const auto which = std::next(object.begin(), static_cast<std::ptrdiff_t>(below(object.size())));
        const std::string name = which.key();
        const Json value = which.value();
        using Members = std::vector<Json::object_t::value_type>; // which takes a name twice
        switch (below(20)) {
        case 0: object.erase(name); break;
        case 1: static_cast<Members&>(object.get_ref<Json::object_t&>()).emplace_back(name, value); break;
        case 2: object["unknown " + std::to_string(object.size())] = value; break;
        default: change_value(which.value(), name); break;
        }
    }

    void change_value(Json& value, const std::string& name)
    {
        if (name == "operands")
            value = one_in(4) ? std::string() : std::string{any("NnTt"), any("NnTt")}.substr(0, 2);
        else if (name == "step_ns" || name == "start_ns")
            change_curve(value);
        else if (value.is_number())
            value = other_number(value.get<double>());
        else if (value.is_structured() && !value.empty() && name != "kernels")
            change_value(*std::next(value.begin(), static_cast<std::ptrdiff_t>(below(value.size()))), "");
    }

    // Times from the shortest to the longest, of which sums and products may be neither finite nor a number.
    double other_number(double number)
    {
        constexpr double all[] = {1e-300, 0.001, 0.5, 1, 1e3, 1e9, 1e13, 1e300};
        return one_in(2) ? any(all) : number * (0.5 + 0.1 * static_cast<double>(below(16)));
    }

    // One point more, one less, or another time at one of them.
    void change_curve(Json& points)
    {
        if (!points.is_array() || points.empty() || !points.back().is_array() || points.back().size() != 2)
            return;
        const std::size_t change = below(4);
        if (change == 0 && points.size() > 1) {
            points.erase(below(points.size()));
        } else if (change == 1) {
            points.push_back(Json(points.back()));
            Json& groups = points.back()[0];
            if (groups.is_number())
                groups = groups.get<double>() * 2;
        } else if (Json& point = any(points); point.is_array() && point.size() == 2) {
            Json& coordinate = point[one_in(8) ? 0 : 1];
            if (coordinate.is_number())
                coordinate = other_number(coordinate.get<double>());
        }
    }

    static Json json_of(const Parameters& parameters)
    {
        Json result = Json::object();
        for (const auto& [name, value] : parameters.values())
            result[name] = value;
        return result;
    }

    // The measurement is said to be of another kernel, in one of that kernel's own sizes; or of the same in another size.
    void exchange_kernel(Json& measurement)
    {
        Json* const name = member(measurement, "kernel");
        Json* const parameters = member(measurement, "parameters");
        if (!name || !parameters)
            return;
        const KernelInfo& kernel = any(kernels());
        *name = kernel.name;
        if (!one_in(20)) // else with the parameters of a stranger
            *parameters = json_of(any(kernel.variants));
    }

    // The kernel and the parameters of a measurement, if they are any.
    static std::optional<std::pair<const KernelInfo*, Parameters>> size_of(Json& measurement)
    {
        const Json* const name = member(measurement, "kernel");
        const Json* const all = member(measurement, "parameters");
        if (!name || !name->is_string() || !all || !all->is_object() || all->empty())
            return std::nullopt;
        Parameters parameters;
        for (const auto& [key, value] : all->items()) {
            if (!value.is_number_unsigned())
                return std::nullopt;
            parameters.add(key, value.get<std::size_t>());
        }
        const KernelInfo* const kernel = find_kernel(name->get<std::string>());
        return kernel ? std::optional(std::pair(kernel, parameters)) : std::nullopt;
    }

    // A parameter is doubled or halved: once, as often as the kernel's rules allow it, or once more; or a little is added.
    void change_parameter(Json& measurement)
    {
        const auto size = size_of(measurement);
        if (!size)
            return;
        const KernelInfo& kernel = *size->first;
        const Parameters& from = size->second;
        const auto [name, before] = any(from.values());
        const bool doubles = one_in(2);
        const auto next = [&](std::size_t value) { return doubles ? value * 2 : value / 2; };
        std::size_t value = next(before);
        switch (below(6)) {
        case 0:
        case 1: break;
        case 2:
        case 3:
            while (value > 0 && is_valid(kernel, from.with(name, next(value))))
                value = next(value);
            break;
        case 4:
            while (value > 0 && is_valid(kernel, from.with(name, value)))
                value = next(value);
            break;
        default: value = before + below(5) - 2; break;
        }
        *member(measurement, "parameters") = json_of(from.with(name, value));
    }

    Json file_;
    std::mt19937& random_;
};

} // namespace

std::string changed_tuning(std::string input, std::mt19937& random)
{
    if (random() % 8 == 0)
        return changed(std::move(input), random);
    try {
        const ParsedJson is_sound(input); // not nested so deep that it cannot be written again
        TuningChanges file(Json::parse(input), random);
        for (std::size_t changes = 1 + random() % 4; changes > 0; changes--)
            file.change();
        return file.text();
    } catch (const JsonError&) { // it was spoilt before
        return changed(std::move(input), random);
    }
}

} // namespace clgemm::test
