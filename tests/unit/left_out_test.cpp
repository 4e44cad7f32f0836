// The library's own tuning data on devices that have less than the one that was measured, or that is spoilt: what is of no
// use is left out, and no call fails.
#include "made_up_tuning.hpp"

#include "support/embedded_tuning.hpp"
#include "tuning/tuning_file.hpp"
#include "tuning/tuning_sources.hpp"

#include <gtest/gtest.h>

#include <algorithm>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

// Devices by the name of the one that was measured, each with less of something.
std::vector<DeviceProfile> lesser(const DeviceProfile& measured)
{
    std::vector<DeviceProfile> result;
    for (const std::size_t bytes : {std::size_t{227} << 10, std::size_t{64} << 10, std::size_t{16} << 10, std::size_t{0}})
        for (const bool retargets : {true, false}) {
            DeviceProfile device = measured;
            device.local_memory = bytes;
            if (!retargets)
                device.retargeted_local_memory = 0;
            result.push_back(device);
        }
    for (const std::size_t items : {256U, 64U, 1U}) {
        DeviceProfile small_groups = measured, narrow = measured, low = measured;
        small_groups.max_work_group_size = narrow.max_work_item_sizes[0] = low.max_work_item_sizes[1] = items;
        result.insert(result.end(), {small_groups, narrow, low});
    }
    for (const unsigned capability : {0U, 80U, 100U}) {
        DeviceProfile other_instructions = measured;
        other_instructions.compute_capability = capability;
        other_instructions.instructions = find_instructions(other_instructions);
        result.push_back(other_instructions);
    }
    return result;
}

// Calls of all kinds are chosen, and by what the device can run.
void expect_selections(const DeviceProfile& device, const Tuning& tuning)
{
    for (const auto trans_a : {CLGEMM_NO_TRANS, CLGEMM_TRANS})
        for (const auto trans_b : {CLGEMM_NO_TRANS, CLGEMM_TRANS})
            for (const auto& [m, n, k] :
                 {std::array<std::size_t, 3>{1, 1, 1}, {4096, 4096, 4096}, {33, 2000, 777}, {8192, 3, 64}})
                for (const bool strict : {true, false}) {
                    const Selection selection =
                        select(strict ? strictly(problem(m, n, k, trans_a, trans_b)) : problem(m, n, k, trans_a, trans_b),
                               device, tuning, {});
                    EXPECT_TRUE(runs(selection.variant, device)) << selection.variant.kernel->name;
                }
}

// Texts as they are compiled in; they must outlive it.
EmbeddedText embedded(std::string_view name, const std::string_view& text)
{
    return {name, {&text, 1}};
}

} // namespace

TEST(LeftOut, IsWhatALesserDeviceCannotRunAndNoMore)
{
    for (const EmbeddedText& file : tuning_texts()) {
        const Tuning whole = tuning_of(file);
        std::size_t in_part = 0;
        for (const DeviceProfile& device : lesser(device_of(file))) {
            SCOPED_TRACE(std::string(file.name) + " with " + std::to_string(device.local_memory) +
                         " bytes of local memory, " + std::to_string(device.max_work_group_size) +
                         " work-items, compute capability " + std::to_string(device.compute_capability));
            std::vector<const Measurement*> that_run;
            for (const Measurement& measurement : whole.measurements)
                if (runs(measurement.variant, device))
                    that_run.push_back(&measurement);
            const Tuning tuning = tuning_among(tuning_texts(), device);
            EXPECT_EQ(tuning.left_out.size(), whole.measurements.size() - that_run.size());
            for (const std::string& reason : tuning.left_out) {
                EXPECT_TRUE(reason.starts_with("number ")) << reason;
                EXPECT_NE(reason.find(" needs "), std::string::npos) << reason;
            }
            if (that_run.empty()) {
                EXPECT_EQ(tuning.origin, derived_tuning(device).origin);
                EXPECT_TRUE(tuning.is_a_guess);
            } else {
                EXPECT_EQ(tuning.origin, "measured on this kind of device");
                EXPECT_NE(tuning.guesses, nullptr);
                ASSERT_EQ(tuning.measurements.size(), that_run.size());
                for (std::size_t i = 0; i < that_run.size(); i++) {
                    EXPECT_EQ(tuning.measurements[i].variant.kernel, that_run[i]->variant.kernel);
                    EXPECT_EQ(tuning.measurements[i].variant.parameters.text(), that_run[i]->variant.parameters.text());
                    EXPECT_EQ(tuning.measurements[i].operands, that_run[i]->operands);
                }
                in_part += that_run.size() < whole.measurements.size() ? 1 : 0;
            }
            expect_selections(device, tuning);
        }
        EXPECT_GT(in_part, 0u) << file.name << ": no device had less than what was measured takes";
    }
}

