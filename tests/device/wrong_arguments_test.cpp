// Every wrong argument gives its documented status and a message that names it, and leaves C bit for bit as it was.
#include "support/world.hpp"

#include <cstring>
#include <functional>
#include <thread>

using namespace clgemm::test;

namespace {

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
                            [which, offset = offset](Arguments& x, World&) { x.offset[which] = offset; }});
        const std::size_t least_too_large = (most_elements - rows_of[which]) / (cols[which] - 1) + 1;
        for (const auto& [what, ld] :
             {std::pair{"most", size_max}, {"wrapping_around_to_0", size_max / 2 + 1}, {"least_too_large", least_too_large}})
            rows.push_back({"ld_" + matrix + "_" + what, status[which], matrix, every_form,
                            [which, ld = ld](Arguments& x, World&) { x.ld[which] = ld; }});
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

// What is wrong with the products of a batch, each of which is right alone.
std::vector<Wrong> wrong_batches()
{
    constexpr const char* names[] = {"A", "B", "C"};
    constexpr clgemm_status overflow[] = {CLGEMM_OVERFLOW_A, CLGEMM_OVERFLOW_B, CLGEMM_OVERFLOW_C};
    constexpr clgemm_status too_small[] = {CLGEMM_A_TOO_SMALL, CLGEMM_B_TOO_SMALL, CLGEMM_C_TOO_SMALL};
    constexpr std::size_t extent[] = {3 * 5, 4 * 3, 4 * 5};
    std::vector<Wrong> rows;
    for (const Which which : every_matrix) {
        const std::string matrix = names[which];
        const std::size_t largest = most_elements - extent[which];
        for (const auto& [what, distance] :
             {std::pair{"most", size_max}, {"SIZE_MAX_in_bytes", most_elements}, {"least_too_large", largest + 1}})
            rows.push_back({"distance_" + matrix + "_" + what, overflow[which], "dist" + matrix, batched,
                            [which, distance = distance](Arguments& x, World&) { x.distance[which] = distance; }});
        rows.push_back({"distance_" + matrix + "_wrapping_around_to_0", overflow[which], "dist" + matrix, batched,
                        [which](Arguments& x, World&) {
                            x.distance[which] = size_max / 2 + 1;
                            x.count = 3;
                        }});
        rows.push_back({"count_SIZE_MAX_with_distance_" + matrix, overflow[which], "dist" + matrix, batched,
                        [which](Arguments& x, World&) {
                            x.distance[A] = x.distance[B] = 0;
                            x.distance[which] = 100;
                            x.distance[C] = 20;
                            x.count = size_max / (which == C ? 1 : 90);
                        }});
        for (const auto& [what, distance] :
             {std::pair{"largest_countable", largest}, {"one_element_past_the_buffer", World::elements - extent[which] + 1}})
            rows.push_back({"distance_" + matrix + "_" + what, too_small[which], matrix, strided | strided_ex,
                            [which, distance = distance](Arguments& x, World&) { x.distance[which] = distance; }});
    }
    for (const std::size_t distance : {0U, 1U, 5U, 19U})
        rows.push_back({"distance_C_" + std::to_string(distance), CLGEMM_OVERLAPPING_C,
                        "distC is " + std::to_string(distance), batched,
                        [distance](Arguments& x, World&) { x.distance[C] = distance; }});
    rows.push_back(
        {"C_side_by_side_but_one_too_many", CLGEMM_OVERLAPPING_C, "distC is 5", batched, [](Arguments& x, World&) {
             x.ld[C] = 19;
             x.distance[C] = 5;
             x.count = 4;
         }});
    rows.push_back(
        {"C_side_by_side_by_rows_but_overlapping", CLGEMM_OVERLAPPING_C, "distC is 3", batched, [](Arguments& x, World&) {
             x.layout = CLGEMM_ROW_MAJOR;
             x.ld[A] = x.ld[B] = 5;
             x.ld[C] = 20;
             x.distance[C] = 3;
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
    for (const Which which : {A, B}) {
        const std::string matrix = names[which];
        rows.push_back({"C_in_" + matrix, CLGEMM_OVERLAPPING_C, "C shares elements with " + matrix, on_buffers,
                        [which](Arguments& x, World&) { x.buffer[C] = x.buffer[which]; }});
        rows.push_back({"C_on_the_host_in_" + matrix, CLGEMM_OVERLAPPING_C, "C shares elements with " + matrix, on_host,
                        [which](Arguments& x, World&) { x.host[C] = x.host[which] + 1; }});
        rows.push_back({"C_in_the_next_products_" + matrix, CLGEMM_OVERLAPPING_C, "C shares elements with " + matrix,
                        strided | strided_ex, [which](Arguments& x, World&) {
                            x.buffer[C] = x.buffer[which];
                            x.offset[C] = x.distance[which];
                        }});
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
    rows.push_back({"queue_a_context", CLGEMM_INVALID_QUEUE, "queue", on_buffers,
                    [](Arguments& x, World&) { x.queue = reinterpret_cast<cl_command_queue>(test_device().context()); }});
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
        {"bytes_null", CLGEMM_INVALID_POINTER, "bytes", size_queries, [](Arguments& x, World&) { x.bytes = nullptr; }});
    rows.push_back({"text_null_with_a_size", CLGEMM_INVALID_POINTER, "text", text_queries,
                    [](Arguments& x, World&) { x.text = nullptr; }});
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
                        [bytes = size](Arguments& x, World&) { x.options.size = bytes; }});
    static const std::string one_too_many = std::to_string(clgemm_kernel_count() + 1);
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
                        [name = kernel](Arguments& x, World&) { x.options.kernel = name; }});
    constexpr int no_math = CLGEMM_MATH_REPRODUCIBLE + 1; // the last one has the largest number
    for (const int value : {no_math, -1})
        rows.push_back({"math_" + std::string(value < 0 ? "minus_1" : "after_the_last"), CLGEMM_INVALID_MATH,
                        "options->math", with_options,
                        [value](Arguments& x, World&) { std::memcpy(&x.options.math, &value, sizeof value); }});

    // The tenth kernel copies all of these small matrices, so that it needs a workspace. The first one needs none.
    const auto with_workspace = [](const char* kernel, cl_mem (*get)(World&)) {
        return [kernel, get](Arguments& x, World& world) {
            x.options.kernel = kernel;
            x.options.workspace = get(world);
        };
    };
    for (const char* const kernel : {"10", "1"})
        for (const auto& [what, get] :
             {std::pair<const char*, cl_mem (*)(World&)>{"of_another_context", [](World& world) { return world.foreign(); }},
              {"an_image", [](World& world) { return world.image.value()(); }},
              {"read_only", [](World& world) { return world.read_only(); }},
              {"write_only", [](World& world) { return world.write_only(); }}})
            rows.push_back({std::string("workspace_") + what + "_for_kernel_" + kernel, CLGEMM_INVALID_WORKSPACE,
                            "options->workspace", with_options & ~queries, with_workspace(kernel, get)});
    rows.push_back({"workspace_too_small", CLGEMM_WORKSPACE_TOO_SMALL, "options->workspace", with_options & ~queries,
                    with_workspace("10", [](World& world) { return world.small(); })});
    return rows;
}

