#include "support/embedded.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace clgemm::core {

const KernelSource& kernel_source(std::string_view name)
{
    const auto sources = kernel_sources();
    const auto found = std::find_if(sources.begin(), sources.end(), [&](const auto& source) { return source.name == name; });
    if (found == sources.end())
        throw std::logic_error("no kernel source " + std::string(name));
    return *found;
}

} // namespace clgemm::core
