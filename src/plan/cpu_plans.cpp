#include "plan/cpu_plans.hpp"

#include "plan/plan_builder.hpp"
#include "select/cpu_blocks.hpp"
#include "support/arithmetic.hpp"

#include <algorithm>

namespace clgemm::core {
namespace {

// As block_depth() in the kernels has it: as few blocks of K as possible, equally deep, at most `most`.
std::size_t block_depth(std::size_t k, std::size_t most)
{
    return round_up(divide_up(k, divide_up(k, most)), 16);
}

class CpuPlanner {
public:
    CpuPlanner(const Problem& problem, const DeviceProfile& device, const Selection& selection)
        : callers_(problem), exchanged_(selection.way.exchanged), problem_(exchanged_ ? exchanged(problem) : problem),
          selection_(selection),
          blocks_(cpu_blocks(*selection.kernel, selection.parameters, problem_, selection.way.splits, device.compute_units)),
          builder_(device)
    {
    }

    Plan plan()
    {
        switch (selection_.kernel->scheme) {
        case Scheme::cpu_packed: packed(); break;
        case Scheme::cpu_fused: fused(); break;
        case Scheme::cpu_vector: vectors(); break;
        case Scheme::tiles:
        case Scheme::tensor:
        case Scheme::tensor_direct: break;
        }
        return builder_.finish();
    }

private:
    void packed()
    {
        const Parameters& p = selection_.parameters;
        const std::size_t panels_m = divide_up(problem_.m, p["WPTM"]), panels_n = divide_up(problem_.n, p["WPTN"]);
        const View a = builder_.workspace().place(panels_m * p["WPTM"], problem_.k);
        const View b = builder_.workspace().place(panels_n * p["WPTN"], problem_.k);
        add("pack A and B", "pack", {panels_m + panels_n, divide_up(problem_.k, block_depth(problem_.k, p["TSK"])), 1},
            {problem_.m, problem_.n, problem_.k, Memory::a, problem_.a.offset, problem_.a.ld, Memory::b, problem_.b.offset,
             problem_.b.ld, Memory::workspace, a.offset, b.offset});
        add("multiply", "multiply", {divide_up(problem_.m, blocks_.m), divide_up(problem_.n, blocks_.n), 1},
            {problem_.m, problem_.n, problem_.k, problem_.alpha, a.memory, a.offset, b.memory, b.offset, problem_.beta,
             Memory::c, problem_.c.offset, problem_.c.ld, blocks_.m / p["WPTM"], blocks_.n / p["WPTN"]});
    }

    void fused()
    {
        const Result result = place_result();
        add("multiply", "multiply", {divide_up(problem_.m, blocks_.m) * divide_up(problem_.n, blocks_.n), result.parts, 1},
            {problem_.m, problem_.n, problem_.k, result.alpha, Memory::a, problem_.a.offset, problem_.a.ld, Memory::b,
             problem_.b.offset, problem_.b.ld, result.beta, result.c.memory, result.c.offset, result.c.ld, blocks_.m,
             blocks_.n, blocks_.k, result.stride});
        add_parts(result);
    }

    void vectors()
    {
        const Result result = place_result();
        const std::size_t next_k = problem_.b.transposed ? problem_.b.ld : 1;
        const std::size_t next_column = problem_.b.transposed ? 1 : problem_.b.ld;
        add("multiply", "multiply", {divide_up(problem_.m, blocks_.m), divide_up(problem_.n, blocks_.n), result.parts},
            {problem_.m, problem_.n, problem_.k, result.alpha, exchanged_ ? Memory::b : Memory::a, problem_.a.offset,
             problem_.a.ld, exchanged_ ? Memory::a : Memory::b, problem_.b.offset, next_k, next_column, result.beta,
             result.c.memory, result.c.offset, exchanged_ ? result.c.ld : 1, exchanged_ ? 1 : result.c.ld, blocks_.m,
             blocks_.k, result.stride});
        add_parts(result);
    }

    // Where the multiplication's results go: to C, or, if there are parts of K to be added, beside each other in the
    // workspace, each as C lies.
    struct Result {
        std::size_t parts;
        View c;
        std::size_t stride;
        float alpha, beta;
    };

    Result place_result()
    {
        const std::size_t parts = divide_up(problem_.k, blocks_.k);
        if (parts == 1)
            return {1, {Memory::c, callers_.c.offset, callers_.c.ld}, 0, callers_.alpha, callers_.beta};
        const std::size_t ld = round_up(callers_.m, 4);
        return {parts, builder_.workspace().place(ld, callers_.n * parts), ld * callers_.n, 1.0f, 0.0f};
    }

    void add_parts(const Result& result)
    {
        if (result.parts > 1)
            builder_.add_sum_of_parts(callers_, result.parts, result.c, result.stride);
    }

    void add(std::string purpose, const char* function, std::array<std::size_t, 3> groups,
             std::vector<StepArgument> arguments)
    {
        std::string options = selection_.parameters.options() + " -DTRANS_A=" + std::to_string(problem_.a.transposed);
        if (selection_.kernel->scheme != Scheme::cpu_vector)
            options += " -DTRANS_B=" + std::to_string(problem_.b.transposed);
        builder_.add({std::move(purpose),
                      &selection_.kernel->source(),
                      function,
                      std::move(options),
                      groups,
                      {1, 1},
                      std::move(arguments)});
    }

    const Problem& callers_;
    const bool exchanged_;
    const Problem problem_; // as the kernel computes it
    const Selection& selection_;
    const CpuBlocks blocks_;
    PlanBuilder builder_;
};

} // namespace

Plan plan_on_cpu(const Problem& problem, const DeviceProfile& device, const Selection& selection)
{
    return CpuPlanner(problem, device, selection).plan();
}

} // namespace clgemm::core
