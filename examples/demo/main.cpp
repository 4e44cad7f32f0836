// The demo: multiplies many small matrices in one call, and large ones with every kernel of the library and with its own
// choice, on the best device there is, checks each result against a plain loop on the CPU, and prints a table for each.
// Takes less than two minutes; exits non-zero if any result is wrong.
#define CL_HPP_ENABLE_EXCEPTIONS
#include "letter_pairs.hpp"
#include "race.hpp"

#include "tools/program/interrupt.hpp"
#include "tools/program/machine.hpp"
#include "tools/program/program.hpp"
#include "tools/program/progress.hpp"

#include <cstdio>
#include <random>

namespace demo {
namespace {

constexpr double time_limit = 75; // seconds; what would not end before is made smaller, or left out

Product random_product(std::size_t m, std::size_t n, std::size_t k, bool a_is_transposed)
{
    std::mt19937 random(1);
    std::uniform_real_distribution<float> uniform(-1.0f, 1.0f);
    const auto fill = [&](std::size_t size) {
        std::vector<float> values(size);
        std::generate(values.begin(), values.end(), [&] { return uniform(random); });
        return values;
    };
    Product product;
    product.title = a_is_transposed ? "A^T B, random numbers from -1 to 1" : "A B, random numbers from -1 to 1";
    product.m = m, product.n = n, product.k = k;
    product.a = fill(m * k);
    product.b = fill(k * n);
    product.a_is_transposed = a_is_transposed;
    return product;
}

// The rest of the explanation's line that begins with `start`.
std::string line_after(const std::string& explanation, const std::string& start)
{
    const std::size_t begin = explanation.find(start);
    if (begin == std::string::npos)
        return "";
    const std::size_t first = explanation.find_first_not_of(' ', begin + start.size());
    return explanation.substr(first, explanation.find('\n', first) - first);
}

// `flops`: of each run. `contenders`: what they are; `first`: what the first of them is called.
void print_table(double flops, const Race& race, const char* contenders, const std::string& first)
{
    const double seconds_of_first = race.runs.empty() ? 0 : race.runs.front().seconds;
    double fastest = std::numeric_limits<double>::infinity();
    for (const auto& run : race.runs)
        if (run.seconds > 0)
            fastest = std::min(fastest, run.seconds);

    std::printf("  %-26s %12s %9s %9s %10s %9s\n", contenders, "time", "GFLOP/s", ("vs " + first).c_str(), "max error",
                "of bound");
    for (const auto& run : race.runs) {
        std::printf("  %-26s ", run.contender.c_str());
        if (run.unsupported) {
            std::printf("not on this device\n");
        } else if (!run.failure.empty()) {
            std::printf("FAILED: %s\n", run.failure.c_str());
        } else {
            constexpr double full_bar = 24;
            const auto bar = static_cast<std::size_t>(std::lround(full_bar * fastest / run.seconds));
            std::printf("%9.3f ms %9.1f %8.1fx ", run.seconds * 1e3, flops / run.seconds * 1e-9,
                        seconds_of_first / run.seconds);
            std::printf(run.deviation.largest == 0 ? "%10.0f" : "%10.1e", run.deviation.largest);
            std::printf(" %7.2f %%  %s%s\n", run.deviation.of_bound * 100, run.deviation.right() ? "" : "WRONG ",
                        std::string(std::max<std::size_t>(bar, 1), '#').c_str());
        }
    }
    const std::string kernel = line_after(race.explanation, "kernel:");
    std::printf("  the library chose %s (%s)\n", kernel.substr(0, kernel.find(',')).c_str(),
                line_after(race.explanation, "because:").c_str());
}

// The demo's course: what was run so far, and whether all of it was right.
class Demo {
public:
    bool is_on_cpu() const { return machine_.is_cpu(); }

    void introduce() const
    {
        std::printf("clgemm %s on %s (%s)\n", clgemm_version(), machine_.device.getInfo<CL_DEVICE_NAME>().c_str(),
                    machine_.device.getInfo<CL_DEVICE_VERSION>().c_str());
        std::printf(
            "Times are of whole calls, from the call to the finished queue, the first one (which compiles) left out;\n"
            "the median of several. Each result is checked against a plain loop on the CPU in double precision; the\n"
            "bound is the largest error that summing in single precision can make, for each element by itself.\n");
    }

    // Throws where not even the smallest product can be computed: then each row of each table would say so.
    void need_a_product() const
    {
        const float a = 2, b = 3;
        float c = 0;
        clgemm::sgemm(clgemm::Layout::column_major, clgemm::Transpose::no, clgemm::Transpose::no, 1, 1, 1, 1.0f, &a, 1, &b,
                      1, 0.0f, &c, 1, machine_.queue);
    }

    void multiply_random(std::size_t m, std::size_t n, std::size_t k, bool a_is_transposed = false)
    {
        if (clgemm::program::is_interrupted())
            return;
        if (!is_affordable(static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k)))
            std::printf("\nLeft out, for it would take too long here: %zu x %zu, K = %zu.\n", m, n, k);
        else
            multiply(random_product(m, n, k, a_is_transposed));
    }

