#include "tuning/tuning.hpp"

namespace clgemm::core {

std::string left_out_in_short(const Tuning& tuning)
{
    constexpr std::size_t most = 3;
    const std::size_t count = tuning.left_out.size();
    if (count == 0)
        return "";
    std::string result = std::to_string(count) + (count == 1 ? " measurement" : " measurements");
    for (std::size_t i = 0; i < count && i < most; i++)
        result += (i == 0 ? ": " : "; ") + tuning.left_out[i];
    if (count > most)
        result += "; and " + std::to_string(count - most) + " more";
    return result;
}

} // namespace clgemm::core
