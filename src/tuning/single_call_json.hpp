// Single calls in JSON: in records of calls and in tuning files.
#pragma once

#include "tuning/single_call.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace clgemm::core {

// The members of an object, without its braces: "m": 512, "n": 64, ...
std::string json_members(const SingleCall& call);

// Reads the call from an object with these members; other members are ignored. Throws JsonError, which names the member that
// is wrong.
SingleCall read_single_call(const nlohmann::json& json);

} // namespace clgemm::core
