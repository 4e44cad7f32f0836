// Every program for GPUs compiles, on machines without one: through Clang for the targets of NVIDIA's, AMD's and Intel's
// drivers; and what is assembler inside goes through NVIDIA's own ptxas, too. The registers and spills that ptxas tells are
// kept in registers/, so that a change shows up.
#include "offline_compilers.hpp"
#include "on_all_cores.hpp"
#include "process/run_process.hpp"
#include "unit/made_up.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <regex>
#include <set>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

DeviceProfile nvidia_gpu(unsigned compute_capability)
{
    DeviceProfile device = compute_capability == 90 ? hopper_gpu() : ampere_gpu(compute_capability);
    device.shuffle = Shuffle::nvidia_ptx;
    if (compute_capability > 90)
        device.retargeted_local_memory = 0; // as the library has it for GPUs that nobody tried
    return device;
}

DeviceProfile intel_gpu()
{
    DeviceProfile device = large_gpu();
    device.shuffle = Shuffle::intel_subgroups;
    device.sub_group = 16;
    device.registers = 128;
    return device;
}

// AMD's work-groups have 256 work-items, where nobody asks for more.
DeviceProfile amd_gpu()
{
    DeviceProfile device = large_gpu();
    device.max_work_group_size = 256;
    device.local_memory = 64 << 10;
    return device;
}

struct Target {
    const char* name;
    const char* options;
    std::vector<DeviceProfile> devices;
    std::vector<DeviceProfile> without = {}; // what these have, other targets compile
    const char* header = nullptr;
    bool has_tuned_sizes = true; // those that the tuning data adds to the registry's
};

std::vector<Target> targets()
{
    // (`asm` is no word of OpenCL C's: NVIDIA's compiler has it all the same.)
    const char* const nvidia = "-target nvptx64-unknown-nvidiacl -fgnu-keywords";
    const std::vector<DeviceProfile> on_nvidia = {nvidia_gpu(90), large_gpu()};
    return {{.name = "nvptx64", .options = nvidia, .devices = on_nvidia, .has_tuned_sizes = false},
            {"nvptx64_with_tuned_sizes", nvidia, on_nvidia},
            {"amdgcn", "-target amdgcn-amd-amdhsa -mcpu=gfx90a -nogpulib", {amd_gpu()}},
            {"spir64", "-target spir64", {large_gpu(), tiny_gpu()}},
            // Its functions are in Clang's long header alone.
            {"spir64_of_Intel",
             "-target spir64 -cl-no-stdinc -Xclang -cl-ext=+cl_intel_subgroups",
             {intel_gpu()},
             {large_gpu()},
             "opencl-c.h"}};
}

std::vector<Program> programs_of(const std::vector<DeviceProfile>& devices, bool tuned_sizes)
{
    std::vector<Program> result;
    for (const DeviceProfile& device : devices)
        for (const auto& programs :
             {every_program(device), typical_programs(device, tuned_sizes ? tuned_variants(device) : std::vector<Variant>{}),
              reproducible_programs(device, registered_variants(device)),
              looping_programs(device, registered_variants(device))})
            result.insert(result.end(), programs.begin(), programs.end());
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
}

// A few complaints tell as much as a thousand.
void expect_clean(const std::vector<Program>& programs, const std::vector<Compiled>& compiled)
{
    std::size_t shown = 0, bad = 0;
    for (std::size_t i = 0; i < programs.size(); i++)
        if (!compiled[i].is_clean && ++bad && shown < 5) {
            shown++;
            ADD_FAILURE() << programs[i].text() << ":\n" << compiled[i].said;
        }
    EXPECT_EQ(bad, 0u) << "of " << programs.size() << " programs";
}

} // namespace

