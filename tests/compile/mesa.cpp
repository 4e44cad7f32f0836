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

// Of processor time, for each program. Of these, an emulated processor makes a tenth of what the machine's own would.
constexpr const char* seconds = "120";

// Of the emulated machine, which finds its own files below its root, and all others where they are.
Outcome run_emulated(const Environment& environment, const std::string& arguments)
{
    return run_program(environment, emulator, "-L " + shell_word(root) + " " + arguments + " 2>&1");
}

// tests/compile/mesa_needs.c with this driver.
std::string run_mesa_needs(const std::string& driver, const std::string& arguments, const fs::path& folder)
{
    const Environment environment = {
        "RUSTICL_ENABLE=" + driver,    "MESA_SHADER_CACHE_DISABLE=1",
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

fs::path source_file(const Program& program, const fs::path& folder)
{
    return folder / (std::string(program.source->name) + ".cl");
}

constexpr const char* built = "program built: "; // of each program the last line

// What is said of one program, by the driver and mesa_needs.
CompiledFor understood(const std::string& said)
{
    Resources needs;
    needs.instructions = number_in(said, "(\\d+) inst");
    if (const auto vectors_of_four = number_in(said, "(\\d+) full")) // of Adreno's registers
        needs.registers = 4 * *vectors_of_four;
    needs.spills = number_in(said, "(\\d+):\\d+ spills:fills");
    needs.largest_group = number_in(said, "work-items of at most (\\d+)");
    const auto memory = number_in(said, built + std::string("(\\d+)"));
    if (!memory || !needs.instructions)
        return {std::nullopt, said, said.find("it takes too long") == std::string::npos};
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
    const std::string said = run_mesa_needs(driver, "", folder);
    return said.substr(0, said.find('\n'));
}

std::vector<CompiledFor> compile_by_mesa(const std::string& driver, const std::vector<Program>& programs,
                                         const fs::path& folder)
{
    make_mesa_needs(folder);
    for (const Program& program : programs)
        std::ofstream(source_file(program, folder)) << program.source->text();
    // A process builds many programs, since it takes longest to begin. It ends with one that cannot be built: then another
    // one goes on.
    std::vector<CompiledFor> result(programs.size());
    const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
    on_all_cores(cores, [&](std::size_t core) {
        for (std::size_t next = core; next < programs.size();) {
            std::string arguments = seconds;
            for (std::size_t i = next; i < programs.size(); i += cores)
                arguments.append(" ")
                    .append(shell_word(source_file(programs[i], folder)))
                    .append(" '-cl-std=CL1.2 ")
                    .append(programs[i].options)
                    .append("'");
            std::string said = run_mesa_needs(driver, arguments, folder);
            for (bool is_built = true; is_built && next < programs.size(); next += cores) {
                const std::size_t last_line = said.find(built);
                is_built = last_line != std::string::npos;
                const std::size_t end = is_built ? said.find('\n', last_line) : said.size();
                result[next] = understood(said.substr(0, end));
                said.erase(0, end);
            }
        }
    });
    return result;
}

} // namespace clgemm::test
