#include "tuning/parsed_json.hpp"

#include <array>
#include <set>
#include <sstream>

namespace clgemm::core {
namespace {

using Json = nlohmann::json;

constexpr std::size_t most_levels = 16; // so that functions that call themselves for what a value holds end soon

// Throws JsonError. The JSON library's parser would take a text that is nested as deep as you like, and of two members of
// one name the last. It tells of all that it finds, and keeps nothing of it here.
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

// From the inside out, so that no list or object is destroyed that holds anything.
void empty(Json& value)
{
    if (!value.is_structured())
        return; // the JSON library says of any other value that it holds itself
    for (Json& member : value)
        empty(member);
    value.clear();
}

} // namespace

// Once the other constructor has ended, whatever is thrown here is followed by the destructor.
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
