// Kernels that a caller names, with parameters of his own.
#include "families/registry.hpp"
#include "select/asked_kernel.hpp"

#include "made_up_tuning.hpp"
#include "select/selection.hpp"

#include <gtest/gtest.h>

using namespace clgemm::core;
using namespace clgemm::test;

TEST(AskedKernel, WithoutParametersIsTheRegistrys)
{
    EXPECT_EQ(asked_kernel("6").kernel, find_kernel("6"));
    EXPECT_EQ(asked_kernel("skinny").kernel, find_kernel("skinny"));
}

TEST(AskedKernel, HasItsVariantsWithTheParametersChangedWhereTheyFitTogether)
{
    const KernelInfo& six = *asked_kernel("06:TSM=32,WPTM=2").kernel;
    EXPECT_EQ(six.name, "06_register_blocking");
    ASSERT_EQ(six.variants.size(), 1u) << "the others' TSN is not 32";
    EXPECT_EQ(six.variants.front().text(), "TSM=32, TSN=32, TSK=16, WPTM=2, WPTN=4");
    EXPECT_EQ(six.first_on_cpu, 0u);
    const KernelInfo& three = *asked_kernel("03_work_per_thread:WPT=4").kernel;
    EXPECT_EQ(three.variants.size(), 4u);
    EXPECT_EQ(three.variants[three.first_on_cpu].text(), "TS=8, WPT=4");
    // Of the kernels for CPUs a width may be asked for that is not the device's.
    EXPECT_FALSE(find_kernel("cpu_fused")->vector_parameter.empty());
    EXPECT_TRUE(asked_kernel("cpu_fused:WIDTH=4").kernel->vector_parameter.empty());
    EXPECT_FALSE(asked_kernel("cpu_fused:TSK=192").kernel->vector_parameter.empty());
}

TEST(AskedKernel, IsTheSameObjectEachTime)
{
    EXPECT_EQ(asked_kernel("2:TS=8").kernel, asked_kernel("2:TS=8").kernel);
    EXPECT_NE(asked_kernel("2:TS=8").kernel, asked_kernel("2:TS=16").kernel);
}

TEST(AskedKernel, ThatIsNoneIsRefusedWithWhatThereIs)
{
    const auto refusal = [](const char* text) {
        const AskedKernel asked = asked_kernel(text);
        EXPECT_EQ(asked.kernel, nullptr) << text;
        return asked.wanted;
    };
    for (const char* const none : {"", ":", "nonsense", "nonsense:TS=8", "99:TS=8", " 2:TS=8"})
        EXPECT_EQ(refusal(none).find("one of: 01_naive, 02_tiled"), 0u) << none;
    for (const char* const no_list : {"2:", "2:TS", "2:TS=", "2:TS=8,", "2:TS=8,,TS=8", "2:TS=x", "2:TS=-8", "2:TS=8 ",
                                      "2:=8,", "2:TS=99999999999999999999999", "2:TS=8,TS=16"})
        EXPECT_EQ(refusal(no_list), "a kernel, a colon and parameters, such as 02_tiled:TS=32") << no_list;
    EXPECT_EQ(refusal("6:TSX=3"), "06_register_blocking with some of its parameters, TSM, TSN, TSK, WPTM, WPTN");
    EXPECT_EQ(refusal("2:ts=8"), "02_tiled with some of its parameters, TS");
}

// A kernel that is told nonsense would read past its tiles, or divide by zero.
TEST(AskedKernel, TakesNoParametersThatDoNotFitTogether)
{
    for (const char* const wrong : {"1:TSM=0",    "1:TSM=1025",       "2:TS=0",
                                    "3:WPT=3",    "3:WPT=128",        "4:WIDTH=3",
                                    "4:WIDTH=32", "4:TS=40,WIDTH=16", "5:TSM=32,TSN=64",
                                    "5:WPTN=3",   "5:TSK=3,WPTN=4",   "6:TSM=30",
                                    "6:WPTM=3",   "6:WPTN=0",         "6:TSK=1,WPTM=1,WPTN=1",
                                    "7:WIDTH=16", "7:WIDTH=1",        "7:TSM=20,TSN=20,WIDTH=8",
                                    "8:WIDTH=2",  "9:TSM=16,TSN=32",  "10:WPTM=3",
                                    "10:TSK=1",   "11:TSK=12",        "11:TSK=0",
                                    "12:TSM=18",  "12:WPTN=5",        "13:TSM=96",
                                    "skinny:NR=3"})
        EXPECT_EQ(asked_kernel(wrong).kernel, nullptr) << wrong;
    EXPECT_NE(asked_kernel("6:WPTM=3").wanted.find("kernels/06_register_blocking.cl says which do"), std::string::npos);
}

TEST(AskedKernel, IsSelectedInItsSize)
{
    const auto selected = [](const char* text, const DeviceProfile& device) {
        return select(problem(1000, 1000, 1000), device, Tuning{}, {asked_kernel(text).kernel}).variant.parameters.text();
    };
    EXPECT_EQ(selected("06:TSM=32,WPTM=2", large_gpu()), "TSM=32, TSN=32, TSK=16, WPTM=2, WPTN=4");
    EXPECT_EQ(selected("03:WPT=4", made_up_cpu()), "TS=8, WPT=4");
}
