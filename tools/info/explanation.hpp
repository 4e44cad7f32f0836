// What clgemm_explain() says, as data for programs.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace clgemm::info {

// An object with these members. (Any other line of the text, such as that of the device, is a text of its own name.)
// - `problem`, a text;
// - where a kernel was chosen: `kernel` (its name), `idea` (how it computes) and `reason`, texts, and `parameters`, an
//   object of numbers;
// - `promise`, a text, and `promised_error`, a number: the error as a part of sum |a||b| (some modes add a second term,
//   which the text alone has);
// - `not_taken`, an object: for each kernel that cannot take the call, why;
// - where the reason is an estimate: `estimated_microseconds`, and `tuning`, which says where that comes from;
// - `steps`, a list of objects with `purpose`, `source`, `work_groups` and `work_group_size`; `more_steps`, a
//   number: how many the list leaves out, where there are many;
// - `workspace_bytes`, a number.
// Throws std::runtime_error at a line that it cannot read.
nlohmann::ordered_json explanation_as_json(const std::string& text);

} // namespace clgemm::info
