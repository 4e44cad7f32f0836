// Runs every kernel and every helper on small problems that are ragged around its tiles, and on batches of such, and checks
// the results: for Oclgrind to look at meanwhile. It interprets each work-item, so of the kernels' sizes the large ones are
// left out.
//   kernels_process          each kernel in its smallest size, or a smaller one
//   kernels_process sizes    in its others
//   kernels_process KERNEL   that kernel alone, in its smallest size
#include "engine/device_state.hpp"
#include "engine/request.hpp"
#include "families/registry.hpp"
#include "plan/plan_builder.hpp"
#include "select/plan_of.hpp"
#include "support/case_on_device.hpp"
#include "support/copy_forms.hpp"
#include "support/list_on_device.hpp"
#include "support/with_selection.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string_view>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

constexpr clgemm_transpose either_transpose[] = {CLGEMM_NO_TRANS, CLGEMM_TRANS};

// A's and B's. The second pair has all that the first one has not, and the others may have no program of their own.
constexpr std::pair<clgemm_transpose, clgemm_transpose> transposes[] = {{CLGEMM_NO_TRANS, CLGEMM_NO_TRANS},
                                                                        {CLGEMM_TRANS, CLGEMM_TRANS},
                                                                        {CLGEMM_NO_TRANS, CLGEMM_TRANS},
                                                                        {CLGEMM_TRANS, CLGEMM_NO_TRANS}};

std::size_t products_of(const Variant& variant)
{
    const Tiling& tile = variant.tiling;
    return tile.m * tile.n * tile.k;
}

// The kernel's sizes that run here and are not too large; the smallest one is never too large.
std::vector<Selection> selections_of(const KernelInfo& kernel)
{
    constexpr std::size_t most_products = std::size_t{32} * 32 * 16;
    std::vector<Selection> result;
    for (const auto& parameters : kernel.variants)
        if (Selection one = tested(kernel, parameters); runs(one.variant, test_profile()))
            result.push_back(std::move(one));
    std::sort(result.begin(), result.end(),
              [](const Selection& x, const Selection& y) { return products_of(x.variant) < products_of(y.variant); });
    while (result.size() > 1 && products_of(result.back().variant) > most_products)
        result.pop_back();
    return result;
}

// Kernels 6 to 10 with tiles that are smaller than those of the registry, and kernel 13 with steps that are less deep: the
// program is the same but for the lengths of its loops, and half or a quarter of the products takes as much less time. Of
// kernels 6 to 10, 16 work-items are left, which share the tile's elements as many do. Kernel 13 has four slices, whose sums
// are added in two turns.
Selection with_small_tiles(const Selection& smallest)
{
    const KernelInfo& kernel = *smallest.variant.kernel;
    constexpr std::string_view with_large_ones[] = {"06_register_blocking", "07_wide_loads", "08_device_specific",
                                                    "09_prefetch", "10_incomplete_tiles"};
    Parameters small = kernel.variants.front(); // its names, without those of the device's features
    for (const auto& [name, value] : kernel.variants.front().values())
        small = small.with(name, smallest.variant.parameters[name]);
    if (kernel.name == "13_warp_tiled")
        small = small.with("TSK", 16).with("SLICES", 4);
    else if (std::find(std::begin(with_large_ones), std::end(with_large_ones), kernel.name) != std::end(with_large_ones))
        small = small.with("TSM", 4 * small["WPTM"]).with("TSN", 4 * small["WPTN"]);
    else
        return smallest;
    if (!kernel.family->is_valid(small)) {
        std::printf("kernel %s cannot have smaller tiles any more\n", kernel.name.data());
        std::exit(1);
    }
    return tested(kernel, small);
}

// Kernel 13, of which some things are looked at that no other kernel does.
Selection small_kernel_13()
{
    return with_small_tiles(selections_of(*find_kernel("13_warp_tiled")).front());
}

SgemmCase lying(clgemm_transpose trans_a, clgemm_transpose trans_b, bool aligned)
{
    SgemmCase x;
    x.trans_a = trans_a;
    x.trans_b = trans_b;
    x.alpha = 1.5f;
    x.beta = aligned ? 0.0f : 0.5f;
    if (!aligned) {
        x.gaps = {1, 3, 5};
        x.offsets = {1, 3, 7};
    }
    return x;
}

// From odd places on, but without gaps.
SgemmCase packed(clgemm_transpose trans_a, clgemm_transpose trans_b)
{
    SgemmCase x = lying(trans_a, trans_b, false);
    x.gaps = {};
    return x;
}

SgemmCase sized(SgemmCase x, std::size_t m, std::size_t n, std::size_t k)
{
    x.m = m;
    x.n = n;
    x.k = k;
    return x;
}

