#include "tune/probe.hpp"

#include "families/registry.hpp"
#include "plan/plan_builder.hpp"
#include "reference/reference.hpp"
#include "select/plan_of.hpp"
#include "support/error.hpp"
#include "support/whole_numbers.hpp"
#include "tune/call_of_tiles.hpp"
#include "tune/typical_time.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace clgemm::tune {
namespace {

using namespace core;

constexpr std::size_t most_operand_elements = std::size_t{1} << 26;
constexpr std::size_t random_elements = std::size_t{1} << 22; // repeated: enough for arithmetic not to notice
constexpr std::size_t result_elements = std::size_t{1} << 28;

// Calls of at least this depth do not find all their operands where the last call left them.
constexpr std::size_t least_depth_on_gpu = 1024, least_depth_on_cpu = 640;

// A step's time is the difference between a call of many steps and one of few. Where the kernel is measured in few steps,
// the difference must be more than this: the calls' noise, some hundreds of ns, is little next to it.
constexpr double enough_ns = 20e3;

// A kernel that takes all operands alike is checked on opposite kinds, and timed on the first one.
std::vector<std::string> kinds_to_check(const std::string& letters)
{
    return letters.empty() ? std::vector<std::string>{"NT", "TN"} : std::vector{letters};
}

// How many work-groups run at one time on a compute unit: the number whose rounds explain the rest of the curve best.
double resident_groups(const Curve& curve)
{
    const auto at = [&](std::size_t groups) {
        const auto found = std::find_if(curve.begin(), curve.end(),
                                        [&](const auto& point) { return point.first == static_cast<double>(groups); });
        return found == curve.end() ? 0.0 : found->second;
    };
    double best_error = 0;
    std::size_t best = 1;
    for (std::size_t resident = 1; resident <= 16 && at(resident) > 0; resident++) {
        double error = 0;
        int points = 0;
        for (const auto& [groups, ns] : curve) {
            const auto whole = static_cast<std::size_t>(groups);
            if (whole <= resident)
                continue;
            const std::size_t rounds = whole / resident;
            const double told =
                static_cast<double>(rounds) * at(resident) + (whole % resident > 0 ? at(whole % resident) : 0);
            error += std::abs(told - ns) / ns;
            points++;
        }
        if (points == 0)
            break;
        // Two short rounds explain what a long one explains: the long one must be worth it.
        error = error / points + 0.002 * static_cast<double>(resident);
        if (resident == 1 || error < best_error) {
            best = resident;
            best_error = error;
        }
    }
    return static_cast<double>(best);
}

} // namespace

Probe::Probe(const cl::Device& device, std::function<void()> on_run, double patience_seconds, std::size_t builders)
    : on_run_(std::move(on_run)), patience_seconds_(patience_seconds), builders_(builders), context_(device),
      queue_(context_, device), state_(device_state(context_(), device())),
      values_(std::min(most_operand_elements, profile().max_allocation / sizeof(float)))
{
    std::mt19937 random(1);
    std::uniform_real_distribution<float> uniform(-1, 1);
    std::generate_n(values_.begin(), std::min(random_elements, values_.size()), [&] { return uniform(random); });
    for (std::size_t i = random_elements; i < values_.size(); i += random_elements)
        std::copy_n(values_.begin(), std::min(random_elements, values_.size() - i),
                    values_.begin() + static_cast<std::ptrdiff_t>(i));
    const auto filled = [&] {
        return cl::Buffer(context_, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, values_.size() * sizeof(float), values_.data());
    };
    a_ = filled();
    b_ = filled();
    const std::size_t most = std::min(profile().max_allocation, profile().memory_for_temporaries());
    c_ = cl::Buffer(context_, CL_MEM_READ_WRITE, std::min(result_elements * sizeof(float), most));
}

bool Probe::has_matrices_for(const Problem& problem) const
{
    const std::size_t results = c_.getInfo<CL_MEM_SIZE>() / sizeof(float);
    const std::size_t products = problem.batch.count;
    return problem.a.extent(products) <= values_.size() && problem.b.extent(products) <= values_.size() &&
           problem.c.extent(products) <= results;
}

