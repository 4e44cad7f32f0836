// JSON text of a file that may hold anything, as a tree. The JSON library only takes the text apart: its own tree takes
// memory where it is destroyed, which ends the process when there is none, and calls itself as deep as the text is nested.
#pragma once

#include <nlohmann/json.hpp>

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace clgemm::core {

class JsonError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

struct JsonTree {
    enum class Kind { scalar, list, object };
    Kind kind = Kind::scalar;
    nlohmann::json scalar;          // a number, a text, true, false or null; null for the others
    std::vector<std::string> names; // of an object's members, as they come
    std::vector<JsonTree> members;  // of a list or an object

    bool is_list() const { return kind == Kind::list; }
    bool is_object() const { return kind == Kind::object; }
    // Null where there is none.
    const JsonTree* find(std::string_view name) const;
    // Without blanks.
    std::string text() const;
};

// Throws JsonError where the text is no JSON, is nested deeper than anybody needs, or has two members of one name.
JsonTree parse_json(const std::string& text);

// A text as JSON has it, whatever bytes it holds.
std::string quoted(const std::string& text);

} // namespace clgemm::core
