// What a fuzz target is made of: a function that takes any bytes, and examples to begin with. It is linked with libFuzzer,
// which looks for inputs that reach new code, or with fixed_inputs.cpp, which needs nothing and makes the same ones each
// time.
#pragma once

#include <csignal>
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

// A tuning file with a few changes that mostly leave it one: other times, other kernels, parameters up to their limits.
std::string changed_tuning(std::string input, std::mt19937& random);

// Each target's own: an input made of another one, by one of these.
std::string next_input(std::string input, std::mt19937& random);

// LLVM, with which PoCL compiles, puts its own handler in the place of the one that keeps the input of an abort. The one
// that was there when this was first called comes back.
inline void keep_input_of_aborts()
{
    static const struct sigaction first = [] {
        struct sigaction now {};
        sigaction(SIGABRT, nullptr, &now);
        return now;
    }();
    sigaction(SIGABRT, &first, nullptr);
}

// Ends the process, which both drivers report with the input.
inline void require(bool holds, const std::string& what)
{
    if (holds)
        return;
    keep_input_of_aborts();
    std::fprintf(stderr, "fuzzing found: %s\n", what.c_str());
    std::abort();
}

} // namespace clgemm::test
