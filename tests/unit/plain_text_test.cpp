// Letters and numbers as a new process writes them, in any locale that the machine has.
#include "support/plain_text.hpp"

#include <gtest/gtest.h>

#include <clocale>
#include <limits>
#include <string>

using namespace clgemm::core;

namespace {

// A locale that the machine does not have leaves that of a new process.
class PlainText : public testing::TestWithParam<const char*> {
protected:
    PlainText() { std::setlocale(LC_ALL, GetParam()); }
    ~PlainText() override { std::setlocale(LC_ALL, "C"); }
};

TEST_P(PlainText, HasTheLettersOfAscii)
{
    for (int code = 0; code < 128; code++) {
        const auto c = static_cast<char>(code);
        const bool is_capital = std::string("ABCDEFGHIJKLMNOPQRSTUVWXYZ").find(c) != std::string::npos;
        EXPECT_EQ(is_upper(c), is_capital);
        EXPECT_EQ(lower(c), is_capital ? static_cast<char>(code + 32) : c);
        EXPECT_EQ(is_alphanumeric(c),
                  is_capital || std::string("abcdefghijklmnopqrstuvwxyz0123456789").find(c) != std::string::npos);
    }
    EXPECT_FALSE(is_alphanumeric('\xfc')) << "a letter in some locales";
}

TEST_P(PlainText, HasNumbersWithAPoint)
{
    EXPECT_EQ(in_digits(0.5, 3), "0.5");
    EXPECT_EQ(in_digits(1234567, 9), "1234567");
    EXPECT_EQ(in_digits(1234567, 3), "1.23e+06");
    EXPECT_EQ(in_digits(-std::numeric_limits<double>::denorm_min(), 17), "-4.9406564584124654e-324");
    EXPECT_EQ(in_digits(-std::numeric_limits<double>::max(), 17), "-1.7976931348623157e+308");
}

INSTANTIATE_TEST_SUITE_P(In, PlainText, testing::Values("C", "tr_TR.ISO-8859-9", "tr_TR.UTF-8", "de_DE.UTF-8"),
                         [](const auto& tested) { return "Locale" + std::to_string(tested.index); });

} // namespace
