// What is no UTF-8 is replaced, and all else stays.
#include "device/utf8.hpp"

#include <gtest/gtest.h>

using clgemm::core::as_utf8;

TEST(Utf8, StaysAsItIs)
{
    for (const auto* const text :
         {"", "NVIDIA H200", "a \"quoted\" \\ and\ttwo\nlines", "Prozessor f\xC3\xBCr 5 \xE2\x82\xAC"})
        EXPECT_EQ(as_utf8(text), text);
}

TEST(Utf8, HasAReplacementForWhatIsNone)
{
    EXPECT_EQ(as_utf8("caf\xE9 1"), "caf\xEF\xBF\xBD 1");
    EXPECT_EQ(as_utf8("\xFF"), "\xEF\xBF\xBD");
    EXPECT_EQ(as_utf8("cut off: \xE2\x82"), "cut off: \xEF\xBF\xBD");
    EXPECT_EQ(as_utf8(as_utf8("caf\xE9 1")), as_utf8("caf\xE9 1"));
}
