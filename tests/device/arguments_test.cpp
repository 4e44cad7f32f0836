// Every wrong argument gives its documented status and a message that names it, and leaves C bit for bit as it was; what the
// documentation allows is taken.
#include "support/case_on_device.hpp"

#include <bit>
#include <cstring>
#include <limits>
#include <optional>
#include <thread>

using namespace clgemm::test;

namespace {

constexpr std::size_t size_max = std::numeric_limits<std::size_t>::max();
constexpr std::size_t most_elements = size_max / sizeof(float); // that can be counted in bytes

enum Which { A, B, C };
constexpr Which every_matrix[] = {A, B, C};

// Every argument of every form of the call, to be spoiled one by one.
struct Arguments {
    clgemm_layout layout = CLGEMM_COLUMN_MAJOR;
    clgemm_transpose trans_a = CLGEMM_NO_TRANS, trans_b = CLGEMM_NO_TRANS;
    std::size_t m = 5, n = 4, k = 3;
    float alpha = 1, beta = 0.5f;
    std::size_t offset[3] = {}, ld[3] = {5, 3, 5};
    cl_mem buffer[3] = {};
    float* host[3] = {};
    cl_command_queue queue = nullptr;
    std::vector<cl_event> wait_list;
    cl_uint num_wait = 0;
    bool null_wait_list = false;
    cl_event* event = nullptr;
    clgemm_options options = CLGEMM_OPTIONS_INIT;
    const clgemm_options* larger_options = nullptr; // in place of `options`
    std::size_t* bytes = nullptr;
    char* text = nullptr;
    std::size_t text_size = 0;

    const clgemm_options* given_options() const { return larger_options ? larger_options : &options; }
    const cl_event* given_wait_list() const { return null_wait_list || wait_list.empty() ? nullptr : wait_list.data(); }
};

// The forms of the call; a set of them is a sum.
enum Form : unsigned { plain = 1, ex = 2, host = 4, host_ex = 8, workspace_size = 16, explain = 32 };
constexpr unsigned on_buffers = plain | ex, on_host = host | host_ex, queries = workspace_size | explain;
constexpr unsigned with_options = ex | host_ex | queries;
constexpr unsigned every_form = on_buffers | on_host | queries;
constexpr Form forms[] = {plain, ex, host, host_ex, workspace_size, explain};

const char* name(Form form)
{
    switch (form) {
    case plain: return "clgemm_sgemm";
    case ex: return "clgemm_sgemm_ex";
    case host: return "clgemm_sgemm_host";
    case host_ex: return "clgemm_sgemm_host_ex";
    case workspace_size: return "clgemm_sgemm_workspace_size";
    case explain: break;
    }
    return "clgemm_explain";
}

clgemm_status call(Form form, const Arguments& x)
{
    const cl_device_id device = test_device().device();
    switch (form) {
    case plain:
        return clgemm_sgemm(x.layout, x.trans_a, x.trans_b, x.m, x.n, x.k, x.alpha, x.buffer[A], x.offset[A], x.ld[A],
                            x.buffer[B], x.offset[B], x.ld[B], x.beta, x.buffer[C], x.offset[C], x.ld[C], x.queue,
                            x.num_wait, x.given_wait_list(), x.event);
    case ex:
        return clgemm_sgemm_ex(x.layout, x.trans_a, x.trans_b, x.m, x.n, x.k, x.alpha, x.buffer[A], x.offset[A], x.ld[A],
                               x.buffer[B], x.offset[B], x.ld[B], x.beta, x.buffer[C], x.offset[C], x.ld[C], x.queue,
                               x.num_wait, x.given_wait_list(), x.event, x.given_options());
    case host:
        return clgemm_sgemm_host(x.layout, x.trans_a, x.trans_b, x.m, x.n, x.k, x.alpha, x.host[A], x.ld[A], x.host[B],
                                 x.ld[B], x.beta, x.host[C], x.ld[C], x.queue);
    case host_ex:
        return clgemm_sgemm_host_ex(x.layout, x.trans_a, x.trans_b, x.m, x.n, x.k, x.alpha, x.host[A], x.ld[A], x.host[B],
                                    x.ld[B], x.beta, x.host[C], x.ld[C], x.queue, x.given_options());
    case workspace_size:
        return clgemm_sgemm_workspace_size(x.layout, x.trans_a, x.trans_b, x.m, x.n, x.k, x.alpha, x.offset[A], x.ld[A],
                                           x.offset[B], x.ld[B], x.beta, x.offset[C], x.ld[C], device, x.given_options(),
                                           x.bytes);
    case explain: break;
    }
    return clgemm_explain(x.layout, x.trans_a, x.trans_b, x.m, x.n, x.k, x.alpha, x.offset[A], x.ld[A], x.offset[B], x.ld[B],
                          x.beta, x.offset[C], x.ld[C], device, x.given_options(), x.text, x.text_size, nullptr);
}

// What arguments can point to, and a copy of what they may not change.
class World {
public:
    static constexpr std::size_t elements = 256;

