// Batches of small products: one launch computes a whole batch. A work-group has several products at a time, which follow
// one another in the batch. A product may be as large as the elements of C that all work-items of a work-group have
// together.
#include "families/families.hpp"

#include "families/gpu_guess.hpp"
#include "families/multiplication.hpp"
#include "families/operands.hpp"
#include "support/whole_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace clgemm::core {
namespace {

// How much local memory a product takes, counted as in the kernel.
std::size_t area_of(std::size_t floats)
{
    return round_up(floats, 16) | 16;
}
std::size_t pitch_along_k(std::size_t depth)
{
    return round_up(depth, 8) + 4;
}
std::size_t room_for_stretch(std::size_t floats)
{
    return round_up(floats + 3 + 8, 16);
}

// Do this operand's matrices, of all products, lie in memory as one stretch without gaps?
bool is_a_stretch(const Matrix& matrix, const Batch& batch)
{
    return !batch.listed && matrix.lies_without_gaps();
}

// What a work-group does.
struct Work {
    std::size_t block_m = 0, block_n = 0; // of C
    std::size_t together = 1;             // products at a time
    std::size_t deep = 0;                 // the depth of a step along K
    bool in_one_step = false;             // K is one step, which has all of local memory instead of a half

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
        : problem_(problem), per_item_m_(p["WPTM"]), per_item_n_(p["WPTN"]), items_(p["ITEMS"]), floats_(p["FLOATS"])
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
        const Work in_steps = with_steps(result);
        const Work in_one = with_one_step(result);
        // Several steps hide the copies of all but the first one. One step is worth more than that if it has room for more
        // products at a time. If it copies a stretch, it is worth more even with fewer products, as long as they are more
        // than two thirds of those that several steps have room for. (If half of local memory holds all of K, there are no
        // several steps.)
        const std::size_t worth = copies_a_stretch(in_one) ? 3 * in_one.together : 2 * in_one.together;
        const bool is_better = in_steps.deep >= problem_.k || worth > 2 * in_steps.together;
        return in_one.in_one_step && is_better ? in_one : in_steps;
    }

    // Is the operand copied as one stretch? An aligned one is not: it is copied in vectors anyway, line by line, and its
    // lines then lie in local memory so that work-items read from different banks.
    static bool is_copied_as_a_stretch(const Matrix& operand, const Problem& problem, const Work& work)
    {
        return work.in_one_step && !operand.takes_vectors() && is_a_stretch(operand, problem.batch);
    }

private:
    static constexpr std::size_t least_depth = 4; // vectors along K
    static constexpr std::size_t enough_depth = 16;

    // While one step is multiplied the next one is on its way.
    Work with_steps(Work work) const
    {
        // Some work-items without an element of C are better than steps that wait for memory most of the time.
        while (work.together > 1 && !fits(work, std::min(round_up(problem_.k, least_depth), enough_depth)))
            work.together = divide_up(work.together, 2);
        // As few steps as possible, equally deep.
        const std::size_t of_a_k = work.together * (work.block_m + work.block_n);
        std::size_t depth = round_up(std::min(problem_.k, floats_ / 2 / of_a_k + 1), least_depth);
        while (depth > least_depth && !fits(work, depth))
            depth -= least_depth;
        work.deep = round_up(divide_up(problem_.k, divide_up(problem_.k, depth)), least_depth);
        return work;
    }

    // All of K at once, while other work-groups compute. If that does not fit, the result's `in_one_step` is false.
    Work with_one_step(Work work) const
    {
        work.deep = round_up(std::min(problem_.k, floats_ + 1), least_depth);
        work.in_one_step = work.deep <= floats_ && work.blocks(problem_) == 1;
        while (work.in_one_step && !fits(work, work.deep)) {
            work.in_one_step = work.together > 1;
            work.together = std::max<std::size_t>(work.together - 1, 1);
        }
        return work;
    }

    bool copies_a_stretch(const Work& work) const
    {
        return is_copied_as_a_stretch(problem_.a, problem_, work) || is_copied_as_a_stretch(problem_.b, problem_, work);
    }

    std::size_t tiles(const Work& work) const
    {
        return divide_up(work.block_m, per_item_m_) * divide_up(work.block_n, per_item_n_);
    }

    // Does local memory hold steps of that depth?
    bool fits(const Work& work, std::size_t depth) const
    {
        const auto floats = [&](const Matrix& operand, std::size_t side, std::size_t per_item, bool along_k) {
            const std::size_t lines = round_up(side, per_item);
            const std::size_t copies = operand.count_for(work.together);
            if (is_copied_as_a_stretch(operand, problem_, work))
                return room_for_stretch((copies - 1) * operand.distance + operand.ld * (along_k ? lines : depth));
            return copies * area_of(along_k ? lines * pitch_along_k(depth) : depth * round_up(lines, 4));
        };
        return floats(problem_.a, work.block_m, per_item_m_, problem_.a.transposed) +
                   floats(problem_.b, work.block_n, per_item_n_, !problem_.b.transposed) <=
               (work.in_one_step ? floats_ : floats_ / 2);
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

    // The tile has all elements of C that a work-group's items have, as if they were one product.
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

    // The kernel is made for products of which a work-group computes at least one as a whole.
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
        const auto units = static_cast<double>(device.compute_units);
        const double a = bytes_of(problem, problem.a), b = bytes_of(problem, problem.b), c = bytes_of(problem, problem.c);
        const double copies = copies_of(problem.a, a, problem, work) + copies_of(problem.b, b, problem, work);
        const double sectors = sectors_too_many(problem, work, variant.parameters);
        const std::size_t steps = divide_up(problem.k, variant.tiling.k);
        const auto groups = static_cast<double>(work.groups(problem));
        const double items = groups * static_cast<double>(variant.parameters["ITEMS"]);
        return {{{.bytes = a + b + c,
                  .load = {std::ceil(groups / units), steps},
                  .steps_more = (copies * as_instructions_for_a_copy + sectors * as_instructions_for_a_sector) / items /
                                    instructions_of_a_step(variant.parameters) +
                                (work.in_one_step ? 0 : of_each_of_several_steps * static_cast<double>(steps)),
                  .start_moves = true}}};
    }

