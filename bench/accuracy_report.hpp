// The tables: errors as Markdown, row by row as they come, and at the end per input how clgemm and cuBLAS compare.
#pragma once

#include "accuracy.hpp"

#include <optional>

namespace bench {

class AccuracyReport {
public:
    // What each column of errors is called.
    explicit AccuracyReport(std::vector<std::string> contenders);

    void begin();
    void add(const Input& input, std::size_t k, const std::vector<std::optional<Errors>>& errors); // none: the call failed
    void summarize() const;

private:
    struct OfInput {
        Input input;
        std::vector<std::vector<std::optional<Errors>>> errors; // [contender][K]
    };

    std::vector<std::string> contenders_;
    std::vector<OfInput> inputs_;
};

} // namespace bench