    World()
    {
        for (std::size_t i = 0; i < elements; i++)
            pattern.push_back(static_cast<float>(i + 1));
        for (const Which which : every_matrix) {
            memory[which] = pattern;
            buffer[which] = make(CL_MEM_READ_WRITE);
        }
        const auto& device = test_device().device;
        foreign_context = cl::Context(device);
        foreign = make(CL_MEM_READ_WRITE, foreign_context);
        read_only = make(CL_MEM_READ_ONLY);
        write_only = make(CL_MEM_WRITE_ONLY);
        event = cl::UserEvent(test_device().context);
        foreign_event = cl::UserEvent(foreign_context);
        event.setStatus(CL_COMPLETE);
        foreign_event.setStatus(CL_COMPLETE);
        if (device.getInfo<CL_DEVICE_IMAGE_SUPPORT>())
            image = cl::Image2D(test_device().context, CL_MEM_READ_WRITE, {CL_RGBA, CL_FLOAT}, 16, 16);
        text.assign(1000, '?');
    }

    World(const World&) = delete;
    World& operator=(const World&) = delete;
    ~World() { forget_event(); }

    Arguments right_arguments()
    {
        forget_event();
        Arguments x;
        for (const Which which : every_matrix) {
            x.buffer[which] = buffer[which]();
            x.host[which] = memory[which].data();
        }
        x.queue = test_device().in_order();
        x.event = &result_event;
        x.bytes = &bytes;
        x.text = text.data();
        x.text_size = text.size();
        return x;
    }

    cl::Buffer make(cl_mem_flags flags, const cl::Context& context = test_device().context)
    {
        return {context, flags | CL_MEM_COPY_HOST_PTR, elements * sizeof(float), pattern.data()};
    }

    testing::AssertionResult nothing_was_touched()
    {
        std::vector<float> now(elements);
        const auto same = [&](const std::vector<float>& values) {
            return std::memcmp(values.data(), pattern.data(), elements * sizeof(float)) == 0;
        };
        for (const cl::Buffer& one : {buffer[C], read_only}) {
            test_device().in_order.enqueueReadBuffer(one, CL_TRUE, 0, elements * sizeof(float), now.data());
            if (!same(now))
                return testing::AssertionFailure() << "the buffer C was changed";
        }
        if (!same(memory[C]))
            return testing::AssertionFailure() << "C in host memory was changed";
        if (result_event != nullptr || bytes != 77 || text.find_first_not_of('?') != std::string::npos)
            return testing::AssertionFailure() << "a result was written";
        return testing::AssertionSuccess();
    }

    void forget_event()
    {
        if (result_event)
            clReleaseEvent(result_event);
        result_event = nullptr;
    }

