#include "mesa.hpp"

#include "on_all_cores.hpp"
#include "process/run_process.hpp"
#include "shell_word.hpp"

#include <fstream>
#include <regex>

namespace clgemm::test {

namespace {

constexpr const char* root = CLGEMM_MESA; // of a Debian for arm64
constexpr const char* emulator = CLGEMM_QEMU;

// A processor without pointer authentication. Debian's programs sign their return addresses wherever the processor can, and
// the emulator would spend nine tenths of its time on computing these signatures.
constexpr const char* processor = "cortex-a72";

// Of processor time, for each program: by then a compiler is given up.
constexpr const char* seconds = "120";

// Runs a program of the emulated machine. It finds the machine's files below its root, and all others where they are.
Outcome run_emulated(const Environment& environment, const std::string& arguments)
{
    return run_program(environment, emulator,
                       std::string("-cpu ") + processor + " -L " + shell_word(root) + " " + arguments + " 2>&1");
}

// tests/compile/mesa_needs.c with this driver, which keeps what it makes in the folder `cache`.
std::string run_mesa_needs(const std::string& driver, const std::string& arguments, const fs::path& folder,
                           const fs::path& cache)
{
    const Environment environment = {
        "RUSTICL_ENABLE=" + driver,    "MESA_SHADER_CACHE_DIR=" + cache.string(),
        "BIFROST_MESA_DEBUG=shaderdb", "IR3_SHADER_DEBUG=cs",
        "FD_MESA_DEBUG=serialc",       "OCL_ICD_VENDORS=" + std::string(root) + "/etc/OpenCL/vendors/rusticl.icd"};
    return run_emulated(environment, "-E LD_PRELOAD=/usr/lib/aarch64-linux-gnu/lib" + driver + "_noop_drm_shim.so " +
                                         shell_word(folder / "mesa_needs") + " " + arguments)
        .output;
}

void make_mesa_needs(const fs::path& folder)
{
    run_emulated({}, shell_word(fs::path(root) / "usr/bin/tcc") + " -w -o " + shell_word(folder / "mesa_needs") + " " +
                         shell_word(CLGEMM_MESA_NEEDS) + " -lOpenCL");
}

std::optional<unsigned> number_in(const std::string& text, const std::string& pattern)
{
    std::smatch found;
    if (!std::regex_search(text, found, std::regex(pattern)))
        return std::nullopt;
    return static_cast<unsigned>(std::stoul(found.str(1)));
}

// What is said of one program, by the driver and mesa_needs.
CompiledFor understood(const std::string& said)
{
    Resources needs;
    needs.instructions = number_in(said, "(\\d+) inst");
    if (const auto vectors_of_four = number_in(said, "(\\d+) full")) // of Adreno's registers
        needs.registers = 4 * *vectors_of_four;
    needs.spills = number_in(said, "(\\d+):\\d+ spills:fills");
    needs.largest_group = number_in(said, "work-items of at most (\\d+)");
    const auto memory = number_in(said, "program built: (\\d+)");
    if (!memory || !needs.instructions)
        return {std::nullopt, said};
    needs.memory_bytes = *memory;
    return {needs, ""};
}

} // namespace

bool has_mesa()
{
    return *root != '\0' && *emulator != '\0';
}

std::string mesa_version(const std::string& driver, const fs::path& folder)
{
    make_mesa_needs(folder);
    const std::string said = run_mesa_needs(driver, "", folder, folder / "cache");
    return said.substr(0, said.find('\n'));
}

std::vector<CompiledFor> compile_by_mesa(const std::string& driver, const std::vector<Program>& programs,
                                         const fs::path& folder)
{
    mesa_version(driver, folder); // fills the cache with what the driver makes when it begins, which takes most of the time
    std::vector<CompiledFor> result(programs.size());
    on_all_cores(programs.size(), [&](std::size_t i) {
        const fs::path source = folder / (std::to_string(i) + ".cl"), cache = folder / std::to_string(i);
        std::ofstream(source) << programs[i].source->text();
        // A driver that found the program of another process in its cache would not tell what that needs.
        fs::copy(folder / "cache", cache, fs::copy_options::recursive);
        std::string arguments = seconds;
        arguments.append(" ").append(shell_word(source));
        arguments.append(" '-cl-std=CL1.2 ").append(programs[i].options).append("'");
        result[i] = understood(run_mesa_needs(driver, arguments, folder, cache));
    });
    return result;
}

} // namespace clgemm::test
