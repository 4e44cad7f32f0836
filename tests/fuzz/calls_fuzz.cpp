// The functions that support/call_forms.hpp lists, with any arguments: small sizes and the largest, any enumerator, pointers
// that are null or to objects of another kind. A call that fails has touched nothing; one that succeeds is right. (Not among
// them are lists in the device's memory, lists of pointers into the host's, and prepared operands.)
#include "fuzz_target.hpp"

#include "reference/reference.hpp"
#include "support/one_pocl_worker.hpp"
#include "support/world.hpp"

#include <algorithm>
#include <cstring>

using namespace clgemm::test;

namespace {

// Takes one choice after the other from the input; when it is used up, the first of each.
class Choices {
public:
    Choices(const std::uint8_t* data, std::size_t size) : next_(data), end_(data + size) {}

    std::size_t number(std::size_t limit) { return next_ == end_ ? 0 : *next_++ % limit; }
    template <typename T, std::size_t count> const T& of(const T (&all)[count]) { return all[number(count)]; }
    // Mostly the first.
    template <typename T, std::size_t count> const T& rarely(const T (&all)[count])
    {
        const std::size_t which = number(256);
        return all[which < 200 ? 0 : which % count];
    }

private:
    const std::uint8_t* next_;
    const std::uint8_t* const end_;
};

constexpr std::size_t two_31 = std::size_t{1} << 31, two_32 = two_31 * 2;

std::size_t size_of(Choices& choose)
{
    constexpr std::size_t small[] = {1, 2, 3, 4, 5, 7, 8, 9, 13, 15, 16, 0};
    constexpr std::size_t edges[] = {17,     31,         32,           33,           63,           64,         65,
                                     127,    128,        129,          two_31,       two_31 - 1,   two_31 + 1, two_32 - 1,
                                     two_32, two_32 + 1, size_max / 4, size_max / 2, size_max - 1, size_max};
    return choose.number(256) < 240 ? choose.of(small) : choose.of(edges);
}

struct Extents {
    bool is_invalid = false; // an enumerator, a leading dimension or a distance
    bool overflows[3] = {}, fits[3] = {true, true, true};
};

// `products`: how many the form computes.
Extents extents_of(const Arguments& x, std::size_t products)
{
    Extents result;
    const auto known = [](clgemm_transpose t) {
        return t == CLGEMM_NO_TRANS || t == CLGEMM_TRANS || t == CLGEMM_CONJ_TRANS;
    };
    result.is_invalid =
        (x.layout != CLGEMM_COLUMN_MAJOR && x.layout != CLGEMM_ROW_MAJOR) || !known(x.trans_a) || !known(x.trans_b);
    const bool by_columns = x.layout == CLGEMM_COLUMN_MAJOR;
    const std::pair<std::size_t, std::size_t> sizes[] = {{x.m, x.k}, {x.k, x.n}, {x.m, x.n}};
    const bool transposed[] = {x.trans_a != CLGEMM_NO_TRANS, x.trans_b != CLGEMM_NO_TRANS, false};
    for (const Which which : every_matrix) {
        const auto [rows, cols] = sizes[which];
        const bool along_rows = by_columns != transposed[which];
        const std::size_t length = along_rows ? rows : cols, lines = along_rows ? cols : rows;
        result.is_invalid = result.is_invalid || x.ld[which] < std::max<std::size_t>(1, length);
        __extension__ using Wide = unsigned __int128;
        const bool is_empty = length == 0 || lines == 0 || products == 0;
        const Wide whole = is_empty ? 0 : Wide{lines - 1} * x.ld[which] + length, others = is_empty ? 0 : products - 1;
        const Wide end = is_empty ? 0 : x.offset[which] + others * x.distance[which] + whole;
        for (Wide q = 1; which == C && q <= others && q < 10000 && q * x.distance[C] < whole && !result.is_invalid; q++) {
            const Wide rest = q * x.distance[C] % x.ld[C];
            result.is_invalid = rest < length || x.ld[C] - rest < length;
        }
        result.overflows[which] = end > most_elements;
        result.fits[which] = end <= World::elements;
    }
    return result;
}

// May the call be made on host memory, where nobody can see how far it goes?
bool is_safe_on_host(const Extents& e)
{
    const bool others = (e.fits[A] && e.fits[B]) || e.overflows[A] || e.overflows[B];
    return e.is_invalid || (e.fits[C] && others);
}

void check_result(const Arguments& x, std::size_t products, const std::vector<float>& pattern, const std::vector<float>& c)
{
    using namespace clgemm::reference;
    // Where A and B are not looked at, they may begin anywhere.
    const auto begin = [&](Which which, std::size_t product) {
        return pattern.data() + std::min(x.offset[which] + product * x.distance[which], World::elements);
    };
    std::vector<float> expected_elsewhere = c;
    for (std::size_t product = 0; product < products; product++)
        for (std::size_t i = 0; i < x.m; i++)
            for (std::size_t j = 0; j < x.n; j++) {
                const std::size_t where = x.offset[C] + product * x.distance[C] + at(x.layout, i, j, x.ld[C]);
                const auto exact = element(x.layout, x.trans_a, x.trans_b, i, j, x.k, x.alpha, begin(A, product), x.ld[A],
                                           begin(B, product), x.ld[B], x.beta, begin(C, product), x.ld[C]);
                require(is_right(c[where], exact, x.alpha == 0 ? 0 : x.k), "a wrong element");
                expected_elsewhere[where] = pattern[where];
            }
    require(std::memcmp(expected_elsewhere.data(), pattern.data(), World::elements * sizeof(float)) == 0,
            "something beside C was written");
}

World& world()
{
    static auto* const all = new World; // never destroyed, like the test device
    return *all;
}

} // namespace

