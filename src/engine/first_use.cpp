#include "engine/first_use.hpp"

#include "engine/device_state.hpp"
#include "execute/execution.hpp"
#include "reference/reference.hpp"
#include "select/plan_of.hpp"
#include "support/error.hpp"
#include "support/warning.hpp"
#include "support/whole_numbers.hpp"

#include "clgemm/clgemm.h"

#include <algorithm>
#include <limits>
#include <random>

namespace clgemm::core {
namespace {

// A little more than a tile in each direction, and lying as the caller's operands do, so that the same program computes it.
Problem small_problem(const Problem& callers, const Tiling& tile)
{
    const auto a_little_more = [](std::size_t size) { return round_up(size + 1, 4); };
    const std::size_t m = a_little_more(tile.m), n = a_little_more(tile.n), k = a_little_more(2 * tile.k);
    const auto trans = [](const Matrix& matrix) { return matrix.transposed ? CLGEMM_TRANS : CLGEMM_NO_TRANS; };
    // One column more than whole vectors, where the caller's take none.
    const auto ld = [](const Matrix& matrix, std::size_t rows, std::size_t cols) {
        return (matrix.transposed ? cols : rows) + (matrix.takes_vectors() ? 0 : 1);
    };
    return make_problem({CLGEMM_COLUMN_MAJOR, trans(callers.a), trans(callers.b), m, n, k, 1, 0, ld(callers.a, m, k), 0,
                         ld(callers.b, k, n), 0, 0, ld(callers.c, m, n), callers.arithmetic});
}

std::vector<float> random_numbers(const Matrix& matrix, std::mt19937& random)
{
    std::uniform_real_distribution<float> numbers(-1, 1);
    std::vector<float> result(matrix.ld * matrix.stored_cols());
    for (float& number : result)
        number = numbers(random);
    return result;
}

clgemm_transpose transpose_of(const Matrix& matrix)
{
    return matrix.transposed ? CLGEMM_TRANS : CLGEMM_NO_TRANS;
}

bool is_right(const Problem& x, const std::vector<float>& a, const std::vector<float>& b, const std::vector<float>& c)
{
    for (std::size_t j = 0; j < x.n; j++)
        for (std::size_t i = 0; i < x.m; i++) {
            const auto exact = reference::element(CLGEMM_COLUMN_MAJOR, transpose_of(x.a), transpose_of(x.b), i, j, x.k,
                                                  x.alpha, a.data(), x.a.ld, b.data(), x.b.ld, 0, c.data(), x.c.ld);
            if (!reference::is_right(c[j * x.c.ld + i], exact, x.k, x.arithmetic))
                return false;
        }
    return true;
}

// Computes the small problem with the selection's kernel on the device.
bool computes_rightly(DeviceState& state, const Problem& problem, const Selection& selection)
{
    const Variant& variant = selection.variant;
    const Problem x = small_problem(problem, variant.tiling);
    const ReadyPlan call =
        ready(plan_of(x, state.profile(), variant, {.transposed = selection.way.transposed}), state.programs);
    std::mt19937 random(1);
    std::vector<float> a = random_numbers(x.a, random), b = random_numbers(x.b, random);
    std::vector<float> c(x.c.ld * x.n, std::numeric_limits<float>::quiet_NaN());
    const auto buffer = [&](std::vector<float>& numbers) {
        return cl::Buffer(state.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, numbers.size() * sizeof(float),
                          numbers.data());
    };
    const cl::Buffer on_device[] = {buffer(a), buffer(b), buffer(c)};
    cl::Buffer workspace;
    if (call.plan.workspace_bytes > 0)
        workspace = cl::Buffer(state.context, CL_MEM_READ_WRITE, call.plan.workspace_bytes);
    const cl::CommandQueue queue(state.context, state.device);
    execute(call, state.workspaces, {on_device[0](), on_device[1](), on_device[2](), workspace()}, {queue, true});
    queue.enqueueReadBuffer(on_device[2], CL_TRUE, 0, c.size() * sizeof(float), c.data());
    return is_right(x, a, b, c);
}

} // namespace

void FirstUse::check(DeviceState& state, const Problem& problem, const PlannedCall& call)
{
    const auto& [chosen, plan] = call;
    const Selection& selection = *chosen;
    const KernelInfo& kernel = *selection.variant.kernel;
    const auto multiplies = [&](const Step& step) { return step.source == &kernel.source(); };
    const auto step = std::find_if(plan.steps.begin(), plan.steps.end(), multiplies);
    const std::lock_guard lock(mutex_);
    auto& programs = known_[step->source];
    const auto [known, is_new] = programs.try_emplace(step->options);
    if (is_new)
        try {
            if (!computes_rightly(state, problem, selection)) {
                known->second = "kernel " + std::string(kernel.name) + " (" + selection.variant.parameters.text() +
                                ") computes wrongly on " + state.profile().name + " with driver " +
                                state.profile().driver_version;
                warn_once(known->second + ": it is not used");
            }
        } catch (const cl::Error& error) {
            programs.erase(known); // whether it is right is still unknown
            throw Unavailable(error.err(), "the first use of kernel " + std::string(kernel.name) +
                                               " could not be checked: " + error.what() + " returned " +
                                               clgemm_status_string(error.err()));
        } catch (...) {
            programs.erase(known);
            throw;
        }
    if (!known->second.empty())
        throw Unavailable(CLGEMM_KERNEL_NOT_SUPPORTED, known->second);
}

} // namespace clgemm::core