// The multiplication, whose buffers are never released. For where Oclgrind 21.10 puts a new buffer in an old one's place, it
// goes on with what it knew of the old one: where that was smaller, it calls everything beyond its end uninitialised, and
// where the host had written it, it misses what the new one really lacks. A workspace is such a buffer, since the host never
// writes it.
Multiply in_new_buffers(const Selection& selection, const DeviceProfile& planned_for = test_profile())
{
    return [multiply = with_selection(selection, planned_for)](const SgemmCase& x, const Operands& operands, cl_mem a,
                                                               cl_mem b, cl_mem c) {
        for (const cl_mem one : {a, b, c})
            clRetainMemObject(one);
        return multiply(x, operands, a, b, c);
    };
}

bool all_right = true;
std::size_t multiplications = 0;
std::set<const KernelSource*> launched;
std::set<std::pair<const KernelSource*, std::string>> launched_programs;
// Of what programs are told, what they are not told for most single products; and what of it was launched.
constexpr std::string_view special_options[] = {"-DBATCH=1",  "-DSTRETCH_A=1",   "-DSTRETCH_B=1",
                                                "-DLISTED=1", "-DREPRODUCIBLE=", "-DRAGGED_M=1"};
std::set<std::string_view> launched_options;

void note(const Plan& plan)
{
    for (const Step& step : plan.steps) {
        launched.insert(step.source);
        launched_programs.emplace(step.source, step.options);
        for (const std::string_view option : special_options)
            if (step.options.find(option) != std::string::npos)
                launched_options.insert(option);
    }
}

void expect_right(const Selection& selection, const testing::AssertionResult& result)
{
    multiplications++;
    if (!result) {
        std::printf("kernel %s, %s: %s\n", selection.variant.kernel->name.data(),
                    selection.variant.parameters.text().c_str(), result.message());
        all_right = false;
    }
}

void expect_right(const SgemmCase& x, const Selection& selection, const Way& way = {})
{
    Selection one = selection;
    one.way = way;
    note(plan_of(problem_of(x, Operands(x)), test_profile(), one.variant, way));
    expect_right(one, is_right(x, in_new_buffers(one)));
}

bool needs_another_program(const SgemmCase& x, const Selection& one)
{
    const Plan plan = plan_of(problem_of(x, Operands(x)), test_profile(), one.variant, {});
    return std::any_of(plan.steps.begin(), plan.steps.end(), [](const Step& step) {
        return !launched_programs.contains({step.source, step.options});
    });
}

// By the first one that takes it: not every kernel and every size keeps the order of reproducible results.
void expect_right_if_taken(const SgemmCase& x, const std::vector<Selection>& selections, const Way& way = {})
{
    const Problem problem = problem_of(x, Operands(x));
    const auto taker = std::find_if(selections.begin(), selections.end(), [&](const Selection& one) {
        return static_cast<bool>(takes(problem, one.variant, test_profile()));
    });
    if (taker != selections.end())
        expect_right(x, *taker, way);
}

// Products behind one another without gaps, from odd places on; or all of them aligned.
BatchedCase batch_of(clgemm_transpose trans_a, clgemm_transpose trans_b, std::size_t m, std::size_t n, std::size_t k,
                     std::size_t count, bool aligned = false)
{
    BatchedCase x;
    x.trans_a = trans_a;
    x.trans_b = trans_b;
    x.m = m;
    x.n = n;
    x.k = k;
    x.count = count;
    x.alpha = 1.5f;
    x.beta = aligned ? 0.0f : 0.5f;
    if (!aligned)
        x.offset = {1, 3, 7};
    for (const Which which : every_matrix) {
        x.ld[which] = x.run_length(which);
        x.distance[which] = x.run_length(which) * x.runs(which);
    }
    return x;
}

void multiply(const Problem& problem, const Selection& selection, const BatchOnDevice& batch, const cl::Buffer& list = {})
{
    const auto& test = test_device();
    const auto state = device_state(test.context(), test.device());
    Buffers buffers{batch.buffer[A](), batch.buffer[B](), batch.buffer[C]()};
    buffers.list = list();
    for (const cl_mem one : {buffers.a, buffers.b, buffers.c, buffers.list}) // as in_new_buffers() does
        if (one)
            clRetainMemObject(one);
    Plan plan = plan_of(problem, test_profile(), selection.variant, {});
    note(plan);
    execute(ready(std::move(plan), state->programs), state->workspaces, buffers, {test.in_order, true});
    test.in_order.finish();
}

void expect_right(const BatchedCase& x, const Selection& selection)
{
    const BatchOnDevice batch(x);
    multiply(make_problem(arguments_of(x)), selection, batch);
    expect_right(selection, batch.is_right());
}

