// PTX texts as NVIDIA's driver gives them, in short, and what becomes of them.
#include "execute/retarget.hpp"

#include <gtest/gtest.h>

using namespace clgemm::core;

namespace {

// A program with one array, for a target, with these statements.
std::string ptx(const std::string& target, const std::string& statements, const std::string& array = "memory[1024]")
{
    return "//\n// Generated\n//\n\n.version 8.0\n.target " + target +
           "\n.address_size 64\n\n.entry multiply()\n{\n\t.shared .align 1024 .b8 multiply_" + array + ";\n" + statements +
           "\tret;\n}\n";
}

const std::string plain = "\tbar.sync 0;\n";
const std::string comment = "\t// begin inline asm\n\t//@ wgmma.fence.sync.aligned;\n";
const std::string statement = "\t// begin inline asm\n\twgmma.fence.sync.aligned;\n";

} // namespace

TEST(Retarget, LocalMemoryGetsItsLengthOnEveryTarget)
{
    for (const auto* target : {"sm_80, texmode_independent", "sm_86", "sm_89, texmode_independent", "sm_90"})
        EXPECT_EQ(retargeted(ptx(target, plain), 98304), ptx(target, plain, "memory[98304]")) << target;
}

TEST(Retarget, StatementsOfHopperAloneGetItsTarget)
{
    EXPECT_EQ(retargeted(ptx("sm_90, texmode_independent", comment + plain + comment), 200000),
              ptx("sm_90a, texmode_independent", statement + plain + statement, "memory[200000]"));
    EXPECT_EQ(retargeted(ptx("sm_90", comment), 200000), ptx("sm_90a", statement, "memory[200000]"));
    for (const auto* target : {"sm_80", "sm_89", "sm_100"})
        EXPECT_EQ(retargeted(ptx(target, comment), 200000), std::nullopt) << target << " has no such statements";
}

TEST(Retarget, OtherTextsAreNotTaken)
{
    EXPECT_EQ(retargeted("", 98304), std::nullopt);
    EXPECT_EQ(retargeted("\177ELF memory[1024]", 98304), std::nullopt);
    EXPECT_EQ(retargeted(ptx("sm_80", plain, "memory[36864]"), 98304), std::nullopt) << "its length is given already";
    EXPECT_EQ(retargeted(ptx("sm_80", ".shared .b8 other_memory[1024];\n"), 98304), std::nullopt) << "which of the two?";
}

TEST(Retarget, ATerminatingZeroIsNoPartOfTheText)
{
    EXPECT_EQ(retargeted(ptx("sm_80", plain) + '\0', 98304), ptx("sm_80", plain, "memory[98304]"));
}

TEST(Retarget, TheArrayIsThereOnce)
{
    EXPECT_EQ(retargeted(ptx("sm_90", comment, "other[1024]"), 98304), std::nullopt) << "without";
    EXPECT_EQ(retargeted(ptx("sm_90", comment, "memory[1023]"), 98304), std::nullopt) << "in another length";
    EXPECT_EQ(retargeted(ptx("sm_90", comment) + ptx("sm_90", comment), 98304), std::nullopt) << "twice";
}
