// The parameters that the tuner tries next: what it gets to from a size of a kernel, and in which steps.
#include "made_up_tuning.hpp"

#include "tune/neighbours.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

using namespace clgemm::core;
using namespace clgemm::test;
using clgemm::tune::neighbours;

namespace {

// The values that one parameter takes among the neighbours that differ in nothing else.
std::set<std::size_t> values_beside(const char* kernel, const Parameters& of, const std::string& name)
{
    const KernelInfo& info = *find_kernel(kernel);
    std::set<std::size_t> result;
    for (const Parameters& next : neighbours(info, of, large_device_for(info)))
        if (next.with(name, of[name]).text() == of.text())
            result.insert(next[name]);
    return result;
}

using Values = std::set<std::size_t>;

} // namespace

TEST(Neighbours, AreOtherSizesThatRunThere)
{
    for (const KernelInfo& kernel : kernels()) {
        const DeviceProfile device = large_device_for(kernel);
        if (!kernel.family->takes_other_sizes() || kernel.variants.size() < 2)
            continue;
        for (const Variant& variant : variants_for(kernel, one_tile(first_variant(kernel.name.data())), device)) {
            std::set<std::string> seen{variant.parameters.text()};
            for (const Parameters& next : neighbours(kernel, variant.parameters, device)) {
                SCOPED_TRACE(std::string(kernel.name) + " " + next.text());
                EXPECT_TRUE(is_valid(kernel, next));
                EXPECT_TRUE(runs(variant_of(kernel, next), device));
                EXPECT_TRUE(seen.insert(next.text()).second) << "the same twice, or where the search is";
            }
            EXPECT_GT(seen.size(), 1u) << kernel.name << ": the search ends at " << variant.parameters.text();
        }
    }
}

// Doubling and halving would leave out most numbers of stages, and all register tiles but those of powers of two.
TEST(Neighbours, LieAStepAwayWhereAKernelTakesSteps)
{
    for (const char* const kernel : {"13", "14", "19", "20"}) {
        Values beside;
        for (const Variant& variant : variants_of(*find_kernel(kernel)))
            beside.merge(values_beside(kernel, variant.parameters.with("STAGES", 4), "STAGES"));
        EXPECT_TRUE(beside.count(3) == 1 || beside.count(5) == 1) << kernel;
    }
    const Parameters fused{{"WIDTH", 8}, {"WPTM", 24}, {"WPTN", 4}, {"TSM", 96}, {"TSK", 128}};
    EXPECT_EQ(values_beside("cpu_fused", fused, "WPTM"), (Values{8, 16, 32}));
    EXPECT_EQ(values_beside("cpu_fused", fused, "WPTN"), (Values{8, 12}));
}
