// clgemm_sgemm_host() and clgemm_sgemm_host_ex(): multiplication on host memory: in place where the device shares it,
// else by way of device buffers.
#include "api/device_buffers.hpp"
#include "api/guard.hpp"
#include "api/host_in_place.hpp"
#include "api/multiply.hpp"
#include "execute/default_queue.hpp"
#include "support/error.hpp"

namespace clgemm::core {
namespace {

// A matrix of the caller's next to its copy on the device, where columns follow each other without gaps.
class DeviceCopy {
public:
    DeviceCopy(const Matrix& host, WorkspacePool& pool, const cl::CommandQueue& queue)
        : host_(host), pool_(pool), queue_(queue), lease_(pool.acquire(host.rows * host.cols * sizeof(float), queue, false))
    {
    }

    cl_mem buffer() const { return lease_.buffer(); }
    // As it lies there.
    Matrix matrix() const { return packed(host_); }

    // Returns at once; the copy is complete when the event is.
    cl::Event upload(const float* from) const
    {
        cl::Event done;
        const std::vector<cl::Event> first = waits();
        queue_.enqueueWriteBufferRect(lease_.buffer, CL_FALSE, {0, 0, 0}, {0, 0, 0}, region(), device_pitch(), 0,
                                      host_pitch(), 0, from, &first, &done);
        return done;
    }

    // Only the matrix itself is written: what lies between its columns stays as it is.
    void download(float* to, const cl::Event& after) const
    {
        const std::vector<cl::Event> first{after};
        queue_.enqueueReadBufferRect(lease_.buffer, CL_TRUE, {0, 0, 0}, {0, 0, 0}, region(), device_pitch(), 0, host_pitch(),
                                     0, to, &first);
    }

    // Events to wait for before the buffer is used.
    std::vector<cl::Event> waits() const { return lease_.ready() ? std::vector{lease_.ready} : std::vector<cl::Event>{}; }

    void give_back(const cl::Event& done) { pool_.give_back(std::move(lease_), queue_, done); }

private:
    cl::array<cl::size_type, 3> region() const { return {host_.stored_rows() * sizeof(float), host_.stored_cols(), 1}; }
    std::size_t device_pitch() const { return host_.stored_rows() * sizeof(float); }
    // Where there is but one column, its leading dimension means nothing, and may be too large to count in bytes.
    std::size_t host_pitch() const { return (host_.stored_cols() > 1 ? host_.ld : host_.stored_rows()) * sizeof(float); }

    Matrix host_;
    WorkspacePool& pool_;
    cl::CommandQueue queue_;
    WorkspacePool::Lease lease_;
};

// Whatever happens, the device must not read the caller's memory after the call: waits for the uploads.
struct Uploads {
    std::vector<cl::Event> events;
    Uploads() = default;
    Uploads(const Uploads&) = delete;
    Uploads& operator=(const Uploads&) = delete;
    ~Uploads()
    {
        for (const auto& event : events)
            clWaitForEvents(1, &event()); // its failure, if any, was the multiplication's too
    }
};

void check_pointers(const Problem& problem, const float* a, const float* b, const float* c)
{
    if (problem.touches_nothing())
        return;
    if (!problem.only_scales_c() && !a)
        throw Error(CLGEMM_INVALID_A, "A is null");
    if (!problem.only_scales_c() && !b)
        throw Error(CLGEMM_INVALID_B, "B is null");
    if (!c)
        throw Error(CLGEMM_INVALID_C, "C is null");
}

void multiply_on_host_memory(const Problem& problem, const float* a, const float* b, float* c, cl_command_queue callers,
                             const Request& request)
{
    check_pointers(problem, a, b, c);
    if (callers)
        context_of(callers); // or it is none
    const cl::CommandQueue queue = callers ? cl::CommandQueue(callers, true) : default_queue();
    if (problem.touches_nothing())
        return;

    const cl::Context context = queue.getInfo<CL_QUEUE_CONTEXT>();
    const auto state = device_state(context(), queue.getInfo<CL_QUEUE_DEVICE>()());
    if (works_in_place(problem, state->profile())) {
        multiply_in_place(problem, a, b, c, queue, request);
        return;
    }

    Problem on_device = problem;
    Launch launch{queue, {}, true};
    std::vector<DeviceCopy> inputs;
    DeviceCopy copy_c(problem.c, state->workspaces, queue);
    Uploads uploads;
    on_device.c = copy_c.matrix();
    if (problem.beta != 0.0f)
        uploads.events.push_back(copy_c.upload(c));
    else
        launch.wait_for = copy_c.waits();
    if (!problem.only_scales_c())
        for (const auto& [which, pointer] : {std::pair{Memory::a, a}, {Memory::b, b}}) {
            inputs.emplace_back(problem.in(which), state->workspaces, queue);
            uploads.events.push_back(inputs.back().upload(pointer));
            on_device.in(which) = inputs.back().matrix();
        }
    launch.wait_for.insert(launch.wait_for.end(), uploads.events.begin(), uploads.events.end());

    const bool has_inputs = !inputs.empty();
    const cl::Event done = multiply(on_device, has_inputs ? inputs[0].buffer() : nullptr,
                                    has_inputs ? inputs[1].buffer() : nullptr, copy_c.buffer(), launch, request);
    copy_c.download(c, done);
    copy_c.give_back(done);
    for (auto& input : inputs)
        input.give_back(done);
}

} // namespace
} // namespace clgemm::core

using namespace clgemm::core;

extern "C" {

clgemm_status clgemm_sgemm_host(clgemm_layout layout, clgemm_transpose transA, clgemm_transpose transB, size_t m, size_t n,
                                size_t k, float alpha, const float* A, size_t lda, const float* B, size_t ldb, float beta,
                                float* C, size_t ldc, cl_command_queue queue)
{
    return clgemm_sgemm_host_ex(layout, transA, transB, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc, queue, nullptr);
}

clgemm_status clgemm_sgemm_host_ex(clgemm_layout layout, clgemm_transpose transA, clgemm_transpose transB, size_t m,
                                   size_t n, size_t k, float alpha, const float* A, size_t lda, const float* B, size_t ldb,
                                   float beta, float* C, size_t ldc, cl_command_queue queue, const clgemm_options* options)
{
    return guarded([&] {
        const Arguments arguments{layout, transA, transB, m, n, k, alpha, 0, lda, 0, ldb, beta, 0, ldc};
        const Request request = read_request(options);
        multiply_on_host_memory(make_problem(arguments), A, B, C, queue, request);
    });
}

} // extern "C"
