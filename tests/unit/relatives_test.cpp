// Whose data a device borrows that nobody measured, and to what scale it is brought.
#include "made_up_tuning.hpp"

#include "device/processor.hpp"
#include "tuning/relatives.hpp"
#include "tuning/tuning_file.hpp"
#include "tuning/tuning_sources.hpp"

#include <gtest/gtest.h>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

DeviceProfile gpu(const char* name, const char* architecture, std::size_t compute_units, std::size_t clock_mhz)
{
    DeviceProfile result = large_gpu();
    result.platform_name = "made-up platform";
    result.vendor = "made-up vendor";
    result.name = name;
    result.architecture = architecture;
    result.compute_units = compute_units;
    result.clock_mhz = clock_mhz;
    return result;
}

const DeviceProfile measured_gpu = gpu("measured", "sm_90", 132, 2000);

// Files as they are compiled in, each with one measurement of kernel 13 that takes as many ns as it is numbered.
class Files {
public:
    explicit Files(const std::vector<DeviceProfile>& devices)
    {
        for (const DeviceProfile& device : devices)
            texts_.push_back(to_text(tuning_of({kernel_13("NT", 100.0 * static_cast<double>(texts_.size() + 1))}), device));
        pieces_.assign(texts_.begin(), texts_.end());
        for (const std::string_view& piece : pieces_)
            files_.push_back({"a file", {&piece, 1}});
    }

    Tuning tuning(const DeviceProfile& device, const MeasureMemory& memory = {}) const
    {
        return tuning_among(files_, device, memory);
    }

    // Of the file that the device's data is from; 0: guesses.
    std::size_t number_for(DeviceProfile device, std::size_t clock_mhz = 2000) const
    {
        device.clock_mhz = clock_mhz;
        const Tuning found = tuning(device);
        return found.is_a_guess ? 0
                                : static_cast<std::size_t>(found.measurements.front().step_ns.front().second / 100 + 0.5);
    }

private:
    std::vector<std::string> texts_;
    std::vector<std::string_view> pieces_;
    std::vector<EmbeddedText> files_;
};

} // namespace

TEST(Relatives, TheNearestComesFirstInWhateverOrderTheFilesLie)
{
    std::vector<DeviceProfile> devices{gpu("other generation", "sm_89", 100, 2000), gpu("sibling", "sm_90", 80, 2000),
                                       gpu("this one", "sm_90", 64, 2000), gpu("this one", "sm_90", 132, 2000)};
    const auto expect_in_turn = [](const Files& files, std::initializer_list<std::size_t> numbers) {
        auto number = numbers.begin();
        EXPECT_EQ(files.number_for(gpu("this one", "sm_90", 132, 0)), *number++) << "itself";
        EXPECT_EQ(files.number_for(gpu("this one", "sm_90", 66, 0)), *number++) << "elsewhere, the nearest in size";
        EXPECT_EQ(files.number_for(gpu("unknown", "sm_90", 99, 0)), *number++) << "of the same architecture";
        EXPECT_EQ(files.number_for(gpu("unknown", "sm_87", 99, 0)), *number++) << "of the same vendor";
    };
    expect_in_turn(Files(devices), {4, 3, 2, 1});
    std::reverse(devices.begin(), devices.end());
    expect_in_turn(Files(devices), {1, 2, 3, 4});
}

TEST(Relatives, AreOfTheSameTypeAndAtLeastOfTheSameVendor)
{
    const Files files({measured_gpu});
    DeviceProfile stranger = gpu("unknown", "", 132, 2000);
    EXPECT_EQ(files.number_for(stranger), 1u);
    stranger.vendor = "another vendor";
    EXPECT_EQ(files.number_for(stranger), 0u);
    stranger.vendor.clear();
    EXPECT_EQ(files.number_for(stranger), 0u);
    DeviceProfile accelerator = measured_gpu;
    accelerator.type = DeviceType::accelerator;
    EXPECT_EQ(files.number_for(accelerator), 0u);
}

// Virtual machines call very different CPUs by one name.
TEST(Relatives, ANamesakeOfAnotherArchitectureIsFartherThanTheSameDeviceElsewhere)
{
    DeviceProfile older = made_up_cpu(), newer = older, elsewhere = older;
    older.architecture = "AMD family 25";
    newer.architecture = elsewhere.architecture = "AMD family 26";
    elsewhere.compute_units = 64;
    EXPECT_EQ(kinship(as_measured(older), newer), Kinship::namesake);
    EXPECT_EQ(kinship(as_measured(elsewhere), newer), Kinship::elsewhere);
    EXPECT_GT(Kinship::elsewhere, Kinship::namesake);
    EXPECT_GT(Kinship::namesake, Kinship::none);
    EXPECT_THROW(parse_tuning(to_text(tuning_of({kernel_13("NT", 100)}), older), newer, "a file"), OtherDevice);
    MeasuredDevice of_an_older_file = as_measured(older);
    of_an_older_file.architecture.clear();
    EXPECT_EQ(kinship(of_an_older_file, newer), Kinship::itself);
}

