#include "tuning/json_tree.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace clgemm::core {
namespace {

constexpr std::size_t most_levels = 16;

std::string text_of(const nlohmann::json& scalar)
{
    return scalar.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// What the JSON library calls with each piece of a text, in order. Pieces that it takes are answered by true.
class Builder : public nlohmann::json_sax<nlohmann::json> {
public:
    bool null() override { return add(nullptr); }
    bool boolean(bool value) override { return add(value); }
    bool number_integer(number_integer_t value) override { return add(value); }
    bool number_unsigned(number_unsigned_t value) override { return add(value); }
    bool number_float(number_float_t value, const string_t&) override { return add(value); }
    bool string(string_t& value) override { return add(std::move(value)); }
    bool binary(binary_t&) override { return false; } // not in a text

    bool start_object(std::size_t) override { return open(JsonTree::Kind::object); }
    bool start_array(std::size_t) override { return open(JsonTree::Kind::list); }
    bool key(string_t& name) override
    {
        open_.back()->names.push_back(std::move(name));
        return true;
    }
    bool end_array() override { return close(); }
    bool end_object() override
    {
        std::set<std::string_view> seen;
        for (const std::string& name : open_.back()->names)
            if (!seen.insert(name).second)
                throw JsonError("it has two members " + quoted(name) + " in one object");
        return close();
    }
    bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception& error) override
    {
        throw JsonError(std::string("it is no JSON: ") + error.what());
    }

    JsonTree whole;

private:
    JsonTree& next() { return open_.empty() ? whole : open_.back()->members.emplace_back(); }
    bool add(nlohmann::json value)
    {
        next().scalar = std::move(value);
        return true;
    }
    bool open(JsonTree::Kind kind)
    {
        if (open_.size() == most_levels)
            throw JsonError("it is nested deeper than " + std::to_string(most_levels) + " levels");
        JsonTree& tree = next();
        tree.kind = kind;
        open_.push_back(&tree);
        return true;
    }
    bool close()
    {
        open_.pop_back();
        return true;
    }

    std::vector<JsonTree*> open_; // the innermost last. None of them moves while it is open, since only the last one grows
};

} // namespace

const JsonTree* JsonTree::find(std::string_view name) const
{
    const auto found = std::find(names.begin(), names.end(), name);
    return found == names.end() ? nullptr : &members[static_cast<std::size_t>(found - names.begin())];
}

std::string JsonTree::text() const
{
    if (kind == Kind::scalar)
        return text_of(scalar);
    std::string result(1, is_object() ? '{' : '[');
    for (std::size_t i = 0; i < members.size(); i++) {
        if (i > 0)
            result += ',';
        if (is_object())
            result.append(quoted(names[i])).append(1, ':');
        result += members[i].text();
    }
    return result += is_object() ? '}' : ']';
}

JsonTree parse_json(const std::string& text)
{
    Builder builder;
    nlohmann::json::sax_parse(text, &builder);
    return std::move(builder.whole);
}

std::string quoted(const std::string& text)
{
    return text_of(text);
}

} // namespace clgemm::core
