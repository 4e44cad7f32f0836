// The program that process_test.cpp starts: one small multiplication through the shared library, checked, or its error.
//   sgemm_process multiply [kernel]   ends with 0 if the result is right, 1 if it is wrong, 2 on an error
//   sgemm_process warm_up             says what it is about to do: to warm up, for multiply, and that
//   sgemm_process queries             tells the status of the functions that need no device buffers
//   sgemm_process retune FROM TO      asks what would be done, renames a file, tears down, asks again, and multiplies
//   sgemm_process move FROM TO        multiplies in one folder, goes to another one, tears down, and multiplies there
//   sgemm_process fork                forks after a multiplication, and the child tells what it gets
//   sgemm_process fork logging        forks while a thread logs, and both set the log
//   sgemm_process fork first          forks before the first multiplication, and both multiply
//   sgemm_process cancel              cancels a thread that multiplies for ever, and multiplies
//   sgemm_process cancel prepared     releases a prepared matrix in a thread that is to be cancelled
//   sgemm_process threads             multiplies in 4 threads, 5 times in each
//   sgemm_process teardown            multiplies, tears down, multiplies, and ends without the usual ado of exit()
//   sgemm_process exit                multiplies, and does so again in destructors of static objects
#include "clgemm/clgemm.h"
#include "clgemm/clgemm.hpp"
#include "reference/reference.hpp"

#include <CL/cl.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

constexpr std::size_t m = 67, n = 35, k = 29;

int told(const char* function, clgemm_status status)
{
    std::printf("%s: %d %s\n", function, status, status == CLGEMM_SUCCESS ? "" : clgemm_last_error());
    std::fflush(stdout);
    return status == CLGEMM_SUCCESS ? 0 : 2;
}

int multiply(const char* kernel)
{
    std::vector<float> a(k * m), b(k * n), c(m * n);
    for (std::size_t i = 0; i < a.size(); i++)
        a[i] = static_cast<float>(i % 13) - 6.5f;
    for (std::size_t i = 0; i < b.size(); i++)
        b[i] = static_cast<float>(i % 7) / 3.0f;
    clgemm_options options = CLGEMM_OPTIONS_INIT;
    options.kernel = kernel;
    const clgemm_status status = clgemm_sgemm_host_ex(CLGEMM_COLUMN_MAJOR, CLGEMM_TRANS, CLGEMM_NO_TRANS, m, n, k, 1,
                                                      a.data(), k, b.data(), k, 0, c.data(), m, nullptr, &options);
    if (status != CLGEMM_SUCCESS)
        return told("clgemm_sgemm_host_ex", status);
    for (std::size_t i = 0; i < m; i++)
        for (std::size_t j = 0; j < n; j++)
            if (!clgemm::reference::is_right(c[j * m + i],
                                             clgemm::reference::element(CLGEMM_COLUMN_MAJOR, CLGEMM_TRANS, CLGEMM_NO_TRANS,
                                                                        i, j, k, 1, a.data(), k, b.data(), k, 0, c.data(),
                                                                        m),
                                             k)) {
                std::printf("wrong at (%zu, %zu)\n", i, j);
                return 1;
            }
    return 0;
}

int warm_up()
{
    clgemm_call call = CLGEMM_CALL_INIT;
    call.transA = CLGEMM_TRANS;
    call.m = call.ldc = m;
    call.n = n;
    call.k = call.lda = call.ldb = k;
    clgemm_options options = CLGEMM_OPTIONS_INIT;
    options.alignment = sizeof(float); // of whatever memory the call gets
    std::fputs("warm up\n", stderr);
    const clgemm_status status = clgemm_warm_up(nullptr, nullptr, 1, &call, &options);
    if (status != CLGEMM_SUCCESS)
        return told("clgemm_warm_up", status);
    std::fputs("multiply\n", stderr);
    return multiply(nullptr);
}

