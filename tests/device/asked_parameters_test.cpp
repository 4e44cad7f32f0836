// Kernels with parameters of the caller's compute rightly, in sizes that no tile divides, and say which they have.
#include "support/case_on_device.hpp"

using namespace clgemm::test;

namespace {

class AskedParameters : public testing::TestWithParam<const char*> {};

TEST_P(AskedParameters, ComputeRightly)
{
    const SgemmCase x{CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_TRANS, 67, 45, 53, -1.5f, 0.5f, {1, 2, 3}, {1, 0, 2}};
    const CaseOnDevice on_device(x);
    const auto& queue = test_device().in_order;
    const clgemm_status status = on_device.call(queue, GetParam());
    if (status == CLGEMM_KERNEL_NOT_SUPPORTED)
        GTEST_SKIP() << clgemm_last_error();
    ASSERT_EQ(status, CLGEMM_SUCCESS) << clgemm_last_error();
    EXPECT_TRUE(on_device.is_right(queue));
}

constexpr const char* every_lesson[] = {
    "01:TSM=3,TSN=7",
    "02:TS=5",
    "03:TS=12,WPT=3",
    "04:TS=8,WIDTH=2",
    "05:TSM=24,TSN=24,TSK=6,WPTN=4",
    "06:TSM=32,WPTM=4",
    "06:TSM=12,TSN=12,TSK=4,WPTM=3,WPTN=2",
    "07:TSM=16,TSN=16,TSK=8,WPTM=2,WPTN=4,WIDTH=2",
    "08:TSM=32,TSN=32,TSK=16,WPTM=2,WPTN=4",
    "09:TSM=24,TSN=24,TSK=4,WPTM=4,WPTN=6,WIDTH=4",
    "10:TSM=32,TSN=16,TSK=16,WPTM=4,WPTN=4,WIDTH=8",
    "11:TS=6,TSK=24",
    "12:TSM=20,TSN=12,TSK=3,WPTM=5,WPTN=2",
    "cpu_fused:TSK=192",
};

INSTANTIATE_TEST_SUITE_P(Of, AskedParameters, testing::ValuesIn(every_lesson), [](const auto& tested) {
    std::string name = tested.param;
    std::replace_if(
        name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
    return name;
});

} // namespace
