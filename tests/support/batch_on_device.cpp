#include "batch_on_device.hpp"

namespace clgemm::test {

BatchOnDevice::BatchOnDevice(const BatchedCase& its_case) : x(its_case), before(its_case)
{
    for (const Which which : every_matrix)
        buffer[which] = cl::Buffer(test_device().context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                   before.elements[which].size() * sizeof(float), before.elements[which].data());
}

clgemm_status BatchOnDevice::call(const cl::CommandQueue& queue, const clgemm_options& options, cl::Event* event) const
{
    cl_event done = nullptr;
    const clgemm_status status = clgemm_sgemm_strided_batched_ex(
        x.layout, x.trans_a, x.trans_b, x.m, x.n, x.k, x.alpha, buffer[A](), x.offset[A], x.ld[A], x.distance[A],
        buffer[B](), x.offset[B], x.ld[B], x.distance[B], x.beta, buffer[C](), x.offset[C], x.ld[C], x.distance[C], x.count,
        queue(), 0, nullptr, event ? &done : nullptr, &options);
    if (event)
        *event = cl::Event(done);
    return status;
}

clgemm_call BatchOnDevice::described() const
{
    clgemm_call call = CLGEMM_CALL_INIT;
    call.layout = x.layout;
    call.transA = x.trans_a;
    call.transB = x.trans_b;
    call.m = x.m;
    call.n = x.n;
    call.k = x.k;
    call.alpha = x.alpha;
    call.offA = x.offset[A];
    call.lda = x.ld[A];
    call.offB = x.offset[B];
    call.ldb = x.ld[B];
    call.beta = x.beta;
    call.offC = x.offset[C];
    call.ldc = x.ld[C];
    call.batch = x.count;
    call.distA = x.distance[A];
    call.distB = x.distance[B];
    call.distC = x.distance[C];
    return call;
}

BatchedOperands BatchOnDevice::read(const cl::CommandQueue& queue) const
{
    queue.finish();
    BatchedOperands now = before;
    for (const Which which : every_matrix)
        queue.enqueueReadBuffer(buffer[which], CL_TRUE, 0, now.elements[which].size() * sizeof(float),
                                now.elements[which].data());
    return now;
}

void BatchOnDevice::restore_c(const cl::CommandQueue& queue) const
{
    queue.finish();
    write(queue, buffer[C], before.elements[C].size() * sizeof(float), before.elements[C].data());
}

} // namespace clgemm::test
