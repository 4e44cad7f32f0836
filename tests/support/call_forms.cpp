#include "call_forms.hpp"

#include "device.hpp"

#include <algorithm>
#include <array>

namespace clgemm::test {

const char* name(Form form)
{
    switch (form) {
    case plain: return "clgemm_sgemm";
    case ex: return "clgemm_sgemm_ex";
    case host: return "clgemm_sgemm_host";
    case host_ex: return "clgemm_sgemm_host_ex";
    case workspace_size: return "clgemm_sgemm_workspace_size";
    case explain: return "clgemm_explain";
    case strided: return "clgemm_sgemm_strided_batched";
    case strided_ex: return "clgemm_sgemm_strided_batched_ex";
    case call_workspace_size: return "clgemm_call_workspace_size";
    case call_explain: return "clgemm_call_explain";
    case host_strided: return "clgemm_sgemm_host_strided_batched";
    case host_strided_ex: return "clgemm_sgemm_host_strided_batched_ex";
    case listed: return "clgemm_sgemm_batched";
    case listed_ex: break;
    }
    return "clgemm_sgemm_batched_ex";
}

namespace {

clgemm_call description(const Arguments& x)
{
    return {sizeof(clgemm_call), x.layout,      x.trans_a,     x.trans_b, x.m,    x.n,         x.k,     x.alpha,
            x.offset[A],         x.ld[A],       x.offset[B],   x.ld[B],   x.beta, x.offset[C], x.ld[C], x.count,
            x.distance[A],       x.distance[B], x.distance[C], 0};
}

} // namespace

clgemm_status call(Form form, const Arguments& x)
{
    const cl_device_id device = test_device().device();
    switch (form) {
    case plain:
        return clgemm_sgemm(x.layout, x.trans_a, x.trans_b, x.m, x.n, x.k, x.alpha, x.buffer[A], x.offset[A], x.ld[A],
                            x.buffer[B], x.offset[B], x.ld[B], x.beta, x.buffer[C], x.offset[C], x.ld[C], x.queue,
                            x.num_wait, x.given_wait_list(), x.event);
    case ex:
        return clgemm_sgemm_ex(x.layout, x.trans_a, x.trans_b, x.m, x.n, x.k, x.alpha, x.buffer[A], x.offset[A], x.ld[A],
                               x.buffer[B], x.offset[B], x.ld[B], x.beta, x.buffer[C], x.offset[C], x.ld[C], x.queue,
                               x.num_wait, x.given_wait_list(), x.event, x.given_options());
    case host:
        return clgemm_sgemm_host(x.layout, x.trans_a, x.trans_b, x.m, x.n, x.k, x.alpha, x.host[A], x.ld[A], x.host[B],
                                 x.ld[B], x.beta, x.host[C], x.ld[C], x.queue);
    case host_ex:
        return clgemm_sgemm_host_ex(x.layout, x.trans_a, x.trans_b, x.m, x.n, x.k, x.alpha, x.host[A], x.ld[A], x.host[B],
                                    x.ld[B], x.beta, x.host[C], x.ld[C], x.queue, x.given_options());
    case workspace_size:
        return clgemm_sgemm_workspace_size(x.layout, x.trans_a, x.trans_b, x.m, x.n, x.k, x.alpha, x.offset[A], x.ld[A],
                                           x.offset[B], x.ld[B], x.beta, x.offset[C], x.ld[C], device, x.given_options(),
                                           x.bytes);
    case explain:
        return clgemm_explain(x.layout, x.trans_a, x.trans_b, x.m, x.n, x.k, x.alpha, x.offset[A], x.ld[A], x.offset[B],
                              x.ld[B], x.beta, x.offset[C], x.ld[C], device, x.given_options(), x.text, x.text_size,
                              nullptr);
    case strided:
        return clgemm_sgemm_strided_batched(x.layout, x.trans_a, x.trans_b, x.m, x.n, x.k, x.alpha, x.buffer[A], x.offset[A],
                                            x.ld[A], x.distance[A], x.buffer[B], x.offset[B], x.ld[B], x.distance[B], x.beta,
                                            x.buffer[C], x.offset[C], x.ld[C], x.distance[C], x.count, x.queue, x.num_wait,
                                            x.given_wait_list(), x.event);
    case strided_ex:
        return clgemm_sgemm_strided_batched_ex(
            x.layout, x.trans_a, x.trans_b, x.m, x.n, x.k, x.alpha, x.buffer[A], x.offset[A], x.ld[A], x.distance[A],
            x.buffer[B], x.offset[B], x.ld[B], x.distance[B], x.beta, x.buffer[C], x.offset[C], x.ld[C], x.distance[C],
            x.count, x.queue, x.num_wait, x.given_wait_list(), x.event, x.given_options());
    case call_workspace_size: {
        const clgemm_call described = description(x);
        return clgemm_call_workspace_size(&described, device, x.given_options(), x.bytes);
    }
    case call_explain: {
        const clgemm_call described = description(x);
        return clgemm_call_explain(&described, device, x.given_options(), x.text, x.text_size, nullptr);
    }
    case host_strided:
        return clgemm_sgemm_host_strided_batched(x.layout, x.trans_a, x.trans_b, x.m, x.n, x.k, x.alpha, x.host[A], x.ld[A],
                                                 x.distance[A], x.host[B], x.ld[B], x.distance[B], x.beta, x.host[C],
                                                 x.ld[C], x.distance[C], x.count, x.queue);
    case host_strided_ex:
        return clgemm_sgemm_host_strided_batched_ex(x.layout, x.trans_a, x.trans_b, x.m, x.n, x.k, x.alpha, x.host[A],
                                                    x.ld[A], x.distance[A], x.host[B], x.ld[B], x.distance[B], x.beta,
                                                    x.host[C], x.ld[C], x.distance[C], x.count, x.queue, x.given_options());
    case listed:
    case listed_ex: break;
    }
    const float alpha[] = {x.alpha, x.alpha}, beta[] = {x.beta, x.beta};
    std::array<std::size_t, 2> offsets[3];
    for (const Which which : every_matrix) {
        const std::size_t room = size_max - x.offset[which];
        offsets[which] = {x.offset[which], x.offset[which] + std::min(room, x.distance[which])};
    }
    if (form == listed)
        return clgemm_sgemm_batched(x.layout, x.trans_a, x.trans_b, x.m, x.n, x.k, 1, alpha, x.buffer[A], offsets[A].data(),
                                    x.ld[A], x.buffer[B], offsets[B].data(), x.ld[B], beta, x.buffer[C], offsets[C].data(),
                                    x.ld[C], 2, x.queue, x.num_wait, x.given_wait_list(), x.event);
    return clgemm_sgemm_batched_ex(x.layout, x.trans_a, x.trans_b, x.m, x.n, x.k, 2, alpha, x.buffer[A], offsets[A].data(),
                                   x.ld[A], x.buffer[B], offsets[B].data(), x.ld[B], beta, x.buffer[C], offsets[C].data(),
                                   x.ld[C], 2, x.queue, x.num_wait, x.given_wait_list(), x.event, x.given_options());
}

} // namespace clgemm::test
