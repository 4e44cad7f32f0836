// Members of a JSON object that may hold anything. What is wrong with one is a JsonError that names it.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace clgemm::core {

// Throws JsonError: "NAME is VALUE, but must be WANTED".
[[noreturn]] void refuse(const std::string& name, const nlohmann::json& value, const std::string& wanted);

// Null where there is none.
const nlohmann::json* find_member(const nlohmann::json& object, const char* name);

// Throw JsonError where there is no such member, and text_in() also where it is no text.
const nlohmann::json& member(const nlohmann::json& object, const char* name);
std::string text_in(const nlohmann::json& object, const char* name);

} // namespace clgemm::core
