#include "families/tile_family.hpp"

#include "families/operands.hpp"

namespace clgemm::core {
namespace {

bool is_copy(const Matrix& matrix)
{
    return !is_callers(matrix.memory);
}

// Does the multiplication itself add to a copy of C? If not, the step that copies the result to C adds.
bool adds_to_copy(const Problem& problem)
{
    return is_copy(problem.c) && problem.beta != 0.0f;
}

// K, or a piece of it, in one part.
SplitK unsplit(std::size_t depth, const Matrix& c)
{
    return {depth, 1, c, 0};
}

} // namespace

std::vector<Way> TileFamily::ways(const Problem& problem, const DeviceProfile&, const Variant& variant) const
{
    std::vector<Way> result;
    for (const Way& way : {Way{}, Way{.transposed = true}})
        if (takes_columns(columns_of(problem, way), variant.tiling))
            add_split_k_ways(result, way, problem, variant.tiling);
    return result;
}

TileFamily::Prepared TileFamily::prepare(const Problem& problem, const Variant& variant, const Way& way,
                                         WorkspaceLayout& workspace) const
{
    const Problem computed = as_computed(problem, way);
    return {computed, split_k(computed, way.split_k, variant.tiling.k, workspace)};
}

bool TileFamily::is_one_launch(const Prepared& prepared, const Variant& variant) const
{
    return prepared.split.parts > 1 || prepared.problem.k <= deepest_launch(prepared, variant);
}

std::string TileFamily::options(const Prepared& prepared, const Variant&) const
{
    const Matrix& a = prepared.problem.a;
    const Matrix& b = prepared.problem.b;
    return layout_options(a, b, vector_width(a), vector_width(b));
}

Step TileFamily::multiplication_of(const Prepared& prepared, const Variant& variant, const DeviceProfile&) const
{
    return multiplication_step(variant, prepared.problem, prepared.split, options(prepared, variant));
}

Outline TileFamily::outline(const Problem& callers, const DeviceProfile& device, const Variant& variant,
                            const Way& way) const
{
    WorkspaceLayout workspace;
    const Prepared prepared = prepare(callers, variant, way, workspace);
    const Problem &problem = prepared.problem, original = as_computed(callers, way);
    Outline result;
    result.workspace_bytes = workspace.bytes();
    for (const auto& [matrix, from] : {std::pair{&problem.a, &original.a}, {&problem.b, &original.b}})
        if (is_copy(*matrix) && !from->prepared)
            result.launches.push_back({bytes_of(*from) + bytes_of(*matrix)});
    const auto add_launch = [&](const Problem& launched, const SplitK& split) {
        add_multiplication(result, launched, split, load_of_tiles(launched, device, variant.tiling, split));
    };
    if (is_one_launch(prepared, variant)) {
        add_launch(problem, prepared.split);
    } else {
        // There may be thousands, of which all but the last one take the same time.
        const std::size_t deepest = deepest_launch(prepared, variant), whole = problem.k / deepest;
        add_launch(piece_of_k(problem, 0, deepest), unsplit(deepest, problem.c));
        result.launches.back().times = whole;
        if (const std::size_t rest = problem.k % deepest; rest > 0)
            add_launch(piece_of_k(problem, whole * deepest, deepest), unsplit(rest, problem.c));
    }
    // Whether C is copied before, too, depends on beta. Selections do not: they are remembered for all factors.
    if (is_copy(problem.c))
        result.launches.push_back({2 * bytes_of(callers.c)});
    return result;
}

void TileFamily::plan(PlanBuilder& builder, const Problem& callers, const Variant& variant, const Way& way) const
{
    const Prepared prepared = prepare(callers, variant, way, builder.workspace);
    const Problem &problem = prepared.problem, original = as_computed(callers, way);
    if (is_copy(problem.a))
        builder.add_copy(original.a, problem.a, "A");
    if (is_copy(problem.b))
        builder.add_copy(original.b, problem.b, "B");
    if (adds_to_copy(problem))
        builder.add_copy(original.c, problem.c, "C");
    if (is_one_launch(prepared, variant))
        builder.add(multiplication_of(prepared, variant, builder.device()));
    else
        for (const Problem& piece : pieces_of_k(problem, deepest_launch(prepared, variant)))
            builder.add(multiplication_of({piece, unsplit(piece.k, piece.c)}, variant, builder.device()));
    add_sum_of_parts(builder, callers, prepared.split);
    if (is_copy(problem.c))
        builder.add_unpadding(callers.c, problem.c, adds_to_copy(problem) ? 0 : callers.beta);
}

} // namespace clgemm::core