    void plan(PlanBuilder& builder, const Problem& problem, const Variant& variant, const Way&) const override
    {
        const Work work = WorkOf(problem, variant.parameters).work();
        const SplitK whole{problem.k, 1, problem.c, 0};
        Step step = multiplication_step(
            variant, problem, whole,
            layout_options(problem.a, problem.b, vector_width(problem.a), vector_width(problem.b)) +
                flag("FOURS_M", stores_vectors(problem, work, variant.parameters)) +
                stretch_option("A", problem.a, problem, work) + stretch_option("B", problem.b, problem, work));
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
        // A work-item with more elements of C reads less of local memory for each multiply-add.
        Guess guess{40.0 * static_cast<double>(m + n)};
        // A work-item's sums and the operands of four k should take half of its registers. Where they took more, a compiler
        // kept them in memory (docs/notes/testing.md).
        guess.is_believed = m * n + 4 * (m + n) <= device.registers / 2;
        return guess;
    }
    // Most products take one step of local memory. Then work-groups wait for copies and stores, and hardly for each other.
    Probing probing() const override
    {
        static constexpr std::size_t loads[] = {1, 2, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128};
        return {.loads = loads, .in_rounds = false, .few_steps = 1, .in_few_steps = true};
    }

private:
    // Does a work-item have neighbouring rows of C, and store them as vectors? If A runs along K, what it reads of A then
    // lies four lines apart, so that more than two such work-items beside each other would meet bank conflicts.
    static bool stores_vectors(const Problem& problem, const Work& work, const Parameters& p)
    {
        return problem.c.aligned_to(4) && !WorkOf::is_copied_as_a_stretch(problem.a, problem, work) &&
               (!problem.a.transposed || divide_up(work.block_m, p["WPTM"]) <= 2);
    }

    static std::string stretch_option(const char* name, const Matrix& operand, const Problem& problem, const Work& work)
    {
        return WorkOf::is_copied_as_a_stretch(operand, problem, work) ? std::string(" -DSTRETCH_") + name + "=1" : "";
    }

    // What else holds work-groups up, in instructions of a work-item. Both were fitted to an H200's times for batches of
    // many shapes in several sizes of the kernel (docs/notes/kernels.md).
    static constexpr double as_instructions_for_a_copy = 40, as_instructions_for_a_sector = 150;
    // How much longer a step takes where local memory has to be filled several times.
    static constexpr double of_each_of_several_steps = 0.15;
    // A step is four of K.
    static double instructions_of_a_step(const Parameters& p)
    {
        const auto m = static_cast<double>(p["WPTM"]), n = static_cast<double>(p["WPTN"]);
        return 4 * m * n + 4 * (m + n) + 16;
    }

    // How many single floats are copied of an operand of so many bytes. (A stretch is copied in vectors.)
    static double copies_of(const Matrix& operand, double bytes, const Problem& problem, const Work& work)
    {
        const bool in_vectors = operand.takes_vectors() || WorkOf::is_copied_as_a_stretch(operand, problem, work);
        return in_vectors ? 0 : bytes / sizeof(float);
    }

    // How many more sectors are written than the products fill. Memory is written in sectors of eight floats. The work-items
    // of a product that store at one time have a run of neighbours. Where runs are short, or begin anywhere, they touch more
    // sectors. If columns are shorter than a sector and follow one another without a gap, the next column fills what is left
    // of it.
    static double sectors_too_many(const Problem& problem, const Work& work, const Parameters& p)
    {
        constexpr double sector = 8;
        const std::size_t run = divide_up(work.block_m, p["WPTM"]) *
                                (stores_vectors(problem, work, p) ? std::min<std::size_t>(p["WPTM"], 4) : 1);
        const auto m = static_cast<double>(problem.m), length = static_cast<double>(run);
        const double of_a_run = problem.c.aligned_to(8) ? std::max(length / sector, 1.0) : 1 + (length - 1) / sector;
        const double of_a_column = std::ceil(m / length) * of_a_run;
        const double shared = problem.c.ld == problem.m ? std::min(m / sector, 1.0) : 1;
        return static_cast<double>(problem.batch.count) * static_cast<double>(problem.n) *
               std::max(of_a_column - m / sector, 0.0) * shared;
    }
};

Parameters small_size(std::size_t per_item_m, std::size_t per_item_n, std::size_t items, std::size_t floats)
{
    return {{"WPTM", per_item_m}, {"WPTN", per_item_n}, {"ITEMS", items}, {"FLOATS", floats}};
}

} // namespace

// The first is the fastest for products of up to 8 x 8 on an H200. Larger tiles are for larger products. Sizes with less
// local memory are for products in between, since more work-groups fit (docs/notes/kernels.md). The last one is for devices
// that have 16 KiB.
std::vector<KernelInfo> small_batch_kernels()
{
    static const auto* const family = new SmallBatch;
    return {{.name = "small_batch",
             .idea = "batches of small products, several for a work-group",
             .family = family,
             .variants = {small_size(4, 2, 128, 9216), small_size(8, 4, 128, 9216), small_size(8, 8, 64, 6144),
                          small_size(4, 4, 128, 4608), small_size(2, 2, 64, 9216), small_size(4, 4, 64, 4096)}}};
}

} // namespace clgemm::core
