// Tuning files: what is written is read back, and whatever is wrong with a file is named.
#include "made_up_tuning.hpp"

#include "select/cost_model.hpp"
#include "support/embedded.hpp"
#include "support/embedded_tuning.hpp"
#include "tuning/tuning_file.hpp"
#include "tuning/tuning_sources.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>

using namespace clgemm::core;
using namespace clgemm::test;
using Json = nlohmann::ordered_json;

namespace {

DeviceProfile device()
{
    DeviceProfile result = large_gpu();
    result.platform_name = "made-up platform";
    return result;
}

Tuning some_tuning()
{
    Tuning tuning;
    tuning.launch_ns = 2100.5;
    tuning.enqueue_ns = 4000.75;
    tuning.bytes_per_ns = 3900.25;
    const auto size = [](const char* name, std::size_t which) { return variants_of(*find_kernel(name))[which]; };
    tuning.measurements = {
        {size("13", 0), "NT", {{1, 520}, {2, 650.75}, {4, 1300}}, 2, {{1, 6000}, {4, 7000.5}}},
        {size("13", 1), "nN", {{1.5, 300}}, 1, {{1.5, 5000}}},
        {size("15", 0), "Tt", {{1, 20}}, 3, {{1, 0.01}}},
        {size("1", 2), "", {{1, 20}, {24, 30}}, 16, {{1, 1}}},
    };
    tuning.measurements[1].least_ns = 5200.25;
    return tuning;
}

Json some_json()
{
    return Json::parse(to_text(some_tuning(), device()));
}

// The error about a text, or "" if it is accepted.
std::string complaint(const std::string& text, const DeviceProfile& about = device())
{
    try {
        parse_tuning(text, about, "a test");
        return "";
    } catch (const TuningFileError& error) {
        return error.what();
    }
}

bool is_about(const std::string& text, const DeviceProfile& about)
{
    try {
        parse_tuning(text, about, "a test");
        return true;
    } catch (const OtherDevice&) {
        return false;
    }
}

// Each case: what is done to a good file, and the parts of the message that it must bring.
struct Spoilt {
    std::function<void(Json&)> spoil;
    std::vector<std::string> said;
};

void expect_complaints(const std::vector<Spoilt>& cases)
{
    for (const auto& spoilt : cases) {
        Json json = some_json();
        spoilt.spoil(json);
        const std::string message = complaint(json.dump());
        EXPECT_NE(message, "") << json.dump();
        for (const auto& part : spoilt.said)
            EXPECT_NE(message.find(part), std::string::npos) << "nothing of '" << part << "' in: " << message;
        EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    }
}

// Each case is about one of the file's four measurements: that one is left out for this reason, and the others hold.
void expect_left_out(const std::vector<Spoilt>& cases)
{
    for (const auto& spoilt : cases) {
        Json json = some_json();
        spoilt.spoil(json);
        SCOPED_TRACE(json.dump());
        const Tuning tuning = parse_tuning(json.dump(), device(), "a test");
        ASSERT_EQ(tuning.left_out.size(), 1u);
        ASSERT_EQ(tuning.measurements.size(), 3u);
        const std::string& reason = tuning.left_out.front();
        for (const auto& part : spoilt.said)
            EXPECT_NE(reason.find(part), std::string::npos) << "nothing of '" << part << "' in: " << reason;
        EXPECT_EQ(reason.find('\n'), std::string::npos) << reason;
        for (std::size_t i = 0, all = 0; i < tuning.measurements.size(); i++, all++) {
            if (reason.starts_with("number " + std::to_string(all + 1) + " "))
                all++;
            EXPECT_EQ(tuning.measurements[i].variant.kernel, some_tuning().measurements[all].variant.kernel);
            EXPECT_EQ(tuning.measurements[i].operands, some_tuning().measurements[all].operands);
            EXPECT_EQ(tuning.measurements[i].step_ns, some_tuning().measurements[all].step_ns);
        }
    }
}

} // namespace

