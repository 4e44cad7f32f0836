#include "kernel_programs.hpp"

#include "families/registry.hpp"
#include "plan/plan_builder.hpp"
#include "select/plan_of.hpp"
#include "select/selection.hpp"
#include "support/embedded_tuning.hpp"
#include "support/runs.hpp"
#include "support/whole_numbers.hpp"
#include "tuning/derived_tuning.hpp"

#include <algorithm>
#include <map>

namespace clgemm::test {

using namespace core;

namespace {

constexpr clgemm_transpose transposes[] = {CLGEMM_NO_TRANS, CLGEMM_TRANS};

// How an operand's size compares with a tile's, and for how many floats its columns are aligned: as many are left over
// behind a multiple of four, unless it is four.
struct Operand {
    bool is_small;
    std::size_t width;
};
constexpr Operand operands[] = {{false, 4}, {false, 1}, {true, 4}, {true, 1}}, in_pairs = {false, 2};

// Deep enough for every number of parts, or as deep as the kernel is made for. (The tuner may measure fewer steps than
// that.)
std::size_t typical_depth(const Variant& variant, const DeviceProfile& device)
{
    constexpr std::size_t deep = 600;
    const Tiling& tile = variant.tiling;
    const std::size_t step = round_up(tile.k, 4), measured = variant.family().probing().most_steps;
    if (measured >= deep)
        return deep * step;
    const auto is_made_for = [&](std::size_t k) {
        const Problem problem = make_problem(
            {CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, tile.m, tile.n, k, 1, 0, tile.m, 0, k, 0, 0, tile.m});
        return !variant.family().ways(problem, device, variant).empty();
    };
    std::size_t depth = measured * step;
    while (is_made_for(depth + step))
        depth += step;
    return depth;
}

Problem problem_of(const Variant& variant, const DeviceProfile& device, clgemm_transpose trans_a, clgemm_transpose trans_b,
                   const Operand& a, const Operand& b)
{
    const auto size = [](const Operand& operand, std::size_t of_tile) {
        return operand.is_small ? std::size_t{1} : round_up(3 * of_tile, 4) + operand.width % 4;
    };
    const std::size_t m = size(a, variant.tiling.m), n = size(b, variant.tiling.n), k = typical_depth(variant, device);
    const auto ld = [](std::size_t rows, const Operand& operand) { return round_up(rows, 4) + operand.width % 4; };
    const std::size_t ldc = a.width == 2 ? round_up(m, 4) : m; // an aligned one, whose last rows are no whole vector
    return make_problem({CLGEMM_COLUMN_MAJOR, trans_a, trans_b, m, n, k, 1, 0, ld(trans_a == CLGEMM_NO_TRANS ? m : k, a), 0,
                         ld(trans_b == CLGEMM_NO_TRANS ? k : n, b), 0, 0, ldc});
}

// Some products behind one another without gaps, of odd sizes, so that nothing is aligned; a little smaller than a tile.
Problem batch_of(const Variant& variant, clgemm_transpose trans_a, clgemm_transpose trans_b)
{
    const std::size_t tile = std::min(variant.tiling.m, variant.tiling.n), side = std::clamp<std::size_t>(tile - 1, 1, 31);
    const std::size_t distance = side * side;
    return make_problem({CLGEMM_COLUMN_MAJOR,
                         trans_a,
                         trans_b,
                         side,
                         side,
                         side,
                         1,
                         0,
                         side,
                         0,
                         side,
                         0,
                         0,
                         side,
                         {},
                         {4},
                         distance,
                         distance,
                         distance});
}

// Is the kernel made for batches, and for nothing else?
bool is_for_batches_alone(const Variant& variant, const DeviceProfile& device)
{
    const Problem batch = batch_of(variant, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS);
    const Family& family = variant.family();
    return !family.ways(batch, device, variant).empty() && family.ways(product_of(batch, 0), device, variant).empty();
}

// Does the kernel also compute C' = B' A'?
bool takes_exchanged(const Variant& variant, const Problem& problem, const DeviceProfile& device)
{
    const std::vector<Way> ways = variant.family().ways(problem, device, variant);
    return std::any_of(ways.begin(), ways.end(), [](const Way& way) { return way.transposed; });
}

void add(std::vector<Program>& to, const Step& step)
{
    to.push_back({step.source, step.options, step.retargeted_local_bytes, step.group_size});
}

void add(std::vector<Program>& to, const Plan& plan)
{
    for (const Step& step : plan.steps)
        add(to, step);
}

// The multiplications of this plan of the variant's, without its helpers.
void add_multiplications(std::vector<Program>& to, const Variant& variant, const Plan& plan)
{
    for (const Step& step : plan.steps)
        if (step.source == &variant.kernel->source())
            add(to, step);
}

std::vector<Program> each_once(std::vector<Program> programs)
{
    std::sort(programs.begin(), programs.end());
    programs.erase(std::unique(programs.begin(), programs.end()), programs.end());
    return programs;
}

} // namespace

std::vector<Variant> registered_variants(const DeviceProfile& device)
{
    std::vector<Variant> result;
    for (const auto& kernel : kernels())
        for (const auto& parameters : kernel.variants)
            result.push_back(variant_of(kernel, parameters));
    std::erase_if(result, [&](const Variant& variant) { return !runs(variant, device); });
    return result;
}

std::vector<Variant> tuned_variants(const DeviceProfile& device)
{
    std::map<std::string, Variant> each_once;
    for (const auto& file : tuning_texts())
        for (const auto& measurement : tuning_of(file).measurements) {
            const Variant& variant = measurement.variant;
            if (runs(variant, device))
                each_once.emplace(std::string(variant.kernel->name) + variant.parameters.text(), variant);
        }
    std::vector<Variant> result;
    std::transform(each_once.begin(), each_once.end(), std::back_inserter(result),
                   [](const auto& each) { return each.second; });
    return result;
}

std::vector<Program> every_program(const DeviceProfile& device)
{
    std::vector<Program> result;
    for (const Variant& variant : registered_variants(device)) {
        const Family& family = variant.family();
        for (const auto trans_a : transposes)
            for (const auto trans_b : transposes)
                for (const Operand& a : operands)
                    for (const Operand& b : operands) {
                        const Problem problem = problem_of(variant, device, trans_a, trans_b, a, b);
                        std::vector<Way> ways = family.ways(problem, device, variant);
                        ways.push_back({});
                        for (const Way& way : ways)
                            add(result, plan_of(problem, device, with_device_features(variant, device), way));
                    }
        // Where beta is not 0 and K is not deep, some kernels have programs of their own.
        for (const auto trans_a : transposes)
            for (const auto trans_b : transposes)
                for (const Operand& operand : {operands[0], operands[1], in_pairs}) {
                    Problem problem = problem_of(variant, device, trans_a, trans_b, operand, operand);
                    problem.beta = 1;
                    problem.k = problem.a.cols = problem.b.rows = variant.tiling.k;
                    add(result, plan_of(problem, device, with_device_features(variant, device), {}));
                }
        if (family.products_at_once({}) > 1)
            for (const auto trans_a : transposes)
                for (const auto trans_b : transposes)
                    for (const float beta : {0.0f, 1.0f}) {
                        Problem batch = batch_of(variant, trans_a, trans_b);
                        batch.beta = beta;
                        add(result, plan_of(batch, device, with_device_features(variant, device), {}));
                    }
    }
    PlanBuilder scaling(device);
    scaling.add_scaling(
        make_problem({CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 1}));
    add(result, scaling.finish());
    return each_once(std::move(result));
}

std::vector<Variant> usual_variants(const DeviceProfile& device)
{
    std::vector<Variant> result;
    for (const auto& kernel : kernels())
        if (const Variant variant = variant_of(kernel, kernel.variants.front()); runs(variant, device))
            result.push_back(variant);
    return result;
}

std::vector<Variant> believed_variants(const DeviceProfile& device)
{
    std::vector<Variant> result;
    for (const auto& measurement : derived_tuning(device).measurements)
        result.push_back(measurement.variant);
    return result;
}

std::vector<Program> programs_where(clgemm_transpose trans_a, clgemm_transpose trans_b, const DeviceProfile& device,
                                    const std::vector<Variant>& variants, bool exchanged)
{
    std::vector<Program> result;
    for (const Variant& variant : variants) {
        std::vector<Problem> problems{problem_of(variant, device, trans_a, trans_b, operands[0], operands[0])};
        if (is_for_batches_alone(variant, device))
            problems.push_back(batch_of(variant, trans_a, trans_b));
        for (const Problem& problem : problems)
            if (!exchanged || takes_exchanged(variant, problem, device))
                add_multiplications(
                    result, variant,
                    plan_of(problem, device, with_device_features(variant, device), {.transposed = exchanged}));
    }
    return each_once(std::move(result));
}

std::vector<Program> unaligned_programs(const DeviceProfile& device, const std::vector<Variant>& variants)
{
    std::vector<Program> result;
    for (const Variant& variant : variants)
        for (const auto trans_a : transposes)
            for (const auto trans_b : transposes)
                for (const Operand& operand : {operands[1], in_pairs})
                    for (const Way& way : {Way{}, Way{.split_k = 2}}) { // the sums of parts are always aligned
                        const Problem problem = problem_of(variant, device, trans_a, trans_b, operand, operand);
                        const Plan plan = plan_of(problem, device, with_device_features(variant, device), way);
                        add_multiplications(result, variant, plan);
                    }
    return each_once(std::move(result));
}

std::vector<Program> reproducible_programs(const DeviceProfile& device, const std::vector<Variant>& variants)
{
    std::vector<Program> result;
    for (const Variant& variant : variants)
        for (const auto trans_a : transposes)
            for (const auto trans_b : transposes)
                for (const Operand& operand : {operands[0], operands[3]}) {
                    Problem problem = problem_of(variant, device, trans_a, trans_b, operand, operand);
                    problem.arithmetic.accuracy = CLGEMM_MATH_REPRODUCIBLE;
                    if (takes(problem, variant, device))
                        for (const Way& way : {Way{}, Way{.split_k = 2}})
                            add(result, plan_of(problem, device, with_device_features(variant, device), way));
                }
    return each_once(std::move(result));
}

std::vector<Program> looping_programs(const DeviceProfile& device, const std::vector<Variant>& variants)
{
    std::vector<Program> result;
    for (const Variant& variant : variants) {
        const bool goes_through_tiles = variant.kernel->name == "tensor_rounded";
        if (!goes_through_tiles && variant.kernel->name != "13_warp_tiled")
            continue;
        const std::size_t m = (goes_through_tiles ? 2 * device.compute_units : 3) * variant.tiling.m;
        const std::size_t n = 3 * variant.tiling.n, k = goes_through_tiles ? 64 : 2 * reproducible_depth;
        for (const auto trans_a : transposes)
            for (const auto trans_b : transposes) {
                Problem problem =
                    make_problem({CLGEMM_COLUMN_MAJOR, trans_a, trans_b, m, n, k, 1, 0, trans_a == CLGEMM_NO_TRANS ? m : k,
                                  0, trans_b == CLGEMM_NO_TRANS ? k : n, 0, 0, m});
                problem.arithmetic.accuracy = goes_through_tiles ? CLGEMM_MATH_TF32 : CLGEMM_MATH_REPRODUCIBLE;
                if (takes(problem, variant, device))
                    for (const Way& way : variant.family().ways(problem, device, variant))
                        if (way.split_k == 1)
                            add_multiplications(result, variant,
                                                plan_of(problem, device, with_device_features(variant, device), way));
            }
    }
    std::erase_if(result, [](const Program& program) { return program.text().find("SEVERAL_") == std::string::npos; });
    return each_once(std::move(result));
}

std::vector<Program> typical_programs(const DeviceProfile& device, const std::vector<Variant>& variants)
{
    std::vector<Program> result;
    for (const auto trans_a : transposes)
        for (const auto trans_b : transposes)
            for (const bool exchanged : {false, true})
                for (Program& program : programs_where(trans_a, trans_b, device, variants, exchanged))
                    result.push_back(std::move(program));
    return each_once(std::move(result));
}

} // namespace clgemm::test