TEST(Relatives, AProcessorIsToldByItsSignature)
{
    EXPECT_EQ(processor_named("AuthenticAMD", 0x00B00F21), "AMD family 26");            // an EPYC of Zen 5
    EXPECT_EQ(processor_named("AuthenticAMD", 0x00A10F11), "AMD family 25");            // one of Zen 4
    EXPECT_EQ(processor_named("AuthenticAMD", 0x00800F12), "AMD family 23");            // one of Zen
    EXPECT_EQ(processor_named("GenuineIntel", 0x000806F8), "Intel family 6 model 143"); // a Xeon of Sapphire Rapids' kind
    EXPECT_EQ(processor_named("GenuineIntel", 0x00050657), "Intel family 6 model 85");  // one of Cascade Lake's
    EXPECT_EQ(processor_named("somebody else", 0x00B00F21), "");
}

TEST(Relatives, ACpuHasNoneButItselfElsewhere)
{
    DeviceProfile measured_cpu = made_up_cpu(), other = measured_cpu;
    measured_cpu.vendor = other.vendor = "made-up vendor";
    measured_cpu.architecture = other.architecture = "the same";
    other.compute_units++;
    EXPECT_EQ(kinship(as_measured(measured_cpu), other), Kinship::elsewhere);
    other.name = "another CPU";
    EXPECT_EQ(kinship(as_measured(measured_cpu), other), Kinship::none);
}

// Virtual machines share a name, whatever their processors are. Tiles tell these apart.
TEST(Relatives, ACpuWithTilesTakesDataWithTilesFirst)
{
    DeviceProfile ours = cpu_with_tiles(), elsewhere = ours, namesake = ours;
    ours.architecture = elsewhere.architecture = "a model";
    elsewhere.compute_units++;
    namesake.architecture = "another model";
    const std::string texts[] = {to_text(tuning_of({measured("17", "", 100)}), elsewhere),
                                 to_text(tuning_of({measured("17", "", 200), measured("cpu_amx", "", 50)}), namesake)};
    const std::string_view pieces[] = {texts[0], texts[1]};
    const EmbeddedText files[] = {{"without tiles", {&pieces[0], 1}}, {"with tiles", {&pieces[1], 1}}};
    EXPECT_EQ(tuning_among(files, ours).measurements.size(), 2u);
    ours.tiles = Tiles::none;
    ours.instructions = find_instructions(ours);
    EXPECT_EQ(tuning_among(files, ours).measurements.size(), 1u);
    EXPECT_EQ(tuning_among(files, elsewhere).measurements.size(), 1u) << "its own comes before any other";
}

// What is not known of two devices is no kinship.
TEST(Relatives, WhoseFilesSayNothingAreFoundByTheirNamesAlone)
{
    MeasuredDevice old = as_measured(measured_gpu);
    old.vendor = old.architecture = "";
    old.clock_mhz = 0;
    DeviceProfile device = measured_gpu;
    EXPECT_EQ(kinship(old, device), Kinship::itself);
    device.compute_units = 100;
    EXPECT_EQ(kinship(old, device), Kinship::elsewhere);
    device.name = "another name";
    device.architecture = "";
    EXPECT_EQ(kinship(old, device), Kinship::none);
}

TEST(Relatives, AnArchitectureIsWhatTheVendorCallsIt)
{
    DeviceProfile device;
    EXPECT_EQ(architecture_of(device), "");
    for (const char* const name : {"gfx90a", "gfx90a:sramecc+:xnack-", "AMD Instinct MI210 (radeonsi, gfx90a, LLVM 17)"}) {
        device.name = name;
        EXPECT_EQ(architecture_of(device), "gfx90a") << name;
    }
    device.name = "NVIDIA H100 80GB HBM3";
    device.compute_capability = 90;
    EXPECT_EQ(architecture_of(device), "sm_90");
}

