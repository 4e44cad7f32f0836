// Options: what the caller's structure, of whatever version, asks of a selection.
#include "engine/request.hpp"
#include "families/registry.hpp"
#include "support/error.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <limits>
#include <vector>

using namespace clgemm::core;

namespace {

// The structure as its first version had it, and nothing behind it that may be read.
struct FirstOptions {
    std::size_t size = sizeof(FirstOptions);
    const char* kernel = nullptr;
    clgemm_math math = CLGEMM_MATH_DEFAULT;
    cl_mem workspace = nullptr;
};
static_assert(sizeof(FirstOptions) == offsetof(clgemm_options, workspace_limit));

// As its second version had it.
struct SecondOptions {
    std::size_t size = sizeof(SecondOptions);
    const char* kernel = nullptr;
    clgemm_math math = CLGEMM_MATH_DEFAULT;
    cl_mem workspace = nullptr;
    std::size_t workspace_limit = 0;
};
static_assert(sizeof(SecondOptions) == offsetof(clgemm_options, alignment));

// As its third version had it.
struct ThirdOptions {
    std::size_t size = sizeof(ThirdOptions);
    const char* kernel = nullptr;
    clgemm_math math = CLGEMM_MATH_DEFAULT;
    cl_mem workspace = nullptr;
    std::size_t workspace_limit = 0;
    std::size_t alignment = 0;
};
static_assert(sizeof(ThirdOptions) == offsetof(clgemm_options, max_error));

template <typename EarlierOptions> Request request_of(const EarlierOptions& options)
{
    // In memory of its own size, so that a sanitizer sees who reads on.
    std::vector<unsigned char> bytes(sizeof options);
    std::memcpy(bytes.data(), &options, sizeof options);
    return read_request(reinterpret_cast<const clgemm_options*>(bytes.data()));
}

clgemm_status status_of_size(std::size_t size)
{
    alignas(clgemm_options) unsigned char bytes[8192] = {};
    std::memcpy(bytes, &size, sizeof size);
    try {
        read_request(reinterpret_cast<const clgemm_options*>(bytes));
    } catch (const Error& error) {
        return error.status();
    }
    return CLGEMM_SUCCESS;
}

} // namespace