// Temporaries in the memory of a matrix, whatever kernel is chosen, and whether it has any.
std::vector<Wrong> shared_workspaces()
{
    constexpr const char* names[] = {"A", "B", "C"};
    std::vector<Wrong> rows;
    for (const Which which : every_matrix) {
        const auto add = [&](const char* what, const std::function<void(Arguments&, World&)>& spoil) {
            rows.push_back({std::string(what) + "_" + names[which], CLGEMM_INVALID_WORKSPACE,
                            std::string("options->workspace shares memory with ") + names[which], on_buffers & with_options,
                            spoil});
        };
        add("the_buffer", [which](Arguments& x, World&) { x.options.workspace = x.buffer[which]; });
        add("a_part_of", [which](Arguments& x, World& world) { x.options.workspace = world.part_of(which, 128, 256); });
        add("what_has_as_a_part", [which](Arguments& x, World& world) {
            x.options.workspace = x.buffer[which];
            x.buffer[which] = world.part_of(which, 0, 192);
        });
        add("a_part_that_overlaps", [which](Arguments& x, World& world) {
            x.buffer[which] = world.part_of(which, 0, 192);
            x.options.workspace = world.part_of(which, 128, 256);
        });
        add("host_memory_of", [which](Arguments& x, World& world) {
            x.buffer[which] = world.on_host();
            x.options.workspace = world.on_host();
        });
    }
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
INSTANTIATE_TEST_SUITE_P(Batch, WrongArgument, testing::ValuesIn(wrong_batches()), name_of_wrong);
INSTANTIATE_TEST_SUITE_P(Object, WrongArgument, testing::ValuesIn(wrong_objects()), name_of_wrong);
INSTANTIATE_TEST_SUITE_P(Workspace, WrongArgument, testing::ValuesIn(shared_workspaces()), name_of_wrong);
INSTANTIATE_TEST_SUITE_P(Options, WrongArgument, testing::ValuesIn(wrong_options()), name_of_wrong);

// Of a list, products that only scale C come first: nothing of them is computed.
TEST(SharedWorkspace, IsSeenBeforeAnyProductOfAListIsComputed)
{
    World world;
    const Arguments x = world.right_arguments();
    clgemm_options options = CLGEMM_OPTIONS_INIT;
    options.workspace = x.buffer[B];
    const float alpha[] = {0, 1}, beta[] = {2, 2};
    const std::size_t offsets[] = {0, 100};
    EXPECT_EQ(clgemm_sgemm_batched_ex(x.layout, x.trans_a, x.trans_b, x.m, x.n, x.k, 2, alpha, x.buffer[A], offsets, x.ld[A],
                                      x.buffer[B], offsets, x.ld[B], beta, x.buffer[C], offsets, x.ld[C], 2, x.queue, 0,
                                      nullptr, nullptr, &options),
              CLGEMM_INVALID_WORKSPACE);
    EXPECT_TRUE(world.nothing_was_touched());
}

TEST(SharedWorkspace, IsNotAnotherPartOfTheSameBuffer)
{
    World world;
    Arguments x = world.right_arguments();
    x.buffer[A] = world.part_of(A, 0, 128);
    x.options.workspace = world.part_of(A, 128, 256);
    EXPECT_EQ(call(ex, x), CLGEMM_SUCCESS) << clgemm_last_error();
    test_device().in_order.finish();
}

// What is not looked at is not looked at for this, either.
TEST(SharedWorkspace, DoesNotMatterWhereAAndBAreNotRead)
{
    World world;
    Arguments x = world.right_arguments();
    x.alpha = 0;
    x.options.workspace = x.buffer[A];
    EXPECT_EQ(call(ex, x), CLGEMM_SUCCESS) << clgemm_last_error();
    test_device().in_order.finish();
    x = world.right_arguments();
    x.options.workspace = x.buffer[C];
    x.m = 0;
    EXPECT_EQ(call(ex, x), CLGEMM_SUCCESS) << clgemm_last_error();
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
    EXPECT_EQ(said, "ldb is 2, but must be at least 3, which is k, the length of B's columns as stored");
    std::thread([] { EXPECT_STREQ(clgemm_last_error(), ""); }).join();
    EXPECT_EQ(clgemm_last_error(), said);
}

} // namespace
