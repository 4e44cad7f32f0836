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
#include <utility>

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

// The step that the kernel itself does.
const Step& multiplication_in(const PlannedCall& call)
{
    const KernelSource& source = call.selection->variant.kernel->source();
    return *std::find_if(call.plan.steps.begin(), call.plan.steps.end(),
                         [&](const Step& step) { return step.source == &source; });
}

// What the call needs besides is built meanwhile.
ReadyPlan ready_beside(Plan plan, const Plan& of_call, ProgramCache& programs)
{
    std::vector<const Step*> steps;
    for (const Plan* each : {&std::as_const(plan), &of_call})
        for (const Step& step : each->steps)
            steps.push_back(&step);
    programs.programs(steps);
    return ready(std::move(plan), programs);
}

// Computes the small problem with the call's kernel on the device.
bool computes_rightly(DeviceState& state, const Problem& problem, const PlannedCall& callers)
{
    const Selection& selection = *callers.selection;
    const Variant& variant = selection.variant;
    const Problem x = small_problem(problem, variant.tiling);
    const ReadyPlan call = ready_beside(plan_of(x, state.profile(), variant, {.transposed = selection.way.transposed}),
                                        callers.plan, state.programs);
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

// As a note on the program says it.
constexpr std::string_view computes_as_it_should = "computes rightly";

// What is wrong with the call's kernel; empty: nothing. Throws where that cannot be found out.
std::string verdict_on(DeviceState& state, const Problem& problem, const PlannedCall& call)
{
    const Variant& variant = call.selection->variant;
    try {
        if (computes_rightly(state, problem, call))
            return "";
    } catch (const cl::Error& error) {
        throw Unavailable(error.err(), "the first use of kernel " + std::string(variant.kernel->name) +
                                           " could not be checked: " + error.what() + " returned " +
                                           clgemm_status_string(error.err()));
    }
    return "kernel " + std::string(variant.kernel->name) + " (" + variant.parameters.text() + ") computes wrongly on " +
           state.profile().name + " with driver " + state.profile().driver_version;
}

} // namespace

const FirstUse::Verdict* FirstUse::known(const DeviceState& state, const PlannedCall& call)
{
    const Step& step = multiplication_in(call);
    auto& verdicts = known_[step.source];
    if (const auto found = verdicts.find(step.options); found != verdicts.end())
        return &found->second;
    auto note = state.programs.note(step);
    if (!note)
        return nullptr;
    if (*note == computes_as_it_should)
        note->clear();
    else
        warn_once(*note + ", as was found earlier: it is not used (" + state.programs.path_of_note(step).string() + ")");
    return &(verdicts[step.options] = std::move(*note));
}

bool FirstUse::has_found_wrong(const DeviceState& state, const PlannedCall& call)
{
    const std::lock_guard lock(mutex_);
    const Verdict* const verdict = known(state, call);
    return verdict && !verdict->empty();
}

void FirstUse::check(DeviceState& state, const Problem& problem, const PlannedCall& call)
{
    const std::lock_guard lock(mutex_);
    const Verdict* verdict = known(state, call);
    if (!verdict) {
        const Step& step = multiplication_in(call);
        const std::string found = verdict_on(state, problem, call);
        if (!found.empty())
            warn_once(found + ": it is not used");
        state.programs.keep_note(step, found.empty() ? std::string(computes_as_it_should) : found);
        verdict = &(known_[step.source][step.options] = found);
    }
    if (!verdict->empty())
        throw Unavailable(CLGEMM_KERNEL_NOT_SUPPORTED, *verdict);
}

} // namespace clgemm::core