ReadyPlan Probe::ready_for(Plan plan)
{
    builders_.finish({plan});
    return ready(std::move(plan), state_->programs);
}

void Probe::enqueue(const ReadyPlan& plan)
{
    execute(plan, state_->workspaces, {a_(), b_(), c_()}, {queue_, true});
}

void Probe::run(const ReadyPlan& plan)
{
    enqueue(plan);
    queue_.finish();
    on_run_();
}

void Probe::run_candidate(const ReadyPlan& plan)
{
    if (candidates_time_.left() <= 0)
        throw TakesTooLong("it takes too long to compile, check and time it");
    run(plan);
}

void Probe::build(const std::vector<Plan>& plans)
{
    if (candidates_time_.left() <= 0)
        throw TakesTooLong("it takes too long to compile, check and time it");
    builders_.finish(plans);
    std::vector<const Step*> steps;
    for (const Plan& plan : plans)
        for (const Step& step : plan.steps)
            steps.push_back(&step);
    state_->programs.programs(steps);
}

void Probe::check(const Problem& problem, Plan plan)
{
    const std::size_t elements = problem.c.extent();
    std::vector<float> before(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(elements)), after(elements);
    queue_.enqueueWriteBuffer(c_, CL_TRUE, 0, elements * sizeof(float), before.data());
    run_candidate(ready_for(std::move(plan)));
    queue_.enqueueReadBuffer(c_, CL_TRUE, 0, elements * sizeof(float), after.data());
    const auto transpose = [](const Matrix& matrix) { return matrix.transposed ? CLGEMM_TRANS : CLGEMM_NO_TRANS; };
    for (std::size_t j = 0; j < problem.n; j++)
        for (std::size_t i = 0; i < problem.m; i++) {
            const reference::Exact exact = reference::element(
                CLGEMM_COLUMN_MAJOR, transpose(problem.a), transpose(problem.b), i, j, problem.k, problem.alpha,
                values_.data(), problem.a.ld, values_.data(), problem.b.ld, problem.beta, before.data(), problem.c.ld);
            const float computed = after[j * problem.c.ld + i];
            if (!reference::is_right(computed, exact, problem.k, problem.arithmetic))
                throw Unusable("wrong at " + describe(problem));
        }
}

std::vector<Probe::Check> Probe::checks_of(const Variant& variant, const std::string& letters) const
{
    const Tiling& tile = variant.tiling;
    const Family& family = variant.family();
    // Vectors run along sizes that are whole numbers of vectors.
    const auto whole = [](std::size_t size, bool vectors) { return vectors ? round_up(size, 4) : size; };
    const auto sized = [&](std::size_t m, std::size_t n, std::size_t k, float alpha, float beta) {
        return with_accuracy(problem_of({whole(m, letters[0] == 'N'), whole(n, letters[1] == 'T'), k}, letters, alpha, beta),
                             usual_arithmetic(*variant.kernel).accuracy);
    };
    const bool few = family.probing().one_tile_of_columns;
    std::vector<Check> result;
    const auto add = [&](const Problem& problem, const Way& way) {
        result.push_back({problem, plan_of(problem, profile(), variant, way)});
    };
    add(sized(tile.m + 5, few ? tile.n : tile.n + 3, 2 * tile.k + 1, 1, 0), {});
    add(sized(tile.m, tile.n, tile.k, -0.5f, 0.75f), {});
    add(sized(7, few ? 1 : 5, 3 * tile.k - 1, 1, 1), {});
    // So deep that K can be divided.
    const Problem deep = sized(tile.m + 5, few ? tile.n : tile.n + 3, 8 * tile.k + 1, 1, 0.5f);
    for (const Way& way : family.ways(deep, profile(), variant))
        add(deep, way);
    return result;
}

std::vector<Plan> Probe::plans_to_build(const Variant& variant, const std::string& letters) const
{
    std::vector<Plan> result;
    // Each of these may need a program of its own, and what is timed afterwards one more.
    for (Check& check : checks_of(variant, letters))
        result.push_back(std::move(check.plan));
    const std::size_t steps = variant.family().probing().few_steps;
    result.push_back(plan_of(call_of_tiles(variant, letters, profile().compute_units, steps), profile(), variant, {}));
    return result;
}

