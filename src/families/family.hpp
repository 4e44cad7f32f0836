// A family of kernels: all that are planned alike, as one value. This is the contract between a family and the rest of the
// library. Selection, the cost model, the planner and the tuner ask a family these questions and know nothing else about it.
//
// Every answer is a pure function of the arguments.
#pragma once

#include "device/profile.hpp"
#include "families/parameters.hpp"
#include "plan/plan_builder.hpp"
#include "problem/problem.hpp"
#include "support/answer.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace clgemm::core {

class Family;

// What one work-group does. (In kernels for CPUs a work-group computes a block of C in many tiles. There this is what it
// does for one tile.)
struct Tiling {
    std::size_t m = 1, n = 1, k = 1;      // the tile of C that it computes, and the depth of one step along K
    std::size_t items_m = 1, items_n = 1; // its work-items in dimensions 0 and 1
    std::size_t local_bytes = 0;          // local memory it takes
    std::size_t width = 1;                // its operands' columns must start at multiples of this many elements
    std::size_t retargeted_bytes = 0;     // of local_bytes, what its program has after retargeting (execute/retarget.hpp)
};

// A kernel: one row of the registry.
struct KernelInfo {
    std::string_view name; // the source file's name without .cl, and the public name
    std::string_view idea; // one line for people
    const Family* family = nullptr;
    // Parameters, the fastest on a large GPU first. A device takes the first that fits it; a CPU starts from first_on_cpu,
    // the fastest on PoCL.
    std::vector<Parameters> variants;
    std::size_t first_on_cpu = 0;
    // What the kernel consists of besides OpenCL C.
    Instructions instructions = Instructions::none;
    // The parameter that is the width of a variant's vectors, if there are variants for several widths. A device takes those
    // of its own width.
    std::string_view vector_parameter = {};
    // It runs on every device that runs anything, and needs no workspace.
    bool is_last_resort = false;
    // An earlier name, by which callers and tuning files still find it.
    std::string_view former_name = {};

    const KernelSource& source() const { return kernel_source(name); }
};

// A kernel in one size.
struct Variant {
    const KernelInfo* kernel = nullptr;
    Parameters parameters;
    Tiling tiling;

    const Family& family() const { return *kernel->family; }
    bool operator==(const Variant& other) const { return kernel == other.kernel && parameters == other.parameters; }
};

// What is free to choose besides kernel and parameters. A family says which of these ways its kernels can take.
struct Way {
    unsigned form = 0;       // how operands are brought, numbered by the family; 0: the plain way, which every family has
    std::size_t split_k = 1; // parts of K, which one more step adds up
    bool transposed = false; // C' = B' A'

    bool operator==(const Way&) const = default;
};

// The columns of C as the kernel computes it.
inline std::size_t columns_of(const Problem& problem, const Way& way)
{
    return way.transposed ? problem.m : problem.n;
}

// The problem as the kernel computes it.
inline Problem as_computed(const Problem& problem, const Way& way)
{
    return way.transposed ? transposed(problem) : problem;
}

// What the compute unit that has the most to do computes: how many work-groups (tiles, where a work-group computes a block
// of many), and in how many steps of Tiling::k. A last wave of work-groups that leaves units without work counts as a full
// one.
struct Load {
    double per_unit = 0;
    std::size_t steps = 0;
    double share_of_memory = 1; // the share of memory's speed that it gets: few units do not take all of it
};

// What a way costs, without a clock: its launches, one after the other, and its workspace. This is all that is known of the
// cost of a way before it is taken, and a plan takes exactly this workspace.
struct Outline {
    // One launch.
    struct Launch {
        double bytes = 0;       // from and to global memory, while it computes
        double bytes_first = 0; // before it can compute
        Load load = {};         // no steps: it moves bytes alone
        double steps_saved = 0; // which take no time, as where the last step is not as deep as the others
        double steps_lost = 0;  // to latency: as many steps of a work-group that is alone on its compute unit
        double steps_more = 0;  // by which copies, stores or the last step take longer than in measurements
        double hidden = 1;      // the share of the shorter one of computing and moving that the longer one hides
        // Work-groups of later rounds begin while others compute, so that only the first round's beginning is waited for.
        // (Where a work-group stores much at its end, each round has a beginning of its own.)
        bool rounds_overlap = false;
        // Bytes are moved during the beginning, too.
        bool start_moves = false;
        std::size_t times = 1; // so many such launches, one after the other
    };
    std::vector<Launch> launches;
    std::size_t workspace_bytes = 0;

    // The load of the compute unit that has the most to do in the launch that multiplies.
    double busiest_unit() const
    {
        double result = 0;
        for (const Launch& launch : launches)
            result = std::max(result, launch.load.per_unit);
        return result;
    }
};

