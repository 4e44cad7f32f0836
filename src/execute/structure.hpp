// Bytes of a structure as compilers lay it out: each member at a multiple of its size, the whole a multiple of the
// largest's.
#pragma once

#include "support/arithmetic.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

namespace clgemm::core {

class Structure {
public:
    // Of this many members at most.
    explicit Structure(std::size_t members) { bytes_.reserve(members * 8); }

    // A number.
    template <typename T> void add(T value)
    {
        bytes_.resize(round_up(bytes_.size(), sizeof value) + sizeof value);
        std::memcpy(bytes_.data() + bytes_.size() - sizeof value, &value, sizeof value);
        largest_ = std::max(largest_, sizeof value);
    }

    std::vector<std::byte> finish()
    {
        bytes_.resize(round_up(bytes_.size(), largest_));
        return std::move(bytes_);
    }

private:
    std::vector<std::byte> bytes_;
    std::size_t largest_ = 1;
};

} // namespace clgemm::core