// The same products, but by a list in the device's memory, in another order. Their factors are their own, and some are 0.
void expect_right_by_list(const BatchedCase& x, const Selection& selection)
{
    std::mt19937 random(3);
    const ListOnDevice list(x, random, true);
    std::vector<clgemm_product> products = list.products();
    const cl::Buffer in_buffer(test_device().context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                               products.size() * sizeof(clgemm_product), products.data());
    auto arguments = arguments_on_host(x);
    arguments.alpha = arguments.beta = 1;
    arguments.batch.listed = true;
    multiply(make_problem(of_a_list(arguments, {})), selection, list.batch, in_buffer);
    expect_right(selection, list.is_right());
}

void run_batches(const Selection& selection)
{
    constexpr std::size_t m = 7, n = 5, k = 9, count = 3;
    const Family& family = selection.variant.family();
    if (family.products_at_once({}) > 1)
        for (const auto trans : either_transpose)
            expect_right(batch_of(trans, trans, m, n, k, count), selection);
    if (family.listed_products_at_once() > 0)
        expect_right_by_list(batch_of(CLGEMM_NO_TRANS, CLGEMM_TRANS, m, n, k, count), selection);
}

// What work-groups do that have several products: seven in two work-groups, the last of which has fewer, in stretches and by
// a list; and several steps along K.
void run_small_batches(const Selection& smallest)
{
    for (const auto trans : either_transpose) {
        const BatchedCase x = batch_of(trans, trans, 13, 11, 9, 7);
        const Problem problem = make_problem(arguments_of(x));
        if (plan_of(problem, test_profile(), smallest.variant, {}).steps.front().groups[0] != 2) {
            std::printf("small_batch no longer has two work-groups for seven products of 13 x 11\n");
            all_right = false;
        }
        expect_right(x, smallest);
        expect_right_by_list(x, smallest);
    }
    expect_right(batch_of(CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 8, 4, 160, 6, true), smallest);
}

// On operands that lie in every way, and in every way that it can compute them.
void run_smallest(const KernelInfo& kernel)
{
    const std::vector<Selection> selections = selections_of(kernel);
    if (selections.empty()) {
        std::printf("kernel %s does not run here\n", kernel.name.data());
        return;
    }
    const Selection smallest = with_small_tiles(selections.front());
    const Tiling& tile = smallest.variant.tiling;
    const Abilities can = abilities_of(kernel);
    for (const auto& [trans_a, trans_b] : transposes) {
        // A's rows depend on A's transpose alone, and B's columns on B's: they are ragged once for each.
        const bool alike = trans_a == trans_b;
        const std::size_t more = alike ? 1 : 0;
        for (const SgemmCase& x : {sized(lying(trans_a, trans_b, false), tile.m + more, tile.n + more, tile.k + 1),
                                   sized(lying(trans_a, trans_b, true), tile.m, tile.n, 2 * tile.k)})
            if (alike || needs_another_program(x, smallest))
                expect_right(x, smallest);
    }
    expect_right(sized(packed(CLGEMM_TRANS, CLGEMM_TRANS), 7, 5, 9), smallest);
    const SgemmCase deep = sized(lying(CLGEMM_TRANS, CLGEMM_NO_TRANS, false), tile.m, tile.n, 2 * tile.k - 1);
    if (can.splits_k)
        expect_right(deep, smallest, {.split_k = 2});
    if (can.copies)
        expect_right(deep, smallest, {.form = copy_of_both});
    if (can.transposes)
        expect_right(exchanged(deep), smallest, {.transposed = true});
    run_batches(smallest);
    if (kernel.name == "small_batch")
        run_small_batches(smallest);
    SgemmCase in_order = deep;
    in_order.math = CLGEMM_MATH_REPRODUCIBLE;
    expect_right_if_taken(in_order, selections);
}

// And the first as the registry has it where run_smallest() takes smaller tiles.
void run_others(const KernelInfo& kernel)
{
    const std::vector<Selection> selections = selections_of(kernel);
    for (std::size_t i = 0; i < selections.size(); i++) {
        if (i == 0 && with_small_tiles(selections[i]).variant == selections[i].variant)
            continue;
        const Tiling& its = selections[i].variant.tiling;
        expect_right(sized(lying(CLGEMM_NO_TRANS, CLGEMM_TRANS, false), its.m + 1, its.n, its.k + 1), selections[i]);
    }
}

// Blocks of K side by side, whose sums are added in their order.
void run_blocks_of_k()
{
    SgemmCase x = sized(lying(CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, false), 3, 2, 600);
    x.math = CLGEMM_MATH_REPRODUCIBLE;
    expect_right_if_taken(x, selections_of(*find_kernel("cpu_vector")), {.split_k = 2});
}

