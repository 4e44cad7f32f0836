// What holds for every kernel in every size, way and problem: its outline knows the workspace of its plan, C is written at
// the end, and each step gives its kernel what that declares.
#include "multiply_plans.hpp"

#include "plan/plan_builder.hpp"
#include "support/error.hpp"
#include "support/opencl.hpp"
#include "support/whole_numbers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <set>

namespace clgemm::test {

using namespace core;

namespace {

constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

// Whole tiles and others, aligned and not, few columns, few rows, shallow and deep.
std::vector<Problem> problems()
{
    std::vector<Problem> result;
    for (const auto& [m, n, k] : {std::array<std::size_t, 3>{128, 256, 64},
                                  {131, 203, 307},
                                  {1, 1, 1},
                                  {999, 1, 1001},
                                  {1, 999, 1001},
                                  {3, 500, 4099},
                                  {1001, 1003, 33}})
        for (const auto trans_a : {CLGEMM_NO_TRANS, CLGEMM_TRANS})
            for (const auto trans_b : {CLGEMM_NO_TRANS, CLGEMM_TRANS}) {
                result.push_back(problem(m, n, k, trans_a, trans_b));
                result.push_back(make_problem(uneven(m, n, k, trans_a, trans_b)));
            }
    // Of row-major ones two are enough.
    for (const auto trans : {CLGEMM_NO_TRANS, CLGEMM_TRANS}) {
        Arguments x = uneven(131, 203, 307, trans, CLGEMM_NO_TRANS);
        x.layout = CLGEMM_ROW_MAJOR;
        x.lda = x.ldb = x.ldc = 401;
        result.push_back(make_problem(x));
    }
    return result;
}

void for_each_variant(const std::function<void(const Variant&, const DeviceProfile&)>& test)
{
    for (const DeviceProfile& device : {hopper_gpu(), cpu_with_tiles()})
        for (const KernelInfo& kernel : kernels())
            for (const Parameters& parameters : kernel.variants) {
                const Variant variant = with_device_features(core::variant_of(kernel, parameters), device);
                SCOPED_TRACE(device.name + ", " + std::string(kernel.name) + ": " + parameters.text());
                if (runs(variant, device))
                    test(variant, device);
            }
}

// The plain way, which every kernel has, and all that its family knows.
std::vector<Way> all_ways(const Problem& problem, const DeviceProfile& device, const Variant& variant)
{
    std::vector<Way> result{Way{}};
    for (const Way& way : variant.family().ways(problem, device, variant))
        if (way != Way{})
            result.push_back(way);
    return result;
}

void for_each_way(const std::function<void(const Problem&, const DeviceProfile&, const Variant&, const Way&)>& test)
{
    const std::vector<Problem> all_problems = problems();
    for_each_variant([&](const Variant& variant, const DeviceProfile& device) {
        for (const Problem& problem : all_problems)
            for (const Way& way : all_ways(problem, device, variant)) {
                SCOPED_TRACE(describe(problem) + ", form " + std::to_string(way.form) +
                             (way.transposed ? ", transposed" : "") + ", split-K " + std::to_string(way.split_k));
                test(problem, device, variant, way);
            }
    });
}

// `swapped`: with the buffers of A and B exchanged.
void expect_same(const Plan& x, const Plan& y, bool swapped)
{
    EXPECT_EQ(x.workspace_bytes, y.workspace_bytes);
    ASSERT_EQ(purposes(x), purposes(y));
    for (std::size_t i = 0; i < x.steps.size(); i++) {
        const Step &one = x.steps[i], &other = y.steps[i];
        SCOPED_TRACE(one.purpose);
        EXPECT_EQ(one.source, other.source);
        EXPECT_EQ(one.function, std::string(other.function));
        EXPECT_EQ(one.options, other.options);
        EXPECT_EQ(one.groups, other.groups);
        EXPECT_EQ(one.group_size, other.group_size);
        EXPECT_EQ(one.retargeted_local_bytes, other.retargeted_local_bytes);
        EXPECT_TRUE(one.arguments == other.arguments);
        auto buffers = other.buffers;
        for (Memory& buffer : buffers)
            if (swapped && (buffer == Memory::a || buffer == Memory::b))
                buffer = buffer == Memory::a ? Memory::b : Memory::a;
        EXPECT_EQ(one.buffers, buffers);
    }
}

} // namespace

TEST(Ways, TheirTestsLeaveNoVariantOut)
{
    std::set<std::pair<const KernelInfo*, std::string>> all, tested;
    for (const KernelInfo& kernel : kernels())
        for (const Parameters& parameters : kernel.variants)
            all.emplace(&kernel, parameters.text());
    for_each_variant([&](const Variant& variant, const DeviceProfile&) {
        for (const Parameters& parameters : variant.kernel->variants)
            if (variant.parameters.text().starts_with(parameters.text())) // those that follow from the device come last
                tested.emplace(variant.kernel, parameters.text());
    });
    EXPECT_EQ(tested, all);
}

TEST(Ways, AnOutlineHasExactlyTheWorkspaceOfThePlan)
{
    std::size_t with_workspace = 0, without = 0;
    for_each_way([&](const Problem& problem, const DeviceProfile& device, const Variant& variant, const Way& way) {
        const Outline outline = variant.family().outline(problem, device, variant, way);
        const Plan plan = plan_of(problem, device, variant, way);
        EXPECT_EQ(outline.workspace_bytes, plan.workspace_bytes);
        (plan.workspace_bytes > 0 ? with_workspace : without)++;
    });
    EXPECT_GT(with_workspace, 1000u);
    EXPECT_GT(without, 1000u);
}

TEST(Ways, AnOutlineHasTheLaunchesOfThePlan)
{
    for_each_way([](const Problem& problem, const DeviceProfile& device, const Variant& variant, const Way& way) {
        const Outline outline = variant.family().outline(problem, device, variant, way);
        const Plan plan = plan_of(problem, device, variant, way);
        EXPECT_EQ(outline.launches.size(), plan.steps.size());
        const auto multiplications = std::count_if(outline.launches.begin(), outline.launches.end(),
                                                   [](const Outline::Launch& launch) { return launch.load.steps > 0; });
        EXPECT_EQ(multiplications, 1) << "the others move bytes alone";
    });
}

TEST(Ways, AnOutlineHasTheLoadOfThePlansWorkGroups)
{
    for_each_way([](const Problem& problem, const DeviceProfile& device, const Variant& variant, const Way& way) {
        if (!variant.family().probing().in_rounds) // where it counts tiles by what they cost
            return;
        const Outline outline = variant.family().outline(problem, device, variant, way);
        const Plan plan = plan_of(problem, device, variant, way);
        const auto is_multiplication = [](const Step& step) { return step.purpose == "multiply"; };
        const auto step = std::find_if(plan.steps.begin(), plan.steps.end(), is_multiplication);
        const std::size_t groups = step->groups[0] * step->groups[1] * step->groups[2];
        for (const Outline::Launch& launch : outline.launches)
            if (launch.load.steps > 0) {
                EXPECT_EQ(launch.load.per_unit, static_cast<double>(divide_up(groups, device.compute_units)));
                EXPECT_EQ(launch.load.steps,
                          divide_up(step->arguments.as<kernel_arguments::Multiplication>().partK, variant.tiling.k));
            }
    });
}

TEST(Ways, OnlyTheLastStepWritesC)
{
    for_each_way([](const Problem& problem, const DeviceProfile& device, const Variant& variant, const Way& way) {
        const Plan plan = plan_of(problem, device, variant, way);
        ASSERT_FALSE(plan.steps.empty());
        EXPECT_TRUE(plan.steps.back().writes_c());
        for (std::size_t i = 0; i + 1 < plan.steps.size(); i++)
            EXPECT_FALSE(plan.steps[i].writes_c()) << plan.steps[i].purpose;
    });
}

TEST(Ways, EveryWorkGroupIsOneThatTheDeviceCanRun)
{
    for_each_way([](const Problem& problem, const DeviceProfile& device, const Variant& variant, const Way& way) {
        for (const Step& step : plan_of(problem, device, variant, way).steps) {
            EXPECT_GT(step.groups[0] * step.groups[1] * step.groups[2], 0u) << step.purpose;
            EXPECT_LE(step.group_size[0] * step.group_size[1], device.max_work_group_size) << step.purpose;
        }
    });
}

// A row-major call is the column-major one for C' = B' A', which takes the same memory.
TEST(Ways, ARowMajorProblemIsComputedAsTheColumnMajorOneOfItsTransposes)
{
    const auto n = CLGEMM_NO_TRANS, t = CLGEMM_TRANS;
    for (const auto& [trans_a, trans_b] : {std::pair{n, n}, {n, t}, {t, n}, {t, t}}) {
        Arguments row_major = uneven(131, 203, 307, trans_a, trans_b);
        row_major.layout = CLGEMM_ROW_MAJOR;
        row_major.lda = 401;
        row_major.ldb = 403;
        row_major.ldc = 404;
        const Problem problem = make_problem(row_major), other = make_problem(as_column_major(row_major));
        for_each_variant([&](const Variant& variant, const DeviceProfile& device) {
            const auto ways = all_ways(problem, device, variant);
            ASSERT_EQ(ways, all_ways(other, device, variant));
            for (const Way& way : ways)
                expect_same(plan_of(problem, device, variant, way), plan_of(other, device, variant, way), true);
        });
    }
}

// The way that exchanges the operands is the plain way of the transposed problem.
TEST(Ways, TransposedIsThePlainWayOfTheTransposedProblem)
{
    std::size_t count = 0;
    for_each_way([&](const Problem& problem, const DeviceProfile& device, const Variant& variant, const Way& way) {
        if (!way.transposed)
            return;
        count++;
        Way plain = way;
        plain.transposed = false;
        const Problem other = transposed(problem);
        expect_same(plan_of(problem, device, variant, way), plan_of(other, device, variant, plain), false);
        expect_same(plan_of(transposed(other), device, variant, plain), plan_of(problem, device, variant, plain), false);
    });
    EXPECT_GT(count, 100u);
}

namespace {

// What the steps of a plan must at least have in the workspace, in elements, without counting in integers.
double least_workspace(const Plan& plan, const Problem& problem)
{
    const auto m = static_cast<double>(problem.m), n = static_cast<double>(problem.n), k = static_cast<double>(problem.k);
    double result = 0;
    for (const Step& step : plan.steps) {
        const std::string& purpose = step.purpose;
        if (purpose == "pad A" || purpose == "transpose A")
            result += m * k;
        else if (purpose == "pad B" || purpose == "transpose B")
            result += k * n;
        else if (purpose == "unpad C")
            result += m * n;
        else if (purpose == "pack A and B")
            result += m * k + k * n;
        else if (purpose == "split A and B")
            result += (has_option(step, "PIECES=1") ? 0.5 : has_option(step, "PIECES=2") ? 1 : 1.5) * (m * k + k * n);
        else if (purpose == "find the largest of A and B")
            result += 2 * (m + n); // and what becomes of them
        else if (step.function == std::string("reduce"))
            result += m * n * static_cast<double>(numbers_of<kernel_arguments::Reducing>(step).parts);
        else if (step.function == std::string("cpu_reduce"))
            result += m * n * static_cast<double>(numbers_of<kernel_arguments::BlockReducing>(step).whole.parts);
        else
            EXPECT_TRUE(purpose == "multiply") << purpose;
    }
    return result;
}

} // namespace

// Sizes that make the numbers of elements, of padded ones, of both operands together, or their bytes, more than 64 bits
// count.
TEST(Ways, OfAbsurdSizesTheWorkspaceIsNeverTooSmall)
{
    constexpr std::size_t most = no_limit / sizeof(float); // elements of a matrix
    std::vector<std::array<std::size_t, 3>> sizes{
        {3, 1, most / 3}, {1, 3, most / 3}, {96, 1, most / 96}, {1, 96, most / 96}};
    for (const std::size_t size : {most, most - 1, most - 77, most / 3, most / 96, (std::size_t{1} << 61) + 1,
                                   std::size_t{1} << 60, std::size_t{1} << 57})
        sizes.insert(sizes.end(), {{size, 1, 1}, {1, size, 1}, {1, 1, size}});
    constexpr std::size_t square = std::size_t{1} << 30;
    sizes.insert(sizes.end(), {{square, square, square}, {square, square, 2 * square}, {square, square, 4 * square - 4}});

    std::size_t refused = 0, possible = 0;
    const auto check = [&](const Problem& problem, const DeviceProfile& device, const Variant& variant, const Way& way) {
        SCOPED_TRACE(describe(problem) + ", split-K " + std::to_string(way.split_k));
        const Outline outline = variant.family().outline(problem, device, variant, way);
        try {
            const Plan plan = plan_of(problem, device, variant, way);
            possible++;
            EXPECT_EQ(outline.workspace_bytes, plan.workspace_bytes);
            EXPECT_GE(static_cast<double>(plan.workspace_bytes),
                      4 * least_workspace(plan, as_computed(problem, way)) * (1 - 1e-12));
        } catch (const Error& error) {
            refused++;
            EXPECT_EQ(error.status(), CL_MEM_OBJECT_ALLOCATION_FAILURE);
            EXPECT_GT(outline.workspace_bytes, no_limit / 2) << "no device's limit allows it";
        }
    };
    for (const auto& [m, n, k] : sizes)
        for (const auto trans : {CLGEMM_NO_TRANS, CLGEMM_TRANS}) {
            const Problem problem = test::problem(m, n, k, trans, trans);
            for_each_variant([&](const Variant& variant, const DeviceProfile& device) {
                check(problem, device, variant, {});
                for (const Way& way : variant.family().ways(problem, device, variant))
                    check(problem, device, variant, way);
            });
        }
    EXPECT_GT(refused, 1000u);
    EXPECT_GT(possible, 1000u);
}

namespace {

// The parameters of a kernel function as its source declares them, one after the other.
std::vector<std::string> declared(const Step& step)
{
    const std::string source = step.source->text(), beginning = std::string("\nvoid ") + step.function + "(";
    const std::size_t found = source.find(beginning);
    if (found == std::string::npos)
        return {};
    std::vector<std::string> result(1);
    for (std::size_t i = found + beginning.size(); source.at(i) != ')'; i++)
        if (source[i] == ',')
            result.emplace_back();
        else
            result.back() += source[i];
    return result;
}

bool has(const std::string& text, const char* part)
{
    return text.find(part) != std::string::npos;
}

// Of the structure that a parameter is.
std::size_t size_of_structure(const std::string& parameter)
{
    for (const auto& [type, size] : {std::pair{"Multiplication", sizeof(kernel_arguments::Multiplication)},
                                     {"MappedMultiplication", sizeof(kernel_arguments::MappedMultiplication)},
                                     {"BlockMultiplication", sizeof(kernel_arguments::BlockMultiplication)},
                                     {"SeveralBlocksMultiplication", sizeof(kernel_arguments::SeveralBlocksMultiplication)},
                                     {"SmallProducts", sizeof(kernel_arguments::SmallProducts)},
                                     {"Packing", sizeof(kernel_arguments::Packing)},
                                     {"PanelMultiplication", sizeof(kernel_arguments::PanelMultiplication)},
                                     {"Splitting", sizeof(kernel_arguments::Splitting)},
                                     {"ImageMultiplication", sizeof(kernel_arguments::ImageMultiplication)},
                                     {"ImageBlockMultiplication", sizeof(kernel_arguments::ImageBlockMultiplication)},
                                     {"Copying", sizeof(kernel_arguments::Copying)},
                                     {"Unpadding", sizeof(kernel_arguments::Unpadding)},
                                     {"Scaling", sizeof(kernel_arguments::Scaling)},
                                     {"Reducing", sizeof(kernel_arguments::Reducing)},
                                     {"BlockReducing", sizeof(kernel_arguments::BlockReducing)}})
        if (has(parameter, (std::string("const ") + type + " ").c_str()))
            return size;
    return 0;
}

void expect_what_is_declared(const Plan& plan)
{
    for (const Step* const launched : steps_and_makings(plan)) {
        const Step& step = *launched;
        SCOPED_TRACE(std::string(step.source->name) + ", " + step.purpose);
        const std::vector<std::string> parameters = declared(step);
        ASSERT_EQ(parameters.size(), step.buffers.size() + 1) << "buffers, then one structure";
        EXPECT_EQ(step.arguments.size(), size_of_structure(parameters.back()));
        for (std::size_t i = 0; i < step.buffers.size(); i++) {
            const bool is_const = has(parameters[i], "const global float* ");
            EXPECT_TRUE(is_const || has(parameters[i], "global float* ")) << parameters[i];
            const Memory buffer = step.buffers[i];
            if (buffer == Memory::c) {
                EXPECT_EQ(step.writes_c(), !is_const);
            }
            EXPECT_TRUE(is_const || (buffer != Memory::a && buffer != Memory::b)) << "operands stay as they are";
        }
    }
}

} // namespace

// Drivers refuse another number of arguments, or another size, but only of kernels that they can build.
TEST(Ways, EachStepHasTheBuffersAndTheStructureThatItsKernelDeclares)
{
    for_each_way([](const Problem& problem, const DeviceProfile& device, const Variant& variant, const Way& way) {
        if (problem.m != 131) // all sizes that no tile divides, so that helpers take part
            return;
        expect_what_is_declared(plan_of(problem, device, variant, way));
        Problem prepared = problem;
        prepared.a.prepared = prepared.b.prepared = true;
        expect_what_is_declared(plan_of(prepared, device, variant, way));
    });
    for (const DeviceProfile& device : {hopper_gpu(), cpu_with_tiles()}) {
        PlanBuilder builder(device);
        builder.add_scaling(problem(10, 10, 0));
        expect_what_is_declared(builder.finish());
    }
}

} // namespace clgemm::test
