// What kernel 13 stores otherwise on GPUs has the bits of what it stores on CPUs: a C that lies unaligned leaves through
// local memory, and where an aligned one's rows are no multiple of four the last tile is moved to one.
#include "families/registry.hpp"
#include "support/case_on_device.hpp"
#include "support/with_selection.hpp"

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

struct StagedCase {
    SgemmCase x;
    std::size_t parts = 1;      // of K
    bool in_large_tiles = true; // as well as in small ones; these programs take long to build
};

// In the first ones C begins at no multiple of 16 bytes, or each of its columns at another place. In the others its columns,
// or those of the sums of parts, are aligned, but end within a four, by one, three or two rows. Tiles lie inside one another
// at the edges, or have more rows or columns than C.
const StagedCase cases[] = {
    {{CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_TRANS, 131, 137, 35, 1, 0, {0, 0, 2}, {}}},
    {{CLGEMM_COLUMN_MAJOR, CLGEMM_TRANS, CLGEMM_NO_TRANS, 128, 128, 64, -2, 0, {}, {0, 0, 1}}},
    {{CLGEMM_ROW_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 9, 150, 17, 1, 0, {1, 2, 3}, {4, 4, 4}}},
    {{CLGEMM_COLUMN_MAJOR, CLGEMM_TRANS, CLGEMM_TRANS, 259, 5, 130, 3, 0, {0, 0, 4}, {}}},
    {{CLGEMM_COLUMN_MAJOR, CLGEMM_TRANS, CLGEMM_NO_TRANS, 257, 130, 130, 3, 0, {1, 0, 3}, {}}, 1, false},
    {{CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 131, 64, 66, 1, 0, {}, {0, 0, 3}}, 3, false},
    {{CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_TRANS, 130, 66, 70, 1, 0, {2, 0, 2}, {2, 0, 0}}, 1, false}, // pairs
    {{CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_TRANS, 6, 150, 90, -2, 0, {0, 0, 2}, {}}, 1, false},
};

// The kernel in the largest size that the device runs, and in its smallest with slices; staged or not.
std::vector<Selection> selections(const StagedCase& tested_case, std::size_t staged)
{
    const std::vector<Variant> here = variants_for(*find_kernel("13"), test_profile());
    std::vector<Selection> result;
    for (const Variant& variant : {here.front(), here.back()}) {
        if (variant == here.front() && !tested_case.in_large_tiles)
            continue;
        result.push_back(tested(*variant.kernel, variant.parameters, {.split_k = tested_case.parts}));
        result.back().variant.parameters = result.back().variant.parameters.with("STAGED", staged);
    }
    return result;
}

GuardedMatrix c_after(const SgemmCase& x, const Operands& operands, const Selection& selection)
{
    const CaseOnDevice on_device(x, operands);
    const auto& queue = test_device().in_order;
    const auto status = with_selection(selection)(x, operands, on_device.a(), on_device.b(), on_device.c());
    EXPECT_EQ(status, CLGEMM_SUCCESS) << clgemm_last_error();
    return on_device.read(queue).c;
}

TEST(StagedC, HasTheBitsOfAnotherC)
{
    for (const StagedCase& one : cases) {
        const SgemmCase& x = one.x;
        const Operands operands(x);
        const auto staged = selections(one, 1), direct = selections(one, 0);
        for (std::size_t i = 0; i < staged.size(); i++)
            EXPECT_TRUE(c_after(x, operands, staged[i]).same_bits(c_after(x, operands, direct[i])))
                << x << ", " << staged[i].variant.parameters.text();
    }
}

TEST(StagedC, IsRightWhereTheOldOneIsAdded)
{
    for (const StagedCase& one : cases) {
        SgemmCase x = one.x;
        x.beta = -1.5F;
        for (const Selection& selection : selections(one, 1))
            EXPECT_TRUE(is_right(x, with_selection(selection))) << x << ", " << selection.variant.parameters.text();
    }
}

} // namespace