// Blocks of K one after the other, whose sums are added to C in vectors while the next block is on its way.
void run_blocks_in_turn()
{
    SgemmCase x = sized(lying(CLGEMM_TRANS, CLGEMM_NO_TRANS, false), 36, 17, 544);
    x.math = CLGEMM_MATH_REPRODUCIBLE;
    x.beta = 0.5f;
    const Selection smallest = small_kernel_13();
    note(plan_of(problem_of(x, Operands(x)), test_profile(), smallest.variant, smallest.way));
    expect_right(smallest, is_right(x, in_new_buffers(smallest)));
}

// Parts of K are added by one helper on CPUs, and by another one elsewhere.
void run_parts_of_k()
{
    Selection selection = small_kernel_13();
    selection.way.split_k = 3;
    for (const DeviceType type : {DeviceType::cpu, DeviceType::gpu}) {
        const DeviceProfile device = test_profile_as(type);
        const SgemmCase x = sized(lying(CLGEMM_TRANS, CLGEMM_NO_TRANS, false), 37, 5, 100);
        note(plan_of(problem_of(x, Operands(x)), device, selection.variant, selection.way));
        expect_right(selection, is_right(x, in_new_buffers(selection, device)));
    }
}

// Tiles of GPUs that begin behind what is loaded of A, which is in single floats and in pairs.
void run_shifted_tiles()
{
    Selection selection = small_kernel_13();
    selection.way.split_k = 3;
    selection.variant.parameters = selection.variant.parameters.with("STAGED", 1);
    for (const std::size_t more : {5U, 6U}) {
        const SgemmCase x = sized(lying(CLGEMM_NO_TRANS, CLGEMM_TRANS, false), selection.variant.tiling.m + more, 5, 70);
        note(plan_of(problem_of(x, Operands(x)), test_profile(), selection.variant, selection.way));
        expect_right(selection, is_right(x, in_new_buffers(selection)));
    }
}

// C = beta * C, by no kernel of the registry.
void run_scale()
{
    PlanBuilder builder(test_profile());
    SgemmCase x = sized(lying(CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, false), 37, 19, 5);
    x.alpha = 0;
    const Selection any = selections_of(last_resort()).front();
    if (!is_right(x, in_new_buffers(any)))
        all_right = false;
    builder.add_scaling(problem_of(x, Operands(x)));
    launched.insert(builder.finish().steps.front().source);
}

// The steps before the multiplication of a kernel that does not run here: their results are for other tests, which compare
// each bit.
void run_steps_before(const KernelInfo& kernel)
{
    const auto& test = test_device();
    for (const auto trans_a : either_transpose)
        for (const auto trans_b : either_transpose) {
            const CaseOnDevice on_device(sized(lying(trans_a, trans_b, false), 130, 7, 33));
            const Problem problem = problem_of(on_device.x, on_device.before);
            Plan plan = plan_of(problem, test_profile(), tested(kernel, kernel.variants.front()).variant, {});
            plan.steps.pop_back();
            const auto state = device_state(test.context(), test.device());
            execute(ready(plan, state->programs), state->workspaces, {on_device.a(), on_device.b(), on_device.c()},
                    {test.in_order, true});
            test.in_order.finish();
            for (const Step& step : plan.steps)
                launched.insert(step.source);
        }
}

// It asks the processor by assembly, which a simulator does not have.
bool is_for_processors_alone(const KernelSource& source)
{
    return source.name == "permit_tiles";
}

} // namespace

int main(int count, char** arguments)
{
    const std::string_view what = count > 1 ? arguments[1] : "";
    if (what == "sizes") {
        for (const auto& kernel : kernels())
            run_others(kernel);
        std::printf("%zu multiplications\n", multiplications);
        return all_right && multiplications > 0 ? 0 : 1;
    }
    if (!what.empty()) {
        run_smallest(*find_kernel(what));
        return all_right ? 0 : 1;
    }
    for (const auto& kernel : kernels())
        run_smallest(kernel);
    run_blocks_of_k();
    run_blocks_in_turn();
    run_parts_of_k();
    run_shifted_tiles();
    run_scale();
    for (const char* const name : {"14", "tensor_tf32", "tensor_fast"}) // by bf16 pieces, by one fp16 number, and by two
        run_steps_before(*find_kernel(name));
    for (const auto& source : kernel_sources())
        if (const KernelInfo* kernel = find_kernel(source.name);
            !launched.contains(&source) && !is_for_processors_alone(source) &&
            (!kernel || test_profile().instructions.has(kernel->instructions))) {
            std::printf("%s was not launched\n", source.name.data());
            all_right = false;
        }
    for (const std::string_view option : special_options)
        if (!launched_options.contains(option)) {
            std::printf("no program with %s was launched\n", option.data());
            all_right = false;
        }
    std::printf("%zu multiplications, %zu sources\n", multiplications, launched.size());
    return all_right ? 0 : 1;
}
