#include "engine/first_use.hpp"

#include "engine/device_state.hpp"
#include "execute/execution.hpp"
#include "families/registry.hpp"
#include "reference/reference.hpp"
#include "reference/reproducible.hpp"
#include "select/plan_of.hpp"
#include "support/error.hpp"
#include "support/warning.hpp"
#include "support/whole_numbers.hpp"

#include "clgemm/clgemm.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <random>
#include <utility>

namespace clgemm::core {
namespace {

std::size_t a_little_more(std::size_t size)
{
    return round_up(size + 1, 4);
}

// A little more than a tile in each direction, and lying as the caller's operands do, so that the same program computes it.
// `k` is a multiple of four. Where bits count, all is there that can be rounded.
Problem small_problem(const Problem& callers, const Tiling& tile, std::size_t k)
{
    const std::size_t m = a_little_more(tile.m), n = a_little_more(tile.n);
    const auto trans = [](const Matrix& matrix) { return matrix.transposed ? CLGEMM_TRANS : CLGEMM_NO_TRANS; };
    // One column more than whole vectors, where the caller's take none.
    const auto ld = [](const Matrix& matrix, std::size_t rows, std::size_t cols) {
        return (matrix.transposed ? cols : rows) + (matrix.takes_vectors() ? 0 : 1);
    };
    const bool bits_count = is_reproducible(callers.arithmetic);
    return make_problem({CLGEMM_COLUMN_MAJOR, trans(callers.a), trans(callers.b), m, n, k, bits_count ? 0.7f : 1.0f, 0,
                         ld(callers.a, m, k), 0, ld(callers.b, k, n), bits_count ? -1.3f : 0.0f, 0, ld(callers.c, m, n),
                         callers.arithmetic});
}

// The step that the kernel itself does.
const Step& multiplication_in(const Plan& plan, const Variant& variant)
{
    const KernelSource& source = variant.kernel->source();
    return *std::find_if(plan.steps.begin(), plan.steps.end(), [&](const Step& step) { return step.source == &source; });
}

const Step& multiplication_in(const PlannedCall& call)
{
    return multiplication_in(call.plan, call.selection->variant);
}

// A small problem of two blocks of K. Some kernels have programs of their own for more blocks. If the call's is such a
// program, the problem has as many blocks as the call, up to `enough`: the host must compute it, too.
Problem small_problem_of_several_blocks(const Problem& callers, const PlannedCall& call, const Way& way,
                                        const DeviceProfile& device)
{
    constexpr std::size_t two_blocks = reproducible_depth + 20, enough = 64 * reproducible_depth;
    const Variant& variant = call.selection->variant;
    const auto of_depth = [&](std::size_t k) { return small_problem(callers, variant.tiling, round_up(k, 4)); };
    const auto is_computed_by_its_program = [&](const Problem& problem) {
        return takes(problem, variant, device) &&
               multiplication_in(plan_of(problem, device, variant, way), variant).options == multiplication_in(call).options;
    };
    const Problem two = of_depth(two_blocks), more = of_depth(std::clamp(callers.k, two_blocks, enough));
    return !is_computed_by_its_program(two) && is_computed_by_its_program(more) ? more : two;
}

// The small problems, and the ways, that show whether the call's kernel computes rightly. Where bits count, these are blocks
// of K, one after the other and side by side, if the kernel takes them.
std::vector<std::pair<Problem, Way>> small_problems(const Problem& callers, const PlannedCall& call,
                                                    const DeviceProfile& device)
{
    const Variant& variant = call.selection->variant;
    const Way way{.transposed = call.selection->way.transposed};
    const Problem shallow = small_problem(callers, variant.tiling, a_little_more(2 * variant.tiling.k));
    if (!is_reproducible(callers.arithmetic))
        return {{shallow, way}};
    const Problem deep = small_problem_of_several_blocks(callers, call, way, device);
    if (!takes(deep, variant, device))
        return {{shallow, way}};
    std::vector<std::pair<Problem, Way>> result{{deep, way}};
    for (const Way& other : variant.family().ways(deep, device, variant))
        if (other.split_k > 1 && other.transposed == way.transposed && other.form == way.form)
            result.emplace_back(deep, other);
    return result;
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

// Of every element in turn in some of the columns: what a compiler does not fuse, or adds in another order, is wrong nearly
// everywhere.
bool has_right_bits(const Problem& x, const std::vector<float>& a, const std::vector<float>& b,
                    const std::vector<float>& before, const std::vector<float>& c)
{
    for (std::size_t j = 0; j < x.n; j++)
        for (std::size_t i = j % 8; i < x.m; i += 8) {
            const std::size_t at = j * x.c.ld + i;
            const float expected =
                reference::reproducible(x.k, x.alpha, a.data() + i * x.a.row_stride(), x.a.col_stride(),
                                        b.data() + j * x.b.col_stride(), x.b.row_stride(), x.beta, before.data() + at);
            if (std::bit_cast<std::uint32_t>(c[at]) != std::bit_cast<std::uint32_t>(expected))
                return false;
        }
    return true;
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

// Where bits count, subnormal numbers do, too: here are elements of C that consist of nothing else, among those that are
// compared.
void make_some_tiny(const Problem& x, std::vector<float>& a, std::vector<float>& b, std::vector<float>& c)
{
    for (std::size_t l = 0; l < x.k; l++) {
        for (std::size_t i = 5; i < x.m; i += 16)
            a[i * x.a.row_stride() + l * x.a.col_stride()] *= 0x1p-70f;
        for (std::size_t j = 13; j < x.n; j += 16)
            b[l * x.b.row_stride() + j * x.b.col_stride()] *= 0x1p-70f;
    }
    for (std::size_t j = 13; j < x.n; j += 16)
        for (std::size_t i = 5; i < x.m; i += 16)
            c[i + j * x.c.ld] *= 0x1p-140f;
}

// Computes a small problem in this way with the call's kernel on the device.
bool computes_rightly(DeviceState& state, const Problem& x, const Way& way, const PlannedCall& callers)
{
    const bool bits_count = is_reproducible(x.arithmetic);
    const ReadyPlan call =
        ready_beside(plan_of(x, state.profile(), callers.selection->variant, way), callers.plan, state.programs);
    std::mt19937 random(1);
    std::vector<float> a = random_numbers(x.a, random), b = random_numbers(x.b, random);
    std::vector<float> c(x.c.ld * x.n, std::numeric_limits<float>::quiet_NaN());
    if (bits_count) {
        c = random_numbers(x.c, random);
        make_some_tiny(x, a, b, c);
    }
    const std::vector<float> before = c;
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
    return bits_count ? has_right_bits(x, a, b, before, c) : is_right(x, a, b, c);
}

// As a note on the program says it.
constexpr std::string_view computes_as_it_should = "computes rightly";

// What is wrong with the call's kernel; empty: nothing. Throws where that cannot be found out.
std::string verdict_on(DeviceState& state, const Problem& problem, const PlannedCall& call)
{
    const Variant& variant = call.selection->variant;
    try {
        const auto tried = small_problems(problem, call, state.profile());
        if (std::all_of(tried.begin(), tried.end(),
                        [&](const auto& each) { return computes_rightly(state, each.first, each.second, call); }))
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
