// Kernel 13 stages a C that lies unaligned: what leaves through local memory has the bits of what leaves directly.
#include "families/registry.hpp"
#include "support/case_on_device.hpp"
#include "support/with_selection.hpp"

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

// In which C begins at no multiple of 16 bytes, or each of its columns at another place; with tiles that lie inside one
// another at the edges, and with fewer rows or columns than a tile.
const SgemmCase cases[] = {
    {CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_TRANS, 131, 137, 35, 1, 0, {0, 0, 2}, {}},
    {CLGEMM_COLUMN_MAJOR, CLGEMM_TRANS, CLGEMM_NO_TRANS, 128, 128, 64, -2, 0, {}, {0, 0, 1}},
    {CLGEMM_ROW_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 9, 150, 17, 1, 0, {1, 2, 3}, {4, 4, 4}},
    {CLGEMM_COLUMN_MAJOR, CLGEMM_TRANS, CLGEMM_TRANS, 259, 5, 130, 3, 0, {0, 0, 4}, {}},
};

// The kernel in the largest size that the device runs, and in its smallest with slices; staged or not.
std::vector<Selection> selections(std::size_t staged)
{
    const std::vector<Variant> here = variants_for(*find_kernel("13"), test_profile());
    std::vector<Selection> result;
    for (const Variant& variant : {here.front(), here.back()}) {
        result.push_back(tested(*variant.kernel, variant.parameters));
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
    for (const SgemmCase& x : cases) {
        const Operands operands(x);
        const auto staged = selections(1), direct = selections(0);
        for (std::size_t i = 0; i < staged.size(); i++)
            EXPECT_TRUE(c_after(x, operands, staged[i]).same_bits(c_after(x, operands, direct[i])))
                << x << ", " << staged[i].variant.parameters.text();
    }
}

TEST(StagedC, IsRightWhereTheOldOneIsAdded)
{
    for (SgemmCase x : cases) {
        x.beta = -1.5F;
        for (const Selection& selection : selections(1))
            EXPECT_TRUE(is_right(x, with_selection(selection))) << x << ", " << selection.variant.parameters.text();
    }
}

} // namespace
