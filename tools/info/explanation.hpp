// What clgemm_explain() says, as data for programs.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace clgemm::info {

// An object with these members:
//   problem, device          texts
//   kernel, idea, reason     texts: the kernel's name, how it computes, and why it was chosen; where there is a kernel, as
//   are parameters               the kernel's, an object of numbers estimated_microseconds   where an estimate was the
//   reason, and tuning                   where that comes from, a text workspace_bytes          a number steps a list of
//   objects: purpose, source, work_groups, work_group_size more_steps               how many are not in the list, where
//   there are very many
// Throws std::runtime_error at a line that it cannot read.
nlohmann::ordered_json explanation_as_json(const std::string& text);

} // namespace clgemm::info
