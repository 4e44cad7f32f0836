#include "families/image_family.hpp"

#include "families/gpu_guess.hpp"
#include "families/making.hpp"
#include "families/operands.hpp"
#include "families/read_once.hpp"
#include "support/whole_numbers.hpp"

#include <algorithm>

namespace clgemm::core {
namespace {

// What one work-group of kernels/split.cl or kernels/largest.cl takes, and how many work-items it has.
constexpr std::size_t split_rows = 128, split_depth = 32, largest_rows = 32, items = 256;

// How deep a stretch of K is in which `largest` finds the largest magnitudes: deeper where `split` would have many stretches
// to compare.
std::size_t depth_of_stretch(std::size_t k)
{
    constexpr std::size_t least = 128, most_stretches = 16;
    return std::max(least, round_up(divide_up(k, most_stretches), split_depth));
}

// The place of an image as `split` makes it.
PieceImage place_image(const PieceForm& form, const Matrix& operand, std::size_t rows, std::size_t k, std::size_t tile,
                       WorkspaceLayout& workspace)
{
    const std::size_t image_rows = round_up(rows, tile), depths = divide_up(k, split_depth);
    const std::size_t bytes = form.count * sizeof(std::uint16_t);
    const Matrix image =
        workspace.place_for(operand, image_rows, saturating_product(depths, split_depth * bytes / sizeof(float)));
    const Matrix ranges = workspace.place_for(operand, divide_up(image_rows, split_rows), depths);
    PieceImage result{
        {image.offset, image_rows, ranges.offset, 0}, image.memory, image.siblings.distance, ranges.siblings.distance};
    if (form.is_fp16)
        result.image.roots = workspace.place_for(operand, image_rows, 1 + divide_up(k, depth_of_stretch(k))).offset;
    return result;
}

// B's image lies first, since all blocks of C that lie below one another use it. The last one of these may need less room
// for A's image.
PieceImages place_images(const PieceForm& form, const Problem& problem, const Tiling& tiling, WorkspaceLayout& workspace)
{
    const auto b = place_image(form, problem.b, problem.n, problem.k, tiling.n, workspace);
    return {place_image(form, problem.a, problem.m, problem.k, tiling.m, workspace), b};
}

// A prepared operand keeps an image only if a single step makes it. An image of fp16 pieces takes two steps, so each call
// makes its own.
Problem with_images_to_keep(const PieceForm& form, Problem problem)
{
    if (form.is_fp16)
        problem.a.prepared = problem.b.prepared = false;
    return problem;
}

// How long `largest` takes, as the bytes that memory could move in that time: twice as many as it reads. With these the
// estimates are as good as those of kernel 14 (docs/notes/kernels.md).
double bytes_of_finding_the_largest(double floats)
{
    return 2 * floats;
}

// An image that this call writes is mostly in the cache when it is multiplied. One that is kept comes from memory, in pieces
// of half a float's length.
void add_kept_images(Outline& outline, const PieceForm& form, const Problem& problem, const Tiling& tiling)
{
    const double length = static_cast<double>(form.count) / 2;
    const double a = problem.a.prepared ? length * bytes_of(problem.a) : 0;
    const double b = problem.b.prepared ? length * bytes_of(problem.b) : 0;
    for (Outline::Launch& launch : outline.launches)
        if (launch.load.steps > 0)
            launch.bytes += (a + b) * (1 - 1 / length); // the floats' own length is counted already
    wait_for_what_is_read_once(outline, (problem.n <= tiling.n ? a : 0) + (problem.m <= tiling.m ? b : 0), a + b);
}

// How long storing an unaligned tile takes, in so much more of K. A warp stores 32 rows at a time, so it takes longer where
// a tile, or half of one, is no multiple of 32 rows. Fewer pieces have fewer products, so that more of K is multiplied
// meanwhile. (docs/notes/tuning.md)
double storing_by_floats(const PieceForm& form, const Tiling& tiling)
{
    constexpr double products_of_three_pieces = 6;
    const std::size_t rows = tiling.m > 128 ? tiling.m / 2 : tiling.m;
    const double products = static_cast<double>(form.count * (form.count + 1)) / 2;
    return (rows % 32 == 0 ? 12 : 20) * products_of_three_pieces / products;
}

// `splits`: the step is `split`. Otherwise it is `largest`, which runs before `split` and finds the magnitudes that the
// scales of fp16 pieces follow from.
Step making_step(bool splits, const PieceForm& form, const Problem& problem, const PieceImages& images, const Made& made,
                 const DeviceProfile& device)
{
    const char* const helper = splits ? "split" : "largest";
    const std::size_t rows = splits ? split_rows : largest_rows, stretch = depth_of_stretch(problem.k);
    const kernel_arguments::Splitting arguments =
        splitting(problem, images, made, divide_up(images.a.image.rows, rows), divide_up(images.b.image.rows, rows),
                  form.is_fp16 ? stretch : 0);
    Step step;
    step.purpose = std::string(splits ? "split " : "find the largest of ") + made.names();
    step.source = &kernel_source(helper);
    step.function = helper;
    if (form.is_fp16 && splits)
        step.options = std::string("-DFP16 -DFP16_INSTRUCTIONS=") + (device.nvidia_ptx ? "1" : "0") +
                       " -DPIECES=" + std::to_string(form.count);
    step.groups = {arguments.groups * divide_up(problem.k, splits ? split_depth : stretch), 1, 1};
    step.group_size = {items, 1};
    step.buffers = buffers_of_making(problem, made, (made.a ? images.a : images.b).memory);
    step.arguments = ArgumentBytes(arguments);
    return step;
}

void add_making_of_images(PlanBuilder& builder, const PieceForm& form, const Problem& problem, const PieceImages& images)
{
    const bool has_b = builder.b_is_as_before() && !problem.b.prepared;
    for (const bool splits : {false, true}) {
        if (!splits && !form.is_fp16)
            continue;
        const auto step_of = [&](const Made& made) {
            return making_step(splits, form, problem, images, made, builder.device());
        };
        if (has_b)
            builder.add_making(problem.a, step_of({true, false}));
        else
            add_making(builder, problem, step_of);
    }
}

} // namespace

std::vector<Way> ImageFamily::ways(const Problem& problem, const DeviceProfile&, const Variant& variant) const
{
    std::vector<Way> result;
    add_split_k_ways(result, {}, problem, variant.tiling);
    return result;
}

Outline ImageFamily::outline(const Problem& callers, const DeviceProfile& device, const Variant& variant,
                             const Way& way) const
{
    const Problem problem = with_images_to_keep(form_, callers);
    WorkspaceLayout workspace;
    place_images(form_, problem, variant.tiling, workspace);
    const SplitK parts = split_k(problem, way.split_k, variant.tiling.k, workspace);
    Outline result;
    result.workspace_bytes = workspace.bytes();
    double floats = 0, filled_up = 0; // bytes that are read, and these with the rows that fill up the last tiles of images
    const auto count = [&](const Matrix& operand, std::size_t rows, std::size_t tile) {
        if (operand.prepared)
            return;
        floats += bytes_of(operand);
        filled_up += bytes_of(operand) * static_cast<double>(round_up(rows, tile)) / static_cast<double>(rows);
    };
    count(problem.a, problem.m, variant.tiling.m);
    count(problem.b, problem.n, variant.tiling.n);
    if (floats > 0) {
        if (form_.is_fp16)
            result.launches.push_back({bytes_of_finding_the_largest(floats)});
        result.launches.push_back({floats + static_cast<double>(form_.count) / 2 * filled_up}); // pieces of half the length
    }
    add_multiplication(result, problem, parts, load_of_tiles(problem, device, variant.tiling, parts));
    add_kept_images(result, form_, problem, variant.tiling);
    count_storing_by_floats(result, problem, way, variant.tiling, storing_by_floats(form_, variant.tiling));
    return result;
}

void ImageFamily::plan(PlanBuilder& builder, const Problem& callers, const Variant& variant, const Way& way) const
{
    const Problem problem = with_images_to_keep(form_, callers);
    const PieceImages images = place_images(form_, problem, variant.tiling, builder.workspace);
    const SplitK split = split_k(problem, way.split_k, variant.tiling.k, builder.workspace);
    add_making_of_images(builder, form_, problem, images);
    Step step = multiplication_step(variant, problem, split, "");
    step.buffers.insert(step.buffers.end(), {images.a.memory, images.b.memory});
    step.arguments =
        ArgumentBytes(kernel_arguments::ImageMultiplication{multiplication(problem, split), images.a.image, images.b.image});
    builder.add(std::move(step));
    add_sum_of_parts(builder, problem, split);
}

std::string ImageFamily::measured_operands(const Problem& problem, const Way&) const
{
    return both_unaligned_if_one(operand_letters(problem));
}

Probing ImageFamily::probing() const
{
    return {.loads = gpu_loads, .steps_before = form_.is_fp16 ? std::size_t{2} : 1};
}

std::size_t ImageFamily::step_of(std::string_view parameter, const Parameters&) const
{
    return parameter == "STAGES" ? 1 : 0;
}

} // namespace clgemm::core
