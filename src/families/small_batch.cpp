// Batches of small products: all of a batch in one launch. A work-group has several products at a time, one after the other
// of the batch, and each of them is as large as its work-items have elements for.
#include "families/families.hpp"

#include "families/gpu_guess.hpp"
#include "families/multiplication.hpp"
#include "families/operands.hpp"
#include "support/whole_numbers.hpp"

#include <algorithm>
#include <limits>

namespace clgemm::core {
namespace {

// The kernel counts in ways of its own what a product takes of local memory; these say the same.
std::size_t area_of(std::size_t floats)
{
    return round_up(floats, 16) | 16;
}
std::size_t pitch_along_k(std::size_t depth)
{
    return round_up(depth, 8) + 4;
}

// What a work-group does.
struct Work {
    std::size_t block_m = 0, block_n = 0; // of C
    std::size_t together = 1;             // products at a time
    std::size_t deep = 0;                 // steps along K

    std::size_t blocks(const Problem& problem) const
    {
        return saturating_product(divide_up(problem.m, block_m), divide_up(problem.n, block_n));
    }
    std::size_t groups(const Problem& problem) const
    {
        return saturating_product(divide_up(problem.batch.count, together), blocks(problem));
    }
};

class WorkOf {
public:
    WorkOf(const Problem& problem, const Parameters& p)
        : problem_(problem), per_item_m_(p["WPTM"]), per_item_n_(p["WPTN"]), items_(p["ITEMS"]), floats_(p["FLOATS"] / 2)
    {
    }

    Work work() const
    {
        Work result;
        result.block_m = std::min(problem_.m, items_ * per_item_m_);
        result.block_n = std::min(problem_.n, items_ * per_item_n_);
        while (tiles(result) > items_ || !fits(result, least_depth)) {
            std::size_t& longer = result.block_m >= result.block_n ? result.block_m : result.block_n;
            longer = round_up(longer / 2, 8); // so that blocks of aligned matrices are aligned
        }
        result.together = std::min(items_ / tiles(result), problem_.batch.count);
        // Rather some work-items without an element of C than steps that wait for memory most of the time.
        while (result.together > 1 && !fits(result, std::min(round_up(problem_.k, least_depth), enough_depth)))
            result.together = divide_up(result.together, 2);
        // As few steps as possible, equally deep.
        const std::size_t of_a_k = result.together * (result.block_m + result.block_n);
        std::size_t depth = round_up(std::min(problem_.k, floats_ / of_a_k + 1), least_depth);
        while (depth > least_depth && !fits(result, depth))
            depth -= least_depth;
        result.deep = round_up(divide_up(problem_.k, divide_up(problem_.k, depth)), least_depth);
        return result;
    }

private:
    static constexpr std::size_t least_depth = 4; // vectors along K
    static constexpr std::size_t enough_depth = 16;

    std::size_t tiles(const Work& work) const
    {
        return divide_up(work.block_m, per_item_m_) * divide_up(work.block_n, per_item_n_);
    }

    // Does local memory hold steps of that depth?
    bool fits(const Work& work, std::size_t depth) const
    {
        const auto floats = [&](std::size_t side, std::size_t per_item, bool along_k) {
            const std::size_t lines = round_up(side, per_item);
            return area_of(along_k ? lines * pitch_along_k(depth) : depth * round_up(lines, 4));
        };
        return work.together * (floats(work.block_m, per_item_m_, problem_.a.transposed) +
                                floats(work.block_n, per_item_n_, !problem_.b.transposed)) <=
               floats_;
    }

    const Problem& problem_;
    const std::size_t per_item_m_, per_item_n_, items_, floats_;
};

class SmallBatch : public Family {
public:
    bool is_valid(const Parameters& p) const override
    {
        const auto is_side = [](std::size_t side) { return is_power_of_2(side) && side <= 8; };
        const std::size_t items = p["ITEMS"], floats = p["FLOATS"];
        return is_side(p["WPTM"]) && is_side(p["WPTN"]) && is_power_of_2(items) && items >= 32 && items <= 1024 &&
               items * p["WPTM"] * p["WPTN"] >= 64 && floats % 32 == 0 && floats >= 1024 && floats <= 65536;
    }

    // The elements of C that a work-group's items have, as one product.
    Tiling tiling(const Parameters& p) const override
    {
        std::size_t rows = 1;
        while (rows * rows < p["ITEMS"])
            rows *= 2;
        return {rows * p["WPTM"], p["ITEMS"] / rows * p["WPTN"], 4, p["ITEMS"], 1, p["FLOATS"] * sizeof(float)};
    }

    void add_device_features(const DeviceProfile& device, Parameters& parameters) const override
    {
        parameters.add("ASYNC", device.instructions.has(Instructions::nvidia_async_copy) ? 1 : 0);
    }

    Arithmetic computes(const Arithmetic& asked) const override { return fp32_in_any_order(asked); }

    Answer takes(const Problem& problem, const Variant&, const DeviceProfile&) const override
    {
        return takes_in_one_sum(problem);
    }

