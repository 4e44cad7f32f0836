// Nothing in a tuning file makes a result wrong: each parameter of each kernel that comes in any size is set to its limits
// and beyond. The file is refused, or the kernel in that size computes rightly.
#include "families/registry.hpp"
#include "support/case_on_device.hpp"
#include "support/with_selection.hpp"
#include "tuning/tuning_file.hpp"

#include <set>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

std::set<std::size_t> valid_values(const KernelInfo& kernel, const Parameters& from, const std::string& name)
{
    std::set<std::size_t> result;
    for (std::size_t value = 0; value <= 1 << 17; value++)
        if (is_valid(kernel, from.with(name, value)))
            result.insert(value);
    return result;
}

// One parameter after the other as small as it may be: then another one may be larger than beside ordinary ones.
Parameters smallest(const KernelInfo& kernel, Parameters from)
{
    for (const auto& [name, its] : kernel.variants.front().values())
        from = from.with(name, *valid_values(kernel, from, name).begin());
    return from;
}

// The least and the largest that is valid and what is just beyond them, what divides nothing, and what overflows.
std::set<std::size_t> values_to_try(const KernelInfo& kernel, const Parameters& from, const std::string& name)
{
    const auto valid = valid_values(kernel, from, name);
    const std::size_t its = from[name];
    std::set<std::size_t> result{0, 1, 3, its + 1, 2 * its, 3 * its, ~std::size_t{0}};
    for (const int bit : {31, 32, 46, 62, 63})
        result.insert(std::size_t{1} << bit);
    for (const std::size_t limit : {*valid.begin(), *valid.rbegin()})
        result.insert({limit, limit + 1});
    return result;
}

// The measurement that a tuning file with these parameters gives; none where it is left out.
std::optional<Measurement> from_file(const KernelInfo& kernel, const Parameters& parameters)
{
    Tuning tuning;
    tuning.measurements = {{{&kernel, parameters, {}}, "", {{1, 1}}, 1, {{1, 1}}}};
    const Tuning read = parse_tuning(to_text(tuning, test_profile()), test_profile(), "test");
    return read.measurements.empty() ? std::nullopt : std::optional(read.measurements.front());
}

class ParameterLimits : public testing::TestWithParam<const char*> {};

TEST_P(ParameterLimits, AreRefusedOrRight)
{
    const KernelInfo& kernel = *find_kernel(GetParam());
    const auto variants = variants_for(kernel, test_profile());
    if (variants.empty())
        GTEST_SKIP() << "the device cannot run this kernel";
    std::size_t refused = 0, right = 0;
    std::vector<Parameters> starts{variants.back().parameters};
    // (A CPU takes up to a minute to compile each of the odd sizes that this brings of the kernels for GPUs.)
    if (test_profile().type != DeviceType::cpu || kernel.family->probing().in_blocks)
        starts.push_back(smallest(kernel, variants.back().parameters));
    for (const Parameters& from : starts)
        for (const auto& [name, its] : from.values())
            for (const std::size_t value : values_to_try(kernel, from, name)) {
                const auto measurement = from_file(kernel, from.with(name, value));
                if (!measurement) {
                    refused++;
                    continue;
                }
                const Selection selection{with_device_features(measurement->variant, test_profile()), "tested"};
                const bool odd = right % 2 == 1;
                const SgemmCase x{CLGEMM_COLUMN_MAJOR,
                                  odd ? CLGEMM_TRANS : CLGEMM_NO_TRANS,
                                  odd ? CLGEMM_NO_TRANS : CLGEMM_TRANS,
                                  131,
                                  67,
                                  211,
                                  -1.5f,
                                  0.5f,
                                  {1, 3, 5},
                                  {1, 3, 7}};
                EXPECT_TRUE(is_right(x, with_selection(selection))) << selection.variant.parameters.text();
                right++;
            }
    EXPECT_GT(refused, 10u);
    EXPECT_GT(right, 5u);
    std::printf("%zu refused, %zu right\n", refused, right);
}

std::vector<const char*> kernels_in_any_size()
{
    std::vector<const char*> result;
    for (const auto& kernel : kernels())
        if (kernel.family->takes_other_sizes())
            result.push_back(kernel.name.data());
    return result;
}

INSTANTIATE_TEST_SUITE_P(Of, ParameterLimits, testing::ValuesIn(kernels_in_any_size()), name_of_kernel);

} // namespace
