// libxsmm, which compiles a kernel for each size of a small product. It multiplies matrices that are not transposed, in one
// thread; here a batch is divided among threads. Debian has it as an archive; docs/benchmarks.md says how to load that.
#include "contenders.hpp"
#include "host_contender.hpp"
#include "shared_library.hpp"

#include <atomic>
#include <functional>
#include <thread>

namespace bench {

using namespace timing;

namespace {

// As in libxsmm 1.17: sizes are ints, and null means what is usual.
using Kernel = void(const float* a, const float* b, float* c);
using Dispatch = Kernel*(int m, int n, int k, const int* lda, const int* ldb, const int* ldc, const float* alpha,
                         const float* beta, const int* flags, const int* prefetch);

// Threads that wait for work, as a BLAS has them: to start them for each call would count against the contender.
class Team {
public:
    explicit Team(unsigned members)
    {
        for (unsigned member = 1; member < members; member++) // the caller is one, too
            threads_.emplace_back([this, member] {
                for (unsigned turn = 0;;) {
                    turn_.wait(turn);
                    turn = turn_;
                    if (ends_)
                        return;
                    work_(member);
                    if (--busy_ == 0)
                        busy_.notify_one();
                }
            });
    }
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;
    ~Team()
    {
        ends_ = true;
        turn_++;
        turn_.notify_all();
    }

    // Calls work(member) in each thread, and waits for all of them.
    void run(std::function<void(unsigned member)> work)
    {
        work_ = std::move(work);
        busy_ = static_cast<unsigned>(threads_.size());
        turn_++;
        turn_.notify_all();
        work_(0);
        for (unsigned left = busy_; left != 0; left = busy_)
            busy_.wait(left);
    }

private:
    std::function<void(unsigned)> work_;
    std::atomic<unsigned> turn_ = 0, busy_ = 0;
    std::atomic<bool> ends_ = false;
    std::vector<std::jthread> threads_; // the last member: its threads end before the others do
};

class Libxsmm : public HostContender {
public:
    Libxsmm(HostMatrices& matrices, Dispatch* dispatch, unsigned threads, std::string description)
        : HostContender(matrices), dispatch_(dispatch), members_(threads), team_(threads),
          description_(std::move(description))
    {
    }

    std::string description() const override { return description_; }

    void multiply(const Product& x) override
    {
        if (x.transposes.a || x.transposes.b)
            throw std::runtime_error("libxsmm has no kernels for transposed operands");
        const int lda = static_cast<int>(x.lda()), ldb = static_cast<int>(x.ldb()), ldc = static_cast<int>(x.ldc());
        const float one = 1;
        const int nothing = 0; // of the next product is fetched ahead: null would mean what the environment says
        Kernel* const kernel = dispatch_(static_cast<int>(x.shape.m), static_cast<int>(x.shape.n),
                                         static_cast<int>(x.shape.k), &lda, &ldb, &ldc, &one, &x.beta, nullptr, &nothing);
        if (!kernel)
            throw std::runtime_error("libxsmm has no kernel for this size");
        team_.run([&](unsigned member) {
            for (std::size_t i = x.count * member / members_; i < x.count * (member + 1) / members_; i++)
                kernel(a() + i * x.distance_a(), b() + i * x.distance_b(), c() + i * x.distance_c());
        });
    }

private:
    Dispatch* dispatch_;
    std::size_t members_;
    Team team_;
    std::string description_;
};

} // namespace

std::unique_ptr<Contender> find_libxsmm(HostMatrices& matrices, unsigned threads)
{
    const SharedLibrary library({"libxsmm.so.1", "libxsmm.so"});
    library.function<void()>("libxsmm_init")();
    return std::make_unique<Libxsmm>(matrices, library.function<Dispatch>("libxsmm_smmdispatch"), threads,
                                     "libxsmm (" + library.file() + "), kernels for " +
                                         library.function<const char*()>("libxsmm_get_target_arch")() +
                                         ", a batch divided among " + std::to_string(threads) + " threads");
}

} // namespace bench
