#include "tuning/parsed_json.hpp"

#include <array>
#include <set>
#include <sstream>

namespace clgemm::core {
namespace {

using Json = nlohmann::json;

constexpr std::size_t most_levels = 16; // so that recursion into a value ends soon

// Throws JsonError. The JSON library's parser would take a text that is nested as deep as you like, and keep the last of two
// members of one name. Here it tells of all that it finds, and keeps nothing of it.
void check(const std::string& text)
{
    using Event = Json::parse_event_t;
    std::array<std::set<std::string>, most_levels> names; // of the innermost object of each level
    const auto look_at = [&](int depth, Event event, const Json& name) {
        const auto level = static_cast<std::size_t>(depth);
        if (event == Event::object_start || event == Event::array_start) {
            if (level == most_levels)
                throw JsonError("it is nested deeper than " + std::to_string(most_levels) + " levels");
            names[level].clear();
        } else if (event == Event::key && !names[level - 1].insert(name.get<std::string>()).second) {
            throw JsonError("it has two members " + as_text(name) + " in one object");
        }
        return false;
    };
    try {
        const Json nothing = Json::parse(text, look_at);
    } catch (const Json::exception& error) {
        throw JsonError(std::string("it is no JSON: ") + error.what());
    }
}

// Empties a value from the inside out, so that every list and every object is empty when it is destroyed.
void empty(Json& value)
{
    if (!value.is_structured())
        return; // a loop over any other value would give the value itself
    for (Json& member : value)
        empty(member);
    value.clear();
}

} // namespace

// The other constructor has ended by then, so that the destructor runs even where this one throws.
ParsedJson::ParsedJson(const std::string& text) : ParsedJson()
{
    check(text);
    std::istringstream stream(text);
    stream >> value_; // unlike Json::parse(), this builds the values where they stay
}

ParsedJson::~ParsedJson()
{
    empty(value_);
}

std::string as_text(const Json& value)
{
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string shortened(const Json& value)
{
    constexpr std::size_t most = 300;
    const std::string text = as_text(value);
    return text.size() <= most ? text : text.substr(0, most) + "...";
}

} // namespace clgemm::core
