// A structure of the caller's that grows at its end from version to version of the library, and says by its size which
// version the caller was compiled with.
#pragma once

#include "support/error.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>

namespace clgemm::core {

template <typename Structure> struct GrownStructure {
    Structure initial{};                        // as its macro has it
    std::span<const std::size_t> earlier_sizes; // that it had in earlier versions
    int invalid = 0;                            // the status of a structure that is not what it should be
    const char* name = "";                      // the type's
    const char* advice = "";                    // which macro to start from
    const char* argument = "";                  // what errors call it
    const char* size_argument = "";             // and its size

    // Throws `invalid`.
    void check_size(std::size_t size) const
    {
        // More than any version will need: a larger size is a variable that was never set.
        constexpr std::size_t largest_size = 4096;
        const bool is_earlier = std::find(earlier_sizes.begin(), earlier_sizes.end(), size) != earlier_sizes.end();
        if ((size < sizeof(Structure) && !is_earlier) || size > largest_size)
            throw Error(invalid, std::string(size_argument) + " is " + std::to_string(size) + ", but must be sizeof(" +
                                     name + "), " + std::to_string(sizeof(Structure)) + ": " + advice);
    }

    // What this version knows of a structure of this size, which has been checked. A field that only a newer caller knows
    // must be zero, which stands for what happens without it. Throws `invalid`.
    Structure known_part(const void* callers, std::size_t size) const
    {
        const auto* const bytes = static_cast<const unsigned char*>(callers);
        const std::size_t known = std::min(sizeof(Structure), size);
        if (std::any_of(bytes + known, bytes + size, [](unsigned char byte) { return byte != 0; }))
            throw Error(invalid, std::string(argument) + " sets a field that this version of the library does not know");
        Structure result = initial;
        std::memcpy(&result, bytes, known);
        return result;
    }
};

} // namespace clgemm::core