std::vector<std::string> clgemm::test::examples()
{
    std::vector<std::string> result;
    std::mt19937 random(7);
    for (int i = 0; i < 100; i++) {
        std::string one;
        for (int byte = 0; byte < 60; byte++)
            one += static_cast<char>(byte < 8 || random() % 3 == 0 ? random() : 0);
        result.push_back(one);
    }
    return result;
}

std::string clgemm::test::next_input(std::string input, std::mt19937& random)
{
    return changed(std::move(input), random);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    keep_input_of_aborts();
    World& w = world();
    Choices choose(data, size);
    const Form form = choose.of(forms);
    Arguments x = w.right_arguments();

    constexpr int layout_values[] = {CLGEMM_COLUMN_MAJOR, CLGEMM_ROW_MAJOR};
    constexpr int transpose_values[] = {CLGEMM_NO_TRANS, CLGEMM_TRANS, CLGEMM_CONJ_TRANS};
    constexpr int wrong_values[] = {0, 0, -1, 103, 110, 114, 0x7fffffff, 0x65 << 8};
    const auto enumerator = [&](const auto& values) {
        const int right = choose.of(values), wrong = choose.rarely(wrong_values);
        return wrong == 0 ? right : wrong;
    };
    x.layout = static_cast<clgemm_layout>(enumerator(layout_values));
    x.trans_a = static_cast<clgemm_transpose>(enumerator(transpose_values));
    x.trans_b = static_cast<clgemm_transpose>(enumerator(transpose_values));
    x.m = size_of(choose);
    x.n = size_of(choose);
    x.k = size_of(choose);
    constexpr float scalars[] = {1, 0, -1, 0.5f, -0.0f};
    x.alpha = choose.of(scalars);
    x.beta = choose.of(scalars);
    for (const Which which : every_matrix) {
        constexpr std::size_t more[] = {0, 0, 1, 3, size_max - 20, two_31};
        x.ld[which] = std::max({std::size_t{1}, which == B ? x.k : x.m, which == A ? x.k : x.n}) + choose.rarely(more) -
                      choose.number(8) / 7;
        constexpr std::size_t offsets[] = {0, 1, 7, 60, 255, 256, two_31, size_max / 4, size_max};
        x.offset[which] = choose.rarely(offsets);
        if ((form & on_host) != 0) // which has none
            x.offset[which] = 0;
        const cl_mem others[] = {w.buffer[which](), nullptr,        w.foreign(),
                                 w.read_only(),     w.write_only(), w.image ? (*w.image)() : nullptr,
                                 w.buffer[A]()};
        x.buffer[which] = choose.rarely(others);
        float* const pointers[] = {w.memory[which].data(), nullptr};
        x.host[which] = choose.rarely(pointers);
    }
    constexpr std::size_t counts[] = {2, 1, 3, 0, 7, two_32, size_max};
    x.count = choose.of(counts);
    for (const Which which : every_matrix) {
        constexpr std::size_t distances[] = {100, 0, 1, 20, 64, size_max / 4, size_max};
        x.distance[which] = choose.of(distances);
    }
    const cl_command_queue queues[] = {test_device().in_order(), test_device().out_of_order(), nullptr};
    x.queue = choose.of(queues);
    const cl_event events[] = {nullptr, w.event(), w.foreign_event(), w.event()};
    if (const cl_event event = choose.rarely(events))
        x.wait_list = {event, event};
    constexpr cl_uint miscounts[] = {0, 1};
    x.num_wait = static_cast<cl_uint>(x.wait_list.size()) + choose.rarely(miscounts);
    if (choose.number(2) == 0)
        x.event = nullptr;
    constexpr const char* kernels[] = {nullptr, "1", "2", "05_transposed_rectangular", "10", "16", "17", "18",
                                       "20",    "",  "x"};
    x.options.kernel = choose.of(kernels);
    constexpr int maths[] = {
        CLGEMM_MATH_DEFAULT, CLGEMM_MATH_STRICT, CLGEMM_MATH_TF32, CLGEMM_MATH_FAST, CLGEMM_MATH_REPRODUCIBLE, 77, -1};
    const int math = choose.rarely(maths);
    std::memcpy(&x.options.math, &math, sizeof math);
    const cl_mem workspaces[] = {nullptr, w.buffer[B](), w.foreign(), w.read_only()};
    x.options.workspace = choose.rarely(workspaces);
    constexpr std::size_t limits[] = {0, 1, 1000, size_max}, alignments[] = {0, 4, 64, 1, 6, size_max, std::size_t{1} << 63};
    x.options.workspace_limit = choose.rarely(limits);
    x.options.alignment = choose.rarely(alignments);
    const std::size_t option_sizes[] = {sizeof x.options, 0, 8, sizeof x.options - 1, sizeof x.options + 1, size_max};
    x.options.size = choose.rarely(option_sizes);
    std::size_t* const bytes[] = {&w.bytes, nullptr};
    x.bytes = choose.rarely(bytes);
    char* const texts[] = {w.text.data(), nullptr};
    x.text = choose.rarely(texts);
    const std::size_t text_sizes[] = {w.text.size(), 0, 1, 5};
    x.text_size = choose.rarely(text_sizes);

    // A larger size than the structure's says that more follows it.
    std::vector<unsigned char> larger(sizeof x.options + 8);
    std::memcpy(larger.data(), &x.options, sizeof x.options);
    x.larger_options = reinterpret_cast<const clgemm_options*>(larger.data());
    if (x.num_wait > x.wait_list.size() && !x.wait_list.empty())
        x.wait_list.push_back(nullptr);

    const std::size_t products = (form & batched) != 0 ? x.count : (form & (listed | listed_ex)) != 0 ? 2 : 1;
    const Extents extents = extents_of(x, products);
    if ((form & on_host) != 0 && !is_safe_on_host(extents))
        return 0;

    const clgemm_status status = call(form, x);
    require(status != CLGEMM_INTERNAL_ERROR, std::string("an internal error: ") + clgemm_last_error());
    require(std::strlen(clgemm_status_string(status)) > 0, "a status without a name");
    test_device().in_order.finish();
    test_device().out_of_order.finish();
    if (status != CLGEMM_SUCCESS) {
        require(std::strlen(clgemm_last_error()) > 0, "an error without words");
        require(bool(w.nothing_was_touched()), std::string("a failed call that left something: ") + clgemm_last_error());
        return 0;
    }
    taken++;
    require(!extents.is_invalid, "wrong arguments were taken");
    const bool touches = x.m > 0 && x.n > 0 && products > 0;
    if ((form & queries) == 0 && touches) {
        std::vector<float> c = w.memory[C];
        const bool is_host = (form & on_host) != 0, alone = x.buffer[C] == w.buffer[C]() && x.options.workspace == nullptr;
        if (!is_host)
            test_device().in_order.enqueueReadBuffer(w.buffer[C], CL_TRUE, 0, World::elements * sizeof(float), c.data());
        if (is_host || alone)
            check_result(x, products, w.pattern, c);
    }
    // As it was.
    for (const cl::Buffer& buffer : {w.buffer[A], w.buffer[B], w.buffer[C], w.write_only})
        test_device().in_order.enqueueWriteBuffer(buffer, CL_TRUE, 0, World::elements * sizeof(float), w.pattern.data());
    for (const Which which : every_matrix)
        w.memory[which] = w.pattern;
    w.forget_event();
    w.bytes = 77;
    w.text.assign(1000, '?');
    return 0;
}