TEST(TuningFile, WhatIsWrittenIsReadBack)
{
    const Tuning before = some_tuning();
    const std::string text = to_text(before, device());
    const Tuning after = parse_tuning(text, device(), "a test");
    EXPECT_EQ(after.origin, "a test");
    EXPECT_EQ(after.launch_ns, before.launch_ns);
    EXPECT_EQ(after.enqueue_ns, before.enqueue_ns);
    EXPECT_EQ(after.bytes_per_ns, before.bytes_per_ns);
    EXPECT_TRUE(after.left_out.empty());
    ASSERT_EQ(after.measurements.size(), before.measurements.size());
    for (std::size_t i = 0; i < after.measurements.size(); i++) {
        const Measurement &was = before.measurements[i], &is = after.measurements[i];
        EXPECT_EQ(is.variant.kernel, was.variant.kernel);
        EXPECT_EQ(is.variant.parameters.values(), was.variant.parameters.values());
        EXPECT_EQ(is.variant.tiling.m, was.variant.tiling.m);
        EXPECT_EQ(is.variant.tiling.n, was.variant.tiling.n);
        EXPECT_EQ(is.variant.tiling.k, was.variant.tiling.k);
        EXPECT_EQ(is.variant.tiling.local_bytes, was.variant.tiling.local_bytes);
        EXPECT_EQ(is.operands, was.operands);
        EXPECT_EQ(is.resident, was.resident);
        EXPECT_EQ(is.start_ns, was.start_ns);
        EXPECT_EQ(is.step_ns, was.step_ns);
        EXPECT_EQ(is.least_ns, was.least_ns);
    }
    EXPECT_EQ(to_text(after, device()), text) << "writing again gives the same file";
}

TEST(TuningFile, TimesOfAnySizeAndPointsCloseTogetherCanBeWrittenAndReadBack)
{
    Tuning tuning = some_tuning();
    tuning.launch_ns = 0.001;
    tuning.enqueue_ns = 1e30;
    tuning.bytes_per_ns = 1e-30;
    tuning.measurements.front().step_ns = {{1.001, 1e-30}, {1.002, 3e15}};
    const std::string text = to_text(tuning, device());
    EXPECT_EQ(complaint(text), "");
    EXPECT_EQ(to_text(parse_tuning(text, device(), "a test"), device()), text);
}

// Without that word a kernel that is less accurate would be one that nobody can ask for.
TEST(TuningFile, OfAKernelForLessAccuracySaysForWhich)
{
    const DeviceProfile gpu = hopper_gpu();
    Tuning before = some_tuning();
    before.measurements = {{first_variant("tensor_tf32"), "", {{1, 20}}, 1, {{1, 1000}}, {.accuracy = CLGEMM_MATH_TF32}}};
    const std::string text = to_text(before, gpu);
    const Tuning after = parse_tuning(text, gpu, "a test");
    ASSERT_EQ(after.measurements.size(), 1u) << text;
    EXPECT_EQ(after.measurements.front().arithmetic, before.measurements.front().arithmetic);
    EXPECT_EQ(to_text(after, gpu), text);

    Json json = Json::parse(text);
    json["kernels"][0].erase("arithmetic");
    const Tuning without = parse_tuning(json.dump(), gpu, "a test");
    EXPECT_TRUE(without.measurements.empty());
    ASSERT_EQ(without.left_out.size(), 1u);
    EXPECT_NE(without.left_out.front().find("math mode 'default'"), std::string::npos) << without.left_out.front();
}

TEST(TuningFile, GuessesCanBeWrittenAndReadBack)
{
    for (const auto& profile : {large_gpu(), tiny_gpu(), made_up_cpu()}) {
        const std::string text = to_text(derived_tuning(profile), profile);
        EXPECT_EQ(to_text(parse_tuning(text, profile, ""), profile), text);
    }
}

// Such a text once made the process call itself until its stack was full.
TEST(TuningFile, NestedDeepIsRefused)
{
    constexpr std::size_t levels = 200'000;
    for (const char* const open : {"[", "{\"x\":"}) {
        std::string nested;
        for (std::size_t i = 0; i < levels; i++)
            nested += open;
        EXPECT_NE(complaint(nested).find("nested deeper"), std::string::npos);
        EXPECT_NE(complaint("{\"format\": 1, \"device\": " + nested).find("nested deeper"), std::string::npos);
    }
    const std::string closed = std::string(levels, '[') + std::string(levels, ']');
    EXPECT_NE(complaint("{\"format\": 1, \"device\": " + closed + "}").find("nested deeper"), std::string::npos);
}

TEST(TuningFile, ThatNamesAMemberTwiceIsRefused)
{
    const std::string good = some_json().dump();
    EXPECT_EQ(complaint(good), "");
    EXPECT_NE(complaint("{\"launch_ns\":1," + good.substr(1)).find("two members \"launch_ns\""), std::string::npos);
}

