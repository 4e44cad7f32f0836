#include "problem/arithmetic.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <sstream>
#include <utility>

namespace clgemm::core {
namespace {

constexpr std::pair<Element, std::string_view> element_names[] = {{Element::f32, "f32"}};

std::string_view name_of(Element element)
{
    return std::find_if(std::begin(element_names), std::end(element_names),
                        [&](const auto& row) { return row.first == element; })
        ->second;
}

const Element* element_named(std::string_view name)
{
    const auto* const found = std::find_if(std::begin(element_names), std::end(element_names),
                                           [&](const auto& row) { return row.second == name; });
    return found == std::end(element_names) ? nullptr : &found->first;
}

template <typename Test> const Accuracy* first_accuracy(const Test& test)
{
    const auto* const found = std::find_if(std::begin(accuracies), std::end(accuracies), test);
    return found == std::end(accuracies) ? nullptr : found;
}

// "one, another or a third".
template <typename Text> std::string listed(const Text& text_of)
{
    std::string result;
    for (const Accuracy& accuracy : accuracies) {
        const bool is_last = &accuracy == std::end(accuracies) - 1;
        if (!result.empty())
            result.append(is_last ? " or " : ", ");
        result.append(text_of(accuracy));
    }
    return result;
}

} // namespace

const Accuracy* find_accuracy(std::string_view name)
{
    return first_accuracy([&](const Accuracy& accuracy) { return accuracy.name == name; });
}

const Accuracy* find_accuracy(int math)
{
    return first_accuracy([&](const Accuracy& accuracy) { return accuracy.math == math; });
}

std::string accuracy_names()
{
    return listed([](const Accuracy& accuracy) { return std::string("'").append(accuracy.name).append("'"); });
}

std::string accuracy_enumerators()
{
    return listed([](const Accuracy& accuracy) {
        return std::string(accuracy.enumerator) + " (" + std::to_string(static_cast<int>(accuracy.math)) + ")";
    });
}

bool satisfies(const Arithmetic& computed, const Arithmetic& asked)
{
    // Operands of 22 bits are no better than those of 11 where an element is far smaller than the largest of its row.
    const Accuracy& accuracy = accuracy_of(computed.accuracy);
    return computed.operands == asked.operands && computed.accumulator == asked.accumulator &&
           computed.result == asked.result &&
           (computed.accuracy == asked.accuracy ||
            (&accuracy >= &accuracy_of(asked.accuracy) && &accuracy >= &accuracy_of(CLGEMM_MATH_DEFAULT)));
}

bool is_fp32_alone(const Arithmetic& arithmetic)
{
    return satisfies(arithmetic, {.accuracy = CLGEMM_MATH_STRICT});
}

bool is_reproducible(const Arithmetic& arithmetic)
{
    return arithmetic.accuracy == CLGEMM_MATH_REPRODUCIBLE;
}

Arithmetic measured_as(const Arithmetic& arithmetic)
{
    Arithmetic result = arithmetic;
    if (is_reproducible(arithmetic))
        result.accuracy = CLGEMM_MATH_STRICT;
    return result;
}

std::string promised_error_text(const Arithmetic& arithmetic, std::size_t k)
{
    const double error = promised_error(arithmetic, k);
    if (error == std::numeric_limits<double>::infinity())
        return "infinity";
    char text[32]; // by functions that know no locale, and take no memory that there may not be
    char* end = text;
    double told = -1;
    for (int digits = 3; told < error; digits++) { // 17 at most: they tell any double exactly
        end = std::to_chars(text, std::end(text), error, std::chars_format::general, digits).ptr;
        std::from_chars(text, end, told);
    }
    return {text, end};
}

const Accuracy* accuracy_within(double max_error, std::size_t k)
{
    return first_accuracy([&](const Accuracy& accuracy) {
        return accuracy.operand_floor == 0 && promised_error({.accuracy = accuracy.math}, k) <= max_error;
    });
}

std::string to_text(const Arithmetic& arithmetic)
{
    std::string result;
    for (const Element element : {arithmetic.operands, arithmetic.accumulator, arithmetic.result})
        result.append(name_of(element)).append(" ");
    return result.append(accuracy_of(arithmetic.accuracy).name);
}

std::optional<Arithmetic> arithmetic_of(std::string_view text)
{
    std::istringstream words{std::string(text)};
    Arithmetic result;
    std::string word;
    for (Element* const element : {&result.operands, &result.accumulator, &result.result}) {
        const Element* const found = words >> word ? element_named(word) : nullptr;
        if (!found)
            return std::nullopt;
        *element = *found;
    }
    const Accuracy* const found = words >> word ? find_accuracy(std::string_view(word)) : nullptr;
    if (!found || words >> word)
        return std::nullopt;
    result.accuracy = found->math;
    return result;
}

} // namespace clgemm::core
