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

// The values of a text, in a place of their own. The JSON library (its versions 3.11 and 3.12) takes memory where it
// destroys a list or an object that holds anything. Where there is none, that ends the process: also while the library's own
// Json::parse() goes back, having run out of memory. This class empties its values before the library destroys them. Nobody
// may copy a list or an object out of it: the copy would be destroyed as the library does it.
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

// A value as JSON has it, whatever bytes its texts hold: in one line.
std::string as_text(const nlohmann::json& value);

// The same in an error's message, where it may be cut.
std::string shortened(const nlohmann::json& value);

} // namespace clgemm::core
