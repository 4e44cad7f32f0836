// Problems drawn at random, in memory of every kind: whole buffers, sub-buffers, the host's memory off alignment, a
// workspace of the caller's, queues in and out of order, and the form on host memory. Every element of C is checked, and
// every canary.
//   CLGEMM_RANDOM_PROBLEMS=20000   how many; unset: a few
//   CLGEMM_RANDOM_SEED=5           which ones; unset: always the same
#include "support/case_on_device.hpp"
#include "support/runs.hpp"
#include "support/with_selection.hpp"

#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

constexpr std::size_t page = 4096;

unsigned long from_environment(const char* name, unsigned long otherwise)
{
    const char* const value = std::getenv(name);
    return value ? std::strtoul(value, nullptr, 10) : otherwise;
}

enum class Lies { in_a_buffer, in_a_sub_buffer, on_the_host };

// A copy of a matrix in memory of one of these kinds; on the host it begins so many floats behind a page's beginning.
class Place {
public:
    Place(const GuardedMatrix& matrix, Lies where, std::size_t floats_behind_page, const cl::Context& context)
        : bytes_(matrix.bytes())
    {
        if (where == Lies::on_the_host) {
            const std::size_t behind = floats_behind_page * sizeof(float);
            memory_.reset(static_cast<char*>(::operator new (bytes_ + behind, std::align_val_t{page})));
            host_ = reinterpret_cast<float*>(memory_.get() + behind);
            std::memcpy(host_, matrix.elements.data(), bytes_);
            buffer = cl::Buffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes_, host_);
            return;
        }
        const std::size_t origin = where == Lies::in_a_sub_buffer ? page : 0;
        whole_ = cl::Buffer(context, CL_MEM_READ_WRITE, origin + bytes_);
        buffer = whole_;
        if (origin > 0) {
            const cl_buffer_region region{origin, bytes_};
            buffer = whole_.createSubBuffer(CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region);
        }
        write(test_device().in_order, buffer, bytes_, matrix.elements.data());
    }

    void read(GuardedMatrix& into) const
    {
        test_device().in_order.enqueueReadBuffer(buffer, CL_TRUE, 0, bytes_, into.elements.data());
    }

    cl::Buffer buffer;

private:
    struct Free {
        void operator()(char* memory) const { ::operator delete (memory, std::align_val_t{page}); }
    };
    std::size_t bytes_;
    std::unique_ptr<char, Free> memory_; // outlives the buffer that uses it
    float* host_ = nullptr;
    cl::Buffer whole_;
};

clgemm_math usual_math(const char* kernel)
{
    return usual_arithmetic(*find_kernel(kernel)).accuracy;
}

// Those for less accurate modes among them.
std::vector<const char*> kernels_here_for_their_own_math()
{
    std::vector<const char*> names = every_kernel();
    std::erase_if(names, [](const char* name) {
        const KernelInfo& kernel = *find_kernel(name);
        return !runs(variant_of(kernel, kernel.variants.back()), test_profile()) && !runs_here(name);
    });
    return names;
}

class Problems {
public:
    explicit Problems(unsigned long seed) : random_(static_cast<std::mt19937::result_type>(seed)) {}

    // Draws one, computes it and checks the result.
    testing::AssertionResult next()
    {
        SgemmCase x = clgemm::reference::random_case(random_);
        const char* const kernel = below(2) == 0 ? nullptr : kernels_[below(kernels_.size())];
        options_ = CLGEMM_OPTIONS_INIT;
        options_.kernel = kernel;
        options_.math =
            one_of({CLGEMM_MATH_DEFAULT, CLGEMM_MATH_DEFAULT, CLGEMM_MATH_STRICT, CLGEMM_MATH_TF32, CLGEMM_MATH_FAST});
        if (const clgemm_math usual = kernel ? usual_math(kernel) : CLGEMM_MATH_DEFAULT; usual != CLGEMM_MATH_DEFAULT)
            options_.math = usual; // that for which the kernel is made
        x.math = options_.math;
        const Operands before(x);
        const bool is_host = below(4) == 0;
        Operands after = before;
        const clgemm_status status = is_host ? on_host(x, after) : on_buffers(x, before, after);
        if (status == CLGEMM_KERNEL_NOT_SUPPORTED && options_.kernel && options_.math == CLGEMM_MATH_STRICT)
            return testing::AssertionSuccess(); // the kernel is none of FP32 alone
        const auto described = [&](testing::AssertionResult result) {
            return result << x << ", kernel " << (kernel ? kernel : "of the library's choice")
                          << (is_host ? ", on the host" : ", in buffers");
        };
        if (status != CLGEMM_SUCCESS)
            return described(testing::AssertionFailure() << clgemm_last_error() << ": ");
        if (const auto right = is_right(x, before, after); !right)
            return described(testing::AssertionFailure() << right.message() << ": ");
        computed++;
        return testing::AssertionSuccess();
    }

