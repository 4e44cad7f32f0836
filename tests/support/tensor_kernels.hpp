// What the tests of kernels 14, 19 and 20, tensor_tf32, tensor_fast and tensor_rounded share: their variants, calls in a way
// that the test decides, and which elements of C work-groups computed from the floats themselves.
#pragma once

#include "families/registry.hpp"
#include "support/case_on_device.hpp"
#include "support/with_selection.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

namespace clgemm::test {

inline constexpr const char* of_images = "14_tensor_cores"; // in pieces, as `split` writes them
inline constexpr const char* of_images_by_mma = "tensor_mma";
inline constexpr const char* direct = "tensor_direct";
inline constexpr const char* of_one_half = "tensor_tf32"; // of fp16 numbers, for their own math modes
inline constexpr const char* of_two_halves = "tensor_fast";
inline constexpr const char* rounded = "tensor_rounded"; // TF32 numbers

struct Variant {
    const char* kernel;
    std::size_t index;

    const core::KernelInfo& info() const { return *core::find_kernel(kernel); }
    const core::Parameters& parameters() const { return info().variants[index]; }
    core::Tiling tile() const { return info().family->tiling(parameters()); }
    bool is_direct() const { return std::string_view(kernel) == direct; }
    // Does it compute the transposed problem, too?
    bool can_exchange() const { return is_direct() || std::string_view(kernel) == rounded; }
    clgemm_math math() const { return usual_arithmetic(info()).accuracy; }
    bool runs() const { return test::runs(core::variant_of(info(), parameters()), test_profile()); }
};

inline std::vector<Variant> variants_of(const std::vector<const char*>& kernels)
{
    std::vector<Variant> result;
    for (const char* const kernel : kernels)
        for (std::size_t i = 0; i < core::find_kernel(kernel)->variants.size(); i++)
            result.push_back({kernel, i});
    return result;
}

inline std::string name_of_variant(const testing::TestParamInfo<Variant>& info)
{
    return std::string(info.param.kernel) + "_variant_" + std::to_string(info.param.index);
}

inline core::Selection selection_of(const Variant& variant, const core::Way& way = {})
{
    return tested(variant.info(), variant.parameters(), way);
}

inline core::Way in_parts(std::size_t parts, bool is_transposed = false)
{
    return {.split_k = parts, .transposed = is_transposed};
}

// C of a call with this selection.
inline GuardedMatrix result_of(const SgemmCase& x, const Operands& operands, const core::Selection& selection)
{
    const CaseOnDevice on_device(x, operands);
    with_selection(selection)(x, operands, on_device.a(), on_device.b(), on_device.c());
    return on_device.read(test_device().in_order).c;
}

// Is what this selection makes of these operands right?
inline testing::AssertionResult is_right_with(const SgemmCase& x, const Operands& operands, const core::Selection& selection)
{
    const CaseOnDevice on_device(x, operands);
    with_selection(selection)(x, operands, on_device.a(), on_device.b(), on_device.c());
    return on_device.is_right(test_device().in_order);
}

// What the kernels compute from the floats themselves: the triple loop in FP32 with fused multiply-adds, sums of 128
// products added to the whole ones (kernels/tensor_plain.clh). alpha 1, beta 0.
inline float fused_loop(const SgemmCase& x, const Operands& operands, std::size_t i, std::size_t j)
{
    constexpr std::size_t products = 128;
    float sum = 0;
    for (std::size_t k = 0; k < x.k; k += products) {
        float part = 0;
        for (std::size_t l = k; l < std::min(k + products, x.k); l++)
            part = std::fma(element_of_op(operands.a, x.trans_a, i, l), element_of_op(operands.b, x.trans_b, l, j), part);
        sum += part;
    }
    return sum;
}

inline bool same(float one, float other)
{
    return one == other || (std::isnan(one) && std::isnan(other));
}

// How many elements are not the loop's to the bit. What tensor cores compute differs in most, what work-groups compute from
// the floats themselves in none.
inline std::size_t unlike_the_loop(const SgemmCase& x, const Operands& operands, const GuardedMatrix& c)
{
    std::size_t count = 0;
    for (std::size_t j = 0; j < x.n; j++)
        for (std::size_t i = 0; i < x.m; i++)
            count += same(c.at(i, j), fused_loop(x, operands, i, j)) ? 0 : 1;
    return count;
}

inline testing::AssertionResult is_of_tensor_cores(const SgemmCase& x, const Operands& operands, const GuardedMatrix& c)
{
    const std::size_t unlike = unlike_the_loop(x, operands, c);
    return unlike > x.m * x.n / 4 ? testing::AssertionSuccess()
                                  : testing::AssertionFailure() << x << ": only " << unlike << " elements are";
}

// Skipped where the device cannot run the kernel.
class TensorCores : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override
    {
        if (!runs_here(GetParam()))
            GTEST_SKIP() << "the device cannot run kernel " << GetParam();
    }
};

class TensorCoresVariant : public testing::TestWithParam<Variant> {
protected:
    void SetUp() override
    {
        if (!GetParam().runs())
            GTEST_SKIP() << "the device cannot run kernel " << GetParam().kernel;
    }
};

} // namespace clgemm::test