TEST(TuningFile, ThatIsWrongAtLengthIsAnsweredShortly)
{
    Json json = some_json();
    json["kernels"][0]["kernel"] = std::string(100'000, 'x');
    EXPECT_LT(parse_tuning(json.dump(), device(), "a test").left_out.at(0).size(), 1000u);
    json["kernels"][0]["parameters"][std::string(100'000, 'x')] = "";
    EXPECT_LT(complaint(json.dump()).size(), 1000u);
    json["device"] = std::string(100'000, 'x');
    EXPECT_LT(complaint(json.dump()).size(), 1000u);
}

TEST(TuningFile, NamesAreWrittenSoThatTheyCanBeRead)
{
    DeviceProfile odd = device();
    odd.name = "a \"quoted\" \\ name\twith ü";
    EXPECT_EQ(complaint(to_text(some_tuning(), odd), odd), "");
}

TEST(TuningFile, IsAboutOneDevice)
{
    const std::string text = to_text(some_tuning(), device());
    EXPECT_TRUE(is_about(text, device()));
    const auto expect_other = [&](const std::function<void(DeviceProfile&)>& change, const std::string& named) {
        DeviceProfile other = device();
        change(other);
        EXPECT_FALSE(is_about(text, other)) << named;
        const std::string message = complaint(text, other);
        EXPECT_NE(message.find("it is about"), std::string::npos) << message;
        EXPECT_NE(message.find(named), std::string::npos) << message;
    };
    expect_other([](DeviceProfile& p) { p.name = "another GPU"; }, "another GPU");
    expect_other([](DeviceProfile& p) { p.platform_name = "another platform"; }, "another platform");
    expect_other([](DeviceProfile& p) { p.type = DeviceType::accelerator; }, "accelerator");
    expect_other([](DeviceProfile& p) { p.compute_units = 57; }, "57");
    DeviceProfile newer = device(); // what a driver's update changes makes no other device
    newer.driver_version = "1000";
    newer.platform_version = "OpenCL 9";
    EXPECT_TRUE(is_about(text, newer));
    Json json = some_json();
    json["device"] = Json::parse(R"({"type":"GPU","compute_units":132,"name":"made-up GPU","platform":"made-up platform"})");
    EXPECT_TRUE(is_about(json.dump(), device()));
}

// As PoCL does since 6.0.
TEST(TuningFile, ADeviceThatItsDriverRenamedIsStillTheSame)
{
    DeviceProfile before = made_up_cpu(), since = before;
    before.platform_name = since.platform_name = "Portable Computing Language";
    before.name = "pthread-skylake-avx512-a CPU";
    since.name = "cpu-skylake-avx512-a CPU";
    const Tuning tuning = derived_tuning(before);
    EXPECT_EQ(to_text(tuning, since), to_text(tuning, before));
    EXPECT_EQ(user_tuning_file(since), user_tuning_file(before));
    Json by_hand = Json::parse(to_text(tuning, before));
    by_hand["device"]["name"] = since.name;
    for (const auto& text : {to_text(tuning, before), by_hand.dump()})
        for (const auto& device : {before, since}) {
            EXPECT_TRUE(is_about(text, device)) << device.name;
            EXPECT_EQ(complaint(text, device), "");
        }
    since.platform_name = "another platform";
    EXPECT_FALSE(is_about(to_text(tuning, before), since));
}

TEST(TuningFile, WhatIsNoJsonIsRefused)
{
    const std::string good = to_text(some_tuning(), device());
    const std::string no_json[] = {
        "", " ", "nonsense", good + "x", good + good, "{\"format\": 1,}", "\xff", std::string(1, '\0')};
    for (const auto& text : no_json)
        EXPECT_TRUE(complaint(text).starts_with("it is no JSON: ")) << text << ": " << complaint(text);
    for (std::size_t length = 0; length + 2 < good.size(); length++)
        EXPECT_TRUE(complaint(good.substr(0, length)).starts_with("it is no JSON: ")) << "cut to " << length;
    for (const auto* number : {"NaN", "Infinity", "-Infinity", "1e999"}) {
        std::string text = good;
        text.replace(text.find("2100.5"), 6, number);
        EXPECT_TRUE(complaint(text).starts_with("it is no JSON: ")) << number << ": " << complaint(text);
    }
}

TEST(TuningFile, AnotherFormatIsRefused)
{
    for (const auto* text :
         {"{}", "[]", "1", "null", "\"format\"", R"({"format": null})", R"({"format": "1"})", R"({"format": 1.5})"})
        EXPECT_EQ(complaint(text), "it has no format number") << text;
    expect_complaints({{[](Json& json) { json["format"] = 2; }, {"its format is 2", "reads format 1"}},
                       {[](Json& json) { json["format"] = -1; }, {"its format is -1"}}});
}

TEST(TuningFile, WhatIsMissingIsNamed)
{
    for (const std::string key : {"device", "launch_ns", "enqueue_ns", "bytes_per_ns", "kernels"})
        expect_complaints({{[&](Json& json) { json.erase(key); }, {key + " is missing"}}});
    for (const std::string key : {"kernel", "operands", "parameters", "step_ns", "resident", "start_ns"})
        expect_complaints(
            {{[&](Json& json) { json["kernels"][2].erase(key); }, {"number 3 of kernels: " + key + " is missing"}}});
}

TEST(TuningFile, WhatIsOfTheWrongTypeIsNamed)
{
    const Json wrong[] = {nullptr, true, "text", Json::object(), Json::array({1, 2})};
    for (const auto& value : wrong) {
        const bool is_list = value.is_array();
        for (const std::string key : {"launch_ns", "enqueue_ns", "bytes_per_ns"})
            expect_complaints(
                {{[&](Json& json) { json[key] = value; }, {key + " is " + value.dump(), "a positive number"}}});
        expect_complaints(
            {{[&](Json& json) { json["device"] = value; }, {"device is " + value.dump() + ", but must be an object of"}}});
        for (const char* const key : {"platform", "name", "type"})
            if (!value.is_string())
                expect_complaints({{[&](Json& json) { json["device"][key] = value; },
                                    {std::string(key) + " is " + value.dump(), "a text"}}});
        for (const char* const key : {"vendor", "architecture"})
            if (!value.is_string())
                expect_complaints({{[&](Json& json) { json["properties"][key] = value; },
                                    {std::string(key) + " is " + value.dump(), "a text"}}});
        expect_complaints(
            {{[&](Json& json) { json["device"]["compute_units"] = value; }, {"compute_units is " + value.dump(), "a whole"}},
             {[&](Json& json) { json["properties"]["clock_mhz"] = value; }, {"clock_mhz is " + value.dump(), "a whole"}},
             {[&](Json& json) { json["device"]["x"] = value; }, {"device is ", "but must be an object of"}}});
        if (!value.is_object())
            expect_complaints({{[&](Json& json) { json["properties"] = value; }, {"properties is " + value.dump()}}});
        if (!is_list)
            expect_complaints(
                {{[&](Json& json) { json["kernels"] = value; }, {"kernels is " + value.dump(), "a list"}},
                 {[&](Json& json) { json["kernels"][1]["step_ns"] = value; }, {"number 2", "step_ns", "a list"}},
                 {[&](Json& json) { json["kernels"][1]["start_ns"] = value; }, {"number 2", "start_ns", "a list"}}});
        expect_complaints(
            {{[&](Json& json) { json["kernels"][1]["resident"] = value; }, {"number 2", "resident is " + value.dump()}},
             {[&](Json& json) { json["kernels"][1]["least_ns"] = value; }, {"number 2", "least_ns is " + value.dump()}},
             {[&](Json& json) { json["kernels"][1]["parameters"]["TSM"] = value; },
              {"number 2", "parameter \"TSM\" is " + value.dump(), "a whole number"}},
             {[&](Json& json) { json["kernels"][1] = value; }, {"number 2", "kernel is missing"}}});
        if (!value.is_object())
            expect_complaints(
                {{[&](Json& json) { json["kernels"][1]["parameters"] = value; }, {"number 2", "parameters is "}}});
        if (!value.is_string())
            expect_complaints(
                {{[&](Json& json) { json["kernels"][1]["kernel"] = value; }, {"number 2", "kernel is " + value.dump()}},
                 {[&](Json& json) { json["kernels"][1]["operands"] = value; },
                  {"number 2", "operands is " + value.dump()}}});
    }
}

TEST(TuningFile, KernelsThatDoNotExistAreLeftOut)
{
    for (const auto* name : {"99_nonsense", "", "reduce", "13_WARP_TILED", "of two\nlines"})
        for (const std::size_t which : {0U, 1U, 3U})
            expect_left_out(
                {{[&](Json& json) { json["kernels"][which]["kernel"] = name; },
                  {"number " + std::to_string(which + 1) + " of kernels: there is no kernel " + Json(name).dump()}}});
}

// A version that knows other kernels knows other parameters, but the same kinds of values.
TEST(TuningFile, NonsenseInAMeasurementThatIsLeftOutIsStillNonsense)
{
    const auto of_no_kernel = [](const std::function<void(Json&)>& spoil) {
        return [=](Json& json) {
            json["kernels"][1]["kernel"] = "99_nonsense";
            spoil(json["kernels"][1]);
        };
    };
    expect_complaints({{of_no_kernel([](Json& json) { json["parameters"]["X"] = "1"; }), {"number 2", "\"X\" is \"1\""}},
                       {of_no_kernel([](Json& json) { json.erase("step_ns"); }), {"number 2", "step_ns is missing"}},
                       {of_no_kernel([](Json& json) { json["resident"] = 0; }), {"number 2", "resident is 0"}},
                       {of_no_kernel([](Json& json) { json["operands"] = "XY"; }), {"number 2", "operands is \"XY\""}}});
}

TEST(TuningFile, ParametersMustBeThoseOfTheKernel)
{
    const auto parameters = [](Json& json) -> Json& { return json["kernels"][0]["parameters"]; };
    const std::vector<std::string> said{"number 1", "kernel 13_warp_tiled cannot be built with"};
    expect_left_out({{[&](Json& json) { parameters(json).erase("STAGES"); }, said},
                     {[&](Json& json) { parameters(json) = Json::object(); }, said},
                     {[&](Json& json) { parameters(json)["NONSENSE"] = 1; }, said},
                     {[&](Json& json) { parameters(json)["ASYNC"] = 1; }, said}, // the device says this, not the file
                     {[&](Json& json) { json["kernels"][0]["kernel"] = "09_prefetch"; },
                      {"kernel 09_prefetch cannot be built with {", "\"TSM\":128"}}});
}

TEST(TuningFile, ParametersMayComeInAnyOrder)
{
    const Json json = some_json();
    Json other = json;
    for (auto& kernel : other["kernels"]) {
        Json turned = Json::object();
        for (auto each = kernel["parameters"].rbegin(); each != kernel["parameters"].rend(); ++each)
            turned[each.key()] = each.value();
        kernel["parameters"] = turned;
    }
    ASSERT_NE(other.dump(), json.dump());
    EXPECT_EQ(to_text(parse_tuning(other.dump(), device(), "a test"), device()), to_text(some_tuning(), device()));
}

TEST(TuningFile, ParametersMustMeetTheKernelsConstraints)
{
    const auto with = [](const char* name, const Json& value) {
        return Spoilt{
            [=](Json& json) { json["kernels"][0]["parameters"][name] = value; },
            {"number 1", "kernel 13_warp_tiled cannot be built with", "\"" + std::string(name) + "\":" + value.dump()}};
    };
    expect_left_out({with("TSM", 0), with("TSM", 96), with("TSM", 32), with("TSM", 2048), with("TSK", 4), with("STAGES", 1),
                     with("WPTM", 2), with("WPTM", 4), with("WTN", 64), with("SLICES", 32), with("ORDER", 4),
                     with("RUNNING", 2), with("TSM", std::uint64_t{1} << 63)});
    for (const Json& value : {Json(-128), Json(128.5), Json(128.0), Json(1e300)})
        expect_complaints({{[&](Json& json) { json["kernels"][0]["parameters"]["TSM"] = value; },
                            {"number 1", "parameter \"TSM\" is " + value.dump(), "a whole number"}}});
    // Kernels without constraints come in the registry's sizes alone.
    expect_left_out({{[](Json& json) { json["kernels"][3]["parameters"]["TSM"] = 64; },
                      {"number 4", "kernel 01_naive cannot be built with {", "\"TSM\":64"}}});
}

TEST(TuningFile, SizesTooLargeForTheDeviceAreLeftOut)
{
    DeviceProfile little_memory = device(), few_items = device();
    little_memory.local_memory = 8 << 10;
    few_items.max_work_group_size = 255;
    for (const auto* const small : {&little_memory, &few_items}) {
        const Tuning tuning = parse_tuning(to_text(some_tuning(), device()), *small, "a test");
        ASSERT_FALSE(tuning.left_out.empty());
        EXPECT_TRUE(tuning.left_out.front().starts_with("number 1 of kernels: kernel 13_warp_tiled with TSM=128"))
            << tuning.left_out.front();
        EXPECT_NE(tuning.left_out.front().find(small == &few_items ? "needs work-groups of 256 x 1 work-items, of which the "
                                                                     "device takes 255"
                                                                   : "bytes of local memory, of which the device has 8192"),
                  std::string::npos)
            << tuning.left_out.front();
    }
}

TEST(TuningFile, OperandsAreTwoLetters)
{
    for (const auto* letters : {"N", "NTT", "TA", "tN", "Nn", "NC", "  "})
        expect_complaints({{[&](Json& json) { json["kernels"][0]["operands"] = letters; },
                            {"number 1", "operands is \"" + std::string(letters) + "\""}}});
}

TEST(TuningFile, TimesArePositiveNumbers)
{
    for (const Json& value : {Json(0), Json(-1), Json(-0.5), Json(0.0)}) {
        for (const std::string key : {"launch_ns", "enqueue_ns", "bytes_per_ns"})
            expect_complaints(
                {{[&](Json& json) { json[key] = value; }, {key + " is " + value.dump(), "a positive number"}}});
        for (const std::string curve : {"step_ns", "start_ns"})
            for (const std::size_t coordinate : {0U, 1U})
                expect_complaints({{[&](Json& json) { json["kernels"][0][curve][1][coordinate] = value; },
                                    {"number 1", curve + " is " + value.dump(), "a positive number"}}});
    }
}

// Estimates by such numbers would be infinite, or none at all, so that they could not be compared.
TEST(TuningFile, NumbersThatNoEstimateCanBeMadeOfAreRefused)
{
    for (const Json& value : {Json(1e31), Json(1e308), Json(1e-31), Json(5e-324)}) {
        const std::string wanted = "must be a positive number from 1e-30 to 1e30";
        for (const std::string key : {"launch_ns", "enqueue_ns", "bytes_per_ns"})
            expect_complaints({{[&](Json& json) { json[key] = value; }, {key + " is " + value.dump(), wanted}}});
        for (const std::string curve : {"step_ns", "start_ns"})
            for (const std::size_t coordinate : {0U, 1U})
                expect_complaints({{[&](Json& json) { json["kernels"][0][curve][0][coordinate] = value; },
                                    {"number 1", curve + " is " + value.dump(), wanted}}});
        expect_complaints({{[&](Json& json) { json["kernels"][0]["resident"] = value; },
                            {"number 1", "resident is " + value.dump(), wanted}}});
    }
}

// Of the numbers that are taken in any combination, for the largest problems that there are.
TEST(TuningFile, EstimatesByWhatIsTakenAreNumbers)
{
    constexpr std::size_t largest = std::size_t{1} << 62;
    const double extremes[] = {1e-30, 1e30};
    for (unsigned bits = 0; bits < 64; bits++) {
        const auto one = [&](unsigned bit) { return extremes[bits >> bit & 1U]; };
        Json json = some_json();
        json["launch_ns"] = one(0);
        json["enqueue_ns"] = one(1);
        json["bytes_per_ns"] = one(2);
        json["kernels"].erase(1);
        json["kernels"].erase(1);
        json["kernels"].erase(1);
        json["kernels"][0]["step_ns"] = {{1e-30, one(3)}, {2e-30, one(4)}};
        json["kernels"][0]["start_ns"] = {{1e-30, one(3)}, {1e30, one(4)}};
        json["kernels"][0]["resident"] = bits >> 5 & 1U ? 1e30 : 1;
        const Tuning tuning = parse_tuning(json.dump(), device(), "a test");
        for (const std::size_t size : {std::size_t{1}, largest}) {
            const Load load{static_cast<double>(size), size};
            Outline outline;
            outline.launches = {{.bytes = 1e30, .bytes_first = 1e30, .load = load}, {.bytes = 1e30}};
            const double ns =
                static_cast<double>(size) * estimate(outline, tuning, tuning.measurements.front()); // so many parts
            EXPECT_TRUE(std::isfinite(ns)) << ns << " by " << json.dump();
        }
    }
}

TEST(TuningFile, AtLeastOneWorkGroupIsResident)
{
    for (const Json& value : {Json(0), Json(-1), Json(0.99), Json(1e-300)})
        expect_complaints({{[&](Json& json) { json["kernels"][0]["resident"] = value; },
                            {"number 1", "resident is " + value.dump(), "but must be"}}});
}

TEST(TuningFile, CurvesAreOfPairsAndAscend)
{
    for (const std::string curve : {"step_ns", "start_ns"}) {
        const auto with = [&](const char* points, const std::string& said) {
            return Spoilt{[=](Json& json) { json["kernels"][0][curve] = Json::parse(points); }, {"number 1", said}};
        };
        expect_complaints({with("[]", curve + " is empty"), with("[[2, 10], [1, 20]]", curve + " does not ascend"),
                           with("[[1, 10], [1, 20]]", curve + " does not ascend"),
                           with("[[1]]", "a point of " + curve + " is [1]"), with("[[1, 2, 3]]", "a point of " + curve),
                           with("[1, 2]", "a point of " + curve + " is 1"), with("[{\"1\": 2}]", "a point of " + curve),
                           with("[[\"1\", 2]]", curve + " is \"1\""), with("[[1, null]]", curve + " is null")});
    }
}

TEST(TuningFile, WithoutKernelsItIsOfNoUse)
{
    expect_complaints({{[](Json& json) { json["kernels"] = Json::array(); }, {"kernels is empty"}}});
}

// What more a later version may write is no reason to refuse.
TEST(TuningFile, UnknownMembersAreIgnored)
{
    Json json = some_json();
    json["comment"] = "by hand";
    json["kernels"][0]["comment"] = {1, 2, 3};
    EXPECT_EQ(complaint(json.dump()), "");
}

TEST(TuningFile, ThatWasFoundIsCompletedByGuesses)
{
    const auto path = std::filesystem::path(testing::TempDir()) / "clgemm-incomplete-tuning.json";
    std::ofstream(path) << to_text(some_tuning(), device());
    const Tuning tuning = tuning_in(path, device());
    std::filesystem::remove(path);
    EXPECT_EQ(tuning.measurements.size(), some_tuning().measurements.size());
    EXPECT_EQ(tuning.origin, path.string());
    ASSERT_NE(tuning.guesses, nullptr);
    EXPECT_TRUE(tuning.guesses->is_a_guess);
    EXPECT_EQ(tuning.guesses->measurements.size(), derived_tuning(device()).measurements.size());
    EXPECT_EQ(to_text(tuning, device()), to_text(some_tuning(), device())) << "no guess is written into a file";
}

TEST(TuningFile, ThatIsNoRegularFileIsRefused)
{
    for (const auto& path : {std::filesystem::path(testing::TempDir()), std::filesystem::path("/no/such/file")})
        try {
            tuning_in(path, device());
            ADD_FAILURE() << path;
        } catch (const TuningFileError& error) {
            EXPECT_STREQ(error.what(), "it is no regular file that can be read");
        }
}

TEST(TuningFile, OfWhichEverythingIsLeftOutIsRefusedByNameAndNoTuning)
{
    Json json = some_json();
    for (auto& kernel : json["kernels"])
        kernel["kernel"] = "99_nonsense";
    EXPECT_TRUE(parse_tuning(json.dump(), device(), "a test").measurements.empty());
    const auto path = std::filesystem::path(testing::TempDir()) / "clgemm-useless-tuning.json";
    std::ofstream(path) << json.dump();
    try {
        tuning_in(path, device());
        ADD_FAILURE() << "it was read";
    } catch (const TuningFileError& error) {
        EXPECT_EQ(error.what(), "all of it is left out, 4 entries: number 1 of kernels: there is no kernel "
                                "\"99_nonsense\"; number 2 of kernels: there is no kernel \"99_nonsense\"; number 3 of "
                                "kernels: there is no kernel \"99_nonsense\"; and 1 more" +
                                    std::string());
    }
    std::filesystem::remove(path);
}

// The files that are compiled in, read as on the devices that they are about.
TEST(TuningFile, TheLibrarysOwnAreGood)
{
    for (const auto& embedded : tuning_texts()) {
        const DeviceProfile about = device_of(embedded);
        const Tuning tuning = parse_tuning(embedded.text(), about, "a test");
        EXPECT_EQ(left_out_in_short(tuning), "") << embedded.name;
        EXPECT_NE(tuning_for(about).guesses, nullptr) << embedded.name;
        for (const auto& other : tuning_texts())
            EXPECT_EQ(is_about(other.text(), about), other.name == embedded.name) << "two files about one device";
    }
}
