#include "tools/info/explanation.hpp"

#include <cstddef>
#include <regex>
#include <sstream>
#include <stdexcept>

namespace clgemm::info {
namespace {

using Json = nlohmann::ordered_json;

std::runtime_error unreadable(const std::string& text)
{
    return std::runtime_error("clgemm_explain() says what this program cannot read: " + text);
}

// What the expression's groups match of the whole text.
std::smatch parts_of(const std::string& text, const char* expression)
{
    std::smatch parts;
    if (!std::regex_match(text, parts, std::regex(expression)))
        throw unreadable(text);
    return parts;
}

// "8 x 4"
Json sizes_in(const std::string& text)
{
    Json sizes = Json::array();
    std::istringstream words(text);
    for (std::string word; words >> word; words >> word) // and past the x
        sizes.push_back(std::stoull(word));
    return sizes;
}

// "TSM=128, TSN=64"
Json parameters_in(const std::string& text)
{
    Json parameters = Json::object();
    std::istringstream assignments(text);
    for (std::string assignment; std::getline(assignments >> std::ws, assignment, ',');) {
        const auto parts = parts_of(assignment, R"((\w+)=(\d+))");
        parameters[parts[1]] = std::stoull(parts[2]);
    }
    return parameters;
}

// "2. multiply: 10_incomplete_tiles.cl, 5 x 10 work-groups of 8 x 4"
Json step_in(const std::string& text)
{
    const auto parts = parts_of(text, R"(\d+\. (.*): (\S+), ([\dx ]+) work-groups of ([\dx ]+))");
    return {{"purpose", parts[1]},
            {"source", parts[2]},
            {"work_groups", sizes_in(parts[3])},
            {"work_group_size", sizes_in(parts[4])}};
}

void add_kernel(Json& to, const std::string& text)
{
    const auto parts = parts_of(text, R"((\w+), (.*))");
    to["kernel"] = parts[1];
    to["idea"] = parts[2];
}

void add_reason(Json& to, const std::string& text)
{
    to["reason"] = text;
    static const std::regex estimate(
        R"(.*the fastest(?: as accurate as FP32| in FP32 alone)? by estimate, (\S+) us \((.*)\).*)");
    std::smatch parts;
    if (std::regex_match(text, parts, estimate)) {
        to["estimated_microseconds"] = std::stod(parts[1]);
        to["tuning"] = parts[2];
    }
}

// "14_tensor_cores, tensor_direct (needs Hopper's tensor cores); tensor_mma (needs the A100's)"
Json not_taken_in(const std::string& text)
{
    static const std::regex kernels_and_reason(R"(([\w, ]+) \(((?:[^()]|\([^()]*\))*)\)(; |$))");
    Json reasons = Json::object();
    std::size_t read = 0;
    for (std::sregex_iterator each(text.begin(), text.end(), kernels_and_reason), end; each != end; ++each) {
        std::istringstream names((*each)[1].str());
        for (std::string name; std::getline(names >> std::ws, name, ',');)
            reasons[name] = (*each)[2];
        read += static_cast<std::size_t>(each->length());
    }
    if (read != text.size())
        throw unreadable(text);
    return reasons;
}

void add_promise(Json& to, const std::string& text)
{
    to["promise"] = text;
    static const std::regex bound(R"(an error of at most ([\d.e+-]+) sum \|a\|\|b\|.*)");
    std::smatch parts;
    if (std::regex_match(text, parts, bound))
        to["promised_error"] = std::stod(parts[1]);
}

void add_step(Json& to, const std::string& text)
{
    std::smatch more;
    if (std::regex_match(text, more, std::regex(R"(and (\d+) more like these)")))
        to["more_steps"] = std::stoull(more[1]);
    else if (text.rfind("none", 0) != 0)
        to["steps"].push_back(step_in(text));
}

} // namespace

nlohmann::ordered_json explanation_as_json(const std::string& text)
{
    Json result;
    std::istringstream lines(text);
    std::string line, key;
    std::getline(lines, line);
    result["problem"] = line;
    while (std::getline(lines, line)) {
        if (line[0] != ' ') // else it goes on with what the line before it began
            key = line.substr(0, line.find(':'));
        const std::string value = line.substr(line.find_first_not_of(' ', line[0] == ' ' ? 0 : key.size() + 1));
        if (key == "kernel")
            add_kernel(result, value);
        else if (key == "because")
            add_reason(result, value);
        else if (key == "promise")
            add_promise(result, value);
        else if (key == "not taken")
            result["not_taken"] = not_taken_in(value);
        else if (key == "parameters")
            result[key] = parameters_in(value);
        else if (key == "steps")
            add_step(result, value);
        else if (key == "workspace")
            result["workspace_bytes"] = std::stoull(value);
        else
            result[key] = value;
    }
    if (!result.contains("steps"))
        result["steps"] = Json::array();
    return result;
}

} // namespace clgemm::info
