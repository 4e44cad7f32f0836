// What the benchmarks' command lines have in common.
#pragma once

#include <CLI/CLI.hpp>

#include <stdexcept>
#include <string>

namespace bench {

// Refuses a value that the function which reads it refuses, and with the same words.
template <typename Read> CLI::Validator readable_by(const Read& read)
{
    const auto complaint = [read](const std::string& text) -> std::string {
        try {
            read(text);
            return "";
        } catch (const std::invalid_argument& error) {
            return error.what();
        }
    };
    return {complaint, ""};
}

} // namespace bench
