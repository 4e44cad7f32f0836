// A kernel's tunable constants, by the names that its source gives them: TSM = 128, WPTN = 8, ...
#pragma once

#include <cstddef>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace clgemm::core {

class Parameters {
public:
    Parameters() = default;
    Parameters(std::initializer_list<std::pair<const char*, std::size_t>> values) : values_(values.begin(), values.end()) {}

    // Asking for a parameter that the kernel does not have is a defect of the registry.
    std::size_t operator[](std::string_view name) const
    {
        for (const auto& [key, value] : values_)
            if (key == name)
                return value;
        throw std::logic_error("no kernel parameter " + std::string(name));
    }
    void add(std::string name, std::size_t value) { values_.emplace_back(std::move(name), value); }

    // The same with this parameter changed.
    Parameters with(std::string_view name, std::size_t value) const
    {
        Parameters result = *this;
        for (auto& [key, its] : result.values_)
            if (key == name)
                its = value;
        return result;
    }

    const std::vector<std::pair<std::string, std::size_t>>& values() const { return values_; }
    bool operator==(const Parameters&) const = default; // also in their order

    // As the compiler takes them: "-DTSM=128 -DTSN=128".
    std::string options() const { return joined("-D", " "); }
    // As people read them: "TSM=128, TSN=128".
    std::string text() const { return joined("", ", "); }

private:
    std::string joined(const std::string& prefix, const std::string& separator) const
    {
        std::string result;
        for (const auto& [name, value] : values_) {
            if (!result.empty())
                result += separator;
            result.append(prefix).append(name).append("=").append(std::to_string(value));
        }
        return result;
    }

    std::vector<std::pair<std::string, std::size_t>> values_;
};

} // namespace clgemm::core
