#include "hashed_case.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace clgemm::test {
namespace {

constexpr std::size_t work_items = 1 << 17;

// The same as hashed() below. (SplitMix64's hash of the index; 24 of its bits make a float without rounding.)
constexpr const char* source = R"(
static float hashed(ulong index, ulong seed)
{
    ulong z = index * 0x9e3779b97f4a7c15UL + seed;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9UL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebUL;
    return ((int)(z >> 40) - (1 << 23)) * 0x1p-23f;
}

kernel void fill(global float* x, ulong count, ulong seed)
{
    for (ulong i = get_global_id(0); i < count; i += get_global_size(0))
        x[i] = hashed(i, seed);
}

kernel void count_unchanged(global const float* x, ulong count, ulong seed, global ulong* counts)
{
    ulong unchanged = 0;
    for (ulong i = get_global_id(0); i < count; i += get_global_size(0))
        unchanged += as_uint(x[i]) == as_uint(hashed(i, seed));
    counts[get_global_id(0)] = unchanged;
}
)";

// Uniform in [-1, 1).
float hashed(std::uint64_t index, std::uint64_t seed)
{
    std::uint64_t z = index * 0x9e3779b97f4a7c15U + seed;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return static_cast<float>(static_cast<int>(z >> 40U) - (1 << 23)) * 0x1p-23f;
}

std::uint64_t seed_of(std::size_t which)
{
    return (which + 1) * 1'000'003;
}

bool is_turned(clgemm_transpose trans)
{
    return trans != CLGEMM_NO_TRANS;
}

} // namespace

HashedCase::HashedCase(const SgemmCase& its_case, cl::CommandQueue its_queue)
    : x_(its_case),
      queue_(std::move(its_queue)), matrices_{{{}, is_turned(x_.trans_a) ? x_.k : x_.m, is_turned(x_.trans_a) ? x_.m : x_.k},
                                              {{}, is_turned(x_.trans_b) ? x_.n : x_.k, is_turned(x_.trans_b) ? x_.k : x_.n},
                                              {{}, x_.m, x_.n}}
{
    const auto context = queue_.getInfo<CL_QUEUE_CONTEXT>();
    cl::Program program(context, source);
    program.build("-cl-std=CL1.2"); // without a language the bindings ask for OpenCL C 2.0, which few devices have
    fill_ = cl::Kernel(program, "fill");
    count_unchanged_ = cl::Kernel(program, "count_unchanged");
    counts_ = cl::Buffer(context, CL_MEM_READ_WRITE, work_items * sizeof(cl_ulong));
    for (const Which which : {a, b, c}) {
        matrices_[which].buffer = cl::Buffer(context, CL_MEM_READ_WRITE, matrices_[which].count() * sizeof(float));
        fill(which);
    }
    unchanged_elements_of_c(); // so that from now on nothing takes more memory
}

std::size_t HashedCase::all_bytes(const SgemmCase& x)
{
    return (x.m * x.k + x.k * x.n + x.m * x.n) * sizeof(float);
}

std::size_t HashedCase::largest_bytes(const SgemmCase& x)
{
    return std::max({x.m * x.k, x.k * x.n, x.m * x.n}) * sizeof(float);
}

clgemm_status HashedCase::call(const clgemm_options& options) const
{
    return clgemm_sgemm_ex(CLGEMM_COLUMN_MAJOR, x_.trans_a, x_.trans_b, x_.m, x_.n, x_.k, x_.alpha, matrices_[a].buffer(), 0,
                           matrices_[a].rows, matrices_[b].buffer(), 0, matrices_[b].rows, x_.beta, matrices_[c].buffer(), 0,
                           matrices_[c].rows, queue_(), 0, nullptr, nullptr, &options);
}

std::size_t HashedCase::workspace_bytes(const clgemm_options& options) const
{
    std::size_t bytes = 0;
    EXPECT_EQ(clgemm_sgemm_workspace_size(CLGEMM_COLUMN_MAJOR, x_.trans_a, x_.trans_b, x_.m, x_.n, x_.k, x_.alpha, 0,
                                          matrices_[a].rows, 0, matrices_[b].rows, x_.beta, 0, matrices_[c].rows,
                                          queue_.getInfo<CL_QUEUE_DEVICE>()(), &options, &bytes),
              CLGEMM_SUCCESS)
        << clgemm_last_error();
    return bytes;
}

