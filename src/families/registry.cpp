#include "families/registry.hpp"

#include "device/instructions.hpp"
#include "families/families.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <system_error>

namespace clgemm::core {
namespace {

// The number with which its name or its former name begins. (The first kernels are lessons that follow one another.)
std::optional<std::size_t> number_of(const KernelInfo& kernel)
{
    for (const std::string_view name : {kernel.name, kernel.former_name}) {
        std::size_t number = 0;
        if (std::from_chars(name.data(), name.data() + name.size(), number).ec == std::errc())
            return number;
    }
    return std::nullopt;
}

bool comes_before(const KernelInfo& one, const KernelInfo& other)
{
    constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
    return number_of(one).value_or(none) < number_of(other).value_or(none);
}

struct Registry {
    std::vector<KernelInfo> by_number;
    std::vector<const KernelInfo*> by_preference;
};

Registry make_registry()
{
    Registry result;
    std::vector<std::string_view> names; // by preference
    for (const auto family : families)
        for (auto& kernel : family()) {
            names.push_back(kernel.name);
            result.by_number.push_back(std::move(kernel));
        }
    std::stable_sort(result.by_number.begin(), result.by_number.end(), comes_before);
    for (const auto name : names)
        for (const auto& kernel : result.by_number)
            if (kernel.name == name)
                result.by_preference.push_back(&kernel);
    return result;
}

// The variants for the device's vectors, in the order in which they are tried on it.
std::vector<Variant> variants_of_its_width(const KernelInfo& kernel, const DeviceProfile& device)
{
    const std::size_t count = kernel.variants.size();
    const std::size_t start = device.type == DeviceType::cpu ? kernel.first_on_cpu : 0;
    std::vector<Variant> result;
    for (std::size_t i = 0; i < count; i++) {
        const Parameters& parameters = kernel.variants[(start + i) % count];
        if (kernel.vector_parameter.empty() || parameters[kernel.vector_parameter] == device.vector_of_kernels())
            result.push_back(variant_of(kernel, parameters));
    }
    return result;
}

std::string refusal_of(const Arithmetic& computed, const Arithmetic& asked)
{
    const Accuracy& accuracy = accuracy_of(asked.accuracy);
    Arithmetic as_accurate = computed;
    as_accurate.accuracy = asked.accuracy;
    if (!satisfies(as_accurate, asked))
        return "does not compute with numbers of these types: " + to_text(asked);
    return "does not compute as math mode '" + std::string(accuracy.name) + "' wants it: " + std::string(accuracy.words);
}

// Never destroyed, so that calls from static destructors find it.
const Registry& registry()
{
    static const auto* const process = new Registry(make_registry());
    return *process;
}

} // namespace

std::span<const KernelInfo> kernels()
{
    return registry().by_number;
}

std::span<const KernelInfo* const> kernels_by_preference()
{
    return registry().by_preference;
}

const KernelInfo* find_kernel(std::string_view wanted)
{
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), number);
    const bool is_number = error == std::errc() && end == wanted.data() + wanted.size();
    const auto table = kernels();
    const auto found = std::find_if(table.begin(), table.end(), [&](const KernelInfo& row) {
        return is_number ? number_of(row) == number : row.name == wanted || (!wanted.empty() && row.former_name == wanted);
    });
    return found == table.end() ? nullptr : &*found;
}

const KernelInfo& last_resort()
{
    const auto table = kernels();
    return *std::find_if(table.begin(), table.end(), [](const KernelInfo& row) { return row.is_last_resort; });
}

std::string kernel_names()
{
    std::string result;
    for (const auto& kernel : kernels())
        result += (result.empty() ? "" : ", ") + std::string(kernel.name);
    return result;
}

Variant variant_of(const KernelInfo& kernel, Parameters parameters)
{
    const Tiling tiling = kernel.family->tiling(parameters);
    return {&kernel, std::move(parameters), tiling};
}