int queries()
{
    cl_device_id device = nullptr;
    std::size_t bytes = 0;
    const int failed = told("clgemm_default_device", clgemm_default_device(&device)) |
                       told("clgemm_sgemm_workspace_size",
                            clgemm_sgemm_workspace_size(CLGEMM_ROW_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, m, n, k, 1, 0, k,
                                                        0, n, 0, 0, n, nullptr, nullptr, &bytes)) |
                       told("clgemm_explain", clgemm_explain(CLGEMM_ROW_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, m, n, k, 1,
                                                             0, k, 0, n, 0, 0, n, nullptr, nullptr, nullptr, 0, &bytes));
    // What asks for nothing cannot fail.
    if (clgemm_kernel_count() == 0 || !clgemm_kernel_name(0) || !*clgemm_version() ||
        clgemm_teardown(nullptr) != CLGEMM_SUCCESS)
        return 1;
    return failed;
}

// The kernel that a multiplication would take, in a line that begins with `when`.
int tell_kernel(const char* when)
{
    char text[4096] = "";
    const clgemm_status status = clgemm_explain(CLGEMM_COLUMN_MAJOR, CLGEMM_TRANS, CLGEMM_NO_TRANS, m, n, k, 1, 0, k, 0, k,
                                                0, 0, m, nullptr, nullptr, text, sizeof text, nullptr);
    if (status != CLGEMM_SUCCESS)
        return told("clgemm_explain", status);
    const char* const line = std::strstr(text, "kernel:");
    std::printf("%s %.*s\n", when, line ? static_cast<int>(std::strcspn(line, ",")) : 0, line ? line : "");
    std::fflush(stdout);
    return 0;
}

int retune(const char* from, const char* to)
{
    if (tell_kernel("before:") != 0 || std::rename(from, to) != 0 || clgemm_teardown(nullptr) != CLGEMM_SUCCESS ||
        tell_kernel("after:") != 0)
        return 1;
    return multiply(nullptr);
}

int move(const char* from, const char* to)
{
    if (chdir(from) != 0 || multiply(nullptr) != 0 || chdir(to) != 0 || clgemm_teardown(nullptr) != CLGEMM_SUCCESS)
        return 1;
    return multiply(nullptr);
}

