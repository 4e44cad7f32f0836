// The CLGEMM_ variables: defaults, good values, and a clear error for bad ones.
#include "support/environment.hpp"
#include "support/error.hpp"

#include <gtest/gtest.h>

#include <map>

using namespace clgemm::core;

namespace {

Environment read(const std::map<std::string, std::string>& variables)
{
    return read_environment([&](const char* name) -> std::optional<std::string> {
        const auto found = variables.find(name);
        return found == variables.end() ? std::nullopt : std::optional(found->second);
    });
}

} // namespace

TEST(Environment, NothingSetMeansDefaults)
{
    const Environment e = read({});
    EXPECT_EQ(e.device, "");
    EXPECT_EQ(e.kernel, "");
    EXPECT_EQ(e.math, CLGEMM_MATH_DEFAULT);
    EXPECT_FALSE(e.log);
    EXPECT_EQ(e.cache_directory, std::nullopt) << "no home: memory only";
}

TEST(Environment, GoodValuesAreTaken)
{
    const Environment e = read({{"CLGEMM_DEVICE", "NVIDIA"},
                                {"CLGEMM_KERNEL", "09_prefetch"},
                                {"CLGEMM_MATH", "strict"},
                                {"CLGEMM_LOG", "1"},
                                {"CLGEMM_CACHE_DIR", "cache"}});
    EXPECT_EQ(e.device, "NVIDIA");
    EXPECT_EQ(e.kernel, "09_prefetch");
    EXPECT_EQ(e.math, CLGEMM_MATH_STRICT);
    EXPECT_TRUE(e.log);
    EXPECT_EQ(e.cache_directory, "cache");
    EXPECT_TRUE(e.cache_directory_was_asked_for);
    EXPECT_EQ(read({{"CLGEMM_MATH", "default"}, {"CLGEMM_LOG", "0"}, {"CLGEMM_KERNEL", "3"}}).kernel, "3");
}

TEST(Environment, TheCacheGoesToTheUsersCacheDirectory)
{
    EXPECT_EQ(read({{"HOME", "home"}}).cache_directory, "home/.cache/clgemm");
    EXPECT_EQ(read({{"HOME", "home"}, {"XDG_CACHE_HOME", "xdg"}}).cache_directory, "xdg/clgemm");
    EXPECT_FALSE(read({{"HOME", "home"}}).cache_directory_was_asked_for);
}

TEST(Environment, EmptyCountsAsUnset)
{
    const Environment e = read({{"CLGEMM_KERNEL", ""}, {"CLGEMM_MATH", ""}, {"CLGEMM_LOG", ""}, {"CLGEMM_CACHE_DIR", ""}});
    EXPECT_EQ(e.kernel, "");
    EXPECT_EQ(e.cache_directory, std::nullopt);
}

TEST(Environment, AWrongValueIsAnErrorThatNamesTheVariable)
{
    for (const auto* name : {"CLGEMM_KERNEL", "CLGEMM_MATH", "CLGEMM_LOG"}) {
        try {
            read({{name, "nonsense"}});
            ADD_FAILURE() << name;
        } catch (const Error& error) {
            EXPECT_EQ(error.status(), CLGEMM_INVALID_ENVIRONMENT);
            EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
            EXPECT_NE(std::string(error.what()).find("nonsense"), std::string::npos) << error.what();
        }
    }
}