TEST(Options, AreTakenAsTheyAreMeant)
{
    clgemm_options options = CLGEMM_OPTIONS_INIT;
    EXPECT_EQ(read_request(&options).options, Options{});
    EXPECT_EQ(read_request(nullptr).options, Options{});
    options.kernel = "14";
    EXPECT_EQ(read_request(&options).options, Options{find_kernel("14")});
    EXPECT_EQ(read_request(&options).accuracy, CLGEMM_MATH_DEFAULT);
    options.math = CLGEMM_MATH_STRICT;
    EXPECT_EQ(read_request(&options).accuracy, CLGEMM_MATH_STRICT);
    options.workspace_limit = 12'345;
    EXPECT_EQ(read_request(&options).options, (Options{find_kernel("14"), 12'345}));
    options = CLGEMM_OPTIONS_INIT;
    options.workspace_limit = 1;
    EXPECT_EQ(read_request(&options).options, (Options{nullptr, 1}));
}

TEST(Options, OfTheFirstVersionSetNoLimit)
{
    FirstOptions first;
    EXPECT_EQ(request_of(first).options, Options{});
    first.kernel = "13";
    first.math = CLGEMM_MATH_STRICT;
    int stands_for_a_buffer = 0;
    first.workspace = reinterpret_cast<cl_mem>(&stands_for_a_buffer);
    EXPECT_EQ(request_of(first).options, Options{find_kernel("13")});
    EXPECT_EQ(request_of(first).accuracy, CLGEMM_MATH_STRICT);
    EXPECT_EQ(request_of(first).workspace, first.workspace);
}

TEST(Options, OfTheSecondVersionPromiseNoAlignment)
{
    SecondOptions second;
    EXPECT_EQ(request_of(second).options, Options{});
    EXPECT_EQ(request_of(second).alignment, std::nullopt);
    second.kernel = "13";
    second.math = CLGEMM_MATH_STRICT;
    second.workspace_limit = 12'345;
    EXPECT_EQ(request_of(second).options, (Options{find_kernel("13"), 12'345}));
    EXPECT_EQ(request_of(second).accuracy, CLGEMM_MATH_STRICT);
    EXPECT_EQ(request_of(second).alignment, std::nullopt);
}

TEST(Options, OfTheThirdVersionAskForNoError)
{
    ThirdOptions third;
    third.alignment = 16;
    EXPECT_EQ(request_of(third).alignment, 16u);
    EXPECT_EQ(request_of(third).max_error, 0);
}

TEST(Options, AnErrorThatWillDoDecidesTheAccuracyForEachK)
{
    clgemm_options options = CLGEMM_OPTIONS_INIT;
    EXPECT_EQ(read_request(&options).arithmetic_for(1000).accuracy, CLGEMM_MATH_DEFAULT);
    options.max_error = 2e-3;
    EXPECT_EQ(read_request(&options).arithmetic_for(1000).accuracy, CLGEMM_MATH_TF32);
    EXPECT_EQ(read_request(&options).arithmetic_for(10'000).accuracy, CLGEMM_MATH_DEFAULT);
    options.max_error = 1e-7;
    try {
        read_request(&options).arithmetic_for(1000).accuracy;
        ADD_FAILURE();
    } catch (const Error& error) {
        EXPECT_EQ(error.status(), CLGEMM_MAX_ERROR_TOO_SMALL);
        EXPECT_STREQ(error.what(),
                     "options->max_error is 1e-07, but for k = 1000 no less than 5.98e-05 of sum |a||b| can be "
                     "promised in FP32");
    }
}

// Whoever is told a number, and asks for that, gets it.
TEST(Options, AnErrorIsRefusedWithNumbersThatDiffer)
{
    clgemm_options options = CLGEMM_OPTIONS_INIT;
    options.max_error = 7 * 0x1p-24 * (1 - 1e-6);
    try {
        read_request(&options).arithmetic_for(4).accuracy;
        ADD_FAILURE();
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "options->max_error is 4.17232096e-07, but for k = 4 no less than 4.17233e-07 of sum "
                                   "|a||b| can be promised in FP32");
    }
    options.max_error = 4.17233e-07;
    EXPECT_EQ(read_request(&options).arithmetic_for(4).accuracy, CLGEMM_MATH_DEFAULT);
    options.max_error = 0.5;
    try {
        read_request(&options).arithmetic_for(std::size_t{1} << 24).accuracy;
        ADD_FAILURE();
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "options->max_error is 0.5, but for k = 16777216 nothing can be promised in FP32");
    }
}

TEST(Options, AnErrorThatWillDoIsAPositiveNumberAndComesInTheModesPlace)
{
    clgemm_options options = CLGEMM_OPTIONS_INIT;
    const auto status = [&] {
        try {
            read_request(&options);
        } catch (const Error& error) {
            return error.status();
        }
        return clgemm_status{CLGEMM_SUCCESS};
    };
    for (const double wrong : {-1e-3, std::numeric_limits<double>::quiet_NaN()}) {
        options.max_error = wrong;
        EXPECT_EQ(status(), CLGEMM_INVALID_OPTIONS) << wrong;
    }
    options.max_error = 1e-3;
    EXPECT_EQ(status(), CLGEMM_SUCCESS);
    options.math = CLGEMM_MATH_STRICT;
    EXPECT_EQ(status(), CLGEMM_INVALID_OPTIONS);
}

TEST(Options, HaveTheSizeOfAVersion)
{
    for (std::size_t size = 0; size < sizeof(clgemm_options); size++) {
        const bool is_version =
            size == sizeof(FirstOptions) || size == sizeof(SecondOptions) || size == sizeof(ThirdOptions);
        EXPECT_EQ(status_of_size(size), is_version ? CLGEMM_SUCCESS : CLGEMM_INVALID_OPTIONS) << size;
    }
    EXPECT_EQ(status_of_size(sizeof(clgemm_options)), CLGEMM_SUCCESS);
    EXPECT_EQ(status_of_size(sizeof(clgemm_options) + 8), CLGEMM_SUCCESS) << "a later version, with zeros";
    EXPECT_EQ(status_of_size(5000), CLGEMM_INVALID_OPTIONS);
}

TEST(Options, OfALaterVersionMustNotSetWhatIsNotKnown)
{
    struct Later {
        clgemm_options known = CLGEMM_OPTIONS_INIT;
        std::size_t more = 0;
    } later;
    later.known.size = sizeof later;
    later.known.workspace_limit = 77;
    EXPECT_EQ(read_request(&later.known).options, (Options{nullptr, 77}));
    later.more = 1;
    try {
        read_request(&later.known);
        ADD_FAILURE();
    } catch (const Error& error) {
        EXPECT_EQ(error.status(), CLGEMM_INVALID_OPTIONS);
    }
}

TEST(Options, AlignmentIsAPowerOfTwoFromFourOn)
{
    clgemm_options options = CLGEMM_OPTIONS_INIT;
    EXPECT_EQ(options.alignment, 0u);
    EXPECT_EQ(read_request(&options).alignment, std::nullopt) << "nothing is known";
    for (const std::size_t good : {4U, 8U, 16U, 32U, 64U}) {
        options.alignment = good;
        EXPECT_EQ(read_request(&options).alignment, good);
    }
    for (const std::size_t more : {std::size_t{128}, std::size_t{4096}, std::size_t{1} << 63}) {
        options.alignment = more;
        EXPECT_EQ(read_request(&options).alignment, 64u) << "no kernel asks for more";
    }
    for (const std::size_t bad : {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{5}, std::size_t{12},
                                  std::size_t{96}, ~std::size_t{0}}) {
        options.alignment = bad;
        try {
            read_request(&options);
            ADD_FAILURE() << bad;
        } catch (const Error& error) {
            EXPECT_EQ(error.status(), CLGEMM_INVALID_OPTIONS);
            EXPECT_NE(std::string(error.what()).find(std::to_string(bad)), std::string::npos) << error.what();
        }
    }
    options.alignment = 16;
    EXPECT_EQ(read_request(&options).options, Options{}) << "no selection is asked for by it";
}

// No kernel asks for more alignment than an option can promise.
TEST(Options, AlignmentsUpTo64BytesAreAllThatMatters)
{
    for (const auto& kernel : kernels())
        for (const auto& parameters : kernel.variants)
            EXPECT_LE(kernel.family->tiling(parameters).width * sizeof(float), 64u) << kernel.name;
}
