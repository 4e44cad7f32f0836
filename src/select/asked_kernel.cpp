#include "select/asked_kernel.hpp"

#include "families/registry.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <utility>

namespace clgemm::core {
namespace {

using Changes = std::vector<std::pair<std::string, std::size_t>>;

// Reads "TSM=32,WPTM=4". None where the text is something else, or names a parameter twice.
std::optional<Changes> changes_in(std::string_view text)
{
    Changes result;
    for (;;) {
        const std::string_view one = text.substr(0, text.find(','));
        const std::size_t equals = one.find('=');
        if (equals == std::string_view::npos)
            return std::nullopt;
        std::size_t value = 0;
        const char* const end = one.data() + one.size();
        const auto [parsed, error] = std::from_chars(one.data() + equals + 1, end, value);
        if (error != std::errc() || parsed != end)
            return std::nullopt;
        const std::string_view name = one.substr(0, equals);
        if (std::any_of(result.begin(), result.end(), [name](const auto& earlier) { return earlier.first == name; }))
            return std::nullopt;
        result.emplace_back(name, value);
        if (one.size() == text.size())
            return result;
        text.remove_prefix(one.size() + 1);
    }
}

std::string parameter_names(const KernelInfo& kernel)
{
    std::string result;
    for (const auto& [name, value] : kernel.variants.front().values())
        result += (result.empty() ? "" : ", ") + name;
    return result;
}

bool has_parameter(const KernelInfo& kernel, const std::string& name)
{
    const auto& values = kernel.variants.front().values();
    return std::any_of(values.begin(), values.end(), [&](const auto& each) { return each.first == name; });
}

// The kernel with these parameters changed; without variants where none of them is valid then.
KernelInfo changed(const KernelInfo& kernel, const Changes& changes)
{
    KernelInfo result = kernel;
    result.variants.clear();
    for (std::size_t i = 0; i < kernel.variants.size(); i++) {
        if (i == kernel.first_on_cpu)
            result.first_on_cpu = result.variants.size();
        Parameters parameters = kernel.variants[i];
        for (const auto& [name, value] : changes)
            parameters = parameters.with(name, value);
        if (kernel.family->is_valid(parameters))
            result.variants.push_back(std::move(parameters));
    }
    if (result.first_on_cpu >= result.variants.size())
        result.first_on_cpu = 0;
    for (const auto& [name, value] : changes)
        if (name == kernel.vector_parameter)
            result.vector_parameter = {}; // the caller's width, whatever the device's is
    return result;
}

// Never destroyed: calls and what is remembered of them refer to the kernels. A program asks for few.
const KernelInfo* kept(const std::string& text, KernelInfo&& kernel)
{
    static auto* const mutex = new std::mutex;
    static auto* const process = new std::map<std::string, KernelInfo>;
    const std::lock_guard lock(*mutex);
    return &process->try_emplace(text, std::move(kernel)).first->second;
}

} // namespace

AskedKernel asked_kernel(std::string_view text)
{
    const std::size_t colon = text.find(':');
    const KernelInfo* const kernel = find_kernel(text.substr(0, colon));
    if (!kernel)
        return {nullptr, "one of: " + kernel_names()};
    if (colon == std::string_view::npos)
        return {kernel, ""};
    const std::string name(kernel->name);
    const auto changes = changes_in(text.substr(colon + 1));
    if (!changes)
        return {nullptr, "a kernel, a colon and parameters, such as " + name + ":" +
                             kernel->variants.front().values().front().first + "=32"};
    for (const auto& [parameter, value] : *changes)
        if (!has_parameter(*kernel, parameter))
            return {nullptr, name + " with some of its parameters, " + parameter_names(*kernel)};
    KernelInfo result = changed(*kernel, *changes);
    if (result.variants.empty())
        return {nullptr, name + " with parameters that fit together: kernels/" + name +
                             ".cl says which do. One of its sizes is " + kernel->variants.front().text()};
    return {kept(std::string(text), std::move(result)), ""};
}

} // namespace clgemm::core