// small_batch copies what lies without gaps as one stretch of memory: by programs of their own, in the background, too.
TEST(KernelPrograms, HaveThoseThatCopyStretches)
{
    for (const DeviceProfile& device : {nvidia_gpu(90), amd_gpu()}) {
        const std::string copies = device.nvidia_ptx ? " -DASYNC=1 " : " -DASYNC=0 ";
        const auto is_one = [&](const Program& program) {
            return program.text().find(copies) != std::string::npos &&
                   program.options.find(" -DSTRETCH_A=1 -DSTRETCH_B=1") != std::string::npos;
        };
        const std::vector<Variant> variants = registered_variants(device);
        const auto sizes = std::count_if(variants.begin(), variants.end(),
                                         [](const Variant& variant) { return variant.kernel->name == "small_batch"; });
        EXPECT_GT(sizes, 0);
        for (const auto& programs : {every_program(device), typical_programs(device, variants)})
            EXPECT_EQ(std::count_if(programs.begin(), programs.end(), is_one), 4 * sizes) << "each in all transposes";
    }
}

class GpuPrograms : public Process, public testing::WithParamInterface<Target> {};

TEST_P(GpuPrograms, CompileWithoutAWarning)
{
    if (!has_clang())
        GTEST_SKIP() << "Clang is not installed";
    const std::vector<Program> others = programs_of(GetParam().without, GetParam().has_tuned_sizes);
    std::vector<Program> programs = programs_of(GetParam().devices, GetParam().has_tuned_sizes);
    std::erase_if(programs, [&](const Program& one) { return std::binary_search(others.begin(), others.end(), one); });
    ASSERT_FALSE(programs.empty());
    std::string options = GetParam().options;
    if (GetParam().header)
        options = with_header(GetParam().header, options, folder);
    std::vector<Compiled> compiled(programs.size());
    on_all_cores(programs.size(), [&](std::size_t i) { compiled[i] = check_syntax(programs[i], options, folder); });
    expect_clean(programs, compiled);
    std::printf("%zu programs\n", programs.size());
}

INSTANTIATE_TEST_SUITE_P(For, GpuPrograms, testing::ValuesIn(targets()),
                         [](const auto& tested) { return tested.param.name; });

namespace {

struct Gpu {
    const char* name; // as ptxas calls it
    unsigned compute_capability;
    // What takes long on Hopper: the sizes that its tuning data adds to the registry's, unaligned floats, and operands of
    // which one is transposed.
    bool others = false;
};

std::string table_of(const Gpu& gpu)
{
    return std::string(gpu.name) + (gpu.others ? "_others" : "");
}

// What the table says of a program, from what ptxas said of it.
std::string table_line(const Program& program, const std::string& said)
{
    std::smatch registers, spills;
    if (!std::regex_search(said, registers, std::regex("Used (\\d+) registers")) ||
        !std::regex_search(said, spills, std::regex("(\\d+) bytes spill stores, (\\d+) bytes spill loads")))
        return program.text() + ": ?";
    return program.text() + ": " + registers.str(1) + " registers, " + spills.str(1) + " bytes of spill stores, " +
           spills.str(2) + " of loads";
}

} // namespace

class NvidiaAssembler : public Process, public testing::WithParamInterface<Gpu> {
protected:
    void SetUp() override
    {
        Process::SetUp();
        if (!has_clang_for_nvidia() || !has_ptxas_for(GetParam().name))
            GTEST_SKIP() << "Clang, libclc or a ptxas that knows " << GetParam().name << " is not installed";
    }

    // Those with assembler inside, but of several that have their tiles in different orders (GROUP, ORDER) one: registers
    // are needed elsewhere. What `others` are has a table of its own, without what is in the first one.
    static std::vector<Program> programs(const Gpu& gpu)
    {
        const DeviceProfile device = nvidia_gpu(gpu.compute_capability);
        std::set<std::string> seen;
        std::vector<Program> result = usual_programs(device);
        if (gpu.others) {
            for (const Program& program : result)
                seen.insert(without_order(program));
            result = other_programs(device);
        }
        std::erase_if(result, [&](const Program& program) {
            return program.source->text().find("asm") == std::string::npos || !seen.insert(without_order(program)).second;
        });
        return result;
    }

private:
    static bool is_hopper(const DeviceProfile& device) { return device.compute_capability == 90; }

