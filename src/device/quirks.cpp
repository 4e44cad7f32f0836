#include "device/quirks.hpp"

#include "support/whole_numbers.hpp"

#include <algorithm>

namespace clgemm::core {
namespace {

constexpr std::string_view pocl = "Portable Computing Language", oclgrind = "Oclgrind";

struct Quirk {
    std::string_view platform; // its name
    std::string_view version;  // a part of its version; empty: all of them
    void (*work_around)(DeviceProfile&);
};

void compile_in_opencl_c_3(DeviceProfile& profile)
{
    profile.language = "CL3.0";
}

constexpr Quirk quirks[] = {
    // wait_group_events() is missing from their library for OpenCL C 1.2. A program that calls it builds, but when it is
    // launched the whole process is aborted.
    {pocl, "PoCL 5.", compile_in_opencl_c_3},
    {pocl, "PoCL 6.", compile_in_opencl_c_3},
    // It makes machine code when a kernel is launched, for the size of its work-group.
    {pocl, "", [](DeviceProfile& profile) { profile.compiles_at_launch = true; }},
    // It keeps compiled programs by itself, and to give a binary away it compiles the program once more, which takes twice
    // as long as the compilation that a call needs.
    {pocl, "", [](DeviceProfile& profile) { profile.keeps_programs = true; }},
    // To give a binary away it compiles for work-groups of any size. Then it takes inline assembly for the call of a
    // function, looks in vain for that function's arguments, and aborts the process. (At a launch, which says the size, it
    // does not.)
    {pocl, "PoCL 5.", [](DeviceProfile& profile) { profile.gives_assembly_away = false; }},
    // Its compiler is Clang, and it runs kernels in the process itself.
    {pocl, "", [](DeviceProfile& profile) { profile.takes_x86_assembly = profile.type == DeviceType::cpu; }},
    // fma() is a call to a function that takes many times as long; where it is not, it kills some versions' compilers.
    {pocl, "", [](DeviceProfile& profile) { profile.contracts_instead_of_fma = true; }},
    // A simulator that runs on one core, and whose compiler nobody has tried with several threads.
    {oclgrind, "", [](DeviceProfile& profile) { profile.builds_one_at_a_time = true; }},
};

} // namespace

void work_around_quirks(DeviceProfile& profile)
{
    for (const Quirk& quirk : quirks)
        if (profile.platform_name == quirk.platform && profile.platform_version.find(quirk.version) != std::string::npos)
            quirk.work_around(profile);
}

// PoCL calls a CPU "pthread-" and its kind before 6.0, and "cpu-" and its kind from then on.
std::string lasting_name(std::string_view platform, const std::string& name)
{
    constexpr std::string_view before = "pthread-", since = "cpu-";
    const bool renamed = platform == pocl && name.starts_with(since);
    return renamed ? std::string(before) + name.substr(since.size()) : name;
}

// For GPUs with sub-groups of 8, Intel's compiler puts as many work-items into a sub-group as registers suffice for. For
// those without, such as Ponte Vecchio, it makes sub-groups of 32 however many registers that takes, and keeps the sums of a
// large tile in memory; in sub-groups of 16 they fit into registers.
std::size_t sub_group_to_ask_for(const std::vector<std::size_t>& sizes)
{
    const auto least = std::min_element(sizes.begin(), sizes.end());
    return least != sizes.end() && *least == 16 ? *least : 0;
}

std::size_t cache_of_cores(std::size_t told, std::size_t cores)
{
    constexpr std::size_t most_for_a_core = 16 << 20;
    return std::min(told, saturating_product(cores, most_for_a_core));
}

} // namespace clgemm::core