    // Products of which a work-group has at least one as a whole.
    std::vector<Way> ways(const Problem& problem, const DeviceProfile&, const Variant& variant) const override
    {
        constexpr std::size_t longest = 64;
        if (problem.batch.count <= 1 || problem.m > longest || problem.n > longest)
            return {};
        const Work work = WorkOf(problem, variant.parameters).work();
        return work.blocks(problem) == 1 ? std::vector<Way>{Way{}} : std::vector<Way>{};
    }

    std::size_t products_at_once(const Way&) const override { return std::numeric_limits<std::size_t>::max(); }
    std::size_t listed_products_at_once() const override { return std::numeric_limits<std::size_t>::max(); }

    Outline outline(const Problem& problem, const DeviceProfile& device, const Variant& variant, const Way&) const override
    {
        const Work work = WorkOf(problem, variant.parameters).work();
        Outline::Launch launch{bytes_of(problem, problem.a) + bytes_of(problem, problem.b) + bytes_of(problem, problem.c),
                               0,
                               {static_cast<double>(divide_up(work.groups(problem), device.compute_units)),
                                divide_up(problem.k, variant.tiling.k)}};
        launch.steps_lost = stages_more_than_measured(problem, work, variant) * steps_of_waiting(variant.parameters);
        return {{launch}};
    }

    void plan(PlanBuilder& builder, const Problem& problem, const Variant& variant, const Way&) const override
    {
        const Work work = WorkOf(problem, variant.parameters).work();
        const SplitK whole{problem.k, 1, problem.c, 0};
        Step step =
            multiplication_step(variant, problem, whole,
                                layout_options(problem.a, problem.b, problem.a.takes_vectors(), problem.b.takes_vectors()) +
                                    " -DWIDE_C=" + std::to_string(problem.c.aligned_to(4)));
        step.groups = {divide_up(problem.batch.count, work.together), divide_up(problem.m, work.block_m),
                       divide_up(problem.n, work.block_n)};
        step.arguments = ArgumentBytes(kernel_arguments::SmallProducts{
            multiplication(problem, whole), problem.batch.count, problem.a.distance, problem.b.distance, problem.c.distance,
            work.together, work.block_m, work.block_n, work.deep});
        builder.add(std::move(step));
    }

    // Operands are copied as they lie, wherever that is.
    bool takes_operands_alike() const override { return true; }
    std::string measured_operands(const Problem&, const Way&) const override { return ""; }

    std::optional<Guess> guess(const Variant& variant, const DeviceProfile& device) const override
    {
        if (device.type == DeviceType::cpu)
            return std::nullopt;
        const std::size_t m = variant.parameters["WPTM"], n = variant.parameters["WPTN"];
        // What a work-item reads of local memory for each product falls with its elements.
        Guess guess{40.0 * static_cast<double>(m + n)};
        // Its sums and the operands of four k should take half of its registers. Where they took more, a compiler kept them
        // in memory (docs/notes/testing.md).
        guess.is_believed = m * n + 4 * (m + n) <= device.registers / 2;
        return guess;
    }
    Probing probing() const override { return {gpu_loads}; }

private:
    // It was measured with products as large as its tile, which fill local memory less for each k than many narrow ones do.
    static double stages_more_than_measured(const Problem& problem, const Work& work, const Variant& variant)
    {
        Problem measured = problem;
        measured.m = variant.tiling.m;
        measured.n = variant.tiling.n;
        measured.batch.count = 1;
        const auto stages = [&](std::size_t deep) { return static_cast<double>(divide_up(problem.k, deep)); };
        return std::max(stages(work.deep) - stages(WorkOf(measured, variant.parameters).work().deep), 0.0);
    }

    // A stage's copies are waited for as long as a work-item takes for 512 multiply-adds (2 us on an H100); a step has four
    // for each of its elements.
    static double steps_of_waiting(const Parameters& p) { return 128 / static_cast<double>(p["WPTM"] * p["WPTN"]); }
};

Parameters small_size(std::size_t per_item_m, std::size_t per_item_n, std::size_t items, std::size_t floats)
{
    return {{"WPTM", per_item_m}, {"WPTN", per_item_n}, {"ITEMS", items}, {"FLOATS", floats}};
}

} // namespace

// On an H200 memory limits them all up to 16 x 16: there the first is the fastest. Then the next ones are, for their larger
// tiles. The last one is for devices with less local memory.
std::vector<KernelInfo> small_batch_kernels()
{
    static const auto* const family = new SmallBatch;
    return {{.name = "small_batch",
             .idea = "batches of small products, several for a work-group",
             .family = family,
             .variants = {small_size(4, 2, 128, 9216), small_size(8, 4, 128, 9216), small_size(8, 8, 64, 9216),
                          small_size(4, 4, 128, 9216), small_size(2, 2, 64, 9216), small_size(4, 4, 64, 4096)}}};
}

} // namespace clgemm::core