    long computed = 0;

private:
    std::size_t below(std::size_t limit) { return random_() % limit; }

    template <typename T> T one_of(std::initializer_list<T> all) { return all.begin()[below(all.size())]; }

    clgemm_status on_host(const SgemmCase& x, Operands& all)
    {
        // Each matrix moves by some floats in its own memory, whose beginning is aligned.
        return clgemm_sgemm_host_ex(x.layout, x.trans_a, x.trans_b, x.m, x.n, x.k, x.alpha, all.a.data(), all.a.ld,
                                    all.b.data(), all.b.ld, x.beta, all.c.elements.data() + all.c.offset, all.c.ld,
                                    below(2) == 0 ? nullptr : test_device().in_order(), &options_);
    }

    clgemm_status on_buffers(const SgemmCase& x, const Operands& before, Operands& after)
    {
        const auto& test = test_device();
        const auto placed = [&](const GuardedMatrix& matrix) {
            const Lies where = one_of({Lies::in_a_buffer, Lies::in_a_buffer, Lies::in_a_sub_buffer, Lies::on_the_host});
            return Place(matrix, where, one_of<std::size_t>({0, 1, 2, 3, 4, 8, 16}), test.context);
        };
        const Place a = placed(before.a), b = placed(before.b), c = placed(before.c);
        std::size_t bytes = 0;
        const clgemm_status asked = clgemm_sgemm_workspace_size(
            x.layout, x.trans_a, x.trans_b, x.m, x.n, x.k, x.alpha, before.a.offset, before.a.ld, before.b.offset,
            before.b.ld, x.beta, before.c.offset, before.c.ld, test.device(), &options_, &bytes);
        if (asked != CLGEMM_SUCCESS)
            return asked;
        std::optional<GuardedMatrix> canaries; // behind the workspace
        std::optional<Place> workspace;
        if (bytes > 0 && below(2) == 0) {
            canaries.emplace(CLGEMM_COLUMN_MAJOR, 0, 0, 0, (bytes + sizeof(float) - 1) / sizeof(float));
            workspace.emplace(*canaries, Lies::in_a_buffer, 0, test.context);
            options_.workspace = workspace->buffer();
        }
        const cl::CommandQueue& queue = below(2) == 0 ? test.in_order : test.out_of_order;
        cl::Event done;
        const clgemm_status status =
            clgemm_sgemm_ex(x.layout, x.trans_a, x.trans_b, x.m, x.n, x.k, x.alpha, a.buffer(), before.a.offset, before.a.ld,
                            b.buffer(), before.b.offset, before.b.ld, x.beta, c.buffer(), before.c.offset, before.c.ld,
                            queue(), 0, nullptr, &done(), &options_);
        queue.finish();
        a.read(after.a);
        b.read(after.b);
        c.read(after.c);
        if (workspace) {
            GuardedMatrix now = *canaries;
            workspace->read(now);
            const std::size_t own = canaries->offset; // in elements, of which the call may write each
            EXPECT_EQ(
                std::memcmp(now.elements.data() + own, canaries->elements.data() + own, now.bytes() - own * sizeof(float)),
                0)
                << "something behind the workspace was written";
        }
        return status;
    }

    std::mt19937 random_;
    clgemm_options options_ = CLGEMM_OPTIONS_INIT;
    const std::vector<const char*> kernels_ = kernels_here_for_their_own_math();
};

} // namespace

TEST(RandomProblems, AreRightInMemoryOfEveryKind)
{
    const unsigned long seed = from_environment("CLGEMM_RANDOM_SEED", 1);
    const unsigned long count = from_environment("CLGEMM_RANDOM_PROBLEMS", 100);
    Problems problems(seed);
    for (unsigned long i = 0; i < count; i++)
        ASSERT_TRUE(problems.next()) << "problem " << i << " of seed " << seed;
    std::printf("%ld of %lu problems of seed %lu were computed, all right\n", problems.computed, count, seed);
    EXPECT_GT(problems.computed, static_cast<long>(count / 2));
}
