// A fuzz target without libFuzzer.
//   NAME COUNT [SEED]       tries the examples, and COUNT inputs that are made of them, the same for the same seed
//   NAME --input FILE       tries one, as libFuzzer or the line above left it
//   NAME --examples FOLDER  writes the examples there, for libFuzzer to begin with
#include "fuzz_target.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace {

std::string input;

void try_input()
{
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

// The process is lost; what it takes to see the same again is written first.
extern "C" void keep_input(int signal)
{
    std::ofstream("fuzz-failed-input", std::ios::binary) << input;
    std::fputs("the input is in fuzz-failed-input\n", stderr);
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

} // namespace

int main(int count, char** arguments)
{
    const std::string command = count > 1 ? arguments[1] : "";
    for (const int signal : {SIGABRT, SIGSEGV, SIGFPE, SIGBUS, SIGILL})
        std::signal(signal, keep_input);
    const auto examples = clgemm::test::examples();
    if (command == "--input" && count == 3) {
        std::ifstream file(arguments[2], std::ios::binary);
        input = {std::istreambuf_iterator<char>(file), {}};
        try_input();
        return 0;
    }
    if (command == "--examples" && count == 3) {
        std::filesystem::create_directories(arguments[2]);
        for (std::size_t i = 0; i < examples.size(); i++)
            std::ofstream(std::filesystem::path(arguments[2]) / std::to_string(i), std::ios::binary) << examples[i];
        return 0;
    }
    const long inputs = std::atol(command.c_str());
    const unsigned long seed = count > 2 ? std::strtoul(arguments[2], nullptr, 10) : 1;
    if (inputs <= 0)
        return 2;
    for (const std::string& example : examples) {
        input = example;
        try_input();
    }
    std::mt19937 random(static_cast<std::mt19937::result_type>(seed));
    std::vector<std::string> kept = examples;
    for (long i = 0; i < inputs; i++) {
        input = clgemm::test::next_input(kept[random() % kept.size()], random);
        try_input();
        // Some changes are changed further.
        if (random() % 8 == 0)
            (kept.size() < 500 ? kept.emplace_back() : kept[examples.size() + random() % (500 - examples.size())]) = input;
    }
    std::printf("%zu examples and %ld inputs from seed %lu, of which %ld were taken: nothing found\n", examples.size(),
                inputs, seed, clgemm::test::taken);
    if (clgemm::test::taken < static_cast<long>(examples.size()) / 4)
        return 1; // the examples are no good
    return 0;
}
