// Options: what the caller's structure, of whatever version, asks of a selection.
#include "api/options.hpp"
#include "support/error.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>

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

Request request_of(const FirstOptions& options)
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

TEST(Options, BecomeWishes)
{
    clgemm_options options = CLGEMM_OPTIONS_INIT;
    EXPECT_EQ(read_request(&options).wishes, Wishes{});
    EXPECT_EQ(read_request(nullptr).wishes, Wishes{});
    options.kernel = "14";
    EXPECT_EQ(read_request(&options).wishes, Wishes{find_kernel("14")});
    options.math = CLGEMM_MATH_STRICT;
    EXPECT_EQ(read_request(&options).wishes, (Wishes{find_kernel("14"), true}));
    options.workspace_limit = 12'345;
    EXPECT_EQ(read_request(&options).wishes, (Wishes{find_kernel("14"), true, 12'345}));
    options = CLGEMM_OPTIONS_INIT;
    options.workspace_limit = 1;
    EXPECT_EQ(read_request(&options).wishes, (Wishes{nullptr, false, 1}));
}

TEST(Options, OfTheFirstVersionSetNoLimit)
{
    FirstOptions first;
    EXPECT_EQ(request_of(first).wishes, Wishes{});
    first.kernel = "13";
    first.math = CLGEMM_MATH_STRICT;
    int stands_for_a_buffer = 0;
    first.workspace = reinterpret_cast<cl_mem>(&stands_for_a_buffer);
    EXPECT_EQ(request_of(first).wishes, (Wishes{find_kernel("13"), true, 0}));
    EXPECT_EQ(request_of(first).workspace, first.workspace);
}

TEST(Options, HaveTheSizeOfAVersion)
{
    for (std::size_t size = 0; size < sizeof(clgemm_options); size++)
        EXPECT_EQ(status_of_size(size), size == sizeof(FirstOptions) ? CLGEMM_SUCCESS : CLGEMM_INVALID_OPTIONS) << size;
    EXPECT_EQ(status_of_size(sizeof(clgemm_options)), CLGEMM_SUCCESS);
    EXPECT_EQ(status_of_size(sizeof(clgemm_options) + 8), CLGEMM_SUCCESS) << "a later version, with zeros";
    EXPECT_EQ(status_of_size(5000), CLGEMM_INVALID_OPTIONS);
}
