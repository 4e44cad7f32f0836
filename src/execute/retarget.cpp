#include "execute/retarget.hpp"

#include <string_view>
#include <utility>

namespace clgemm::core {
namespace {

// Replaces each `from`. Returns how many there were.
std::size_t replace_all(std::string& text, std::string_view from, std::string_view to)
{
    std::size_t count = 0;
    for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
        count++;
    }
    return count;
}

constexpr std::string_view unknown_statement = "clgemm_stops_the_assembler_here;";

} // namespace

std::string stopping_the_assembler(std::string source)
{
    return std::move(source) + "\nkernel void stops_the_assembler(void) { asm volatile(\"" + std::string(unknown_statement) +
           "\"); }\n";
}

std::optional<std::string> retargeted(std::string ptx, std::size_t local_bytes)
{
    ptx.erase(ptx.find_last_not_of('\0') + 1); // some drivers count the terminating zero into the text
    if (ptx.find("\n.target sm_") == std::string::npos ||
        replace_all(ptx, "memory[1024]", "memory[" + std::to_string(local_bytes) + "]") != 1)
        return std::nullopt;
    if (replace_all(ptx, "//@ ", "") > 0 &&
        replace_all(ptx, ".target sm_90,", ".target sm_90a,") + replace_all(ptx, ".target sm_90\n", ".target sm_90a\n") != 1)
        return std::nullopt;
    replace_all(ptx, unknown_statement, "");
    // Without a bound on registers in the text, the assembler may ignore that warps hand registers over.
    if (const auto size = ptx.find("\n.reqntid "); size != std::string::npos)
        ptx.insert(ptx.find('\n', size + 1) + 1, ".minnctapersm 1\n");
    return ptx;
}

} // namespace clgemm::core