void Probe::check(const Variant& variant, const std::string& letters)
{
    build(plans_to_build(variant, letters));
    for (Check& each : checks_of(variant, letters))
        check(each.problem, std::move(each.plan));
}

void Probe::expect(const std::vector<Expected>& candidates)
{
    if (builders_.count() == 0)
        return;
    std::vector<Plan> plans;
    for (const auto& [candidate, letters] : candidates) {
        const Variant variant = with_device_features(candidate, profile());
        for (const std::string& kind : kinds_to_check(letters))
            try {
                std::ranges::move(plans_to_build(variant, kind), std::back_inserter(plans));
            } catch (const Error&) {
                // It cannot be planned: measure() says why, if it comes to that.
            }
    }
    builders_.expect(plans);
}

void Probe::expect(const std::vector<WholeCall>& calls)
{
    if (builders_.count() == 0)
        return;
    std::vector<Plan> plans;
    for (const auto& [problem, selection] : calls)
        if (has_matrices_for(problem))
            try {
                plans.push_back(plan_of(problem, profile(), selection.variant, selection.way, selection.blocks));
            } catch (const Error&) {
                // It cannot be planned: whoever asks for it will read why.
            }
    builders_.expect(plans);
}

void Probe::check_call(const Problem& problem, const Selection& selection)
{
    const std::size_t products = problem.batch.count, elements = problem.c.extent(products);
    queue_.enqueueFillBuffer(c_, std::numeric_limits<float>::quiet_NaN(), 0,
                             elements * sizeof(float)); // to find elements that are not written
    run(ready_for(plan_of(problem, profile(), selection.variant, selection.way, selection.blocks)));
    std::vector<float> after(elements);
    queue_.enqueueReadBuffer(c_, CL_TRUE, 0, elements * sizeof(float), after.data());
    const auto transpose = [](const Matrix& matrix) { return matrix.transposed ? CLGEMM_TRANS : CLGEMM_NO_TRANS; };
    const auto start = [](const Matrix& matrix, std::size_t product) { return matrix.offset + product * matrix.distance; };
    const auto check_element = [&](std::size_t product, std::size_t i, std::size_t j) {
        const reference::Exact exact =
            reference::element(CLGEMM_COLUMN_MAJOR, transpose(problem.a), transpose(problem.b), i, j, problem.k,
                               problem.alpha, values_.data() + start(problem.a, product), problem.a.ld,
                               values_.data() + start(problem.b, product), problem.b.ld, 0, after.data(), problem.c.ld);
        if (!reference::is_right(after[start(problem.c, product) + j * problem.c.ld + i], exact, problem.k,
                                 problem.arithmetic))
            throw Unusable("wrong at " + describe(problem));
    };
    constexpr std::size_t most = 2000;
    if (saturating_product(saturating_product(problem.m, problem.n), products) <= most) {
        for (std::size_t product = 0; product < products; product++)
            for (std::size_t j = 0; j < problem.n; j++)
                for (std::size_t i = 0; i < problem.m; i++)
                    check_element(product, i, j);
        return;
    }
    std::mt19937_64 random(1);
    for (std::size_t count = 0; count < most; count++)
        check_element(random() % products, random() % problem.m, random() % problem.n);
    check_element(products - 1, problem.m - 1, problem.n - 1);
}

