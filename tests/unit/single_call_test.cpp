// Single calls: what of a problem belongs to them, and that problems and records made of them are about the same calls.
#include "made_up_calls.hpp"

#include "tuning/recorded_calls.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

DeviceProfile device_named(const char* name)
{
    DeviceProfile device = large_gpu();
    device.platform_name = "made-up platform";
    device.name = name;
    return device;
}

// What is wrong with a record, or "".
std::string complaint(const std::string& text)
{
    try {
        parse_record(text);
        return "";
    } catch (const RecordError& error) {
        return error.what();
    }
}

const std::string good_line = R"({"m":3,"n":4,"k":5,"transposes":"NT","aligned":[1,4,16],"device":"one","count":2,)"
                              R"("timed":1,"total_us":7.5})";

// The good line with a member exchanged.
std::string line_with(const std::string& member, const std::string& other)
{
    std::string result = good_line;
    const auto at = result.find(member);
    EXPECT_NE(at, std::string::npos) << member;
    return result.replace(at, member.size(), other);
}

} // namespace

TEST(SingleCall, IsWhatASelectionDependsOn)
{
    const Problem some = problem(64, 48, 32, CLGEMM_TRANS);
    Problem scaled = some;
    scaled.alpha = 3;
    scaled.beta = 2;
    EXPECT_EQ(call_of(scaled), call_of(some));

    Problem moved = some;
    moved.a.offset = 32;
    EXPECT_EQ(call_of(moved), call_of(some)) << "aligned as before";
    moved.a.offset = 4;
    EXPECT_FALSE(call_of(moved) == call_of(some));
    EXPECT_EQ(call_of(moved).aligned[0], 4u);

    Problem strict = some;
    strict.arithmetic.accuracy = CLGEMM_MATH_STRICT;
    EXPECT_FALSE(call_of(strict) == call_of(some));
    EXPECT_TRUE(call_of(strict) < call_of(some) || call_of(some) < call_of(strict));
}

TEST(SingleCall, OfARowMajorCallIsTheColumnMajorOneThatIsTheSameWork)
{
    Arguments row_major = uneven(30, 20, 10, CLGEMM_NO_TRANS, CLGEMM_TRANS);
    row_major.layout = CLGEMM_ROW_MAJOR;
    row_major.lda = 12;
    row_major.ldb = 13;
    row_major.ldc = 24;
    EXPECT_EQ(call_of(make_problem(row_major)), call_of(make_problem(as_column_major(row_major))));
}

// C' = B' A' is the same work in the same memory.
TEST(SingleCall, OfTheTransposedProblemIsTheSame)
{
    for (const auto trans_a : {CLGEMM_NO_TRANS, CLGEMM_TRANS})
        for (const auto trans_b : {CLGEMM_NO_TRANS, CLGEMM_TRANS}) {
            const Problem some = make_problem(uneven(30, 20, 10, trans_a, trans_b));
            EXPECT_EQ(call_of(transposed(some)), call_of(some)) << describe(some);
        }
}

TEST(SingleCall, ThereIsNoneWhereNothingIsMultiplied)
{
    EXPECT_FALSE(single_call_of(problem(0, 4, 4)));
    EXPECT_FALSE(single_call_of(problem(4, 4, 0)));
    Problem without_alpha = problem(4, 4, 4), without_products = problem(4, 4, 4);
    without_alpha.alpha = 0;
    without_products.batch.count = 0;
    EXPECT_FALSE(single_call_of(without_alpha));
    EXPECT_FALSE(single_call_of(without_products));
}

TEST(SingleCall, AProblemOfItIsThatCallHoweverItIsAligned)
{
    for (const std::size_t size : {1UL, 2UL, 7UL, 16UL, 31UL, 64UL, 750UL})
        for (const std::size_t other : {1UL, 48UL})
            for (const std::size_t width : {1UL, 2UL, 4UL, 8UL, 16UL})
                for (const bool transposed : {false, true}) {
                    const SingleCall call{size, other, 33, transposed, !transposed, {width, 16, width}, {}};
                    EXPECT_EQ(call_of(problem_of(call)), call) << describe(call) << " aligned to " << width;
                    for (const bool shared_a : {false, true})
                        for (const bool shared_b : {false, true}) {
                            SingleCall batch = call;
                            batch.products = 12;
                            batch.shared_a = shared_a;
                            batch.shared_b = shared_b;
                            EXPECT_EQ(call_of(problem_of(batch)), batch) << describe(batch) << " aligned to " << width;
                        }
                }
}

TEST(SingleCall, OfABatchSaysHowManyProductsAndWhatTheyShare)
{
    SingleCall batch = call_of(problem(8, 8, 8));
    EXPECT_EQ(describe(batch), "NN 8x8x8");
    batch.products = 100;
    const SingleCall apart = batch;
    EXPECT_EQ(describe(batch), "NN 100 of 8x8x8");
    batch.shared_b = true;
    EXPECT_EQ(describe(batch), "NN 100 of 8x8x8 shared B");
    SingleCall strict = batch;
    strict.arithmetic.accuracy = CLGEMM_MATH_STRICT;
    EXPECT_EQ(describe(strict), "NN 100 of 8x8x8 shared B f32 f32 f32 strict");
    EXPECT_TRUE(batch < apart || apart < batch);
    EXPECT_EQ(problem_of(batch).b.distance, 0u);
    EXPECT_GE(problem_of(batch).a.distance, 64u);
}

