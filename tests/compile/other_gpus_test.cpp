// Every kernel compiles for GPUs of Intel, AMD, Arm and Qualcomm that nobody here has, by compilers for them. What each
// needs of registers is kept in registers/, and what the library takes by itself on such a GPU fits in them.
#include "device/quirks.hpp"
#include "other_gpus.hpp"
#include "process/run_process.hpp"
#include "unit/made_up.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

struct Gpu {
    const char* name; // as the compiler calls it
    OtherGpu vendor;
    unsigned max_work_group_size;
    std::size_t local_memory;
    std::size_t least_sub_group = 0; // of Intel's
    const char* opencl_vendor = "";  // as OpenCL tells it, where the library looks at it
    bool by_mesa = false;            // docs/notes/testing.md says why less is asked of its two GPUs
};

DeviceProfile profile_of(const Gpu& gpu)
{
    DeviceProfile device = large_gpu();
    device.max_work_group_size = gpu.max_work_group_size;
    device.max_work_item_sizes = {gpu.max_work_group_size, gpu.max_work_group_size, gpu.max_work_group_size};
    device.local_memory = gpu.local_memory;
    device.architecture = gpu.vendor == OtherGpu::amd ? gpu.name : "";
    device.vendor = gpu.opencl_vendor;
    device.registers = registers_of(device);
    if (gpu.vendor == OtherGpu::intel) {
        device.shuffle = Shuffle::intel_subgroups;
        device.sub_group = sub_group_to_ask_for({gpu.least_sub_group, 32});
    }
    return device;
}

std::string table_line(const Program& program, const Resources& needs)
{
    const auto if_known = [](const std::string& before, const std::optional<unsigned>& number, const char* after) {
        return number ? before + std::to_string(*number) + after : "";
    };
    const std::string group = std::to_string(program.group_size[0] * program.group_size[1]);
    return program.text() + ": " + if_known("", needs.registers, " registers, ") +
           if_known("sub-groups of ", needs.sub_group, ", ") + if_known("", needs.spills, " spills, ") +
           std::to_string(needs.memory_bytes) + " bytes in memory" +
           if_known(", ", needs.instruction_bytes, " bytes of instructions") +
           if_known(", ", needs.instructions, " instructions") +
           if_known(", work-groups of " + group + ", at most ", needs.largest_group, "") + "\n";
}

} // namespace

class OtherGpuCompiler : public Process, public testing::WithParamInterface<Gpu> {
protected:
    void SetUp() override
    {
        Process::SetUp();
        if (!has_compiler_for(GetParam().vendor))
            GTEST_SKIP() << "the compiler is not there (tests/compile/fetch)";
    }
};

TEST_P(OtherGpuCompiler, TakesEveryKernelAndWhatIsTakenByItselfFits)
{
    const std::string gpu = GetParam().name;
    const DeviceProfile device = profile_of(GetParam());
    // Of four ways in which operands lie, two: neither of the two is the same in both.
    std::vector<Program> believed = programs_where(CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, device, believed_variants(device));
    for (Program& program : programs_where(CLGEMM_TRANS, CLGEMM_TRANS, device, believed_variants(device)))
        believed.push_back(std::move(program));
    std::sort(believed.begin(), believed.end());
    std::vector<Program> all = programs_where(CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, device, usual_variants(device));
    all.insert(all.end(), believed.begin(), believed.end());
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    if (GetParam().by_mesa) // on its emulated processor kernel 16 takes minutes; a work-group of one work-item is for CPUs
        std::erase_if(all, [](const Program& one) { return one.group_size == std::array<std::size_t, 2>{1, 1}; });
    ASSERT_FALSE(believed.empty());

    const std::vector<CompiledFor> compiled = compile_for(GetParam().vendor, gpu, all, folder);
    const std::string head = "# By " + compiler_for(GetParam().vendor, folder) + "\n";
    std::string table = head;
    for (std::size_t i = 0; i < all.size(); i++) {
        const auto& [needs, said] = compiled[i];
        EXPECT_TRUE(needs) << all[i].text() << ":\n" << said.substr(said.size() - std::min<std::size_t>(said.size(), 2000));
        table += needs ? table_line(all[i], *needs) : all[i].text() + ": does not compile\n";
        if (!GetParam().by_mesa && std::binary_search(believed.begin(), believed.end(), all[i])) {
            EXPECT_EQ(needs.value_or(Resources{}).memory_bytes, 0U)
                << "is taken on a GPU like " << gpu << ": " << all[i].text();
        }
    }
    const fs::path kept = fs::path(CLGEMM_REGISTERS) / (gpu + ".txt"),
                   made = fs::current_path() / ("registers_" + gpu + ".txt");
    std::ofstream(made) << table;
    const std::string before = contents(kept);
    if (before.substr(0, head.size()) != head)
        GTEST_SKIP() << "all " << all.size() << " programs were compiled, but the table is of another compiler: "
                     << before.substr(0, before.find('\n'));
    EXPECT_EQ(table, before) << "if this is meant: cp " << made << " " << kept;
}

// (gen9 by one of its kind: of the name `gen9` ocloc makes a dozen programs.)
INSTANTIATE_TEST_SUITE_P(
    For, OtherGpuCompiler,
    testing::Values(Gpu{"skl", OtherGpu::intel, 256, 64 << 10, 8}, Gpu{"dg2", OtherGpu::intel, 1024, 64 << 10, 8},
                    Gpu{"pvc", OtherGpu::intel, 1024, 128 << 10, 16}, Gpu{"gfx90a", OtherGpu::amd, 256, 64 << 10},
                    Gpu{"gfx942", OtherGpu::amd, 256, 64 << 10}, Gpu{"gfx1100", OtherGpu::amd, 256, 64 << 10},
                    Gpu{"mali_g52", OtherGpu::arm, 256, 32 << 10, 0, "Arm", true},
                    Gpu{"adreno_630", OtherGpu::qualcomm, 1024, 32 << 10, 0, "Qualcomm", true}),
    [](const auto& tested) { return tested.param.name; });
