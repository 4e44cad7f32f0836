#include "offline_compilers.hpp"

#include "execute/retarget.hpp"
#include "process/run_process.hpp"
#include "shell_word.hpp"

#include <fstream>
#include <mutex>
#include <regex>

namespace clgemm::test {

namespace {

constexpr const char* clang = CLGEMM_CLANG;
constexpr const char* ptxas = CLGEMM_PTXAS;
constexpr const char* opencl_functions = CLGEMM_LIBCLC; // for nvptx64, as LLVM's bitcode

// (Whether Clang unrolls a loop that others unroll is no fault of the source.)
constexpr const char* clang_options = "-x cl -cl-std=CL1.2 -Werror -Wno-pass-failed ";

Outcome run_compiler(const char* compiler, const std::string& arguments)
{
    return run_program({}, compiler, arguments + " 2>&1");
}

// The source, which many programs share, as a file.
fs::path source_file(const Program& program, const fs::path& folder)
{
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    fs::path path = folder / (std::string(program.source->name) + ".cl");
    if (!fs::exists(path))
        std::ofstream(path) << program.source->text();
    return path;
}

std::string first_line_with(const std::string& text, const std::string& word)
{
    const auto at = text.find(word);
    return at == std::string::npos ? "" : text.substr(at, text.find('\n', at) - at);
}

// The version of PTX that knows the GPU, and the GPU as OpenCL compiles for it: sm_90 where sm_90a is meant.
struct PtxHead {
    const char* version;
    std::string gpu;
};

PtxHead head_for(const std::string& gpu)
{
    if (gpu == "sm_80")
        return {"7.5", gpu};
    if (gpu == "sm_90a")
        return {"8.3", "sm_90"};
    return {"8.7", gpu};
}

} // namespace

Compiled check_syntax(const Program& program, const std::string& options, const fs::path& folder)
{
    const Outcome outcome = run_compiler(clang, clang_options + options + " -fsyntax-only " + program.options + " " +
                                                    shell_word(source_file(program, folder)));
    return {outcome.code == 0 && outcome.output.empty(), outcome.output};
}

std::string with_header(const std::string& header, const std::string& options, const fs::path& folder)
{
    const fs::path text = folder / "header.cl", as_read = folder / "header.pch";
    std::ofstream(text) << "#include <" << header << ">\n";
    run_compiler(clang, clang_options + options + " -fsyntax-only -Xclang -emit-pch -Xclang -o -Xclang " +
                            shell_word(as_read) + " " + shell_word(text)); // if it fails, so do the programs
    return options + " -include-pch " + shell_word(as_read);
}

Ptx ptx_of(const Program& program, const std::string& gpu, const fs::path& folder)
{
    // Clang need not know the newer GPUs: no kernel asks for which it is compiled.
    const std::string target = "-target nvptx64-unknown-nvidiacl -fgnu-keywords -Xclang -target-cpu -Xclang sm_80 -Xclang "
                               "-target-feature -Xclang +ptx75 -Xclang -mlink-builtin-bitcode -Xclang ";
    const Outcome outcome = run_compiler(clang, clang_options + target + shell_word(opencl_functions) + " -O3 -S -o - " +
                                                    program.options + " " + shell_word(source_file(program, folder)));
    if (outcome.code != 0)
        return {std::nullopt, outcome.output};
    const auto [version, its_gpu] = head_for(gpu);
    std::string text =
        std::regex_replace(outcome.output, std::regex("\n\\.version [^\n]*"), "\n.version " + std::string(version));
    text = std::regex_replace(text, std::regex("\n\\.target [^\n]*"), "\n.target " + its_gpu);
    // Clang leaves reqd_work_group_size() out, which NVIDIA's compiler tells the assembler.
    const auto [m, n] = program.group_size;
    text = std::regex_replace(text, std::regex("\n\\)\n\\{"),
                              "\n)\n.reqntid " + std::to_string(m) + ", " + std::to_string(n) + ", 1\n{");
    if (program.retargeted_local_bytes == 0)
        return {std::move(text), ""};
    // More than 48 KB of local memory ptxas gives sm_90a alone (NVIDIA's drivers give all GPUs what they have): for the
    // others the array stays as short as it is compiled.
    const std::size_t local_bytes = gpu == "sm_90a" ? program.retargeted_local_bytes : 1024;
    return {core::retargeted(std::move(text), local_bytes), "the PTX cannot be retargeted"};
}

Compiled assemble(const std::string& ptx, const std::string& gpu, const fs::path& file)
{
    std::ofstream(file) << ptx;
    const Outcome outcome =
        run_compiler(ptxas, "-v -arch " + gpu + " -o " + shell_word(file.string() + ".cubin") + " " + shell_word(file));
    const bool complains =
        outcome.output.find("warning") != std::string::npos || outcome.output.find("Performance Loss") != std::string::npos;
    return {outcome.code == 0 && !complains, outcome.output};
}

bool has_clang()
{
    return *clang != '\0';
}

bool has_clang_for_nvidia()
{
    return has_clang() && *opencl_functions != '\0';
}

bool has_ptxas_for(const std::string& gpu)
{
    return *ptxas != '\0' && run_compiler(ptxas, "--help").output.find("'" + gpu + "'") != std::string::npos;
}

std::string clang_version()
{
    return first_line_with(run_compiler(clang, "--version").output, "clang version");
}

std::string ptxas_version()
{
    return first_line_with(run_compiler(ptxas, "--version").output, "Cuda compilation tools");
}

} // namespace clgemm::test
