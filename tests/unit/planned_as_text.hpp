// For the tests of Planner: selections and plans as text, so that two can be compared whole, and problems that differ in all
// that a selection depends on.
#pragma once

#include "made_up_tuning.hpp"

#include "select/planner.hpp"

#include <array>
#include <sstream>
#include <string>
#include <vector>

namespace clgemm::test {

using namespace core;

inline std::string text_of(const Selection& selection)
{
    const Way& way = selection.way;
    return std::string(selection.variant.kernel->name) + " " + selection.variant.parameters.text() + " " + selection.reason +
           " " + std::to_string(way.form) + std::to_string(way.transposed) + " " + std::to_string(way.split_k) + " " +
           std::to_string(selection.blocks.m) + "x" + std::to_string(selection.blocks.n) + " " +
           std::to_string(selection.variant.tiling.m);
}

inline std::string text_of(const Plan& plan)
{
    std::ostringstream out;
    out << plan.workspace_bytes;
    for (const auto& step : plan.steps) {
        out << "\n" << step.purpose << " " << step.source->name << " " << step.function << " " << step.options;
        for (const std::size_t groups : step.groups)
            out << " " << groups;
        for (const std::size_t items : step.group_size)
            out << " " << items;
        for (const Memory memory : step.buffers)
            out << " " << static_cast<int>(memory);
        const auto* bytes = static_cast<const unsigned char*>(step.arguments.data());
        for (std::size_t i = 0; i < step.arguments.size(); i++)
            out << " " << static_cast<unsigned>(bytes[i]);
        out << " " << step.retargeted_local_bytes;
    }
    return out.str();
}

inline std::string text_of(const PlannedCall& call)
{
    return (call.selection ? text_of(*call.selection) : "nothing is selected") + " " + text_of(call.plan);
}

// Problems of which no two have the same answer for the same reasons, if a selection forgot what it depends on.
inline std::vector<Problem> different_problems()
{
    std::vector<Problem> result;
    for (const auto& [m, n, k] :
         {std::array<std::size_t, 3>{4096, 4096, 64}, {64, 4096, 4096}, {4096, 64, 4096}, {64, 64, 8192}, {5, 7, 9}})
        for (const auto trans_a : {CLGEMM_NO_TRANS, CLGEMM_TRANS})
            for (const auto trans_b : {CLGEMM_NO_TRANS, CLGEMM_TRANS})
                for (const std::size_t offset_a : {0U, 1U})
                    for (const std::size_t offset_b : {0U, 1U})
                        for (const std::size_t offset_c : {0U, 1U}) {
                            Arguments x = arguments(m, n, k, trans_a, trans_b);
                            x.offset_a = offset_a;
                            x.offset_b = offset_b;
                            x.offset_c = offset_c;
                            result.push_back(make_problem(x));
                        }
    return result;
}

} // namespace clgemm::test
