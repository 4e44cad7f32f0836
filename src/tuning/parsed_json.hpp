// JSON text of a file that may hold anything, as values of the JSON library.
#pragma once

#include <nlohmann/json.hpp>

#include <stdexcept>
#include <string>

namespace clgemm::core {

class JsonError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// The values of a text. The JSON library (its versions 3.11 and 3.12) takes memory when it destroys a list or an object that
// is not empty, and where there is none, the process ends. That may happen in the library's own Json::parse(), too, as it
// goes back after it has run out of memory. This class empties its values before the library destroys them. Nobody may copy
// a list or an object out of it: the copy would be destroyed as the library does it.
class ParsedJson {
public:
    // Throws JsonError where the text is no JSON, is nested deeper than anybody needs, or has two members of one name.
    explicit ParsedJson(const std::string& text);
    ParsedJson(ParsedJson&&) = default;
    ~ParsedJson();

    const nlohmann::json& value() const { return value_; }

private:
    ParsedJson() = default;

    nlohmann::json value_;
};

// A value as JSON in one line, whatever bytes its texts hold.
std::string as_text(const nlohmann::json& value);

// The same for an error's message, cut where it is long.
std::string shortened(const nlohmann::json& value);

} // namespace clgemm::core
