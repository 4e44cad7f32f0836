// What GPUs of Intel, AMD, Arm and Qualcomm need for programs, by compilers that need no device: Intel's `ocloc`, Clang for
// amdgcn with LLVM's libclc, and Mesa (mesa.hpp). Where one is not installed, its path is empty.
#pragma once

#include "kernel_programs.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace clgemm::test {

struct Resources {
    std::optional<unsigned> registers;         // of a work-item; Intel's and Arm's are of a fixed number
    std::optional<unsigned> sub_group;         // work-items that Intel's compiler has in step, which share them
    std::optional<unsigned> spills;            // instructions that store what is not in registers (Arm)
    unsigned memory_bytes = 0;                 // of a work-item, for what is not in registers: spills, and arrays as a whole
    std::optional<unsigned> instruction_bytes; // or their number (Mesa)
    std::optional<unsigned> instructions;
    std::optional<unsigned> largest_group; // work-items that a work-group may then have (Mesa)
};

// Nothing, and what the compiler said, where it does not take the program.
struct CompiledFor {
    std::optional<Resources> resources;
    std::string said;
};

enum class OtherGpu { intel, amd, arm, qualcomm };

bool has_compiler_for(OtherGpu vendor);
std::string compiler_for(OtherGpu vendor, const std::filesystem::path& folder); // with its version

// gpu: as the compiler calls it, "pvc" or "gfx90a"; Mesa knows one of each vendor. Files go to `folder`.
std::vector<CompiledFor> compile_for(OtherGpu vendor, const std::string& gpu, const std::vector<Program>& programs,
                                     const std::filesystem::path& folder);

} // namespace clgemm::test
