// The line that shows how far a program is.
#include "tools/program/progress.hpp"

#include <gtest/gtest.h>

using clgemm::program::progress_line;

namespace {

TEST(ProgressLine, HasABarThatFills)
{
    EXPECT_EQ(progress_line(0, "text"), "[................] text");
    EXPECT_EQ(progress_line(0.5, "text", "detail"), "[########........] text  detail");
    EXPECT_EQ(progress_line(7, "text"), "[################] text");
    EXPECT_EQ(progress_line(-1, "text"), progress_line(0, "text"));
}

// In the last column the terminal would go on to the next line, which nothing takes away.
TEST(ProgressLine, FitsEightyColumns)
{
    const std::string line = progress_line(1, "text", std::string(200, 'x'));
    EXPECT_EQ(line.size(), 79u);
    EXPECT_TRUE(line.starts_with("[################] text  x"));
    EXPECT_EQ(progress_line(1, std::string(200, 'x')).size(), 79u);
}

TEST(ProgressLine, IsOneLine)
{
    EXPECT_EQ(progress_line(0, "text", "first\nsecond"), progress_line(0, "text", "first"));
}

} // namespace
