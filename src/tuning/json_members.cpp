#include "tuning/json_members.hpp"

#include "tuning/parsed_json.hpp"

namespace clgemm::core {

using Json = nlohmann::json;

void refuse(const std::string& name, const Json& value, const std::string& wanted)
{
    throw JsonError(name + " is " + shortened(value) + ", but must be " + wanted);
}

const Json* find_member(const Json& object, const char* name)
{
    const auto found = object.find(name);
    return found == object.end() ? nullptr : &*found;
}

const Json& member(const Json& object, const char* name)
{
    const Json* const found = find_member(object, name);
    if (!found)
        throw JsonError(std::string(name) + " is missing");
    return *found;
}

std::string text_in(const Json& object, const char* name)
{
    const Json& found = member(object, name);
    if (!found.is_string())
        refuse(name, found, "a text");
    return found.get<std::string>();
}

} // namespace clgemm::core
