// Tuning files made of tuning files. Bytes changed at random are hardly ever one any more, so that what comes after the
// syntax would not be tried.
#include "fuzz_target.hpp"

#include "families/registry.hpp"
#include "tuning/json_tree.hpp"

#include <algorithm>
#include <optional>

namespace clgemm::test {
namespace {

using namespace clgemm::core;

// Takes a tuning file apart, makes one change after the other, and has it as text again.
class TuningChanges {
    std::size_t below(std::size_t limit) { return random_() % limit; }
    bool one_in(std::size_t count) { return below(count) == 0; }
    template <typename List> auto& any(List&& list) { return list[below(std::size(list))]; }

public:
    TuningChanges(JsonTree file, std::mt19937& random) : file_(std::move(file)), random_(random) {}

    std::string text() const { return file_.text(); }

    void change()
    {
        JsonTree* const kernels = member(file_, "kernels");
        if (!kernels || !kernels->is_list() || kernels->members.empty() || one_in(12)) {
            change_members(file_);
            return;
        }
        auto& all = kernels->members;
        const std::size_t which = below(all.size());
        switch (below(12)) {
        case 0: all.erase(all.begin() + static_cast<std::ptrdiff_t>(which)); break;
        case 1: all.push_back(JsonTree(all[which])); break;
        case 2: all = {JsonTree(all[which])}; break;
        case 3: std::swap(all[which], any(all)); break;
        case 4: change_members(all[which]); break;
        case 5:
        case 6:
        case 7: exchange_kernel(all[which]); break;
        default: change_parameter(all[which]); break;
        }
    }

private:
    static JsonTree* member(JsonTree& tree, std::string_view name) { return const_cast<JsonTree*>(tree.find(name)); }
    static JsonTree scalar(nlohmann::json value) { return {JsonTree::Kind::scalar, std::move(value), {}, {}}; }

    // A value becomes another one of its kind; or a member is left out, comes twice, or is one that nobody knows.
    void change_members(JsonTree& object)
    {
        if (!object.is_object() || object.members.empty())
            return;
        const std::size_t which = below(object.members.size());
        const auto at = [which](auto& list) { return list.begin() + static_cast<std::ptrdiff_t>(which); };
        switch (below(20)) {
        case 0:
            object.members.erase(at(object.members));
            object.names.erase(at(object.names));
            break;
        case 1:
            object.members.push_back(JsonTree(object.members[which]));
            object.names.push_back(std::string(object.names[which]));
            break;
        case 2:
            object.members.push_back(JsonTree(object.members[which]));
            object.names.push_back("unknown " + std::to_string(object.names.size()));
            break;
        default: change_value(object.members[which], object.names[which]); break;
        }
    }

    void change_value(JsonTree& value, const std::string& name)
    {
        if (name == "operands")
            value = scalar(one_in(4) ? std::string() : std::string{any("NnTt"), any("NnTt")}.substr(0, 2));
        else if (name == "step_ns" || name == "start_ns")
            change_curve(value);
        else if (value.scalar.is_number())
            value = scalar(other_number(value.scalar.get<double>()));
        else if (!value.members.empty() && name != "kernels")
            change_value(any(value.members), "");
    }

    // Times from the shortest to the longest, of which sums and products may be neither finite nor a number.
    double other_number(double number)
    {
        constexpr double all[] = {1e-300, 0.001, 0.5, 1, 1e3, 1e9, 1e13, 1e300};
        return one_in(2) ? any(all) : number * (0.5 + 0.1 * static_cast<double>(below(16)));
    }

    // One point more, one less, or another time at one of them.
    void change_curve(JsonTree& curve)
    {
        if (!curve.is_list() || curve.members.empty() || curve.members.back().members.size() != 2)
            return;
        auto& points = curve.members;
        const std::size_t change = below(4);
        if (change == 0 && points.size() > 1) {
            points.erase(points.begin() + static_cast<std::ptrdiff_t>(below(points.size())));
        } else if (change == 1) {
            points.push_back(JsonTree(points.back()));
            JsonTree& groups = points.back().members[0];
            if (groups.scalar.is_number())
                groups = scalar(groups.scalar.get<double>() * 2);
        } else if (JsonTree& point = any(points); point.members.size() == 2) {
            JsonTree& coordinate = point.members[one_in(8) ? 0 : 1];
            if (coordinate.scalar.is_number())
                coordinate = scalar(other_number(coordinate.scalar.get<double>()));
        }
    }

    static JsonTree tree_of(const Parameters& parameters)
    {
        JsonTree result;
        result.kind = JsonTree::Kind::object;
        for (const auto& [name, value] : parameters.values()) {
            result.names.push_back(name);
            result.members.push_back(scalar(value));
        }
        return result;
    }

    // The measurement is said to be of another kernel, in one of that kernel's own sizes; or of the same in another size.
    void exchange_kernel(JsonTree& measurement)
    {
        JsonTree* const name = member(measurement, "kernel");
        JsonTree* const parameters = member(measurement, "parameters");
        if (!name || !parameters)
            return;
        const KernelInfo& kernel = any(kernels());
        *name = scalar(kernel.name);
        if (!one_in(20)) // else with the parameters of a stranger
            *parameters = tree_of(any(kernel.variants));
    }

    // The kernel and the parameters of a measurement, if they are any.
    static std::optional<std::pair<const KernelInfo*, Parameters>> size_of(JsonTree& measurement)
    {
        const JsonTree* const name = measurement.find("kernel");
        const JsonTree* const all = measurement.find("parameters");
        if (!name || !name->scalar.is_string() || !all || !all->is_object() || all->members.empty())
            return std::nullopt;
        Parameters parameters;
        for (std::size_t i = 0; i < all->members.size(); i++) {
            if (!all->members[i].scalar.is_number_unsigned())
                return std::nullopt;
            parameters.add(all->names[i], all->members[i].scalar.get<std::size_t>());
        }
        const KernelInfo* const kernel = find_kernel(name->scalar.get<std::string>());
        return kernel ? std::optional(std::pair(kernel, parameters)) : std::nullopt;
    }

    // A parameter is doubled or halved: once, as often as the kernel's rules allow it, or once more; or a little is added.
    void change_parameter(JsonTree& measurement)
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
        *member(measurement, "parameters") = tree_of(from.with(name, value));
    }

    JsonTree file_;
    std::mt19937& random_;
};

} // namespace

std::string changed_tuning(std::string input, std::mt19937& random)
{
    if (random() % 8 == 0)
        return changed(std::move(input), random);
    try {
        TuningChanges file(parse_json(input), random);
        for (std::size_t changes = 1 + random() % 4; changes > 0; changes--)
            file.change();
        return file.text();
    } catch (const JsonError&) { // it was spoilt before
        return changed(std::move(input), random);
    }
}

} // namespace clgemm::test
