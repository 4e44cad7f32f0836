#include "case_on_device.hpp"

#include "with_selection.hpp"

#include "families/registry.hpp"

#include <algorithm>

namespace clgemm::test {
namespace {

cl::Buffer upload(const GuardedMatrix& matrix, const cl::Context& context)
{
    auto* const elements = const_cast<float*>(matrix.elements.data()); // CL_MEM_COPY_HOST_PTR only reads them
    return {context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, matrix.bytes(), elements};
}

} // namespace

CaseOnDevice::CaseOnDevice(const SgemmCase& its_case, Operands operands, const cl::Context& context)
    : x(its_case), before(std::move(operands)), a(upload(before.a, context)), b(upload(before.b, context)),
      c(upload(before.c, context))
{
}

clgemm_status CaseOnDevice::call(const cl::CommandQueue& queue, const char* kernel, const std::vector<cl::Event>& wait_for,
                                 cl::Event* event) const
{
    clgemm_options options = CLGEMM_OPTIONS_INIT;
    options.kernel = kernel;
    options.math = x.math;
    return call(queue, options, wait_for, event);
}

clgemm_status CaseOnDevice::call(const cl::CommandQueue& queue, const clgemm_options& options,
                                 const std::vector<cl::Event>& wait_for, cl::Event* event) const
{
    std::vector<cl_event> list;
    for (const auto& one : wait_for)
        list.push_back(one());
    cl_event done = nullptr;
    const clgemm_status status = clgemm_sgemm_ex(
        x.layout, x.trans_a, x.trans_b, x.m, x.n, x.k, x.alpha, a(), before.a.offset, before.a.ld, b(), before.b.offset,
        before.b.ld, x.beta, c(), before.c.offset, before.c.ld, queue(), static_cast<cl_uint>(list.size()),
        list.empty() ? nullptr : list.data(), event ? &done : nullptr, &options);
    if (event)
        *event = cl::Event(done);
    return status;
}

Operands CaseOnDevice::read(const cl::CommandQueue& queue) const
{
    Operands now = before;
    queue.enqueueReadBuffer(a, CL_TRUE, 0, now.a.bytes(), now.a.elements.data());
    queue.enqueueReadBuffer(b, CL_TRUE, 0, now.b.bytes(), now.b.elements.data());
    queue.enqueueReadBuffer(c, CL_TRUE, 0, now.c.bytes(), now.c.elements.data());
    return now;
}

testing::AssertionResult CaseOnDevice::is_right(const cl::CommandQueue& queue) const
{
    return test::is_right(x, before, read(queue));
}

std::vector<const char*> every_kernel()
{
    std::vector<const char*> names;
    for (std::size_t i = 0; i < clgemm_kernel_count(); i++)
        names.push_back(clgemm_kernel_name(i));
    return names;
}

bool runs_here(const char* kernel)
{
    return !variants_for(*core::find_kernel(kernel), test_profile()).empty();
}

bool runs_reproducibly_here(const char* kernel)
{
    core::Problem problem = problem_of(SgemmCase{}, Operands(SgemmCase{}));
    problem.arithmetic.accuracy = CLGEMM_MATH_REPRODUCIBLE;
    return test_profile().has_ieee_floats && !variants_for(*core::find_kernel(kernel), problem, test_profile()).empty();
}

std::vector<const char*> kernels_here()
{
    std::vector<const char*> names = every_kernel();
    std::erase_if(names, [](const char* kernel) { return !runs_here(kernel); });
    return names;
}

std::string name_of_kernel(const testing::TestParamInfo<const char*>& info)
{
    return info.param;
}

} // namespace clgemm::test
