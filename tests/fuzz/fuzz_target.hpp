// What a fuzz target is made of: a function that takes any bytes, and examples to begin with. It is linked with libFuzzer,
// which looks for inputs that reach new code, or with fixed_inputs.cpp, which needs nothing and makes the same ones each
// time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace clgemm::test {

std::vector<std::string> examples();

// How many inputs passed all checks of the code under test, so that what comes after these was tried, too.
inline long taken = 0;

// The input with a few changes: bits flipped, parts cut out, doubled or taken from elsewhere, numbers exchanged for others.
std::string changed(std::string input, std::mt19937& random);

// Ends the process, which both drivers report with the input.
inline void require(bool holds, const std::string& what)
{
    if (holds)
        return;
    std::fprintf(stderr, "fuzzing found: %s\n", what.c_str());
    std::abort();
}

} // namespace clgemm::test
