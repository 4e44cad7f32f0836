#include "fuzz_target.hpp"

#include <algorithm>
#include <cctype>

namespace clgemm::test {
namespace {

std::size_t below(std::size_t limit, std::mt19937& random)
{
    return random() % limit;
}

bool is_digit(char c)
{
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

// The number at this place, or the next one after it, becomes one of those that programs fail at.
void exchange_number(std::string& text, std::size_t at, std::mt19937& random)
{
    constexpr const char* numbers[] = {"0",          "1",
                                       "2",          "3",
                                       "7",          "8",
                                       "15",         "16",
                                       "17",         "32",
                                       "64",         "128",
                                       "256",        "1000",
                                       "1024",       "4096",
                                       "-1",         "1.5",
                                       "2147483647", "2147483648",
                                       "1e9",        "1e308",
                                       "1e-9",       "18446744073709551615",
                                       "4294967296", "18446744073709551616",
                                       "null",       "\"\"",
                                       "[]",         "{}"};
    const auto begin = std::find_if(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), is_digit);
    const auto end = std::find_if_not(begin, text.end(), is_digit);
    if (begin != end)
        text.replace(begin, end,
                     below(2, random) == 0 ? std::to_string(1 + below(5000, random))
                                           : numbers[below(std::size(numbers), random)]);
}

} // namespace

std::string changed(std::string input, std::mt19937& random)
{
    for (std::size_t changes = below(2, random) == 0 ? 1 : 1 + below(4, random); changes > 0; changes--) {
        if (input.empty())
            input.push_back('\n');
        const std::size_t at = below(input.size(), random), length = 1 + below(input.size() - at, random) % 40;
        switch (below(8, random)) {
        case 0: input[at] = static_cast<char>(input[at] ^ 1 << below(8, random)); break;
        case 1: input[at] = static_cast<char>(random()); break;
        case 2: input.erase(at, length); break;
        case 3: input.insert(at, input.substr(below(input.size(), random), length)); break;
        case 4: input.replace(at, length, input.substr(below(input.size(), random), length)); break;
        case 5: input.resize(below(8, random) == 0 ? at : input.size()); break;
        default: exchange_number(input, at, random); break;
        }
    }
    return input;
}

} // namespace clgemm::test

// libFuzzer's own changes know nothing of numbers in texts, or of files: it makes half of all.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most) __attribute__((weak));
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed)
{
    if (seed % 2 == 0)
        return LLVMFuzzerMutate(data, size, most);
    std::mt19937 random(seed);
    std::string input = clgemm::test::next_input({reinterpret_cast<const char*>(data), size}, random);
    input.resize(std::min(input.size(), most));
    std::copy(input.begin(), input.end(), data);
    return input.size();
}
