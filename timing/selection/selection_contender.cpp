#include "timing/selection/selection_contender.hpp"

#include "select/plan_of.hpp"

namespace timing {

using namespace clgemm::core;

Problem problem_of(const Product& product, clgemm_math accuracy)
{
    const auto& [m, n, k] = product.shape;
    const auto transpose = [](bool yes) { return yes ? CLGEMM_TRANS : CLGEMM_NO_TRANS; };
    return make_problem({CLGEMM_COLUMN_MAJOR,
                         transpose(product.transposes.a),
                         transpose(product.transposes.b),
                         m,
                         n,
                         k,
                         1.0f,
                         0,
                         product.lda(),
                         0,
                         product.ldb(),
                         0.0f,
                         0,
                         product.ldc(),
                         {.accuracy = accuracy},
                         {product.count},
                         product.distance_a(),
                         product.distance_b(),
                         product.distance_c()});
}

std::string describe(const Selection& selection)
{
    const auto& [form, split_k, transposed] = selection.way;
    std::string text = std::string(selection.variant.kernel->name) + " (" + selection.variant.parameters.text() + ")";
    if (form != 0)
        text += ", form " + std::to_string(form);
    if (split_k > 1)
        text += ", K in " + std::to_string(split_k) + " parts";
    if (transposed)
        text += ", transposed";
    if (selection.blocks != Blocks{})
        text += ", in blocks of " + std::to_string(selection.blocks.m) + "x" + std::to_string(selection.blocks.n);
    return text;
}

SelectionContender::SelectionContender(const DeviceMatrices& matrices, DeviceState& state, const Problem& problem,
                                       const Selection& selection)
    : OpenClContender(matrices), state_(state),
      plan_(ready(plan_of(problem, state.profile(), selection.variant, selection.way, selection.blocks), state.programs)),
      accuracy_(problem.arithmetic.accuracy), description_(describe(selection))
{
}

void SelectionContender::multiply(const Product& /*product*/)
{
    execute(plan_, state_.workspaces, {matrices().a(), matrices().b(), matrices().c()}, {matrices().queue, true});
    matrices().queue.finish();
}

} // namespace timing