    std::vector<float> pattern, memory[3];
    cl::Context foreign_context;
    cl::Buffer buffer[3], foreign, read_only, write_only;
    cl::UserEvent event, foreign_event;
    std::optional<cl::Image2D> image;
    cl_event result_event = nullptr;
    std::size_t bytes = 77;
    std::string text;
};

// One way to be wrong.
struct Wrong {
    std::string what;
    clgemm_status status;
    std::string named; // the argument, as clgemm_last_error() calls it
    unsigned in;       // the forms that take the argument
    std::function<void(Arguments&, World&)> spoil;
};

std::vector<Wrong> wrong_values()
{
    std::vector<Wrong> rows;
    for (const int value : {0, 100, 103, 127})
        rows.push_back({"layout_" + std::to_string(value), CLGEMM_INVALID_LAYOUT, "layout", every_form,
                        [value](Arguments& x, World&) { x.layout = static_cast<clgemm_layout>(value); }});
    for (const int value : {0, 110, 114, 127}) {
        const auto transpose = static_cast<clgemm_transpose>(value);
        rows.push_back({"transA_" + std::to_string(value), CLGEMM_INVALID_TRANS_A, "transA", every_form,
                        [transpose](Arguments& x, World&) { x.trans_a = transpose; }});
        rows.push_back({"transB_" + std::to_string(value), CLGEMM_INVALID_TRANS_B, "transB", every_form,
                        [transpose](Arguments& x, World&) { x.trans_b = transpose; }});
    }
    return rows;
}

// Sizes, offsets and leading dimensions that size_t cannot count in bytes; the matrices are column-major.
std::vector<Wrong> overflows()
{
    constexpr const char* names[] = {"A", "B", "C"};
    constexpr clgemm_status status[] = {CLGEMM_OVERFLOW_A, CLGEMM_OVERFLOW_B, CLGEMM_OVERFLOW_C};
    constexpr std::size_t cols[] = {3, 4, 4}, rows_of[] = {5, 3, 5};
    std::vector<Wrong> rows;
    for (const Which which : every_matrix) {
        const std::string matrix = names[which];
        const std::size_t extent = (cols[which] - 1) * rows_of[which] + rows_of[which];
        for (const auto& [what, offset] : {std::pair{"most", size_max},
                                           {"SIZE_MAX_less_its_extent", size_max - extent + 1},
                                           {"SIZE_MAX_in_bytes", most_elements},
                                           {"one_element_past_SIZE_MAX_in_bytes", most_elements - extent + 1}})
            rows.push_back({"offset_" + matrix + "_" + what, status[which], matrix, on_buffers | queries,
                            [which, offset](Arguments& x, World&) { x.offset[which] = offset; }});
        const std::size_t least_too_large = (most_elements - rows_of[which]) / (cols[which] - 1) + 1;
        for (const auto& [what, ld] :
             {std::pair{"most", size_max}, {"wrapping_around_to_0", size_max / 2 + 1}, {"least_too_large", least_too_large}})
            rows.push_back({"ld_" + matrix + "_" + what, status[which], matrix, every_form,
                            [which, ld](Arguments& x, World&) { x.ld[which] = ld; }});
    }
    rows.push_back({"m_SIZE_MAX", CLGEMM_OVERFLOW_A, "A", every_form,
                    [](Arguments& x, World&) { x.m = x.ld[A] = x.ld[C] = size_max; }});
    rows.push_back(
        {"k_SIZE_MAX", CLGEMM_OVERFLOW_A, "A", every_form, [](Arguments& x, World&) { x.k = x.ld[B] = size_max; }});
    rows.push_back({"n_SIZE_MAX", CLGEMM_OVERFLOW_B, "B", every_form, [](Arguments& x, World&) { x.n = size_max; }});
    rows.push_back({"n_SIZE_MAX_with_k_0", CLGEMM_OVERFLOW_C, "C", every_form, [](Arguments& x, World&) {
                        x.n = size_max;
                        x.k = 0;
                    }});
    rows.push_back({"m_SIZE_MAX_with_k_0", CLGEMM_OVERFLOW_C, "C", every_form, [](Arguments& x, World&) {
                        x.m = x.ld[A] = x.ld[C] = size_max;
                        x.k = 0;
                    }});
    return rows;
}

std::vector<Wrong> wrong_objects()
{
    constexpr const char* names[] = {"A", "B", "C"};
    constexpr clgemm_status invalid[] = {CLGEMM_INVALID_A, CLGEMM_INVALID_B, CLGEMM_INVALID_C};
    constexpr clgemm_status foreign[] = {CLGEMM_WRONG_CONTEXT_A, CLGEMM_WRONG_CONTEXT_B, CLGEMM_WRONG_CONTEXT_C};
    std::vector<Wrong> rows;
    for (const Which which : every_matrix) {
        const std::string matrix = names[which];
        rows.push_back({matrix + "_null", invalid[which], matrix, on_buffers,
                        [which](Arguments& x, World&) { x.buffer[which] = nullptr; }});
        rows.push_back({matrix + "_null_on_the_host", invalid[which], matrix, on_host,
                        [which](Arguments& x, World&) { x.host[which] = nullptr; }});
        rows.push_back({matrix + "_an_image", invalid[which], matrix, on_buffers,
                        [which](Arguments& x, World& world) { x.buffer[which] = world.image.value()(); }});
        rows.push_back({matrix + "_of_another_context", foreign[which], matrix, on_buffers,
                        [which](Arguments& x, World& world) { x.buffer[which] = world.foreign(); }});
    }
    for (const Which which : {A, B})
        rows.push_back({std::string(names[which]) + "_write_only", invalid[which], names[which], on_buffers,
                        [which](Arguments& x, World& world) { x.buffer[which] = world.write_only(); }});
    rows.push_back({"C_read_only", CLGEMM_INVALID_C, "C", on_buffers,
                    [](Arguments& x, World& world) { x.buffer[C] = world.read_only(); }});
    rows.push_back({"C_write_only_with_beta", CLGEMM_INVALID_C, "C", on_buffers,
                    [](Arguments& x, World& world) { x.buffer[C] = world.write_only(); }});

    rows.push_back(
        {"queue_null", CLGEMM_INVALID_QUEUE, "queue", on_buffers, [](Arguments& x, World&) { x.queue = nullptr; }});
    rows.push_back(
        {"wait_list_null_with_a_count", CLGEMM_INVALID_WAIT_LIST, "waitList", on_buffers, [](Arguments& x, World&) {
             x.num_wait = 1;
             x.null_wait_list = true;
         }});
    rows.push_back({"wait_list_without_a_count", CLGEMM_INVALID_WAIT_LIST, "numWait", on_buffers,
                    [](Arguments& x, World& world) { x.wait_list = {world.event()}; }});
    rows.push_back(
        {"wait_list_with_a_null_event", CLGEMM_INVALID_WAIT_LIST, "waitList[1]", on_buffers, [](Arguments& x, World& world) {
             x.wait_list = {world.event(), nullptr, world.event()};
             x.num_wait = 3;
         }});
    rows.push_back({"wait_list_of_another_context", CLGEMM_INVALID_WAIT_LIST, "waitList[2]", on_buffers,
                    [](Arguments& x, World& world) {
                        x.wait_list = {world.event(), world.event(), world.foreign_event()};
                        x.num_wait = 3;
                    }});
    rows.push_back(
        {"bytes_null", CLGEMM_INVALID_POINTER, "bytes", workspace_size, [](Arguments& x, World&) { x.bytes = nullptr; }});
    rows.push_back(
        {"text_null_with_a_size", CLGEMM_INVALID_POINTER, "text", explain, [](Arguments& x, World&) { x.text = nullptr; }});
    return rows;
}

std::vector<Wrong> wrong_options()
{
    std::vector<Wrong> rows;
    for (const auto& [what, size] : {std::pair{"0", std::size_t{0}},
                                     {"less_than_any_versions", offsetof(clgemm_options, workspace_limit) - 1},
                                     {"one_less", sizeof(clgemm_options) - 1},
                                     {"huge", std::size_t{1} << 20},
                                     {"most", size_max}})
        rows.push_back({std::string("options_of_size_") + what, CLGEMM_INVALID_OPTIONS, "options->size", with_options,
                        [size = size](Arguments& x, World&) { x.options.size = size; }});
    static const std::string one_too_many = std::to_string(std::stoi(clgemm_kernel_name(clgemm_kernel_count() - 1)) + 1);
    static const std::string shortened(clgemm_kernel_name(0), 4);
    for (const auto& [what, kernel] : {std::pair{"nonsense", "nonsense"},
                                       {"empty", ""},
                                       {"0", "0"},
                                       {"minus_1", "-1"},
                                       {"one_too_many", one_too_many.c_str()},
                                       {"huge", "99999999999999999999999"},
                                       {"with_a_tail", "9x"},
                                       {"with_a_space", " 9"},
                                       {"half_a_name", shortened.c_str()}})
        rows.push_back({std::string("kernel_") + what, CLGEMM_UNKNOWN_KERNEL, "options->kernel", with_options,
                        [kernel = kernel](Arguments& x, World&) { x.options.kernel = kernel; }});
    for (const int value : {2, -1})
        rows.push_back({"math_" + std::string(value < 0 ? "minus_1" : "2"), CLGEMM_INVALID_MATH, "options->math",
                        with_options,
                        [value](Arguments& x, World&) { std::memcpy(&x.options.math, &value, sizeof value); }});

    // The tenth kernel copies all of these small matrices, so that it needs a workspace.
    const auto with_workspace = [](auto get) {
        return [get](Arguments& x, World& world) {
            x.options.kernel = "10";
            x.options.workspace = get(world);
        };
    };
    for (const auto& [what, status, spoil] :
         {std::tuple{"of_another_context", CLGEMM_INVALID_WORKSPACE,
                     std::function(with_workspace([](World& world) { return world.foreign(); }))},
          {"an_image", CLGEMM_INVALID_WORKSPACE, with_workspace([](World& world) { return world.image.value()(); })},
          {"read_only", CLGEMM_INVALID_WORKSPACE, with_workspace([](World& world) { return world.read_only(); })},
          {"write_only", CLGEMM_INVALID_WORKSPACE, with_workspace([](World& world) { return world.write_only(); })},
          {"too_small", CLGEMM_WORKSPACE_TOO_SMALL, with_workspace([](World& world) { return world.buffer[A](); })}})
        rows.push_back({std::string("workspace_") + what, status, "options->workspace", ex | host_ex, spoil});
    return rows;
}

std::string name_of_wrong(const testing::TestParamInfo<Wrong>& info)
{
    return info.param.what;
}

class WrongArgument : public testing::TestWithParam<Wrong> {};

TEST_P(WrongArgument, IsRefusedByNameAndNothingIsTouched)
{
    const Wrong& wrong = GetParam();
    World world;
    if (wrong.what.find("image") != std::string::npos && !world.image)
        GTEST_SKIP() << "the device has no images";
    for (const Form form : forms) {
        if (!(wrong.in & form))
            continue;
        Arguments arguments = world.right_arguments();
        wrong.spoil(arguments, world);
        EXPECT_EQ(call(form, arguments), wrong.status) << name(form) << ": " << clgemm_last_error();
        EXPECT_NE(std::string(clgemm_last_error()).find(wrong.named), std::string::npos)
            << name(form) << " says: " << clgemm_last_error();
        EXPECT_TRUE(world.nothing_was_touched()) << name(form);
    }
}

INSTANTIATE_TEST_SUITE_P(Value, WrongArgument, testing::ValuesIn(wrong_values()), name_of_wrong);
INSTANTIATE_TEST_SUITE_P(Overflow, WrongArgument, testing::ValuesIn(overflows()), name_of_wrong);
INSTANTIATE_TEST_SUITE_P(Object, WrongArgument, testing::ValuesIn(wrong_objects()), name_of_wrong);
INSTANTIATE_TEST_SUITE_P(Options, WrongArgument, testing::ValuesIn(wrong_options()), name_of_wrong);

// The rest of this file: where the border between right and wrong lies.

constexpr clgemm_layout layouts[] = {CLGEMM_COLUMN_MAJOR, CLGEMM_ROW_MAJOR};
constexpr clgemm_transpose transposes[] = {CLGEMM_NO_TRANS, CLGEMM_TRANS, CLGEMM_CONJ_TRANS};

TEST(RightArguments, AreTakenByEveryForm)
{
    for (const Form form : forms) {
        World world;
        Arguments arguments = world.right_arguments();
        arguments.event = nullptr;
        EXPECT_EQ(call(form, arguments), CLGEMM_SUCCESS) << name(form) << ": " << clgemm_last_error();
        test_device().in_order.finish();
        EXPECT_FALSE(world.nothing_was_touched()) << name(form); // so that the check above means something
    }
}

TEST(LeadingDimension, IsTakenAtItsLeastAndRefusedOneBelow)
{
    constexpr clgemm_status status[] = {CLGEMM_INVALID_LDA, CLGEMM_INVALID_LDB, CLGEMM_INVALID_LDC};
    constexpr const char* names[] = {"lda", "ldb", "ldc"};
    for (const auto layout : layouts)
        for (const auto trans_a : transposes)
            for (const auto trans_b : transposes) {
                World world;
                Arguments least = world.right_arguments();
                least.layout = layout;
                least.trans_a = trans_a;
                least.trans_b = trans_b;
                const bool by_columns = layout == CLGEMM_COLUMN_MAJOR;
                least.ld[A] = by_columns == (trans_a == CLGEMM_NO_TRANS) ? least.m : least.k;
                least.ld[B] = by_columns == (trans_b == CLGEMM_NO_TRANS) ? least.k : least.n;
                least.ld[C] = by_columns ? least.m : least.n;
                for (const Form form : forms)
                    for (const Which which : every_matrix) {
                        Arguments less = least;
                        less.ld[which]--;
                        EXPECT_EQ(call(form, less), status[which]) << name(form);
                        EXPECT_NE(std::string(clgemm_last_error()).find(names[which]), std::string::npos);
                        EXPECT_TRUE(world.nothing_was_touched()) << name(form);
                    }
                for (const Form form : forms) {
                    world.forget_event();
                    EXPECT_EQ(call(form, least), CLGEMM_SUCCESS) << name(form) << ": " << clgemm_last_error();
                }
                test_device().in_order.finish();
            }
}

TEST(LeadingDimension, IsAtLeastOneEvenWhereTheMatrixIsEmpty)
{
    World world;
    for (const Form form : forms) {
        Arguments arguments = world.right_arguments();
        arguments.m = 0;
        arguments.ld[A] = 0;
        EXPECT_EQ(call(form, arguments), CLGEMM_INVALID_LDA) << name(form);
        arguments = world.right_arguments();
        arguments.k = 0;
        arguments.ld[B] = 0;
        EXPECT_EQ(call(form, arguments), CLGEMM_INVALID_LDB) << name(form);
    }
}

// A single column never uses its leading dimension, so even one that could not be multiplied by anything is right.
TEST(LeadingDimension, OfASingleColumnMayBeAnything)
{
    for (const std::size_t ld : {std::size_t{1000}, most_elements, most_elements + 2, size_max})
        for (const Form form : forms) {
            World world;
            Arguments arguments = world.right_arguments();
            arguments.n = arguments.k = 1;
            arguments.ld[A] = arguments.ld[B] = arguments.ld[C] = ld;
            EXPECT_EQ(call(form, arguments), CLGEMM_SUCCESS) << name(form) << ", ld " << ld << ": " << clgemm_last_error();
            test_device().in_order.finish();
        }
}

// The largest offset that can be counted is no overflow: the buffer is too small for it.
TEST(Offset, AtTheLargestCountableExtentIsNoOverflow)
{
    constexpr clgemm_status status[] = {CLGEMM_A_TOO_SMALL, CLGEMM_B_TOO_SMALL, CLGEMM_C_TOO_SMALL};
    constexpr std::size_t extent[] = {3 * 5, 4 * 3, 4 * 5};
    for (const Which which : every_matrix) {
        World world;
        Arguments arguments = world.right_arguments();
        arguments.offset[which] = most_elements - extent[which];
        for (const Form form : {plain, ex})
            EXPECT_EQ(call(form, arguments), status[which]) << clgemm_last_error();
        EXPECT_TRUE(world.nothing_was_touched());
        for (const Form form : {workspace_size, explain})
            EXPECT_EQ(call(form, arguments), CLGEMM_SUCCESS) << clgemm_last_error();
    }
}

TEST(WorkspaceSize, OfAnAbsurdlyLargeProblemIsNotCutToWhatSizeTHolds)
{
    for (const char* const kernel : every_kernel()) {
        World world;
        Arguments arguments = world.right_arguments();
        // A as stored is 1 x m, so that most kernels want it copied, with k padded from 1 to a whole tile.
        arguments.m = arguments.ld[C] = (std::size_t{1} << 61) + 1;
        arguments.n = arguments.k = arguments.ld[A] = arguments.ld[B] = 1;
        arguments.trans_a = CLGEMM_TRANS;
        arguments.options.kernel = kernel;
        std::size_t bytes = 0;
        arguments.bytes = &bytes;
        const bool answered = call(workspace_size, arguments) == CLGEMM_SUCCESS;
        EXPECT_TRUE(!answered || bytes == 0 || bytes >= (std::size_t{1} << 61)) << kernel << ": " << bytes << " bytes";
    }
}

// Buffers of exactly the matrices' extent, or some bytes less.
class ExactBuffers {
public:
    ExactBuffers(const SgemmCase& x, const std::array<std::size_t, 3>& missing_bytes) : operands_(x), case_(x, operands_)
    {
        GuardedMatrix* const matrices[] = {&operands_.a, &operands_.b, &operands_.c};
        cl::Buffer* const buffers[] = {&case_.a, &case_.b, &case_.c};
        for (const Which which : every_matrix) {
            const GuardedMatrix& matrix = *matrices[which];
            const bool by_columns = x.layout == CLGEMM_COLUMN_MAJOR;
            const std::size_t lines = by_columns ? matrix.cols : matrix.rows,
                              length = by_columns ? matrix.rows : matrix.cols;
            bytes_[which] = (matrix.offset + (lines - 1) * matrix.ld + length) * sizeof(float) - missing_bytes[which];
            *buffers[which] = cl::Buffer(test_device().context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes_[which],
                                         matrices[which]->elements.data());
        }
    }

