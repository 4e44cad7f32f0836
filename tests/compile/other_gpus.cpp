#include "other_gpus.hpp"

#include "process/run_process.hpp"
#include "shell_word.hpp"

#include <fstream>
#include <regex>

namespace clgemm::test {

namespace {

constexpr const char* ocloc = CLGEMM_OCLOC;
constexpr const char* amd_clang = CLGEMM_AMD_CLANG;
constexpr const char* amd_functions = CLGEMM_AMD_LIBCLC; // as LLVM's bitcode

// The sum of what the pattern's group finds.
unsigned sum_of(const std::string& text, const std::string& pattern)
{
    const std::regex regex(pattern);
    unsigned sum = 0;
    for (std::sregex_iterator found(text.begin(), text.end(), regex); found != std::sregex_iterator(); ++found)
        sum += static_cast<unsigned>(std::stoul(found->str(1)));
    return sum;
}

// (No more is asked of its tools than that they are installed: its disassembler wants a library that Debian does not link.)
CompiledFor compile_for_intel(const std::string& gpu, const Program& program, const fs::path& folder)
{
    const fs::path source = folder / "program.cl", made = folder / "made", parts = folder / "parts";
    std::ofstream(source) << program.source->text();
    Outcome outcome = run_program({}, ocloc,
                                  "compile -file " + shell_word(source) + " -device " + gpu + " -options '-cl-std=CL1.2 " +
                                      program.options + "' -out_dir " + shell_word(made) + " 2>&1");
    if (outcome.code != 0)
        return {std::nullopt, outcome.output};
    Resources resources;
    resources.spilled = sum_of(outcome.output, "spilled around (\\d+)");
    for (const auto& file : fs::directory_iterator(made))
        if (file.path().extension() == ".bin")
            outcome = run_program({}, ocloc,
                                  "disasm -file " + shell_word(file.path()) + " -device " + gpu + " -dump " +
                                      shell_word(parts) + " 2>&1");
    resources.instruction_bytes = sum_of(contents(parts / "PTM.txt"), "KernelUnpaddedSize (\\d+)");
    if (resources.instruction_bytes == 0)
        return {std::nullopt, "no instructions are found in what ocloc made: " + outcome.output};
    return {resources, ""};
}

CompiledFor compile_for_amd(const std::string& gpu, const Program& program, const fs::path& folder)
{
    const fs::path source = folder / "program.cl", made = folder / "program.s";
    std::ofstream(source) << program.source->text();
    const Outcome outcome =
        run_program({}, amd_clang,
                    "-x cl -cl-std=CL1.2 -target amdgcn-unknown-amdhsa -mcpu=" + gpu +
                        " -nogpulib -Wno-linker-warnings -Wno-pass-failed -Xclang -mlink-builtin-bitcode -Xclang " +
                        shell_word(amd_functions) + " -O3 -S -o " + shell_word(made) + " " + program.options + " " +
                        shell_word(source) + " 2>&1");
    if (outcome.code != 0)
        return {std::nullopt, outcome.output};
    const std::string assembly = contents(made);
    Resources resources;
    resources.registers = sum_of(assembly, "\\.vgpr_count: +(\\d+)");
    resources.spilled = sum_of(assembly, "\\.vgpr_spill_count: +(\\d+)");
    resources.instruction_bytes = sum_of(assembly, "; codeLenInByte = (\\d+)");
    return {resources, ""};
}

} // namespace

bool has_compiler_for(OtherGpu vendor)
{
    return vendor == OtherGpu::intel ? *ocloc != '\0' : *amd_clang != '\0' && *amd_functions != '\0';
}

std::string compiler_for(OtherGpu vendor, const fs::path& folder)
{
    if (vendor == OtherGpu::amd) {
        const std::string said = run_program({}, amd_clang, "--version 2>&1").output;
        return said.substr(0, said.find('\n'));
    }
    // It writes the answer to a file where it runs.
    run_program({}, "sh", "-c \"cd " + shell_word(folder) + " && " + ocloc + " query OCL_DRIVER_VERSION\" 2>&1");
    const std::string said = contents(folder / "OCL_DRIVER_VERSION");
    return "ocloc " + said.substr(0, said.find_first_not_of("0123456789."));
}

CompiledFor compile_for(OtherGpu vendor, const std::string& gpu, const Program& program, const fs::path& folder)
{
    fs::create_directories(folder);
    return vendor == OtherGpu::intel ? compile_for_intel(gpu, program, folder) : compile_for_amd(gpu, program, folder);
}

} // namespace clgemm::test
