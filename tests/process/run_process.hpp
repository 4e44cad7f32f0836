// Starts processes and tells how they ended.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace clgemm::test {

namespace fs = std::filesystem;

struct Outcome {
    int code;           // what the process returned; 128 + the signal that ended it
    std::string output; // standard output and standard error
};

using Environment = std::vector<std::string>; // "NAME=value", or "NAME" to be without it

// Runs sgemm_process, which lies beside this program, with these variables besides those of ctest.
Outcome run(const Environment& environment, const std::string& arguments);

// The same with another program and its arguments, as the shell reads them: standard error goes where they send it.
Outcome run_program(const Environment& environment, const std::string& program, const std::string& arguments);

// The same with a copy of the program in `folder` that is set-uid root, started by the user nobody: so it has rights that
// whoever sets its variables has not. Nothing where there can be no such program: only root can make one, and not on every
// file system.
std::optional<Outcome> run_set_uid(const Environment& environment, const fs::path& program, const std::string& arguments,
                                   const fs::path& folder);

// As run_program(), without waiting for its end. Gives the process's number.
pid_t start_program(const Environment& environment, const std::string& program, const std::string& arguments);
// Waits for it. After so many seconds it is killed.
int code_within(pid_t process, double seconds);

std::string contents(const fs::path& file); // "" if there is none

std::size_t occurrences(const std::string& text, const std::string& part);

// A folder of the test's own, empty at its start, gone at its end.
class Process : public testing::Test {
protected:
    void SetUp() override;
    void TearDown() override;

    const fs::path folder;
    Process();
};

} // namespace clgemm::test
