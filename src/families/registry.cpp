#include "families/registry.hpp"

#include "families/families.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace clgemm::core {
namespace {

std::size_t number_of(const KernelInfo& kernel)
{
    std::size_t number = 0;
    std::from_chars(kernel.name.data(), kernel.name.data() + kernel.name.size(), number);
    return number;
}

struct Registry {
    std::vector<KernelInfo> by_number;
    std::vector<const KernelInfo*> by_preference;
};

Registry make_registry()
{
    Registry result;
    std::vector<std::string_view> names; // by preference
    for (const auto family : {skinny_kernels, warp_tiled_kernels, split_and_multiply_kernels, tensor_direct_kernels,
                              cpu_vector_kernels, cpu_packed_kernels, cpu_fused_kernels, whole_tiles_kernels})
        for (auto& kernel : family()) {
            names.push_back(kernel.name);
            result.by_number.push_back(std::move(kernel));
        }
    std::sort(result.by_number.begin(), result.by_number.end(),
              [](const KernelInfo& x, const KernelInfo& y) { return number_of(x) < number_of(y); });
    for (const auto name : names)
        for (const auto& kernel : result.by_number)
            if (kernel.name == name)
                result.by_preference.push_back(&kernel);
    return result;
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
        return is_number ? number_of(row) == number : row.name == wanted;
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
               : std::any_of(kernel.variants.begin(), kernel.variants.end(),
                             [&](const Parameters& variant) { return variant.text() == parameters.text(); });
}

bool runs(const Variant& variant, const DeviceProfile& device)
{
    const Tiling& tiling = variant.tiling;
    return variant.family().has_instructions(device) && tiling.items_m <= device.max_work_item_sizes[0] &&
           tiling.items_n <= device.max_work_item_sizes[1] &&
           tiling.items_m * tiling.items_n <= device.max_work_group_size &&
           tiling.local_bytes <= (tiling.retargeted_bytes > 0 ? device.retargeted_local_memory : device.local_memory);
}

std::vector<Variant> variants_for(const KernelInfo& kernel, const DeviceProfile& device)
{
    const std::size_t count = kernel.variants.size();
    const std::size_t start = device.type == DeviceType::cpu ? kernel.first_on_cpu : 0;
    std::vector<Variant> result;
    for (std::size_t i = 0; i < count; i++) {
        Variant variant = variant_of(kernel, kernel.variants[(start + i) % count]);
        if (runs(variant, device) && kernel.family->suits(variant.parameters, device))
            result.push_back(std::move(variant));
    }
    return result;
}

} // namespace clgemm::core