std::optional<Probe::Point> Probe::measure_point(const Variant& variant, const std::string& letters, std::size_t per_unit)
{
    const Tiling& tile = variant.tiling;
    const Probing probing = variant.family().probing();
    const auto sized = [&](std::size_t steps) {
        return call_of_tiles(variant, letters, per_unit * profile().compute_units, steps);
    };
    const auto time = [&](std::size_t steps) {
        Plan plan = plan_of(sized(steps), profile(), variant, {});
        if (probing.steps_before > 0) {
            run_candidate(ready_for(plan));
            plan.steps.erase(plan.steps.begin(), plan.steps.begin() + static_cast<std::ptrdiff_t>(probing.steps_before));
        }
        const ReadyPlan timed = ready_for(std::move(plan));
        return typical_ns(profile().type, [&] { run_candidate(timed); });
    };
    // The difference of two depths is free of what a call costs besides.
    std::size_t few_steps = probing.few_steps;
    while (!probing.in_blocks && few_steps > 1 &&
           !has_matrices_for(sized(4 * few_steps))) // steps of skinny kernels are deep
        few_steps /= 2;
    if (!has_matrices_for(sized(4 * few_steps)))
        return std::nullopt;
    double few_ns = time(few_steps);
    if (few_ns > longest_call_ns)
        return std::nullopt;
    std::size_t steps = 4 * few_steps;
    double ns = time(steps);
    const std::size_t least_depth = profile().type == DeviceType::cpu ? least_depth_on_cpu : least_depth_on_gpu;
    // So deep that the steps outweigh the noise.
    const auto is_deep_enough = [&] {
        return probing.in_few_steps ? ns > few_ns + enough_ns : ns > 3 * few_ns + 100e3 && steps * tile.k >= least_depth;
    };
    while (!is_deep_enough() && ns < longest_call_ns / 2 && steps < probing.most_steps) {
        const std::size_t deeper = std::min(2 * steps, probing.most_steps);
        if (!has_matrices_for(sized(deeper)))
            break;
        steps = deeper;
        ns = time(steps);
    }
    // If something else used the device meanwhile, the shallow calls may look longer than the deep ones, and a step as if it
    // took no time: such a kernel would be chosen for everything.
    few_ns = std::min(few_ns, time(few_steps));
    if (ns <= few_ns && few_steps < probing.few_steps) // there was no room for more steps: the curve ends here
        return std::nullopt;
    // (Where the kernel is made for a few steps, they are hardly any of what a call takes: they may drown in the noise.)
    constexpr std::size_t any_number = Probing{}.most_steps;
    if (ns <= few_ns && probing.most_steps == any_number)
        throw Unusable("too much noise to time it");
    const double step = std::max((ns - few_ns) / static_cast<double>(steps - few_steps), 0.01);
    const double load = outline_of(sized(steps), profile(), variant, {}).busiest_unit();
    return Point{load, step, std::max(few_ns - static_cast<double>(few_steps) * step, 1.0)};
}

std::optional<Probe::Point> Probe::point_within_memory(const Variant& variant, const std::string& letters,
                                                       std::size_t per_unit)
{
    try {
        return measure_point(variant, letters, per_unit);
    } catch (const Unavailable&) {
        return std::nullopt;
    }
}

Measurement Probe::measure(const Variant& measured, const std::string& letters)
{
    candidates_time_ = Budget(patience_seconds_);
    const Variant variant = with_device_features(measured, profile());
    const std::vector<std::string> kinds = kinds_to_check(letters);
    const std::string& timed_on = kinds.front();
    try {
        for (const std::string& kind : kinds)
            check(variant, kind);
    } catch (const Error& error) { // it does not build
        throw Unusable(error.what());
    }
    Measurement result{measured, letters, {}, 1, {}, usual_arithmetic(*measured.kernel)};
    const Probing probing = variant.family().probing();
    for (const std::size_t per_unit : probing.loads) {
        std::optional<Point> point;
        try {
            point = point_within_memory(variant, timed_on, per_unit);
        } catch (const TakesTooLong&) {
            if (result.step_ns.empty())
                throw;
        }
        if (!point)
            break; // the curve ends here
        if (!result.step_ns.empty() && point->load <= result.step_ns.back().first)
            continue; // the busiest unit has no more to do than before
        // More work never takes less time to start; where the steps take long, their noise says otherwise.
        const double start =
            result.start_ns.empty() ? point->start_ns : std::max(point->start_ns, result.start_ns.back().second);
        result.start_ns.emplace_back(point->load, start);
        result.step_ns.emplace_back(point->load, point->step_ns);
    }
    if (result.step_ns.empty())
        throw Unusable("too slow, or too large for the tuner's matrices");
    result.resident = probing.in_rounds ? resident_groups(result.step_ns) : result.step_ns.back().first;
    return result;
}

