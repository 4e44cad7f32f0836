// Compilers that need no device: Clang for OpenCL C, and NVIDIA's assembler of PTX, ptxas. Where one is not installed, its
// path is empty.
#pragma once

#include "kernel_programs.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace clgemm::test {

// What a compiler made of a program.
struct Compiled {
    bool is_clean = false; // no error, no warning
    std::string said;
};

// Does Clang take the program for a target (`options`: its -target and what belongs to it)? Files go to `folder`.
Compiled check_syntax(const Program& program, const std::string& options, const std::filesystem::path& folder);

// A header of Clang's that all programs for a target begin with is read once for all of them: the options for it.
std::string with_header(const std::string& header, const std::string& options, const std::filesystem::path& folder);

// The program as the text that NVIDIA's driver would assemble for this GPU ("sm_80"), retargeted where it must be; what
// Clang said where it could not be made.
struct Ptx {
    std::optional<std::string> text;
    std::string said;
};
Ptx ptx_of(const Program& program, const std::string& gpu, const std::filesystem::path& folder);

// What ptxas says of it: registers and spills.
Compiled assemble(const std::string& ptx, const std::string& gpu, const std::filesystem::path& file);

bool has_clang();
bool has_clang_for_nvidia(); // and the library of OpenCL's functions for it
bool has_ptxas_for(const std::string& gpu);
std::string clang_version(); // the lines in which they tell
std::string ptxas_version();

} // namespace clgemm::test
