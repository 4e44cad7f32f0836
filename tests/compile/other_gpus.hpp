// What Intel's and AMD's GPUs need for a program, by compilers that need no device: Intel's `ocloc`, and Clang for amdgcn
// with LLVM's libclc. Where one is not installed, its path is empty.
#pragma once

#include "kernel_programs.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace clgemm::test {

struct Resources {
    std::optional<unsigned> registers; // of a work-item; Intel's are of a fixed number
    std::optional<unsigned> sub_group; // work-items that Intel's compiler has in step, which share them
    unsigned memory_bytes = 0;         // of a work-item, for what is not in registers: spills, and arrays as a whole
    unsigned instruction_bytes = 0;
};

// Nothing, and what the compiler said, where it does not take the program.
struct CompiledFor {
    std::optional<Resources> resources;
    std::string said;
};

enum class OtherGpu { intel, amd };

bool has_compiler_for(OtherGpu vendor);
std::string compiler_for(OtherGpu vendor, const std::filesystem::path& folder); // with its version

// gpu: as the compiler calls it, "pvc" or "gfx90a". Files go to `folder`, which is the program's own.
CompiledFor compile_for(OtherGpu vendor, const std::string& gpu, const Program& program,
                        const std::filesystem::path& folder);

} // namespace clgemm::test