ReadyPlan Probe::scaling(const Problem& problem)
{
    PlanBuilder builder(profile());
    builder.add_scaling(problem);
    return ready_for(builder.finish());
}

double Probe::launch_ns()
{
    // Times launches of some size, as helper steps are, less what their bytes take. They come behind something that takes
    // longer than enqueuing them all, so that the device is timed, not the host. They have work for every unit, since on a
    // CPU most of what a launch takes is to wake the units.
    const std::size_t side = profile().type == DeviceType::cpu ? 256 : 512;
    constexpr int count = 10;
    const Problem p = problem_of({side, side, 1}, "NN", 1, 0.5f);
    const ReadyPlan plan = scaling(p);
    const std::size_t bytes = std::min(c_.getInfo<CL_MEM_SIZE>(), a_.getInfo<CL_MEM_SIZE>());
    const auto launches = [&](int launched) {
        return typical_ns(profile().type, [&] {
            if (profile().type != DeviceType::cpu) // there the host is the device
                queue_.enqueueCopyBuffer(a_, c_, 0, 0, bytes);
            for (int i = 0; i < launched; i++)
                enqueue(plan);
            queue_.finish();
        });
    };
    const double of_bytes = 2 * static_cast<double>(side * side * sizeof(float)) / bytes_per_ns();
    return std::max((launches(count + 1) - launches(1)) / count - of_bytes, 1.0);
}

double Probe::enqueue_ns()
{
    const Problem p = problem_of({1, 1, 1}, "NN", 1, 1);
    const ReadyPlan plan = scaling(p);
    constexpr int count = 50;
    const double begin = now_ns();
    for (int i = 0; i < count; i++)
        enqueue(plan);
    const double end = now_ns();
    queue_.finish();
    return (end - begin) / count;
}

double Probe::bytes_per_ns()
{
    const std::size_t bytes = std::min(c_.getInfo<CL_MEM_SIZE>(), a_.getInfo<CL_MEM_SIZE>());
    const double ns = typical_ns(profile().type, [&] {
        queue_.enqueueCopyBuffer(a_, c_, 0, 0, bytes);
        queue_.finish();
    });
    return 2 * static_cast<double>(bytes) / ns;
}

SideBySide Probe::side_by_side()
{
    return [this](const Problem& problem, const Selection& first, const Selection& second, double seconds) {
        const auto call = [&](const Selection& selection) -> Call {
            const Variant& variant = selection.variant;
            return [this, plan = ready_for(plan_of(problem, profile(), variant, selection.way, selection.blocks))] {
                run(plan);
            };
        };
        return typical_ns_of_two(profile().type, call(first), call(second), seconds);
    };
}

std::vector<double> Probe::times_in_turn(const std::vector<PlainCall>& calls)
{
    std::vector<double> result(calls.size(), 0);
    std::vector<std::size_t> timed;
    std::vector<Call> runs;
    std::vector<WholeCall> expected(calls.size());
    std::transform(calls.begin(), calls.end(), expected.begin(), [](const PlainCall& call) {
        return WholeCall{call.problem, {call.variant, {}}};
    });
    expect(expected);
    for (std::size_t i = 0; i < calls.size(); i++) {
        const auto& [variant, problem] = calls[i];
        if (!has_matrices_for(problem))
            continue;
        try {
            ReadyPlan plan = ready_for(plan_of(problem, profile(), variant, {}));
            run(plan);
            runs.emplace_back([this, plan = std::move(plan)] { run(plan); });
            timed.push_back(i);
        } catch (const std::exception&) {
            continue; // it was measured with another driver, say, and this one does not build it
        }
    }
    builders_.rest();
    const std::vector<double> times = typical_ns_in_turn(profile().type, runs);
    for (std::size_t i = 0; i < timed.size(); i++)
        result[timed[i]] = times[i];
    return result;
}

std::vector<Target> Probe::of_these_it_can_time(std::vector<Target> targets) const
{
    std::erase_if(targets, [&](const Target& target) { return !has_matrices_for(target.problem); });
    return targets;
}

} // namespace clgemm::tune