TEST(LeftOut, EverythingMakesItADeviceThatNobodyMeasured)
{
    DeviceProfile device = hopper_gpu();
    device.platform_name = "made-up platform";
    const std::string text = to_text(tuning_of({measured("20", "", 100), measured("14", "", 200)}), device);
    device.compute_capability = 75;
    device.instructions = find_instructions(device);
    const std::string_view piece = text;
    const EmbeddedText all[] = {embedded("all", piece)};
    const Tuning tuning = tuning_among(all, device), guessed = derived_tuning(device);
    EXPECT_EQ(tuning.left_out.size(), 2u);
    EXPECT_EQ(tuning.origin, guessed.origin);
    EXPECT_TRUE(tuning.is_a_guess);
    EXPECT_EQ(to_text(tuning, device), to_text(guessed, device));
    expect_selections(device, tuning);
}

// A defect of one file must not reach any device: not the one that it is about, and no other.
TEST(LeftOut, AreFilesOfTheLibrarysOwnThatAreSpoilt)
{
    DeviceProfile device = large_gpu();
    device.platform_name = "made-up platform";
    const std::string good = to_text(tuning_of({kernel_13("NT", 100)}), device);
    const auto with = [&](const std::string& from, const std::string& to) {
        std::string result = good;
        return result.replace(result.find(from), from.size(), to);
    };
    const std::string deep(1000, '[');
    for (const std::string& spoilt :
         {std::string(), std::string("nonsense"), good.substr(0, good.size() / 2), good + good, deep, std::string("{}"),
          std::string("{\"format\": 1}"), with("\"format\": 1", "\"format\": 2"),
          with("\"format\": 1", "\"format\": 1, \"device\": " + deep), with("3000", "-1"), with("\"launch_ns\"", "\"x\""),
          with("\"NT\"", "\"XX\""), with("[[1.0,", "[[0.0,"), with("\"TSM\":128", "\"TSM\":\"128\""),
          with("\"kernels\"", "\"device\""), with("13_warp_tiled", "99_nonsense")}) {
        SCOPED_TRACE(spoilt);
        ASSERT_NE(spoilt, good);
        const std::string_view spoilt_piece = spoilt, good_piece = good;
        const EmbeddedText alone[] = {embedded("spoilt", spoilt_piece)};
        const Tuning guessed = tuning_among(alone, device);
        EXPECT_TRUE(guessed.is_a_guess);
        EXPECT_EQ(to_text(guessed, device), to_text(derived_tuning(device), device));
        expect_selections(device, guessed);
        for (const bool spoilt_first : {true, false}) {
            EmbeddedText both[] = {embedded("spoilt", spoilt_piece), embedded("good", good_piece)};
            if (!spoilt_first)
                std::swap(both[0], both[1]);
            const Tuning tuning = tuning_among(both, device);
            EXPECT_EQ(to_text(tuning, device), good);
            EXPECT_TRUE(tuning.left_out.empty());
        }
    }
}

TEST(LeftOut, IsToldInShort)
{
    Tuning tuning;
    EXPECT_EQ(left_out_in_short(tuning), "");
    tuning.left_out = {"a"};
    EXPECT_EQ(left_out_in_short(tuning), "1 entry: a");
    tuning.left_out = {"a", "b", "c"};
    EXPECT_EQ(left_out_in_short(tuning), "3 entries: a; b; c");
    tuning.left_out = {"a", "b", "c", "d", "e"};
    EXPECT_EQ(left_out_in_short(tuning), "5 entries: a; b; c; and 2 more");
}
