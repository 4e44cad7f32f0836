// Load: programs that use the library hard, for as long as they are told to.
//   load calls SECONDS     16 threads, 4 contexts, queues in order and out of order, sizes and kernels mixed: every result
//   is
//                          checked, and memory does not grow
//   load contexts COUNT    contexts made, used and released, by turns with and without teardown: memory does not grow
//   load exit              ends while threads call and commands are under way
//   load libraries COUNT   loads the shared library that CLGEMM_LIBRARY names, uses it and unloads it: memory does not grow
#include "reference/reference.hpp"
#include "support/one_pocl_worker.hpp"
#include "support/opencl.hpp"

#include "clgemm/clgemm.h"
#include "device/default_device.hpp"
#include "support/environment.hpp"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <functional>
#include <malloc.h>
#include <random>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void fail(const std::string& what)
{
    std::fprintf(stderr, "load: %s\n", what.c_str());
    std::_Exit(1);
}

void require(bool holds, const std::string& what)
{
    if (!holds)
        fail(what);
}

// What the process has taken and not given back.
double megabytes()
{
    const auto info = mallinfo2();
    return static_cast<double>(info.uordblks + info.hblkhd) / 1e6;
}

const cl::Device& device()
{
    static const auto* const chosen = new cl::Device(clgemm::core::choose_device(clgemm::core::environment().device));
    return *chosen;
}

// A problem, and what comes out, worked out once.
struct Case {
    clgemm_layout layout;
    clgemm_transpose trans_a, trans_b;
    std::size_t m, n, k, lda, ldb, ldc;
    float alpha, beta;
    std::vector<float> a, b, c;
    std::vector<clgemm::reference::Exact> exact; // of C's elements, row by row

    explicit Case(std::mt19937& random)
    {
        const auto size = [&] { return std::size_t{1} << random() % 8 | random() % 128; };
        m = size();
        n = size();
        k = size();
        layout = random() % 2 ? CLGEMM_ROW_MAJOR : CLGEMM_COLUMN_MAJOR;
        trans_a = random() % 2 ? CLGEMM_TRANS : CLGEMM_NO_TRANS;
        trans_b = random() % 2 ? CLGEMM_TRANS : CLGEMM_NO_TRANS;
        alpha = random() % 4 ? 1.0f : -0.5f;
        beta = random() % 2 ? 0.0f : 0.75f;
        const auto fill = [&](std::vector<float>& all, std::size_t rows, std::size_t cols, std::size_t& ld) {
            const bool by_rows = layout == CLGEMM_ROW_MAJOR;
            ld = (by_rows ? cols : rows) + random() % 3;
            std::uniform_real_distribution<float> uniform(-1, 1);
            for (std::size_t i = 0; i < ld * (by_rows ? rows : cols); i++)
                all.push_back(uniform(random));
        };
        trans_a == CLGEMM_NO_TRANS ? fill(a, m, k, lda) : fill(a, k, m, lda);
        trans_b == CLGEMM_NO_TRANS ? fill(b, k, n, ldb) : fill(b, n, k, ldb);
        fill(c, m, n, ldc);
        for (std::size_t i = 0; i < m; i++)
            for (std::size_t j = 0; j < n; j++)
                exact.push_back(clgemm::reference::element(layout, trans_a, trans_b, i, j, k, alpha, a.data(), lda, b.data(),
                                                           ldb, beta, c.data(), ldc));
    }

    void check(const std::vector<float>& result, const char* kernel) const
    {
        for (std::size_t i = 0; i < m; i++)
            for (std::size_t j = 0; j < n; j++)
                if (!is_right(result[clgemm::reference::at(layout, i, j, ldc)], exact[i * n + j], k))
                    fail("wrong at (" + std::to_string(i) + ", " + std::to_string(j) + ") of " + std::to_string(m) + "x" +
                         std::to_string(n) + "x" + std::to_string(k) + " with kernel " +
                         (kernel ? kernel : "of its choice"));
    }
};

std::vector<Case> cases(std::size_t count)
{
    std::mt19937 random(11);
    std::vector<Case> result;
    while (result.size() < count)
        result.emplace_back(random);
    return result;
}

void must(clgemm_status status)
{
    if (status != CLGEMM_SUCCESS)
        fail(std::string(clgemm_status_string(status)) + ": " + clgemm_last_error());
}

