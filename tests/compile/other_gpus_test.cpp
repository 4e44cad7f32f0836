// Every kernel compiles for GPUs of Intel and AMD that nobody here has, by their own compilers. What each needs of registers
// is kept in registers/, and what the library takes by itself on such a GPU fits in them.
#include "device/quirks.hpp"
#include "on_all_cores.hpp"
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
};

DeviceProfile profile_of(const Gpu& gpu)
{
    DeviceProfile device = large_gpu();
    device.max_work_group_size = gpu.max_work_group_size;
    device.max_work_item_sizes = {gpu.max_work_group_size, gpu.max_work_group_size, gpu.max_work_group_size};
    device.local_memory = gpu.local_memory;
    device.architecture = gpu.vendor == OtherGpu::amd ? gpu.name : "";
    device.registers = registers_of(device);
    if (gpu.vendor == OtherGpu::intel) {
        device.shuffle = Shuffle::intel_subgroups;
        device.sub_group = sub_group_to_ask_for({gpu.least_sub_group, 32});
    }
    return device;
}

std::string table_line(const Program& program, const Resources& needs)
{
    return program.text() + ": " + (needs.registers ? std::to_string(*needs.registers) + " registers, " : "") +
           (needs.sub_group ? "sub-groups of " + std::to_string(*needs.sub_group) + ", " : "") +
           std::to_string(needs.memory_bytes) + " bytes in memory, " + std::to_string(needs.instruction_bytes) +
           " bytes of instructions\n";
}

} // namespace

class OtherGpuCompiler : public Process, public testing::WithParamInterface<Gpu> {
protected:
    void SetUp() override
    {
        Process::SetUp();
        if (!has_compiler_for(GetParam().vendor))
            GTEST_SKIP() << (GetParam().vendor == OtherGpu::intel ? "ocloc" : "clang-19 or libclc")
                         << " is not there (tests/compile/fetch)";
    }
};

TEST_P(OtherGpuCompiler, TakesEveryKernelAndWhatIsTakenByItselfFits)
{
    const auto& [gpu, vendor, work_items, local_memory, least_sub_group] = GetParam();
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
    ASSERT_FALSE(believed.empty());

    std::vector<CompiledFor> compiled(all.size());
    on_all_cores(all.size(), [&, gpu = gpu, vendor = vendor](std::size_t i) {
        compiled[i] = compile_for(vendor, gpu, all[i], folder / std::to_string(i));
    });
    const std::string head = "# By " + compiler_for(vendor, folder) + "\n";
    std::string table = head;
    for (std::size_t i = 0; i < all.size(); i++) {
        ASSERT_TRUE(compiled[i].resources) << all[i].text() << ":\n" << compiled[i].said;
        table += table_line(all[i], *compiled[i].resources);
        if (std::binary_search(believed.begin(), believed.end(), all[i])) {
            EXPECT_EQ(compiled[i].resources->memory_bytes, 0U) << "is taken on a GPU like " << gpu << ": " << all[i].text();
        }
    }
    const fs::path kept = fs::path(CLGEMM_REGISTERS) / (std::string(gpu) + ".txt"),
                   made = fs::current_path() / ("registers_" + std::string(gpu) + ".txt");
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
                    Gpu{"gfx942", OtherGpu::amd, 256, 64 << 10}, Gpu{"gfx1100", OtherGpu::amd, 256, 64 << 10}),
    [](const auto& tested) { return tested.param.name; });
