// BLIS, with the kernels that are fastest here. BLIS 0.9 knows the processors of its time, and takes slow generic kernels on
// later ones. Which kernels it takes can be set only before its first call, so each choice is tried in a process of its own.
#include "cblas_contender.hpp"
#include "contenders.hpp"
#include "shared_library.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>

namespace bench {

using namespace timing;

namespace {

constexpr const char* arch_type = "BLIS_ARCH_TYPE";

SharedLibrary load()
{
    return SharedLibrary({"/usr/lib/x86_64-linux-gnu/blis-pthread/libblis.so.4", "libblis.so.4"});
}

double measure_gflops()
{
    constexpr int n = 768;
    const std::vector<float> a(std::size_t{n} * n, 1.0f), b(std::size_t{n} * n, 1.0f);
    std::vector<float> c(std::size_t{n} * n);
    auto* const sgemm = load().function<CblasSgemm>("cblas_sgemm");
    double best = 0;
    for (int run = 0; run < 10; run++) {
        const auto start = std::chrono::steady_clock::now();
        sgemm(cblas_column_major, cblas_no_trans, cblas_no_trans, n, n, n, 1.0f, a.data(), n, b.data(), n, 0.0f, c.data(),
              n);
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        best = std::max(best, 2.0 * std::pow(n, 3) * 1e-9 / seconds.count());
    }
    return best;
}

// 0 where BLIS cannot run with these kernels: it aborts.
double gflops_with(const char* architecture)
{
    int ends[2];
    if (pipe(ends) != 0)
        return 0;
    const pid_t child = fork();
    if (child == 0) {
        if (const int nowhere = open("/dev/null", O_WRONLY); nowhere >= 0)
            dup2(nowhere, STDERR_FILENO); // what it says as it aborts is of no interest
        set_environment(arch_type, architecture);
        set_environment("BLIS_NUM_THREADS",
                        "1"); // its threads wait for each other: one busy core would decide, not the kernels
        const double gflops = measure_gflops();
        _exit(write(ends[1], &gflops, sizeof(gflops)) == sizeof(gflops) ? 0 : 1);
    }
    close(ends[1]);
    double gflops = 0;
    if (child < 0 || read(ends[0], &gflops, sizeof(gflops)) != sizeof(gflops))
        gflops = 0;
    close(ends[0]);
    if (child > 0)
        waitpid(child, nullptr, 0);
    return gflops;
}

} // namespace

std::unique_ptr<Contender> find_blis(HostMatrices& matrices, unsigned threads)
{
    load(); // throws where there is none; BLIS reads the environment only at its first call

    struct Choice {
        const char* architecture = nullptr;
        const char* name = "";
        double gflops = 0;
    };
    Choice choices[] = {{nullptr, "unset"}, {"0", "0 (skx)"}, {"6", "6 (zen3)"}};
    for (int round = 0; round < 3; round++) // in turns, since other processes may disturb one of them
        for (auto& choice : choices)
            choice.gflops = std::max(choice.gflops, gflops_with(choice.architecture));
    const auto* const fastest = std::max_element(std::begin(choices), std::end(choices),
                                                 [](const auto& x, const auto& y) { return x.gflops < y.gflops; });
    std::string tried;
    for (const auto& choice : choices)
        tried += std::string(tried.empty() ? "" : ", ") + choice.name + ": " + std::to_string(std::lround(choice.gflops));
    set_environment(arch_type, fastest->architecture);
    set_environment("BLIS_NUM_THREADS", std::to_string(threads).c_str());

    const SharedLibrary library = load();
    return std::make_unique<CblasContender>(
        matrices, library.function<CblasSgemm>("cblas_sgemm"),
        std::string("BLIS ") + library.function<const char*()>("bli_info_get_version_str")() + " (" + library.file() +
            "), " + std::to_string(threads) + " threads, BLIS_ARCH_TYPE " + fastest->name + ", the fastest of " + tried +
            " GFLOP/s with one");
}

} // namespace bench