// Some kernels of each family, as far as this device runs them, and null for the library's choice.
std::vector<const char*> kernels()
{
    std::vector<const char*> result{nullptr};
    for (const char* const name : {"1", "10", "14", "16", "17", "18", "20"}) {
        clgemm_options options = CLGEMM_OPTIONS_INIT;
        options.kernel = name;
        std::size_t bytes = 0;
        if (clgemm_sgemm_workspace_size(CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 64, 64, 64, 1, 0, 64, 0, 64,
                                        0, 0, 64, device()(), &options, &bytes) == CLGEMM_SUCCESS)
            result.push_back(options.kernel);
    }
    return result;
}

void call_on_buffers(const Case& x, const char* kernel, const cl::CommandQueue& queue)
{
    const auto context = queue.getInfo<CL_QUEUE_CONTEXT>();
    const auto buffer = [&](const std::vector<float>& from) {
        return cl::Buffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, from.size() * sizeof(float),
                          const_cast<float*>(from.data()));
    };
    const cl::Buffer a = buffer(x.a), b = buffer(x.b), c = buffer(x.c);
    clgemm_options options = CLGEMM_OPTIONS_INIT;
    options.kernel = kernel;
    cl::Event done;
    must(clgemm_sgemm_ex(x.layout, x.trans_a, x.trans_b, x.m, x.n, x.k, x.alpha, a(), 0, x.lda, b(), 0, x.ldb, x.beta, c(),
                         0, x.ldc, queue(), 0, nullptr, &done(), &options));
    std::vector<float> result(x.c.size());
    const std::vector<cl::Event> first{done};
    queue.enqueueReadBuffer(c, CL_TRUE, 0, result.size() * sizeof(float), result.data(), &first);
    x.check(result, kernel);
}

void call_on_host(const Case& x, const char* kernel, cl_command_queue queue)
{
    std::vector<float> result = x.c;
    clgemm_options options = CLGEMM_OPTIONS_INIT;
    options.kernel = kernel;
    must(clgemm_sgemm_host_ex(x.layout, x.trans_a, x.trans_b, x.m, x.n, x.k, x.alpha, x.a.data(), x.lda, x.b.data(), x.ldb,
                              x.beta, result.data(), x.ldc, queue, &options));
    x.check(result, kernel);
}

int calls(double seconds)
{
    constexpr std::size_t thread_count = 16, context_count = 4;
    const auto all = cases(seconds < 60 ? 4 : 200);
    const auto names = kernels();
    std::vector<cl::CommandQueue> queues;
    for (std::size_t i = 0; i < context_count; i++) {
        const cl::Context context(device());
        const auto offered = device().getInfo<CL_DEVICE_QUEUE_PROPERTIES>() & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
        for (const cl_command_queue_properties properties : {cl_command_queue_properties{0}, offered, offered})
            queues.emplace_back(context, device(), properties);
    }
    // Memory grows while programs are compiled, which each context needs.
    for (const auto& queue : queues)
        for (const Case& x : all)
            for (const char* const kernel : names)
                if (queue.getInfo<CL_QUEUE_PROPERTIES>() == 0)
                    call_on_buffers(x, kernel, queue);
    std::atomic<bool> stop{false};
    std::atomic<long> done{0};
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < thread_count; t++)
        threads.emplace_back([&, t] {
            std::mt19937 random(static_cast<std::mt19937::result_type>(t));
            // A queue of the thread's own by turns with those of all.
            const cl::CommandQueue own(queues[t % queues.size()].getInfo<CL_QUEUE_CONTEXT>(), device());
            while (!stop) {
                const Case& x = all[random() % all.size()];
                const char* const kernel = names[random() % names.size()];
                const cl::CommandQueue& queue = random() % 4 ? queues[random() % queues.size()] : own;
                switch (random() % 4) {
                case 0: call_on_host(x, kernel, random() % 2 ? queue() : nullptr); break;
                default: call_on_buffers(x, kernel, queue); break;
                }
                done++;
            }
        });
    const auto start = Clock::now();
    const auto wait_until = [&](double part) {
        std::this_thread::sleep_until(
            start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds * part)));
    };
    const auto least_of_a_while = [] { // since calls under way hold memory, too
        double least = megabytes();
        for (int i = 0; i < 50; i++) {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            least = std::min(least, megabytes());
        }
        return least;
    };
    wait_until(0.5);
    const double half = least_of_a_while();
    const long calls_at_half = done;
    wait_until(1);
    const double end = least_of_a_while();
    stop = true;
    for (auto& thread : threads)
        thread.join();
    std::printf("%ld calls, all right; memory in use %.1f MB after %ld calls, %.1f MB at the end\n", done.load(), half,
                calls_at_half, end);
    require(end - half < 10 + 0.1 * half, "memory grows");
    return 0;
}