    static std::vector<Program> usual_programs(const DeviceProfile& device)
    {
        std::vector<Program> result = typical_programs(device, registered_variants(device));
        if (is_hopper(device))
            std::erase_if(result, transposes_one_operand);
        else
            for (Program& program : unaligned_floats(device))
                result.push_back(std::move(program));
        for (Program& program : looping_programs(device, registered_variants(device)))
            result.push_back(std::move(program));
        return result;
    }

    // (The tuning data that there is, is Hopper's.)
    static std::vector<Program> other_programs(const DeviceProfile& device)
    {
        std::vector<Program> result = typical_programs(device, tuned_variants(device));
        for (Program& program : unaligned_floats(device))
            result.push_back(std::move(program));
        for (Program& program : typical_programs(device, registered_variants(device)))
            if (transposes_one_operand(program))
                result.push_back(std::move(program));
        return result;
    }

    static bool transposes_one_operand(const Program& program)
    {
        const auto has = [&](const char* option) { return program.options.find(option) != std::string::npos; };
        return (has("-DTRANS_A=0") && has("-DTRANS_B=1")) || (has("-DTRANS_A=1") && has("-DTRANS_B=0"));
    }

    // Of kernel 13 on Hopper, and of Hopper's kernels that load the floats themselves.
    static std::vector<Program> unaligned_floats(const DeviceProfile& device)
    {
        std::vector<Variant> loading_floats = registered_variants(device);
        std::erase_if(loading_floats, [&](const Variant& variant) {
            const bool is_13_on_hopper = variant.kernel->name == "13_warp_tiled" && is_hopper(device);
            return !is_13_on_hopper && (variant.tiling.retargeted_bytes == 0 || variant.family().takes_operands_alike());
        });
        return unaligned_programs(device, loading_floats);
    }

    static std::string without_order(const Program& program)
    {
        return std::regex_replace(program.text(), std::regex(" -D(GROUP|ORDER)=\\d+"), "");
    }
};

TEST_P(NvidiaAssembler, TakesEveryProgramAndTheRegistersAreThoseOfTheTable)
{
    const std::string gpu = GetParam().name, name = table_of(GetParam());
    const std::vector<Program> all = programs(GetParam());
    std::vector<Compiled> compiled(all.size());
    on_all_cores(all.size(), [&](std::size_t i) {
        const Ptx ptx = ptx_of(all[i], gpu, folder);
        compiled[i] = ptx.text ? assemble(*ptx.text, gpu, folder / (std::to_string(i) + ".ptx")) : Compiled{false, ptx.said};
    });
    expect_clean(all, compiled);

    const std::string head = "# By " + clang_version() + "; ptxas: " + ptxas_version() + "\n";
    std::string table = head;
    for (std::size_t i = 0; i < all.size(); i++)
        table += table_line(all[i], compiled[i].said) + "\n";
    const fs::path kept = fs::path(CLGEMM_REGISTERS) / (name + ".txt"),
                   made = fs::current_path() / ("registers_" + name + ".txt");
    std::ofstream(made) << table;
    const std::string before = contents(kept);
    if (before.substr(0, head.size()) != head)
        GTEST_SKIP() << "all " << all.size() << " programs were assembled, but the table is of other compilers: "
                     << before.substr(0, before.find('\n'));
    EXPECT_EQ(table, before) << "if this is meant: cp " << made << " " << kept;
}

INSTANTIATE_TEST_SUITE_P(For, NvidiaAssembler,
                         testing::Values(Gpu{"sm_80", 80}, Gpu{"sm_90a", 90}, Gpu{"sm_90a", 90, true}, Gpu{"sm_120", 120}),
                         [](const auto& tested) { return table_of(tested.param); });