int end_of(pid_t child)
{
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int fork_after_use()
{
    if (multiply(nullptr) != 0)
        return 1;
    const pid_t child = fork();
    if (child == 0) {
        alarm(20); // which the parent's fork did not bring along
        const int failed = multiply(nullptr) == 2 ? queries() : 1;
        told("clgemm_teardown", clgemm_teardown(nullptr));
        _exit(failed == 1 && clgemm_kernel_count() > 0 ? 0 : 1);
    }
    return end_of(child) == 0 ? multiply(nullptr) : 1;
}

std::atomic<bool> is_logging{false}, may_go_on{false};

void log_slowly(const char*, void*)
{
    is_logging = true;
    while (!may_go_on)
        std::this_thread::yield();
}

int fork_while_logging()
{
    if (multiply(nullptr) != 0 || clgemm_set_log(log_slowly, nullptr) != CLGEMM_SUCCESS)
        return 1;
    int failed = 1;
    std::thread other([&failed] { failed = multiply(nullptr); });
    while (!is_logging)
        std::this_thread::yield();
    const pid_t child = fork();
    if (child == 0) {
        alarm(20);
        _exit(clgemm_set_log(nullptr, nullptr));
    }
    const int childs = end_of(child);
    may_go_on = true;
    other.join();
    return childs == 0 && clgemm_set_log(nullptr, nullptr) == CLGEMM_SUCCESS ? failed : 1;
}

int fork_first()
{
    // Which is no use of OpenCL.
    const bool has_kernels = clgemm_kernel_count() > 0 && clgemm_kernel_name(0) &&
                             clgemm_set_log([](const char*, void*) {}, nullptr) == CLGEMM_SUCCESS;
    const pid_t child = fork();
    if (child == 0)
        _exit(clgemm_set_log(nullptr, nullptr) == CLGEMM_SUCCESS ? multiply(nullptr) : 1);
    const int own = multiply(nullptr);
    return has_kernels && end_of(child) == 0 ? own : 1;
}

void* multiply_for_ever(void*)
{
    while (multiply(nullptr) == 0) {
    }
    return nullptr;
}

int cancel()
{
    for (int i = 0; i < 10; i++) {
        pthread_t thread{};
        if (pthread_create(&thread, nullptr, multiply_for_ever, nullptr) != 0)
            return 1;
        usleep(20'000);
        pthread_cancel(thread);
        void* result = nullptr;
        if (pthread_join(thread, &result) != 0 || result != PTHREAD_CANCELED)
            return 1;
    }
    return multiply(nullptr);
}

// A destructor in a thread that is to be cancelled releases what it has to, and the thread ends at its next point.
int release_in_a_cancelled_thread()
{
    static bool is_prepared = false; // nothing of the thread's own outlives it
    pthread_t thread{};
    const auto work = [](void*) -> void* {
        {
            const std::vector<float> weights(k * m, 1);
            const clgemm::Prepared kept(clgemm::Layout::row_major, clgemm::Operand::a, clgemm::Transpose::no, m, n, k,
                                        weights.data(), k);
            is_prepared = kept() != nullptr;
            pthread_cancel(pthread_self());
        }
        pthread_testcancel();
        return nullptr;
    };
    void* ended_by = nullptr;
    if (pthread_create(&thread, nullptr, work, nullptr) != 0 || pthread_join(thread, &ended_by) != 0)
        return 1;
    return is_prepared && ended_by == PTHREAD_CANCELED ? 0 : 1;
}

int multiply_in_threads()
{
    int results[4] = {};
    std::vector<std::thread> threads;
    for (int& result : results)
        threads.emplace_back([&result] {
            for (int i = 0; i < 5 && result == 0; i++)
                result = multiply(nullptr);
        });
    for (std::thread& thread : threads)
        thread.join();
    return results[0] | results[1] | results[2] | results[3];
}

int end_after_teardown()
{
    if (multiply(nullptr) != 0 || clgemm_teardown(nullptr) != CLGEMM_SUCCESS || multiply(nullptr) != 0)
        return 1;
    _exit(0);
}

// A call that fails with a message longer than any before, and than is kept: last_error()'s memory must still be there.
bool fails_as_it_should(std::size_t letters)
{
    clgemm_options options = CLGEMM_OPTIONS_INIT;
    const std::string kernel(letters, 'x');
    options.kernel = kernel.c_str();
    float one = 1;
    return clgemm_sgemm_host_ex(CLGEMM_ROW_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 1, 1, 1, 1, &one, 1, &one, 1, 0, &one, 1,
                                nullptr, &options) == CLGEMM_UNKNOWN_KERNEL &&
           std::strstr(clgemm_last_error(), kernel.substr(0, 1000).c_str());
}

struct CallsAtExit {
    const char* name;
    bool armed = false;
    ~CallsAtExit()
    {
        if (!armed)
            return;
        const bool right = multiply("10") == 0 && fails_as_it_should(10'000);
        std::printf("%s destructor: %s\n", name, right ? "right" : "wrong");
        std::fflush(stdout);
        if (!right)
            _exit(1);
    }
};

// Made before the library's first call, so destroyed after everything that this call made, the driver's own statics too.
CallsAtExit early{"early"};

int calls_at_exit()
{
    if (multiply("10") != 0 || !fails_as_it_should(100))
        return 1;
    static CallsAtExit late{"late"};
    early.armed = late.armed = true;
    return 0;
}

} // namespace

int main(int count, char** arguments)
{
    alarm(100); // a call that does not end is a failure, too
    const char* const command = count > 1 ? arguments[1] : "";
    if (std::strcmp(command, "multiply") == 0)
        return multiply(count > 2 ? arguments[2] : nullptr);
    if (std::strcmp(command, "warm_up") == 0)
        return warm_up();
    if (std::strcmp(command, "queries") == 0)
        return queries();
    if (std::strcmp(command, "retune") == 0 && count == 4)
        return retune(arguments[2], arguments[3]);
    if (std::strcmp(command, "move") == 0 && count == 4)
        return move(arguments[2], arguments[3]);
    if (std::strcmp(command, "fork") == 0)
        return count == 2 ? fork_after_use() : std::strcmp(arguments[2], "first") == 0 ? fork_first() : fork_while_logging();
    if (std::strcmp(command, "cancel") == 0)
        return count == 2 ? cancel() : release_in_a_cancelled_thread();
    if (std::strcmp(command, "threads") == 0)
        return multiply_in_threads();
    if (std::strcmp(command, "teardown") == 0)
        return end_after_teardown();
    if (std::strcmp(command, "exit") == 0)
        return calls_at_exit();
    return 99;
}
