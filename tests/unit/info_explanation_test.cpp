// What clgemm-info makes of an explanation for programs.
#include "tools/info/explanation.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

using clgemm::info::explanation_as_json;
using Json = nlohmann::ordered_json;

TEST(InfoExplanation, HasNumbersAndLists)
{
    const char* const text =
        "sgemm NN 300x300x300 (column-major), alpha 1, beta 0\n"
        "device:     Some: device (GPU, 2 compute units)\n"
        "kernel:     10_incomplete_tiles, tiles of any shape, any size by padding\n"
        "because:    asked for; of its sizes the fastest by estimate, 1.27e+03 us (/a (b)/c.json)\n"
        "promise:    an error of at most 1.21e-05 sum |a||b|\n"
        "parameters: TSM=64, TSN=32\n"
        "not taken:  14_tensor_cores, tensor_direct (needs Hopper's tensor cores); cpu_amx (needs tiles (of Intel's))\n"
        "steps:      1. pad A: pad.cl, 10 x 38 work-groups of 32 x 8\n"
        "            2. multiply: 10_incomplete_tiles.cl, 5 x 10 x 3 work-groups of 8 x 4\n"
        "            and 12 more like these\n"
        "workspace:  1187840 bytes\n";
    EXPECT_EQ(explanation_as_json(text), Json::parse(R"json({
        "problem": "sgemm NN 300x300x300 (column-major), alpha 1, beta 0",
        "device": "Some: device (GPU, 2 compute units)",
        "kernel": "10_incomplete_tiles",
        "idea": "tiles of any shape, any size by padding",
        "reason": "asked for; of its sizes the fastest by estimate, 1.27e+03 us (/a (b)/c.json)",
        "estimated_microseconds": 1270.0,
        "tuning": "/a (b)/c.json",
        "promise": "an error of at most 1.21e-05 sum |a||b|",
        "promised_error": 1.21e-05,
        "parameters": {"TSM": 64, "TSN": 32},
        "not_taken": {"14_tensor_cores": "needs Hopper's tensor cores", "tensor_direct": "needs Hopper's tensor cores",
                      "cpu_amx": "needs tiles (of Intel's)"},
        "steps": [
            {"purpose": "pad A", "source": "pad.cl", "work_groups": [10, 38], "work_group_size": [32, 8]},
            {"purpose": "multiply", "source": "10_incomplete_tiles.cl", "work_groups": [5, 10, 3], "work_group_size": [8, 4]}
        ],
        "more_steps": 12,
        "workspace_bytes": 1187840
})json"));
}

TEST(InfoExplanation, HasNoKernelWhereNothingIsMultiplied)
{
    EXPECT_EQ(explanation_as_json("sgemm NN 0x4x4 (column-major), alpha 1, beta 0\n"
                                  "device:     a CPU (CPU, 2 compute units)\n"
                                  "steps:      none, there is nothing to compute\n"
                                  "workspace:  0 bytes\n"),
              Json::parse(R"json({
        "problem": "sgemm NN 0x4x4 (column-major), alpha 1, beta 0",
        "device": "a CPU (CPU, 2 compute units)",
        "workspace_bytes": 0,
        "steps": []
    })json"));
}

TEST(InfoExplanation, KnowsTheEstimateOfAMoreAccurateKernel)
{
    for (const char* const is : {"the fastest by estimate", "the fastest as accurate as FP32 by estimate",
                                 "the fastest in FP32 alone by estimate"}) {
        const Json about = explanation_as_json("sgemm\nkernel:     13_warp_tiled, an idea\nbecause:    " + std::string(is) +
                                               ", 20.5 us (measured); not by enough faster: skinny would take 20.4 us\n");
        EXPECT_EQ(about["estimated_microseconds"], 20.5) << is;
        EXPECT_EQ(about["tuning"], "measured") << is;
    }
}

TEST(InfoExplanation, KeepsAReasonThatIsNoEstimate)
{
    const Json about = explanation_as_json("sgemm\nkernel:     01_naive, an idea\nbecause:    asked for\n");
    EXPECT_EQ(about["reason"], "asked for");
    EXPECT_FALSE(about.contains("estimated_microseconds"));
    EXPECT_FALSE(about.contains("tuning"));
}

TEST(InfoExplanation, IsNoneWhereALineCannotBeRead)
{
    for (const char* line : {"kernel:     one", "parameters: TSM", "not taken:  14", "steps:      1. multiply"})
        EXPECT_THROW(explanation_as_json(std::string("sgemm\n") + line + "\n"), std::runtime_error) << line;
}
