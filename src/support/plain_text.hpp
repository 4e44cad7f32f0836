// Letters and numbers that do not depend on the program's locale: in a Turkish one std::tolower() leaves an I as it is, and
// a German one has std::snprintf() write 0,5.
#pragma once

#include <charconv>
#include <iterator>
#include <string>

namespace clgemm::core {

constexpr bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

constexpr char lower(char c)
{
    return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
}

constexpr bool is_alphanumeric(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || is_upper(c);
}

// The number as std::snprintf() writes it by %.*g in a new process; at most 17 digits.
inline std::string in_digits(double value, int digits)
{
    char text[32];
    return {text, std::to_chars(text, std::end(text), value, std::chars_format::general, digits).ptr};
}

} // namespace clgemm::core
