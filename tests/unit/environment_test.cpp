// The CLGEMM_ variables: defaults, good values, and a clear error for bad ones.
#include "api/guard.hpp"
#include "engine/request.hpp"
#include "families/registry.hpp"
#include "support/environment.hpp"

#include <gtest/gtest.h>

#include <filesystem>
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

std::string absolute(const char* name)
{
    return std::filesystem::absolute(name).string();
}

} // namespace

TEST(Environment, NothingSetMeansDefaults)
{
    const Environment e = read({});
    EXPECT_EQ(e.device, "");
    EXPECT_EQ(e.kernel, "");
    EXPECT_EQ(e.math, "");
    EXPECT_EQ(request_of(e).options, Options{});
    EXPECT_EQ(request_of(e).accuracy, CLGEMM_MATH_DEFAULT);
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
    EXPECT_EQ(e.math, "strict");
    EXPECT_EQ(request_of(e).options, Options{find_kernel("09_prefetch")});
    EXPECT_EQ(request_of(e).accuracy, CLGEMM_MATH_STRICT);
    EXPECT_TRUE(e.log);
    EXPECT_EQ(e.cache_directory, absolute("cache"));
    EXPECT_TRUE(e.cache_directory_was_asked_for);
    const Environment other = read({{"CLGEMM_MATH", "default"}, {"CLGEMM_LOG", "0"}, {"CLGEMM_KERNEL", "3"}});
    EXPECT_EQ(other.kernel, "3");
    EXPECT_FALSE(other.log);
    EXPECT_EQ(request_of(other).options, Options{find_kernel("3")});
    EXPECT_EQ(request_of(other).accuracy, CLGEMM_MATH_DEFAULT);
}

TEST(Environment, TheCacheGoesToTheUsersCacheDirectory)
{
    EXPECT_EQ(read({{"HOME", "home"}}).cache_directory, absolute("home/.cache/clgemm"));
    EXPECT_EQ(read({{"HOME", "home"}, {"XDG_CACHE_HOME", "xdg"}}).cache_directory, absolute("xdg/clgemm"));
    EXPECT_FALSE(read({{"HOME", "home"}}).cache_directory_was_asked_for);
}

TEST(Environment, FilesStayWhereTheyWereNamed)
{
    const Environment e = read({{"CLGEMM_TUNING", "tuning"}, {"CLGEMM_RECORD", "calls"}, {"XDG_CONFIG_HOME", "config"}});
    EXPECT_EQ(e.tuning_file, absolute("tuning"));
    EXPECT_EQ(e.record_file, absolute("calls"));
    EXPECT_EQ(e.config_directory, absolute("config/clgemm"));
    EXPECT_EQ(read({{"CLGEMM_TUNING", e.tuning_file}}).tuning_file, e.tuning_file);
}

TEST(Environment, EmptyCountsAsUnset)
{
    const Environment e = read({{"CLGEMM_KERNEL", ""},
                                {"CLGEMM_MATH", ""},
                                {"CLGEMM_LOG", ""},
                                {"CLGEMM_CACHE_DIR", ""},
                                {"CLGEMM_TUNING", ""},
                                {"CLGEMM_RECORD", ""}});
    EXPECT_EQ(e.tuning_file, "");
    EXPECT_EQ(e.record_file, "");
    EXPECT_EQ(e.kernel, "");
    EXPECT_EQ(request_of(e).options, Options{});
    EXPECT_FALSE(e.log);
    EXPECT_EQ(e.cache_directory, std::nullopt);
}

TEST(Environment, AWrongValueIsAnErrorThatNamesTheVariable)
{
    for (const auto* name : {"CLGEMM_KERNEL", "CLGEMM_MATH"}) {
        const auto use = [&] { request_of(read({{name, "nonsense"}})); };
        EXPECT_THROW(use(), EnvironmentError) << name;
        EXPECT_EQ(guarded(use), CLGEMM_INVALID_ENVIRONMENT);
        const std::string message = last_error();
        EXPECT_NE(message.find(name), std::string::npos) << message;
        EXPECT_NE(message.find("nonsense"), std::string::npos) << message;
    }
}

// No result depends on the log.
TEST(Environment, AWrongLogIsAWarningAndNothingIsLogged)
{
    testing::internal::CaptureStderr();
    EXPECT_FALSE(read({{"CLGEMM_LOG", "nonsense"}}).log);
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "clgemm: warning: CLGEMM_LOG is 'nonsense', but must be '0' or '1'; nothing is logged\n");
}

TEST(Environment, AmxIsOffOnOrAModel)
{
    EXPECT_EQ(read({}).amx, Environment::Amx::on);
    EXPECT_EQ(read({{"CLGEMM_AMX", "1"}}).amx, Environment::Amx::on);
    EXPECT_EQ(read({{"CLGEMM_AMX", "0"}}).amx, Environment::Amx::off);
    EXPECT_EQ(read({{"CLGEMM_AMX", "model"}}).amx, Environment::Amx::model);
    EXPECT_THROW(read({{"CLGEMM_AMX", "2"}}), EnvironmentError);
}

// What variables mean is not all known where they are read, but what is written there stays.
TEST(Environment, WhatKernelsAndMathModesThereAreIsNotItsBusiness)
{
    const Environment e = read({{"CLGEMM_KERNEL", "nonsense"}, {"CLGEMM_MATH", "STRICT"}});
    EXPECT_EQ(e.kernel, "nonsense");
    EXPECT_EQ(e.math, "STRICT");
    EXPECT_THROW(request_of(read({{"CLGEMM_MATH", "STRICT"}})), EnvironmentError);
}

TEST(Environment, AWrongKernelsMessageNamesAllThereAre)
{
    try {
        request_of(read({{"CLGEMM_KERNEL", "99"}}));
        ADD_FAILURE();
    } catch (const EnvironmentError& error) {
        for (const auto& kernel : kernels())
            EXPECT_NE(std::string(error.what()).find(kernel.name), std::string::npos) << error.what();
    }
}
