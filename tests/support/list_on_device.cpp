#include "list_on_device.hpp"

#include "reference/reference.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace clgemm::test {

ListOnDevice::ListOnDevice(const BatchedCase& x, std::mt19937& random, bool own_scalars) : batch(x)
{
    std::vector<std::size_t> order(x.count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (random() % 2 == 0)
        std::shuffle(order.begin(), order.end(), random);
    constexpr float alphas[] = {1, 0, -1.5f}, betas[] = {0, 1, 0.5f};
    for (const std::size_t product : order) {
        for (const Which which : every_matrix)
            offsets[which].push_back(x.begin(which, product));
        alpha.push_back(own_scalars ? alphas[random() % 3] : x.alpha);
        beta.push_back(own_scalars ? betas[random() % 3] : x.beta);
    }
    scalars = own_scalars ? x.count : 1;
    alpha.push_back(x.alpha); // so that there is one, also of none
    beta.push_back(x.beta);
}

clgemm_status ListOnDevice::call(const cl::CommandQueue& queue, const clgemm_options& options, cl::Event* event) const
{
    const BatchedCase& x = batch.x;
    cl_event done = nullptr;
    const clgemm_status status = clgemm_sgemm_batched_ex(
        x.layout, x.trans_a, x.trans_b, x.m, x.n, x.k, scalars, alpha.data(), batch.buffer[A](), offsets[A].data(), x.ld[A],
        batch.buffer[B](), offsets[B].data(), x.ld[B], beta.data(), batch.buffer[C](), offsets[C].data(), x.ld[C], x.count,
        queue(), 0, nullptr, event ? &done : nullptr, &options);
    if (event)
        *event = cl::Event(done);
    return status;
}

clgemm_status ListOnDevice::call_by(const cl::Buffer& list, std::size_t first, const cl::CommandQueue& queue,
                                    const clgemm_options& options, cl::Event* event) const
{
    const BatchedCase& x = batch.x;
    cl_event done = nullptr;
    const clgemm_status status = clgemm_sgemm_indirect_batched_ex(
        x.layout, x.trans_a, x.trans_b, x.m, x.n, x.k, batch.buffer[A](), x.ld[A], batch.buffer[B](), x.ld[B],
        batch.buffer[C](), x.ld[C], list(), first, x.count, queue(), 0, nullptr, event ? &done : nullptr, &options);
    if (event)
        *event = cl::Event(done);
    return status;
}

std::vector<clgemm_product> ListOnDevice::products() const
{
    std::vector<clgemm_product> result;
    for (std::size_t i = 0; i < batch.x.count; i++) {
        const std::size_t scalar = scalars == 1 ? 0 : i;
        result.push_back({offsets[A][i], offsets[B][i], offsets[C][i], alpha[scalar], beta[scalar]});
    }
    return result;
}

testing::AssertionResult ListOnDevice::is_right(const BatchedOperands& after) const
{
    std::vector<float> expected = batch.before.elements[C];
    for (std::size_t i = 0; i < batch.x.count; i++) {
        const BatchedCase& x = batch.x;
        const float its_alpha = alpha[scalars == 1 ? 0 : i], its_beta = beta[scalars == 1 ? 0 : i];
        for (std::size_t row = 0; row < x.m; row++)
            for (std::size_t col = 0; col < x.n; col++) {
                using namespace clgemm::reference;
                const auto begin = [&](Which which) { return batch.before.elements[which].data() + offsets[which][i]; };
                const std::size_t place = offsets[C][i] + at(x.layout, row, col, x.ld[C]);
                const Exact exact = element(x.layout, x.trans_a, x.trans_b, row, col, x.k, its_alpha, begin(A), x.ld[A],
                                            begin(B), x.ld[B], its_beta, begin(C), x.ld[C]);
                if (!clgemm::reference::is_right(after.elements[C][place], exact, x.k))
                    return testing::AssertionFailure() << x << ": product " << i << " of the list is wrong";
                expected[place] = after.elements[C][place];
            }
    }
    return std::memcmp(expected.data(), after.elements[C].data(), expected.size() * sizeof(float)) == 0
               ? testing::AssertionSuccess()
               : testing::AssertionFailure() << batch.x << ": something beside the matrices C was written";
}

} // namespace clgemm::test
