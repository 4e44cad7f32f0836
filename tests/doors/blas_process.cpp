// A program that calls BLAS, started by blas_test.cpp in many environments.
//   blas_process combinations        all forms, layouts, transposes, alpha and beta in sizes from 0 to 40, and some larger
//   blas_process errors              every wrong argument; tells what the program's handlers were told, a line each
//   blas_process products COUNT M N K   so many times the same product
//   blas_process threads             products from several threads at once
//   blas_process fork                a product, another in a child, and another
//   blas_process cancelled           a product in a thread that was cancelled before it
//   blas_process moved               a product after the process went to another folder
//   blas_process closed FILE         a product while this BLAS is open, and one after it was closed
//   blas_process flat COUNT SIZE     so many products; tells by how many KiB the process grew, after as many as a tenth
//   blas_process batch M [wrong]     batches of products, some of them larger by M; before, the same with a wrong argument
//   blas_process strided [wrong]     batches of matrices in one array, by stride and by list; before, with wrong arguments
// Ends with 0 if all results are right, 1 with a line about the first that is not.
#include "blas_routines.hpp"
#include "reference/guarded_matrix.hpp"
#include "reference/reference.hpp"

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <pthread.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

using namespace clgemm::test;
using clgemm::reference::GuardedMatrix;

namespace {

constexpr clgemm_transpose every_transpose[] = {CLGEMM_NO_TRANS, CLGEMM_TRANS, CLGEMM_CONJ_TRANS};
constexpr float every_scale[] = {0.0f, 1.0f, -1.0f, 0.5f};

struct Case {
    Form form = Form::cblas;
    clgemm_layout layout = CLGEMM_COLUMN_MAJOR;
    clgemm_transpose trans_a = CLGEMM_NO_TRANS, trans_b = CLGEMM_NO_TRANS;
    std::size_t m, n, k;
    float alpha = 0.5f, beta = -1.0f;
    std::size_t gap = 0;
};

// The matrices of a case, and whether its result is right.
class Checked {
public:
    Checked(const Case& its_case, std::mt19937& random)
        : x_(its_case),
          a_(x_.layout, x_.trans_a == CLGEMM_NO_TRANS ? x_.m : x_.k, x_.trans_a == CLGEMM_NO_TRANS ? x_.k : x_.m, x_.gap, 3),
          b_(x_.layout, x_.trans_b == CLGEMM_NO_TRANS ? x_.k : x_.n, x_.trans_b == CLGEMM_NO_TRANS ? x_.n : x_.k, x_.gap, 5),
          c_(x_.layout, x_.m, x_.n, x_.gap, 7), before_(c_)
    {
        // Whatever must not be read stays full of canaries, which are NaN.
        if (x_.alpha != 0) {
            a_.fill(random);
            b_.fill(random);
        }
        if (x_.beta != 0)
            c_.fill(random);
        before_ = c_;
    }

    SgemmArguments arguments()
    {
        const auto size = [](std::size_t number) { return static_cast<std::int64_t>(number); };
        return {x_.layout,
                x_.trans_a,
                x_.trans_b,
                size(x_.m),
                size(x_.n),
                size(x_.k),
                x_.alpha,
                a_.data(),
                size(a_.ld),
                b_.data(),
                size(b_.ld),
                x_.beta,
                c_.elements.data() + c_.offset,
                size(c_.ld)};
    }

