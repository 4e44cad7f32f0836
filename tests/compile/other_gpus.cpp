#include "other_gpus.hpp"

#include "mesa.hpp"
#include "on_all_cores.hpp"
#include "process/run_process.hpp"
#include "shell_word.hpp"

#include <fstream>
#include <regex>
#include <sstream>

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

// A number of 32 bits in a token of the program's binary: the words of `PTM.txt` are bytes, the lowest first. 0: there is no
// such token. (Compute Runtime's patch_shared.h has tokens and members.)
unsigned number_in(const std::string& tokens, unsigned token, unsigned member)
{
    std::smatch found;
    if (!std::regex_search(tokens, found,
                           std::regex("Token " + std::to_string(token) + "\\n\\s*4 Size \\d+\\n\\s*Hex ([^\\n]*)")))
        return 0;
    std::istringstream bytes(found.str(1));
    bytes >> std::hex;
    unsigned result = 0;
    for (unsigned at = 0, byte = 0; at < 4 * member + 4 && bytes >> byte; at++)
        if (at >= 4 * member)
            result |= byte << 8 * (at - 4 * member);
    return result;
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
    for (const auto& file : fs::directory_iterator(made))
        if (file.path().extension() == ".bin")
            outcome = run_program({}, ocloc,
                                  "disasm -file " + shell_word(file.path()) + " -device " + gpu + " -dump " +
                                      shell_word(parts) + " 2>&1");
    const std::string tokens = contents(parts / "PTM.txt");
    constexpr unsigned thread = 18, scratch = 1;         // MEDIA_VFE_STATE: bytes of a hardware thread
    constexpr unsigned execution = 23, largest_simd = 3; // EXECUTION_ENVIRONMENT
    constexpr unsigned private_memory = 38, each = 3;    // ALLOCATE_STATELESS_PRIVATE_MEMORY: bytes of a work-item
    Resources resources;
    resources.sub_group = number_in(tokens, execution, largest_simd);
    resources.instruction_bytes = sum_of(tokens, "KernelUnpaddedSize (\\d+)");
    if (resources.sub_group == 0U || resources.instruction_bytes == 0U)
        return {std::nullopt, "no instructions are found in what ocloc made: " + outcome.output};
    resources.memory_bytes =
        number_in(tokens, thread, scratch) / *resources.sub_group + number_in(tokens, private_memory, each);
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
    resources.memory_bytes = sum_of(assembly, "\\.private_segment_fixed_size: (\\d+)");
    resources.instruction_bytes = sum_of(assembly, "; codeLenInByte = (\\d+)");
    return {resources, ""};
}

// The version of the Clang that made libclc's bitcode, which says so in it. With the functions of another libclc the same
// compiler makes other code of some kernels.
std::string version_of_amd_functions()
{
    const std::string bitcode = contents(amd_functions), before = "clang version ";
    const std::size_t found = bitcode.find(before);
    if (found == std::string::npos)
        return "unknown";
    const std::size_t begin = found + before.size();
    return bitcode.substr(begin, bitcode.find_first_not_of("0123456789.", begin) - begin);
}

const char* mesa_driver_for(OtherGpu vendor)
{
    return vendor == OtherGpu::arm ? "panfrost" : "freedreno";
}

} // namespace

bool has_compiler_for(OtherGpu vendor)
{
    switch (vendor) {
    case OtherGpu::intel: return *ocloc != '\0';
    case OtherGpu::amd: return *amd_clang != '\0' && *amd_functions != '\0';
    default: return has_mesa();
    }
}

std::string compiler_for(OtherGpu vendor, const fs::path& folder)
{
    if (vendor == OtherGpu::arm || vendor == OtherGpu::qualcomm)
        return mesa_version(mesa_driver_for(vendor), folder);
    if (vendor == OtherGpu::amd) {
        const std::string said = run_program({}, amd_clang, "--version 2>&1").output;
        return said.substr(0, said.find('\n')) + ", with libclc by clang version " + version_of_amd_functions();
    }
    // It writes the answer to a file where it runs.
    run_program({}, "sh", "-c \"cd " + shell_word(folder) + " && " + ocloc + " query OCL_DRIVER_VERSION\" 2>&1");
    const std::string said = contents(folder / "OCL_DRIVER_VERSION");
    return "ocloc " + said.substr(0, said.find_first_not_of("0123456789."));
}

std::vector<CompiledFor> compile_for(OtherGpu vendor, const std::string& gpu, const std::vector<Program>& programs,
                                     const fs::path& folder)
{
    if (vendor == OtherGpu::arm || vendor == OtherGpu::qualcomm)
        return compile_by_mesa(mesa_driver_for(vendor), programs, folder);
    std::vector<CompiledFor> result(programs.size());
    on_all_cores(programs.size(), [&](std::size_t i) {
        const fs::path of_its_own = folder / std::to_string(i);
        fs::create_directories(of_its_own);
        result[i] = vendor == OtherGpu::intel ? compile_for_intel(gpu, programs[i], of_its_own)
                                              : compile_for_amd(gpu, programs[i], of_its_own);
    });
    return result;
}

} // namespace clgemm::test