TEST(Record, IsReadAsItWasWrittenAndAddsUpWhatIsAboutTheSameCall)
{
    const RecordedCall one{call_of(problem(64, 48, 32)), recorded_name(device_named("a \"device\""))};
    const RecordedCall other{call_of(make_problem(uneven(5, 6, 7, CLGEMM_TRANS))), recorded_name(device_named("another"))};
    RecordedCall strict = one;
    strict.call.arithmetic.accuracy = CLGEMM_MATH_STRICT;
    RecordedCall batch = one;
    batch.call.products = 36;
    batch.call.shared_a = true;
    const RecordedCalls calls{{one, {3, 2, 100.25}}, {other, {1, 0, 0}}, {strict, {1, 1, 5}}, {batch, {2, 1, 9}}};
    const std::string text = to_text(calls);
    EXPECT_EQ(to_text(parse_record(text)), text);

    const RecordedCalls twice = parse_record(text + "\n" + text);
    ASSERT_EQ(twice.size(), 4u);
    EXPECT_EQ(twice.at(batch).count, 4u);
    EXPECT_EQ(twice.at(one).count, 6u);
    EXPECT_EQ(twice.at(one).timed, 4u);
    EXPECT_EQ(twice.at(one).total_us, 200.5);
    EXPECT_DOUBLE_EQ(twice.at(one).all_us(), 200.5 * 6 / 4);
    EXPECT_EQ(twice.at(other).all_us(), 0);
}

TEST(Record, ThatIsWrongSaysInWhichLineAndWhat)
{
    EXPECT_EQ(complaint(good_line), "");
    const std::pair<std::string, std::string> cases[] = {
        {"nonsense", "it is no JSON"},
        {"[]", "[] is no object"},
        {line_with("\"m\":3,", ""), "m is missing"},
        {line_with("\"m\":3", "\"m\":0"), "m is 0, but must be a whole number from 1 on"},
        {line_with("\"n\":4", "\"n\":-4"), "n is -4"},
        {line_with("\"k\":5", "\"k\":2.5"), "k is 2.5"},
        {line_with("\"device\":\"one\",", ""), "device is missing"},
        {line_with("\"count\":2,", ""), "count is missing"},
        {line_with("\"count\":2", "\"count\":2.5"), "count is 2.5, but must be a whole number"},
        {line_with("\"k\":5", "\"k\":5,\"products\":0"), "products is 0, but must be a whole number from 1 on"},
        {line_with("\"k\":5", "\"k\":5,\"products\":2,\"shared\":\"C\""), "shared is \"C\", but must be A, B or AB"},
        {line_with("\"k\":5", "\"k\":5,\"shared\":\"A\""),
         "shared is \"A\", but must be missing where there is one product"},
        {line_with("\"NT\"", "\"NX\""), "transposes is \"NX\", but must be NN, NT, TN or TT"},
        {line_with("[1,4,16]", "[1,3,16]"), "aligned is [1,3,16], but must be three powers of 2 from 1 to 16"},
        {line_with("[1,4,16]", "[1,4]"), "aligned is [1,4]"},
        {line_with("[1,4,16]", "[1,4,32]"), "aligned is [1,4,32]"},
        {line_with("\"one\"", "1"), "device is 1, but must be a text"},
        {line_with("\"one\"", "\"one\",\"arithmetic\":\"f16\""), "arithmetic is \"f16\""},
        {line_with("\"count\":2", "\"count\":-2"), "count is -2"},
        {line_with("\"timed\":1", "\"timed\":3"), "timed is 3, but must not be more than count, which is 2"},
        {line_with("7.5", "\"7.5\""), "total_us is \"7.5\""},
        {line_with("7.5", "-1"), "total_us is -1"},
    };
    for (const auto& [line, said] : cases) {
        const std::string message = complaint(good_line + "\n\n" + line + "\n");
        EXPECT_EQ(message.find("line 3: "), 0u) << message;
        EXPECT_NE(message.find(said), std::string::npos) << "nothing of '" << said << "' in: " << message;
        EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    }
}

TEST(Record, ThatCannotBeReadIsNamed)
{
    const std::filesystem::path folder(testing::TempDir()), file = folder / "a_record_that_is_wrong";
    std::ofstream(file) << good_line << "\n{}\n";
    const auto expect = [](const std::filesystem::path& path, const std::string& said) {
        try {
            read_record(path);
            ADD_FAILURE() << path;
        } catch (const RecordError& error) {
            EXPECT_EQ(error.what(), path.string() + said);
        }
    };
    expect(file, ", line 2: m is missing");
    expect(folder, " is no regular file that can be read");
    expect(folder / "no_such_record", " is no regular file that can be read");
    constexpr std::uintmax_t most = std::uintmax_t{64} << 20;
    std::filesystem::resize_file(file, most + 1); // which takes no room on the disk
    expect(file, " has more than 67108864 bytes");
    std::filesystem::remove(file);
}