int contexts(long count)
{
    const auto all = cases(8);
    const auto round = [&](long i) {
        const cl::Context context(device());
        const cl::CommandQueue queue(context, device());
        call_on_buffers(all[static_cast<std::size_t>(i) % all.size()], i % 2 ? "1" : "10", queue);
        if (i % 3 == 0)
            must(clgemm_teardown(context()));
    };
    for (long i = 0; i < 20; i++)
        round(i);
    must(clgemm_teardown(nullptr));
    const double before = megabytes();
    for (long i = 0; i < count; i++)
        round(i);
    must(clgemm_teardown(nullptr));
    const double after = megabytes(), each = 1e3 * (after - before) / static_cast<double>(count);
    std::printf("%ld contexts; memory in use %.1f MB before, %.1f MB after: %.2f KB for each\n", count, before, after, each);
    require(each < 64, "memory grows");
    return 0;
}

int exit_during_calls()
{
    static const auto& all = *new std::vector<Case>(cases(20)); // never destroyed: the threads go on while the process exits
    static std::atomic<long> done{0};
    const cl::Context context(device());
    const cl::CommandQueue queue(context, device());
    const auto call = [queue](std::size_t i) {
        const Case& x = all[i % all.size()];
        i % 2 ? call_on_buffers(x, nullptr, queue) : call_on_host(x, nullptr, nullptr);
    };
    // So that nothing is compiled any more: a program that ends while PoCL compiles may crash in LLVM, also one that has
    // nothing to do with this library, since LLVM's destructors do not wait for it.
    for (std::size_t i = 0; i < all.size(); i++)
        call(i);
    for (std::size_t t = 0; t < 4; t++)
        std::thread([call, t] {
            for (std::size_t i = t;; i++, done++)
                call(i);
        }).detach();
    while (done < 20)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::exit(0);
}

int libraries(long count)
{
    const char* const path = std::getenv("CLGEMM_LIBRARY");
    require(path != nullptr, "CLGEMM_LIBRARY names no library");
    const auto cycle = [&](bool with_teardown) {
        void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        require(library != nullptr, "the library cannot be loaded");
        const auto multiply = reinterpret_cast<decltype(&clgemm_sgemm_host)>(dlsym(library, "clgemm_sgemm_host"));
        const auto teardown = reinterpret_cast<decltype(&clgemm_teardown)>(dlsym(library, "clgemm_teardown"));
        const float a[] = {1, 2, 3, 4, 5, 6}, b[] = {7, 8, 9, 10, 11, 12};
        float c[4] = {};
        must(multiply(CLGEMM_ROW_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 2, 2, 3, 1, a, 3, b, 2, 0, c, 2, nullptr));
        require(c[0] == 58 && c[1] == 64 && c[2] == 139 && c[3] == 154, "a wrong product");
        if (with_teardown)
            must(teardown(nullptr));
        dlclose(library);
    };
    for (const bool with_teardown : {false, true}) {
        for (int i = 0; i < 5; i++)
            cycle(with_teardown);
        const double before = megabytes();
        for (long i = 0; i < count; i++)
            cycle(with_teardown);
        const double each = 1e3 * (megabytes() - before) / static_cast<double>(count);
        std::printf("%ld times loaded and unloaded, %s teardown: %.2f KB for each\n", count,
                    with_teardown ? "with" : "without", each);
        require(each < (with_teardown ? 64 : 2), "memory grows");
    }
    return 0;
}

} // namespace

int main(int count, char** arguments)
{
    const std::string command = count > 1 ? arguments[1] : "";
    const double number = count > 2 ? std::atof(arguments[2]) : 0;
    if (command == "calls" && number > 0)
        return calls(number);
    if (command == "contexts" && number > 0)
        return contexts(static_cast<long>(number));
    if (command == "exit")
        return exit_during_calls();
    if (command == "libraries" && number > 0)
        return libraries(static_cast<long>(number));
    return 2;
}