// What to expect of a kernel on a device that nobody has measured.
struct Guess {
    double flops_per_ns = 0;  // of a compute unit that is full of the kernel's work-groups
    double more_start_ns = 0; // by which a call takes longer to begin than those of other kernels
    // Storing a tile takes as long as so many steps: where A's memory runs along M, and where it runs along K.
    double steps_to_store = 0, steps_to_store_along_k = 0;
    bool is_believed = true;    // false: it only says what is worth measuring
    bool for_every_size = true; // false: only for the first variant that the device can run
};

// How the tuner measures a kernel.
struct Probing {
    std::span<const std::size_t> loads; // the points of its curve: work-groups (CPUs: tiles) on each compute unit
    bool one_tile_of_columns = false;   // C has no more columns than a tile
    bool in_blocks = false;             // a work-group computes a block of tiles
    bool in_rounds = true;              // work-groups run in rounds; false: the curve goes on as it ends
    std::size_t few_steps = 4;          // of the shallower of the two calls whose difference is timed
    std::size_t steps_before = 0;       // steps at the plan's beginning that are not measured
    std::size_t most_steps = std::numeric_limits<std::size_t>::max(); // that the kernel is made for
    bool in_few_steps = false; // only as many steps as noise requires, since most calls have few
};

// Problems reach a family in parts (plan/parts.hpp): one product at a time and maybe a block of it, or as many products of a
// batch as the family computes at once.
class Family {
public:
    Family() = default;
    Family(const Family&) = delete;
    Family& operator=(const Family&) = delete;
    virtual ~Family() = default;

    // ---- Parameters

    // May the tuner look for parameters other than the variants', and tuning files have them?
    virtual bool takes_other_sizes() const { return true; }
    // May a kernel be built with these? The numbers may be anything.
    virtual bool is_valid(const Parameters&) const { return true; }
    virtual Tiling tiling(const Parameters& parameters) const = 0;
    // Adds the parameters that follow from the device's features rather than from measurement.
    virtual void add_device_features(const DeviceProfile&, Parameters&) const {}

    // ---- What can be done, what it costs, and how it is done

    // How it computes where this arithmetic is asked for: as asked, or more accurately. If it can do neither, what comes
    // nearest.
    virtual Arithmetic computes(const Arithmetic&) const { return {.accuracy = CLGEMM_MATH_STRICT}; }
    // What stands against this problem besides what holds for every kernel (takes() in families/registry.hpp). The sizes
    // that a kernel is made for do not count here: ways() says which these are.
    virtual Answer takes(const Problem&, const Variant&, const DeviceProfile&) const { return Answer::yes(); }
    // The ways in which it may be worth computing the problem, which may be a batch. None: the kernel is not made for such a
    // problem. Asked for by name, it computes it all the same, in the plain way, Way{}.
    virtual std::vector<Way> ways(const Problem& problem, const DeviceProfile& device, const Variant& variant) const = 0;
    // Is it worth computing C in blocks where the workspace does not hold what C as a whole needs?
    virtual bool computes_in_blocks() const { return false; }
    // So many products of a batch are one part in this way: outline() and plan() are asked for all of them together.
    virtual std::size_t products_at_once(const Way&) const { return 1; }
    // So many products of a listed batch are one part. It is computed in the plain way, as it is or transposed. 0: the
    // kernel takes no lists.
    virtual std::size_t listed_products_at_once() const { return 0; }
    // Does the kernel keep to the caller's workspace_limit if it is asked for by name? If not, it takes the memory that its
    // only way needs.
    virtual bool keeps_to_limit() const { return true; }
    virtual Outline outline(const Problem& problem, const DeviceProfile& device, const Variant& variant,
                            const Way& way) const = 0;
    // Adds the steps of this way.
    virtual void plan(PlanBuilder& builder, const Problem& problem, const Variant& variant, const Way& way) const = 0;

    // ---- Tuning

    // Is it equally fast however its operands lie in memory? Then it is measured once for all.
    virtual bool takes_operands_alike() const { return false; }
    // How the operands lie that the kernel reads, in the letters that are measured (families/operands.hpp); empty where that
    // is not measured.
    virtual std::string measured_operands(const Problem& problem, const Way& way) const = 0;
    // None for a kind of device that the kernel is not made for.
    virtual std::optional<Guess> guess(const Variant& variant, const DeviceProfile& device) const = 0;
    virtual Probing probing() const = 0;
    // The search for better parameters changes a parameter by adding and subtracting this; 0: by doubling and halving it.
    virtual std::size_t step_of(std::string_view, const Parameters&) const { return 0; }
};

} // namespace clgemm::core