    bool is_right() const
    {
        if (!c_.canaries_are_alive())
            return tell("something outside C was written");
        for (std::size_t i = 0; i < x_.m; i++)
            for (std::size_t j = 0; j < x_.n; j++) {
                const auto exact =
                    clgemm::reference::element(x_.layout, x_.trans_a, x_.trans_b, i, j, x_.k, x_.alpha, a_.data(), a_.ld,
                                               b_.data(), b_.ld, x_.beta, before_.data(), before_.ld);
                if (!clgemm::reference::is_right(c_.at(i, j), exact, x_.k))
                    return tell("C(" + std::to_string(i) + ", " + std::to_string(j) + ") is " + std::to_string(c_.at(i, j)) +
                                ", not " + std::to_string(exact.value));
            }
        return true;
    }

private:
    bool tell(const std::string& what) const
    {
        std::printf("form %d, layout %d, transposes %d %d, %zu x %zu x %zu, alpha %g, beta %g, gap %zu: %s\n",
                    static_cast<int>(x_.form), x_.layout, x_.trans_a, x_.trans_b, x_.m, x_.n, x_.k,
                    static_cast<double>(x_.alpha), static_cast<double>(x_.beta), x_.gap, what.c_str());
        return false;
    }

    Case x_;
    GuardedMatrix a_, b_, c_, before_;
};

bool computes_right(const Case& x, std::mt19937& random)
{
    Checked checked(x, random);
    call_sgemm(x.form, checked.arguments());
    return checked.is_right();
}

int combinations()
{
    std::mt19937 random(1);
    for (const Form form : every_form)
        for (const clgemm_layout layout : {CLGEMM_ROW_MAJOR, CLGEMM_COLUMN_MAJOR}) {
            if (is_fortran(form) && layout == CLGEMM_ROW_MAJOR)
                continue;
            const std::size_t step = is_64_bit(form) ? 5 : 1; // they differ from the others only at the door
            for (const clgemm_transpose trans_a : every_transpose)
                for (const clgemm_transpose trans_b : every_transpose) {
                    Case x{form, layout, trans_a, trans_b, 0, 0, 0};
                    for (const float alpha : every_scale)
                        for (const float beta : every_scale)
                            for (std::size_t size = 0; size <= 40; size += step) {
                                x.alpha = alpha;
                                x.beta = beta;
                                x.m = size;
                                x.n = (size * 7 + 3) % 41;
                                x.k = (size * 13 + 5) % 41;
                                x.gap = size % 3;
                                if (!computes_right(x, random))
                                    return 1;
                            }
                    for (const auto& [m, n, k] : {std::array<std::size_t, 3>{65, 130, 257}, {200, 1, 100}, {1, 99, 300}}) {
                        const Case larger{form, layout, trans_a, trans_b, m, n, k, 0.5f, -1.0f, 2};
                        if (!computes_right(larger, random))
                            return 1;
                    }
                }
        }
    return 0;
}

// Each line: the form, which arguments are wrong, and the number that the handler was told.
int errors()
{
    std::vector<float> matrix(1000, 1.0f), c(1000, 1.0f);
    struct Wrong {
        const char* what;
        void (*spoil)(SgemmArguments&);
    };
    const Wrong every_wrong[] = {
        {"layout", [](SgemmArguments& x) { x.layout = 100; }},
        {"trans_a", [](SgemmArguments& x) { x.trans_a = 110; }},
        {"trans_b", [](SgemmArguments& x) { x.trans_b = 114; }},
        {"m", [](SgemmArguments& x) { x.m = -1; }},
        {"n", [](SgemmArguments& x) { x.n = -1; }},
        {"k", [](SgemmArguments& x) { x.k = -1; }},
        {"lda", [](SgemmArguments& x) { x.lda--; }},
        {"ldb", [](SgemmArguments& x) { x.ldb--; }},
        {"ldc", [](SgemmArguments& x) { x.ldc--; }},
        {"lda=0", [](SgemmArguments& x) { x.m = x.n = x.k = x.lda = 0; }},
        {"trans_a,trans_b", [](SgemmArguments& x) { x.trans_a = x.trans_b = 0; }},
        {"m,n", [](SgemmArguments& x) { x.m = x.n = -1; }},
        {"lda,ldb", [](SgemmArguments& x) { x.lda = x.ldb = 1; }},
    };
    for (const Form form : every_form)
        for (const clgemm_layout layout : {CLGEMM_ROW_MAJOR, CLGEMM_COLUMN_MAJOR}) {
            if (is_fortran(form) && layout == CLGEMM_ROW_MAJOR)
                continue;
            // m, n, k: 4, 5, 6, with the least leading dimensions that there may be; A is transposed.
            const bool rows = layout == CLGEMM_ROW_MAJOR;
            const SgemmArguments right{
                layout,       CLGEMM_TRANS,  CLGEMM_NO_TRANS, 4,    5,        6,           1.0f, matrix.data(),
                rows ? 4 : 6, matrix.data(), rows ? 5 : 6,    1.0f, c.data(), rows ? 5 : 4};
            for (const auto& [what, spoil] : every_wrong) {
                if (is_fortran(form) && std::string(what) == "layout")
                    continue;
                SgemmArguments wrong = right;
                spoil(wrong);
                call_sgemm(form, wrong);
                const Told told = told_since_last_time();
                const char* const by = told.parameter == 0 ? "nobody" : told.form == form ? "its own" : "another";
                std::printf("%s%s %s %s: %d by %s handler\n", is_fortran(form) ? "fortran" : "cblas",
                            is_64_bit(form) ? "64" : "", rows ? "rows" : "columns", what, told.parameter, by);
            }
        }
    return 0;
}

int products(long count, const Case& x)
{
    std::mt19937 random(2);
    for (long i = 0; i < count; i++)
        if (!computes_right(x, random))
            return 1;
    return 0;
}

int threads()
{
    std::atomic<bool> all_right{true};
    std::vector<std::jthread> workers;
    for (unsigned seed = 0; seed < 8; seed++)
        workers.emplace_back([seed, &all_right] {
            std::mt19937 random(seed);
            for (std::size_t i = 0; i < 25; i++) {
                Case x{every_form[seed % 4], CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_TRANS, 30 + i, 40, 50};
                if (!computes_right(x, random))
                    all_right = false;
            }
        });
    workers.clear();
    return all_right ? 0 : 1;
}

// A thread that is to be cancelled computes, and ends at its next cancellation point.
int in_a_cancelled_thread()
{
    static bool is_right = false; // C's; nothing of the thread's own outlives it
    pthread_t thread{};
    const auto work = [](void*) -> void* {
        pthread_cancel(pthread_self());
        constexpr Case x{.m = 40, .n = 50, .k = 60};
        is_right = products(1, x) == 0;
        pthread_testcancel();
        return nullptr;
    };
    void* ended_by = nullptr;
    if (pthread_create(&thread, nullptr, work, nullptr) != 0 || pthread_join(thread, &ended_by) != 0)
        return 1;
    return is_right && ended_by == PTHREAD_CANCELED ? 0 : 1;
}

int fork_between()
{
    const Case x{.m = 40, .n = 50, .k = 60};
    if (products(1, x) != 0)
        return 1;
    const pid_t child = fork();
    if (child == 0)
        std::exit(products(2, x)); // with all that a process does at its end
    int status = 0;
    waitpid(child, &status, 0);
    return status == 0 ? products(1, x) : 1;
}

int close_between(const std::string& file)
{
    const Case x{.m = 40, .n = 50, .k = 60};
    void* const blas = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (!blas || products(1, x) != 0 || dlclose(blas) != 0)
        return 1;
    return products(1, x);
}

long resident_kib()
{
    std::ifstream file("/proc/self/statm");
    long all = 0, resident = 0;
    file >> all >> resident;
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

int flat(long count, std::size_t size)
{
    std::mt19937 random(3);
    const Case x{.m = size, .n = size, .k = size, .alpha = 1.0f, .beta = 0.0f};
    Checked checked(x, random);
    const SgemmArguments arguments = checked.arguments();
    const auto call_all_forms = [&](long times) {
        for (long i = 0; i < times; i++)
            call_sgemm(every_form[i % 4], arguments);
    };
    call_all_forms(count / 10);
    const long before = resident_kib();
    call_all_forms(count);
    std::printf("%ld KiB more\n", resident_kib() - before);
    return checked.is_right() ? 0 : 1;
}

// Three groups, of two products, none, and one that is `larger`; the same by both widths of integers.
template <class Int, class Batch> int batch(Batch* routine, std::size_t larger, bool with_wrong)
{
    std::mt19937 random(4);
    const Case small{.m = 5, .n = 6, .k = 7, .gap = 1};
    const Case large{.trans_a = CLGEMM_TRANS, .m = 5 + larger, .n = 3, .k = 4};
    std::vector<Checked> all;
    for (const Case& x : {small, small, large})
        all.emplace_back(x, random);

    std::vector<int> trans_a, trans_b;
    std::vector<Int> m, n, k, lda, ldb, ldc;
    std::vector<float> alpha, beta;
    for (const std::size_t first : {0U, 1U, 2U}) { // the empty group takes after the one before it
        const SgemmArguments x = all[first].arguments();
        trans_a.push_back(x.trans_a);
        trans_b.push_back(x.trans_b);
        for (auto& [list, number] : {std::pair{&m, x.m}, {&n, x.n}, {&k, x.k}, {&lda, x.lda}, {&ldb, x.ldb}, {&ldc, x.ldc}})
            list->push_back(static_cast<Int>(number));
        alpha.push_back(x.alpha);
        beta.push_back(x.beta);
    }
    std::vector<const float*> a, b;
    std::vector<float*> c;
    for (auto& one : all) {
        const SgemmArguments x = one.arguments();
        a.push_back(x.a);
        b.push_back(x.b);
        c.push_back(x.c);
    }
    const auto run = [&](std::initializer_list<Int> group_sizes) {
        routine(CLGEMM_COLUMN_MAJOR, trans_a.data(), trans_b.data(), m.data(), n.data(), k.data(), alpha.data(), a.data(),
                lda.data(), b.data(), ldb.data(), beta.data(), c.data(), ldc.data(), 3, group_sizes.begin());
    };
    if (with_wrong) {
        const Int right = std::exchange(lda[2], 1);
        run({2, 0, 1}); // computes nothing: otherwise the results below are wrong
        std::printf("parameter %d\n", told_since_last_time().parameter);
        lda[2] = right;
        run({2, 0, -1});
        std::printf("parameter %d\n", told_since_last_time().parameter);
    }
    run({2, 0, 1});
    for (const auto& one : all)
        if (!one.is_right())
            return 1;
    return 0;
}

// Seven products whose matrices lie in arrays, with beta or without, by rows and by columns: by strides, and by a list.
template <class Int, class Strided, class Batch> int strided(Strided* routine, Batch* by_list, bool with_wrong)
{
    constexpr Int m = 6, n = 6, k = 6, ld = 9, count = 7, one = 6 * ld;
    std::mt19937 random(5);
    std::uniform_real_distribution<float> uniform(-1, 1);
    std::vector<float> a(count * one), b(count * one), before(count * one);
    for (auto* const numbers : {&a, &b, &before})
        for (float& number : *numbers)
            number = uniform(random);
    if (with_wrong) {
        const auto told = [&](int layout, Int rows, Int lda, Int ldb, Int ldc, Int products) {
            std::vector<float> c = before;
            routine(layout, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, rows, n, k, 1, a.data(), lda, one, b.data(), ldb, one, 0,
                    c.data(), ldc, one, products);
            std::printf("parameter %d\n", c == before ? told_since_last_time().parameter : -1);
        };
        told(100, m, ld, ld, ld, count);
        told(CLGEMM_COLUMN_MAJOR, -1, ld, ld, ld, count);
        for (const int layout : {CLGEMM_COLUMN_MAJOR, CLGEMM_ROW_MAJOR}) {
            told(layout, m, 1, ld, ld, count);
            told(layout, m, ld, 1, ld, count);
            told(layout, m, ld, ld, 1, count);
        }
        told(CLGEMM_COLUMN_MAJOR, m, ld, ld, ld, -1);
    }
    struct Way {
        float beta;
        Int stride_b, stride_c; // side by side, behind one another, and backwards
        bool is_list;
    };
    for (const auto layout : {CLGEMM_COLUMN_MAJOR, CLGEMM_ROW_MAJOR})
        for (const Way& way : {Way{0, one, one, false},
                               {0, 0, one, false},
                               {-1, one, one, false},
                               {0, one, -one, false},
                               {0, one, one, true},
                               {0, 0, one, true},
                               {-1, one, one, true}}) {
            std::vector<float> c = before;
            const std::size_t first_c = way.stride_c < 0 ? static_cast<std::size_t>((count - 1) * one) : 0;
            const float alpha = 0.5f;
            if (way.is_list) {
                std::vector<const float*> all_a, all_b;
                std::vector<float*> all_c;
                for (Int i = 0; i < count; i++) {
                    all_a.push_back(a.data() + i * one);
                    all_b.push_back(b.data() + i * way.stride_b);
                    all_c.push_back(c.data() + i * one);
                }
                const int no = CLGEMM_NO_TRANS, yes = CLGEMM_TRANS;
                by_list(layout, &no, &yes, &m, &n, &k, &alpha, all_a.data(), &ld, all_b.data(), &ld, &way.beta, all_c.data(),
                        &ld, 1, &count);
            } else {
                routine(layout, CLGEMM_NO_TRANS, CLGEMM_TRANS, m, n, k, alpha, a.data(), ld, one, b.data(), ld, way.stride_b,
                        way.beta, c.data() + first_c, ld, way.stride_c, count);
            }
            for (Int i = 0; i < count; i++)
                for (std::size_t row = 0; row < static_cast<std::size_t>(m); row++)
                    for (std::size_t col = 0; col < static_cast<std::size_t>(n); col++) {
                        const std::size_t begin = first_c + static_cast<std::size_t>(i * way.stride_c);
                        const auto exact = clgemm::reference::element(
                            layout, CLGEMM_NO_TRANS, CLGEMM_TRANS, row, col, k, alpha, a.data() + i * one, ld,
                            b.data() + i * way.stride_b, ld, way.beta, before.data() + begin, ld);
                        if (!clgemm::reference::is_right(c[begin + clgemm::reference::at(layout, row, col, ld)], exact, k)) {
                            std::printf("product %d is wrong\n", static_cast<int>(i));
                            return 1;
                        }
                    }
        }
    return 0;
}

} // namespace

int main(int count, char** arguments)
{
    std::setvbuf(stdout, nullptr, _IOLBF, 0); // in order with what others write on standard error
    const std::vector<std::string> words(arguments + 1, arguments + count);
    const auto number = [&](std::size_t i) { return std::stoul(words.at(i)); };
    const std::string& what = words.at(0);
    if (what == "combinations")
        return combinations();
    if (what == "errors")
        return errors();
    if (what == "products")
        return products(std::stol(words.at(1)), {.m = number(2), .n = number(3), .k = number(4)});
    if (what == "threads")
        return threads();
    if (what == "fork")
        return fork_between();
    if (what == "cancelled")
        return in_a_cancelled_thread();
    if (what == "moved")
        return chdir("/") == 0 ? products(1, {.m = 40, .n = 50, .k = 60}) : 1;
    if (what == "closed")
        return close_between(words.at(1));
    if (what == "flat")
        return flat(std::stol(words.at(1)), number(2));
    if (what == "batch")
        return batch<std::int32_t>(cblas_sgemm_batch, number(1), words.size() > 2) |
               batch<std::int64_t>(cblas_sgemm_batch64_, number(1), words.size() > 2);
    if (what == "strided")
        return strided<std::int32_t>(cblas_sgemm_batch_strided, cblas_sgemm_batch, words.size() > 1) |
               strided<std::int64_t>(cblas_sgemm_batch_strided64_, cblas_sgemm_batch64_, words.size() > 1);
    return 2;
}
