#include "support/embedded.hpp"

#include <algorithm>
#include <stdexcept>

namespace clgemm::core {

std::string EmbeddedText::text() const
{
    std::string result;
    for (const std::string_view piece : pieces)
        result += piece;
    return result;
}

const KernelSource& kernel_source(std::string_view name)
{
    const auto sources = kernel_sources();
    const auto found = std::find_if(sources.begin(), sources.end(), [&](const auto& source) { return source.name == name; });
    if (found == sources.end())
        throw std::logic_error("no kernel source " + std::string(name));
    return *found;
}

} // namespace clgemm::core