    clgemm_status call(const char* kernel) const { return case_.call(test_device().in_order, kernel); }
    testing::AssertionResult is_right() const { return clgemm::test::is_right(case_.x, operands_, read()); }
    bool c_is_unchanged() const { return read().c.same_bits(operands_.c); }

private:
    Operands read() const
    {
        Operands now = operands_;
        test_device().in_order.enqueueReadBuffer(case_.c, CL_TRUE, 0, bytes_[C], now.c.elements.data());
        return now;
    }

    Operands operands_;
    CaseOnDevice case_;
    std::array<std::size_t, 3> bytes_{};
};

TEST(BufferSize, IsTakenWhenExactAndRefusedWhenOneElementOrByteIsMissing)
{
    constexpr clgemm_status status[] = {CLGEMM_A_TOO_SMALL, CLGEMM_B_TOO_SMALL, CLGEMM_C_TOO_SMALL};
    constexpr const char* names[] = {"A has ", "B has ", "C has "};
    const std::array<std::size_t, 3> none{}, some_gaps{1, 3, 5}, some_offsets{1, 7, 64};
    for (const auto layout : layouts)
        for (const auto trans_a : transposes)
            for (const auto trans_b : transposes)
                for (const auto& [gaps, offsets] :
                     {std::pair{none, none}, {some_gaps, none}, {none, some_offsets}, {some_gaps, some_offsets}}) {
                    const SgemmCase x{layout, trans_a, trans_b, 17, 13, 9, 1, 0.5f, gaps, offsets};
                    const ExactBuffers exact(x, {});
                    ASSERT_EQ(exact.call(nullptr), CLGEMM_SUCCESS) << x << ": " << clgemm_last_error();
                    ASSERT_TRUE(exact.is_right());
                    for (const Which which : every_matrix)
                        for (const std::size_t missing : {std::size_t{1}, sizeof(float)}) {
                            std::array<std::size_t, 3> missing_bytes{};
                            missing_bytes[which] = missing;
                            const ExactBuffers small(x, missing_bytes);
                            EXPECT_EQ(small.call(nullptr), status[which]) << x;
                            EXPECT_NE(std::string(clgemm_last_error()).find(names[which]), std::string::npos)
                                << clgemm_last_error();
                            EXPECT_TRUE(small.c_is_unchanged()) << x;
                        }
                }
}

TEST(BufferSize, WhenExactIsEnoughForEveryKernel)
{
    for (const char* const kernel : kernels_here())
        for (const SgemmCase& x : {SgemmCase{CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 128, 128, 32},
                                   SgemmCase{CLGEMM_ROW_MAJOR, CLGEMM_TRANS, CLGEMM_TRANS, 33, 31, 29}}) {
            const ExactBuffers exact(x, {});
            ASSERT_EQ(exact.call(kernel), CLGEMM_SUCCESS) << clgemm_last_error();
            ASSERT_TRUE(exact.is_right()) << kernel;
        }
}

// Host memory need not be aligned for vectors; 32-byte vectors start everywhere but at their own multiples here.
TEST(Buffers, OverHostMemoryOfAnyAlignmentAreRightForEveryKernel)
{
    const auto& test = test_device();
    for (const char* const kernel : kernels_here())
        for (const std::size_t shift : {1, 2, 4, 7}) {
            const SgemmCase x{CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_TRANS, 128, 128, 32, 1, 0.5f, {}, {}};
            CaseOnDevice on_device(x);
            std::vector<std::vector<float>> memory;
            for (auto [buffer, matrix] : {std::pair{&on_device.a, &on_device.before.a},
                                          {&on_device.b, &on_device.before.b},
                                          {&on_device.c, &on_device.before.c}}) {
                auto& elements = memory.emplace_back(shift, 0.0f);
                elements.insert(elements.end(), matrix->elements.begin(), matrix->elements.end());
                *buffer = cl::Buffer(test.context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, matrix->bytes(),
                                     elements.data() + shift);
            }
            ASSERT_EQ(on_device.call(test.in_order, kernel), CLGEMM_SUCCESS) << clgemm_last_error();
            ASSERT_TRUE(on_device.is_right(test.in_order)) << kernel << ", " << shift << " floats off";
        }
}

TEST(Buffers, MayBePartsOfOthersOfWhichOnlyThePartIsTouched)
{
    const auto& test = test_device();
    const std::size_t alignment = test.device.getInfo<CL_DEVICE_MEM_BASE_ADDR_ALIGN>() / 8;
    const CaseOnDevice whole({CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 40, 30, 20, 1, 0.5f, {1, 2, 3}, {}});
    CaseOnDevice parts = whole;
    for (auto [part, source, matrix] : {std::tuple{&parts.a, &whole.a, &whole.before.a},
                                        {&parts.b, &whole.b, &whole.before.b},
                                        {&parts.c, &whole.c, &whole.before.c}}) {
        cl::Buffer parent(test.context, CL_MEM_READ_WRITE, 2 * alignment + matrix->bytes());
        test.in_order.enqueueFillBuffer(parent, 0.0f, 0, 2 * alignment + matrix->bytes());
        test.in_order.enqueueCopyBuffer(*source, parent, 0, 2 * alignment, matrix->bytes());
        cl_buffer_region region{2 * alignment, matrix->bytes()};
        *part = parent.createSubBuffer(CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region);
    }
    test.in_order.finish();
    ASSERT_EQ(parts.call(test.in_order), CLGEMM_SUCCESS) << clgemm_last_error();
    EXPECT_TRUE(parts.is_right(test.in_order));
    // A part that is too small is too small, however large the whole is.
    parts.x.m++;
    parts.x.n += 20;
    EXPECT_EQ(parts.call(test.in_order), CLGEMM_B_TOO_SMALL) << clgemm_last_error();
}

TEST(Buffers, MayBeReadOnlyForAAndBAndWriteOnlyForCWithoutBeta)
{
    World world;
    Arguments arguments = world.right_arguments();
    arguments.buffer[A] = arguments.buffer[B] = world.read_only();
    arguments.buffer[C] = world.write_only();
    arguments.beta = 0;
    arguments.event = nullptr;
    for (const char* const kernel : kernels_here()) {
        arguments.options.kernel = kernel;
        EXPECT_EQ(call(ex, arguments), CLGEMM_SUCCESS) << clgemm_last_error();
    }
    test_device().in_order.finish();
}

TEST(Inputs, MayBeNullWhenKOrAlphaIsZero)
{
    for (const bool by_k : {false, true}) {
        const SgemmCase x{CLGEMM_ROW_MAJOR, CLGEMM_NO_TRANS,    CLGEMM_NO_TRANS, 5,         4,
                          by_k ? 0u : 3u,   by_k ? 1.0f : 0.0f, -0.7f,           {1, 1, 1}, {}};
        CaseOnDevice on_device(x);
        on_device.a = on_device.b = cl::Buffer();
        ASSERT_EQ(on_device.call(test_device().in_order), CLGEMM_SUCCESS) << clgemm_last_error();
        Operands after = on_device.before;
        test_device().in_order.enqueueReadBuffer(on_device.c, CL_TRUE, 0, after.c.bytes(), after.c.elements.data());
        EXPECT_TRUE(is_right(x, on_device.before, after));

        after = on_device.before;
        ASSERT_EQ(clgemm_sgemm_host(x.layout, x.trans_a, x.trans_b, x.m, x.n, x.k, x.alpha, nullptr, after.a.ld, nullptr,
                                    after.b.ld, x.beta, after.c.elements.data(), after.c.ld, nullptr),
                  CLGEMM_SUCCESS)
            << clgemm_last_error();
        EXPECT_TRUE(is_right(x, on_device.before, after));
    }
}

TEST(AllMatrices, MayBeNullWhenMOrNIsZero)
{
    for (const auto& [m, n] : {std::pair<std::size_t, std::size_t>{0, 4}, {5, 0}, {0, 0}})
        for (const Form form : {plain, ex, host, host_ex}) {
            World world;
            Arguments arguments = world.right_arguments();
            arguments.m = m;
            arguments.n = n;
            for (const Which which : every_matrix) {
                arguments.buffer[which] = nullptr;
                arguments.host[which] = nullptr;
            }
            EXPECT_EQ(call(form, arguments), CLGEMM_SUCCESS) << name(form) << ": " << clgemm_last_error();
        }
}

TEST(Queue, OfNoRowsIsLookedAtAllTheSame)
{
    World world;
    Arguments arguments = world.right_arguments();
    arguments.m = 0;
    arguments.queue = nullptr;
    EXPECT_EQ(call(plain, arguments), CLGEMM_INVALID_QUEUE);
    EXPECT_EQ(call(host, arguments), CLGEMM_SUCCESS) << clgemm_last_error(); // there it means the default device
}

TEST(Options, LargerThanThisVersionsAreTakenIfTheRestIsZero)
{
    struct Later {
        clgemm_options known = CLGEMM_OPTIONS_INIT;
        std::size_t added[4] = {};
    } later;
    later.known.size = sizeof later;
    for (const Form form : {ex, host_ex, workspace_size, explain}) {
        World world;
        Arguments arguments = world.right_arguments();
        arguments.larger_options = &later.known;
        later.added[3] = 0;
        EXPECT_EQ(call(form, arguments), CLGEMM_SUCCESS) << name(form) << ": " << clgemm_last_error();
        test_device().in_order.finish();

        World untouched;
        arguments = untouched.right_arguments();
        arguments.larger_options = &later.known;
        later.added[3] = 1;
        EXPECT_EQ(call(form, arguments), CLGEMM_INVALID_OPTIONS) << name(form);
        EXPECT_NE(std::string(clgemm_last_error()).find("options"), std::string::npos);
        EXPECT_TRUE(untouched.nothing_was_touched());
    }
}

std::string explanation(const Arguments& arguments)
{
    Arguments x = arguments;
    std::string text(10'000, '\0');
    x.text = text.data();
    x.text_size = text.size();
    EXPECT_EQ(call(explain, x), CLGEMM_SUCCESS) << clgemm_last_error();
    return text.c_str();
}

TEST(Kernel, IsTakenByNameAndByNumber)
{
    World world;
    Arguments arguments = world.right_arguments();
    for (const char* const kernel : kernels_here()) {
        const std::string name = kernel, padded = name.substr(0, 2), number = std::to_string(std::stoi(padded));
        for (const std::string& wanted : {name, number, padded}) {
            arguments.options.kernel = wanted.c_str();
            EXPECT_NE(explanation(arguments).find(name + ","), std::string::npos) << wanted;
        }
    }
    EXPECT_EQ(clgemm_kernel_name(clgemm_kernel_count()), nullptr);
    EXPECT_EQ(clgemm_kernel_name(size_max), nullptr);
}

TEST(Explain, CutsItsTextToTheGivenSizeAndTellsTheWhole)
{
    World world;
    const Arguments x = world.right_arguments();
    const std::string whole = explanation(x);
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{10}, whole.size(), whole.size() + 1}) {
        std::string text(whole.size() + 20, '?');
        std::size_t needed = 0;
        ASSERT_EQ(clgemm_explain(x.layout, x.trans_a, x.trans_b, x.m, x.n, x.k, x.alpha, 0, x.ld[A], 0, x.ld[B], x.beta, 0,
                                 x.ld[C], test_device().device(), nullptr, size ? text.data() : nullptr, size, &needed),
                  CLGEMM_SUCCESS);
        EXPECT_EQ(needed, whole.size() + 1);
        EXPECT_EQ(text.find_first_not_of('?', size), std::string::npos) << "written past " << size;
        EXPECT_EQ(std::string(text.c_str()).substr(0, size), size == 0 ? "" : whole.substr(0, size - 1));
    }
}

TEST(ResultPointers, OfNullAreRefused)
{
    EXPECT_EQ(clgemm_default_device(nullptr), CLGEMM_INVALID_POINTER);
    EXPECT_NE(std::string(clgemm_last_error()).find("device"), std::string::npos);
}

TEST(LastError, StaysUntilTheNextFailureAndIsEachThreadsOwn)
{
    World world;
    Arguments arguments = world.right_arguments();
    arguments.ld[B] = 2;
    EXPECT_EQ(call(workspace_size, arguments), CLGEMM_INVALID_LDB);
    const std::string said = clgemm_last_error();
    EXPECT_NE(said.find("ldb is 2, but must be at least 3"), std::string::npos) << said;
    std::thread([] { EXPECT_STREQ(clgemm_last_error(), ""); }).join();
    EXPECT_EQ(clgemm_last_error(), said);
}

} // namespace