TEST(Relatives, AreBroughtToTheDevicesScale)
{
    const Files files({measured_gpu});
    const auto scaled = [&](const DeviceProfile& device) {
        const Measurement result = files.tuning(device).measurements.front();
        EXPECT_DOUBLE_EQ(result.start_ns.front().second, result.step_ns.front().second * 10);
        return result.step_ns.front().second;
    };
    Measurement measurement = kernel_13("NT", 100);
    measurement.least_ns = 3000;
    scale_times(measurement, 2);
    EXPECT_EQ(measurement.step_ns.front().second, 200);
    EXPECT_EQ(measurement.least_ns, 6000);
    EXPECT_DOUBLE_EQ(scaled(gpu("slower", "sm_90", 132, 1000)), 200);
    EXPECT_DOUBLE_EQ(scaled(gpu("of unknown speed", "sm_90", 132, 0)), 100);
    EXPECT_DOUBLE_EQ(scaled(gpu("smaller", "sm_90", 20, 2000)), 100) << "the data is of one compute unit";
    EXPECT_DOUBLE_EQ(scaled(gpu("with half the lanes", "sm_80", 132, 2000)), 200);
    EXPECT_DOUBLE_EQ(scaled(gpu("of unknown lanes", "sm_999", 132, 2000)), 100);
}

TEST(Relatives, MemoryIsThatOfTheDeviceItself)
{
    const Files files({measured_gpu});
    int asked = 0;
    const auto memory = [&] {
        asked++;
        return std::optional(3.0);
    };
    const DeviceProfile sibling = gpu("sibling", "sm_90", 100, 2000);
    EXPECT_EQ(files.tuning(sibling, memory).bytes_per_ns, 3);
    EXPECT_EQ(asked, 1);
    EXPECT_EQ(files.tuning(sibling, [] { return std::optional<double>(); }).bytes_per_ns, 1000);
    files.tuning(measured_gpu, memory);
    DeviceProfile stranger = gpu("stranger", "", 1, 0);
    stranger.vendor = "another vendor";
    files.tuning(stranger, memory);
    EXPECT_EQ(asked, 1) << "where nothing is borrowed, nothing is measured";
}

// A whole call that was timed on one device says nothing of another one.
TEST(Relatives, LendNoEntriesForSingleCalls)
{
    Tuning theirs = tuning_of({kernel_13("NT", 100)});
    theirs.calls = {{{64, 32, 16, false, true, {1, 1, 1}, {}}, first_variant("13"), {}, 1000}};
    const std::string text = to_text(theirs, measured_gpu);
    const std::string_view piece = text;
    const EmbeddedText files[] = {{"a file", {&piece, 1}}};
    EXPECT_EQ(tuning_among(files, measured_gpu).calls.size(), 1u);
    const Tuning lent = tuning_among(files, gpu("sibling", "sm_90", 100, 2000));
    EXPECT_EQ(lent.measurements.size(), 1u);
    EXPECT_TRUE(lent.calls.empty());
}

TEST(Relatives, AreNamed)
{
    const Files files({measured_gpu});
    const auto origin = [&](const DeviceProfile& device) { return files.tuning(device).origin; };
    EXPECT_EQ(origin(measured_gpu), "measured on this kind of device");
    EXPECT_EQ(origin(gpu("measured", "sm_90", 66, 2000)),
              "borrowed from measured, the same device elsewhere, with 132 compute units");
    EXPECT_EQ(origin(gpu("sibling", "sm_90", 66, 2000)), "borrowed from measured, of the same architecture, sm_90");
    EXPECT_EQ(origin(gpu("cousin", "sm_80", 66, 2000)), "borrowed from measured, the vendor's nearest");
    EXPECT_NE(files.tuning(gpu("cousin", "sm_80", 66, 2000)).guesses, nullptr) << "for calls for which nothing of it holds";
}

TEST(Relatives, BorrowedKernelsThatDoNotComputeInFp32AreCheckedAtTheirFirstUse)
{
    DeviceProfile sibling = hopper_gpu(), measured_one = sibling;
    measured_one.platform_name = sibling.platform_name = "made-up platform";
    measured_one.architecture = sibling.architecture = "sm_90";
    sibling.name = "sibling";
    for (const auto& [name, is_checked] : {std::pair("14", true), std::pair("13", false)}) {
        const std::string text =
            to_text(tuning_of({measured(name, name == std::string("13") ? "NT" : "", 100)}), measured_one);
        const std::string_view piece = text;
        const EmbeddedText files[] = {{"a file", {&piece, 1}}};
        const auto unproven = [&](const DeviceProfile& device) {
            return select(problem(4096, 4096, 4096, CLGEMM_NO_TRANS, CLGEMM_TRANS), device, tuning_among(files, device), {})
                .is_unproven;
        };
        EXPECT_FALSE(unproven(measured_one)) << name;
        EXPECT_EQ(unproven(sibling), is_checked) << name;
    }
}
