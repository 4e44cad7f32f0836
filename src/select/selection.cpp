#include "select/selection.hpp"

#include "support/error.hpp"

namespace clgemm::core {
namespace {

// The first variant that fits the device, if any does.
const Parameters* first_fitting(const KernelInfo& kernel, const DeviceProfile& device)
{
    for (const auto& parameters : kernel.variants)
        if (fits(kernel.tiling(parameters), device))
            return &parameters;
    return nullptr;
}

struct Choice {
    const char* kernel;
    const char* reason;
};

// The rules, in order of preference. Kernel 1 runs everywhere and needs no workspace, so it always comes last.
std::vector<Choice> preferences(const Problem& problem, const DeviceProfile& device)
{
    const Choice naive{"01_naive", "nothing else fits"};
    const std::size_t smaller = std::min(problem.m, problem.n);
    if (smaller < 16)
        return {{"01_naive", "fewer than 16 rows or columns: a tile would be mostly padding"}};
    if (problem.k < 8)
        return {{"01_naive", "K is under 8: nothing to share through local memory"}};
    if (device.type == DeviceType::cpu)
        return {{"06_register_blocking", "a CPU: most products for each load"}, naive};
    if (smaller < 128)
        return {{"03_work_per_thread", "under 128 rows or columns: small tiles"}, naive};
    return {{"10_incomplete_tiles", "a large problem on a GPU: double-buffered register tiles"},
            {"03_work_per_thread", "too little local memory for register tiles"},
            naive};
}

} // namespace

Selection select(const Problem& problem, const DeviceProfile& device, const KernelInfo* wanted)
{
    const auto complete = [&](const KernelInfo& kernel, const Parameters& parameters, std::string reason) {
        Selection selection{&kernel, parameters, kernel.tiling(parameters), std::move(reason)};
        if (kernel.add_device_features)
            kernel.add_device_features(device, selection.parameters);
        return selection;
    };

    if (wanted) {
        const Parameters* parameters = first_fitting(*wanted, device);
        if (!parameters)
            throw Error(CLGEMM_KERNEL_NOT_SUPPORTED, "kernel " + std::string(wanted->name) + " needs more work-items or local " +
                                                         "memory than " + device.name + " has, in each of its sizes");
        return complete(*wanted, *parameters, "asked for");
    }
    for (const auto& choice : preferences(problem, device)) {
        const KernelInfo& kernel = *find_kernel(choice.kernel);
        if (const Parameters* parameters = first_fitting(kernel, device))
            return complete(kernel, *parameters, choice.reason);
    }
    throw Error(CLGEMM_INTERNAL_ERROR, "kernel 1 fits every device, but not " + device.name);
}

} // namespace clgemm::core