    // Small products, as batches have them.
    void multiply_in_one_call()
    {
        constexpr std::size_t parts = 64, words_of_a_part = 32;
        const auto words = some_words(parts * words_of_a_part);
        if (words.empty())
            return;
        const std::vector<Product> products = followers(words, parts);
        const Product& shape = products.front();
        std::printf("\n%zu times %zu x %zu, K = %zu: F^T S, which letter follows which in %zu parts of %zu English words\n",
                    parts, shape.m, shape.n, shape.k, parts, words.size());
        const Race result = race_of_calls(machine_, products);
        print_table(static_cast<double>(parts) * 2 * shape.multiply_adds(), result, "calls", "single");
        for (const auto& run : result.runs)
            (run.good() ? right_ : wrong_) += parts;
        if (result.runs.back().good())
            std::printf("  The most frequent pair, read off the first C, the middle one and the last: %s.\n",
                        most_frequent(result.c).c_str());
    }

    void multiply_letter_pairs()
    {
        if (clgemm::program::is_interrupted())
            return;
        std::size_t count = machine_.is_cpu() ? 2000 : 20000;
        while (count > 200 && !is_affordable(static_cast<double>(letter_pairs * letter_pairs * count)))
            count /= 2;
        const auto words = some_words(count);
        if (words.empty())
            return;
        const auto gram = multiply(gram_matrix_of_pairs(words));
        if (clgemm::program::is_interrupted())
            return;
        std::printf("  Pairs that most often meet in a word, read off C: %s.\n"
                    "  (From %s. Such sums of small whole numbers are exact.)\n",
                    meaning(gram).c_str(), word_list);
    }

    int conclude() const
    {
        std::printf("\n%zu products, %zu right, %zu wrong or failed; %.0f seconds.\n", right_ + wrong_, right_, wrong_,
                    seconds_since(start_));
        if (wrong_ > 0)
            return clgemm::program::failure;
        return clgemm::program::is_interrupted() ? clgemm::program::interrupted : clgemm::program::success;
    }

private:
    // Judged by how long the last product took, compiling left out.
    bool is_affordable(double multiply_adds) const
    {
        return seconds_since(start_) + seconds_per_multiply_add_ * multiply_adds < time_limit;
    }

    // None, of which the first call tells, if there is no list of them.
    std::vector<std::string> some_words(std::size_t count)
    {
        auto words = read_words(count);
        if (words.empty() && !has_told_of_words_)
            std::printf("\nNo real matrices, for there is no %s: install the package %s.\n", word_list, word_list_package);
        has_told_of_words_ = words.empty();
        return words;
    }

    // Returns C.
    std::vector<float> multiply(const Product& product)
    {
        std::printf("\n%zu x %zu, K = %zu: %s\n", product.m, product.n, product.k, product.title.c_str());
        clgemm::program::Progress progress;
        const std::size_t steps = clgemm_kernel_count() + 2;
        std::size_t step = 0;
        const auto show = [&](const std::string& what) {
            progress.show(static_cast<double>(step) / static_cast<double>(steps), what);
            step++;
        };
        show("plain loop");
        const auto start = std::chrono::steady_clock::now();
        const Reference reference = multiply_on_cpu(product);
        double seconds = seconds_since(start);
        Race result = race_of_kernels(machine_, product, reference, show);
        progress.clear();
        print_table(2 * product.multiply_adds(), result, "kernel", "naive");
        if (reference.columns.size() < product.n)
            std::printf("  checked: %zu of the %zu columns, evenly spread\n", reference.columns.size(), product.n);

        for (const auto& run : result.runs) {
            if (!run.unsupported)
                (run.good() ? right_ : wrong_)++;
            seconds += 2 * run.seconds; // a warm-up and a timed one at least
        }
        seconds_per_multiply_add_ = seconds / product.multiply_adds();
        return std::move(result.c);
    }

    Machine machine_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    double seconds_per_multiply_add_ = 0;
    std::size_t right_ = 0, wrong_ = 0;
    bool has_told_of_words_ = false;
};

} // namespace
} // namespace demo

int main(int argc, char** argv)
{
    clgemm::program::Program program(
        "clgemm-demo", "Multiplies matrices with every kernel on the best device, checks each result, and prints tables.");
    program.add_device_option();
    return program.run(argc, argv, [] {
        clgemm::program::catch_interrupts();
        clgemm::program::pin_pocl();
        clgemm::program::warn_if_loaded("clgemm-demo");
        demo::Demo demo;
        demo.need_a_product();
        demo.introduce();
        demo.multiply_in_one_call();
        if (demo.is_on_cpu()) {
            demo.multiply_random(256, 256, 256);
            demo.multiply_random(500, 300, 700, true);
            demo.multiply_random(512, 512, 512);
        } else {
            demo.multiply_random(1024, 1024, 1024);
            demo.multiply_random(1000, 3000, 1234, true);
            demo.multiply_random(2048, 2048, 2048);
            demo.multiply_random(4096, 4096, 4096);
        }
        demo.multiply_letter_pairs();
        return demo.conclude();
    });
}
