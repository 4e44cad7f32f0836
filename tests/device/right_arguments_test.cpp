// Where the border between right and wrong arguments lies, and that what the documentation allows is taken.
#include "support/case_on_device.hpp"
#include "support/world.hpp"

#include <algorithm>
#include <vector>

using namespace clgemm::test;

namespace {

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

TEST(Batch, OfNoProductsTouchesNothing)
{
    for (const Form form : {strided, strided_ex, host_strided, host_strided_ex}) {
        World world;
        Arguments arguments = world.right_arguments();
        arguments.event = nullptr;
        arguments.count = 0;
        arguments.distance[A] = arguments.distance[C] = size_max; // between no matrices
        EXPECT_EQ(call(form, arguments), CLGEMM_SUCCESS) << clgemm_last_error();
        test_device().in_order.finish();
        EXPECT_TRUE(world.nothing_was_touched());
        arguments.ld[B] = 2;
        EXPECT_EQ(call(form, arguments), CLGEMM_INVALID_LDB) << "what is wrong is wrong all the same";
    }
}

TEST(Batch, OfOneProductHasNoDistances)
{
    for (const Form form : forms) {
        if (!(form & batched))
            continue;
        World world;
        Arguments arguments = world.right_arguments();
        arguments.count = 1;
        arguments.distance[A] = arguments.distance[B] = size_max;
        arguments.distance[C] = 0;
        EXPECT_EQ(call(form, arguments), CLGEMM_SUCCESS) << name(form) << ": " << clgemm_last_error();
        test_device().in_order.finish();
    }
}

// The borders of what WrongArgument has: C's that touch, and operands that overlap or end with their buffers.
TEST(Batch, TakesMatricesThatTouch)
{
    struct Distances {
        std::size_t a, b, c, ldc, count;
    };
    for (const Distances& at : {Distances{0, 0, 20, 5, 2},
                                {1, 3, 20, 5, 12},
                                {256 - 15, 256 - 12, 256 - 20, 5, 2},
                                {7, 0, 5, 20, 4},
                                {7, 0, 6, 23, 4}})
        for (const Form form : forms) {
            if (!(form & batched))
                continue;
            World world;
            Arguments arguments = world.right_arguments();
            arguments.distance[A] = at.a;
            arguments.distance[B] = at.b;
            arguments.distance[C] = at.c;
            arguments.ld[C] = at.ldc;
            arguments.count = at.count;
            EXPECT_EQ(call(form, arguments), CLGEMM_SUCCESS) << name(form) << ": " << clgemm_last_error();
            test_device().in_order.finish();
        }
}

// C may lie in the buffer of A and B, and within the rows or columns of either.
TEST(SharedBuffer, IsTakenWhereNoElementIsShared)
{
    for (const Form form : forms) {
        if (form & (queries | listed | listed_ex))
            continue;
        World world;
        Arguments arguments = world.right_arguments();
        arguments.ld[A] = arguments.ld[B] = arguments.ld[C] = 16;
        arguments.offset[B] = 5;
        arguments.offset[C] = 8;
        for (const Which which : {B, C}) {
            arguments.buffer[which] = arguments.buffer[A];
            arguments.host[which] = arguments.host[A] + arguments.offset[which];
        }
        EXPECT_EQ(call(form, arguments), CLGEMM_SUCCESS) << name(form) << ": " << clgemm_last_error();
        test_device().in_order.finish();
    }
}

// However many there are, a question about them is answered at once.
TEST(Batch, OfAnAbsurdNumberOfProductsIsExplained)
{
    World world;
    Arguments arguments = world.right_arguments();
    arguments.count = std::size_t{1} << 50;
    arguments.distance[A] = arguments.distance[B] = 0;
    EXPECT_EQ(call(call_workspace_size, arguments), CLGEMM_SUCCESS) << clgemm_last_error();
    EXPECT_EQ(call(call_explain, arguments), CLGEMM_SUCCESS) << clgemm_last_error();
    EXPECT_NE(world.text.find(std::to_string(arguments.count) + " products"), std::string::npos) << world.text;
}

TEST(DescribedCall, OfNullIsRefused)
{
    std::size_t bytes = 0;
    char text[10];
    EXPECT_EQ(clgemm_call_workspace_size(nullptr, nullptr, nullptr, &bytes), CLGEMM_INVALID_POINTER);
    EXPECT_EQ(clgemm_call_explain(nullptr, nullptr, nullptr, text, sizeof text, nullptr), CLGEMM_INVALID_POINTER);
    EXPECT_NE(std::string(clgemm_last_error()).find("call"), std::string::npos);
}

// One product that is described is the one whose arguments are given one by one.
TEST(DescribedCall, IsAnsweredAsItsArgumentsAre)
{
    World world;
    Arguments arguments = world.right_arguments();
    arguments.options.kernel = "10";
    for (const std::size_t count : {0U, 1U}) {
        arguments.count = count;
        std::size_t given = 0, described = 1;
        arguments.bytes = &given;
        EXPECT_EQ(call(workspace_size, arguments), CLGEMM_SUCCESS);
        arguments.bytes = &described;
        EXPECT_EQ(call(call_workspace_size, arguments), CLGEMM_SUCCESS);
        EXPECT_EQ(given, described);
        EXPECT_EQ(call(explain, arguments), CLGEMM_SUCCESS);
        const std::string text = world.text;
        EXPECT_EQ(call(call_explain, arguments), CLGEMM_SUCCESS);
        EXPECT_STREQ(text.c_str(), world.text.c_str());
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
    for (const Form form : forms) {
        if (!(form & with_options))
            continue;
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
    const auto all = every_kernel();
    for (const char* const kernel : kernels_here()) {
        const auto found =
            std::find_if(all.begin(), all.end(), [&](const char* each) { return std::string(each) == kernel; });
        const std::string name = kernel, number = std::to_string(found - all.begin() + 1);
        const std::string padded = (number.size() == 1 ? "0" : "") + number;
        constexpr std::ptrdiff_t last_with_a_number = 20; // later ones have names alone
        const bool has_number = found - all.begin() < last_with_a_number;
        for (const std::string& wanted : has_number ? std::vector{name, number, padded} : std::vector{name}) {
            arguments.options.kernel = wanted.c_str();
            EXPECT_NE(explanation(arguments).find(name + ","), std::string::npos) << wanted;
        }
    }
    // Some had a number in their names before.
    for (const char* const former : {"15_skinny", "16_cpu_packed", "17_cpu_fused", "18_cpu_vector"}) {
        arguments.options.kernel = former;
        EXPECT_NE(explanation(arguments).find(std::string(former + 3) + ","), std::string::npos) << former;
    }
    EXPECT_EQ(clgemm_kernel_name(clgemm_kernel_count()), nullptr);
    EXPECT_EQ(clgemm_kernel_name(size_max), nullptr);
}

TEST(Explain, SpeaksOfARowMajorCallInItsOwnTermsToo)
{
    World world;
    Arguments x = world.right_arguments();
    x.layout = CLGEMM_ROW_MAJOR;
    x.trans_a = CLGEMM_TRANS; // A is stored 3 x 5
    x.ld[A] = 5;
    x.ld[B] = x.ld[C] = 4;
    EXPECT_EQ(explanation(x).find("sgemm TN 5x4x3 (row-major, which is column-major NT 4x5x3), alpha 1"), 0u)
        << explanation(x);
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

} // namespace