void HashedCase::fill(Which which) const
{
    cl::Kernel kernel = fill_;
    kernel.setArg(0, matrices_[which].buffer);
    kernel.setArg(1, static_cast<cl_ulong>(matrices_[which].count()));
    kernel.setArg(2, static_cast<cl_ulong>(seed_of(which)));
    queue_.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(work_items));
    queue_.finish();
}

void HashedCase::restore_c() const
{
    fill(c);
}

std::size_t HashedCase::unchanged_elements_of_c() const
{
    cl::Kernel kernel = count_unchanged_;
    kernel.setArg(0, matrices_[c].buffer);
    kernel.setArg(1, static_cast<cl_ulong>(matrices_[c].count()));
    kernel.setArg(2, static_cast<cl_ulong>(seed_of(c)));
    kernel.setArg(3, counts_);
    queue_.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(work_items));
    std::vector<cl_ulong> counts(work_items);
    queue_.enqueueReadBuffer(counts_, CL_TRUE, 0, counts.size() * sizeof(cl_ulong), counts.data());
    return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
}

bool HashedCase::c_is_untouched() const
{
    return unchanged_elements_of_c() == matrices_[c].count();
}

float HashedCase::element(Which which, std::size_t row, std::size_t col) const
{
    return hashed(reference::at(CLGEMM_COLUMN_MAJOR, row, col, matrices_[which].rows), seed_of(which));
}

reference::Exact HashedCase::exact(std::size_t i, std::size_t j) const
{
    double sum = 0, magnitude = 0;
    for (std::size_t l = 0; l < x_.k; l++) {
        const double of_a = is_turned(x_.trans_a) ? element(a, l, i) : element(a, i, l);
        const double of_b = is_turned(x_.trans_b) ? element(b, j, l) : element(b, l, j);
        sum += of_a * of_b;
        magnitude += std::fabs(of_a * of_b);
    }
    const double old = element(c, i, j);
    return {x_.alpha * sum + x_.beta * old, std::fabs(x_.alpha) * magnitude + std::fabs(x_.beta * old)};
}

std::vector<std::pair<std::size_t, std::size_t>> HashedCase::places() const
{
    std::mt19937_64 random(1);
    const auto below = [&](std::size_t end) { return std::uniform_int_distribution<std::size_t>(0, end - 1)(random); };
    std::vector<std::pair<std::size_t, std::size_t>> result{{0, 0}, {x_.m - 1, 0}, {0, x_.n - 1}, {x_.m - 1, x_.n - 1}};
    for (const Which which : {a, b, c})
        for (const unsigned power : {15U, 16U, 30U, 31U, 32U})
            for (const std::size_t index : {(std::size_t{1} << power) - 1, std::size_t{1} << power}) {
                const auto& [buffer, rows, cols] = matrices_[which];
                if (index >= rows * cols)
                    continue;
                const std::size_t row = index % rows, col = index / rows;
                if (which == a)
                    result.emplace_back(is_turned(x_.trans_a) ? col : row, below(x_.n));
                else if (which == b)
                    result.emplace_back(below(x_.m), is_turned(x_.trans_b) ? row : col);
                else
                    result.emplace_back(row, col);
            }
    for (int i = 0; i < 100; i++)
        result.emplace_back(below(x_.m), below(x_.n));
    return result;
}

testing::AssertionResult HashedCase::c_is_right() const
{
    // A few are the same by chance: results are 24 bits, too.
    const std::size_t count = matrices_[c].count(), unchanged = unchanged_elements_of_c();
    if (unchanged > 1 + count / (1 << 16))
        return testing::AssertionFailure()
               << x_ << ": " << unchanged << " of " << count << " elements of C were not written";
    for (const auto& [i, j] : places()) {
        float computed = 0;
        queue_.enqueueReadBuffer(matrices_[c].buffer, CL_TRUE,
                                 reference::at(CLGEMM_COLUMN_MAJOR, i, j, matrices_[c].rows) * sizeof(float),
                                 sizeof computed, &computed);
        const reference::Exact should_be = exact(i, j);
        if (!reference::is_right(computed, should_be, x_.k))
            return testing::AssertionFailure()
                   << x_ << ": C(" << i << ", " << j << ") is " << computed << ", but should be " << should_be.value
                   << " +- " << reference::error_bound(x_.k, should_be.magnitude);
    }
    return testing::AssertionSuccess();
}

} // namespace clgemm::test