Arithmetic usual_arithmetic(const KernelInfo& kernel)
{
    const Arithmetic unasked, computed = kernel.family->computes(unasked);
    return satisfies(computed, unasked) ? unasked : computed;
}

bool is_valid(const KernelInfo& kernel, const Parameters& parameters)
{
    // The same names, in any order: a parameter that is missing would silently be the source's default.
    const auto names = [](const Parameters& of) {
        std::vector<std::string> result;
        for (const auto& [name, value] : of.values())
            result.push_back(name);
        std::sort(result.begin(), result.end());
        return result;
    };
    if (names(parameters) != names(kernel.variants.front()))
        return false;
    return kernel.family->takes_other_sizes()
               ? kernel.family->is_valid(parameters)
               : std::find(kernel.variants.begin(), kernel.variants.end(), parameters) != kernel.variants.end();
}

Answer takes(const Problem& problem, const Variant& variant, const DeviceProfile& device)
{
    const Family& family = variant.family();
    if (const Arithmetic computed = family.computes(problem.arithmetic); !satisfies(computed, problem.arithmetic))
        return Answer::no(refusal_of(computed, problem.arithmetic));
    if (const Instructions needed = variant.kernel->instructions; !device.instructions.has(needed))
        return Answer::no(std::string("needs ") + in_words(needed));
    if (problem.batch.listed && family.listed_products_at_once() == 0)
        return Answer::no("takes no list of products in the device's memory");
    if (is_reproducible(problem.arithmetic) && !device.has_ieee_floats)
        return Answer::no("needs subnormal numbers, infinities and rounding to nearest for the same bits on every device");
    const Tiling& tiling = variant.tiling;
    if (tiling.items_m > device.max_work_item_sizes[0] || tiling.items_n > device.max_work_item_sizes[1] ||
        tiling.items_m * tiling.items_n > device.max_work_group_size)
        return Answer::no("needs work-groups of " + std::to_string(tiling.items_m) + " x " + std::to_string(tiling.items_n) +
                          " work-items, of which the device takes " + std::to_string(device.max_work_group_size));
    const bool retargeted = tiling.retargeted_bytes > 0;
    if (const std::size_t has = retargeted ? device.retargeted_local_memory : device.local_memory; tiling.local_bytes > has)
        return Answer::no("needs " + std::to_string(tiling.local_bytes) + " bytes of local memory" +
                          (retargeted ? " in a retargeted program" : "") + ", of which the device has " +
                          std::to_string(has));
    return family.takes(problem, variant, device);
}

std::vector<Variant> variants_for(const KernelInfo& kernel, const Problem& problem, const DeviceProfile& device)
{
    std::vector<Variant> result;
    for (Variant& variant : variants_of_its_width(kernel, device))
        if (takes(problem, variant, device))
            result.push_back(std::move(variant));
    return result;
}

Answer takes(const Problem& problem, const KernelInfo& kernel, const DeviceProfile& device)
{
    const std::vector<Variant> variants = variants_of_its_width(kernel, device);
    if (variants.empty()) { // a caller's parameters, by which only sizes for other widths are possible
        const Answer answer = takes(problem, variant_of(kernel, kernel.variants.front()), device);
        return answer ? Answer::no("has no such size for the device's vectors of " +
                                   std::to_string(device.vector_of_kernels()) + " floats, and " +
                                   std::string(kernel.vector_parameter) + " is not among the parameters")
                      : answer;
    }
    Answer answer = Answer::yes();
    for (const Variant& variant : variants)
        if (answer = takes(problem, variant, device); answer)
            break;
    return answer;
}

Problem one_tile(const Variant& variant, const Arithmetic& arithmetic)
{
    const Tiling& tile = variant.tiling;
    return make_problem({CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, tile.m, tile.n, tile.k, 1, 0, tile.m, 0,
                         tile.k, 0, 0, tile.m, arithmetic});
}

} // namespace clgemm::core
