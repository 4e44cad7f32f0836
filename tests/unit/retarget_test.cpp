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

// The driver copies the statement into its text, where nothing may be left of it.
TEST(Retarget, TheStatementThatStopsTheAssemblerGoesAgain)
{
    const std::string source = stopping_the_assembler("kernel void multiply(void) {}\n");
    EXPECT_TRUE(source.starts_with("kernel void multiply(void) {}\n"));
    const auto begin = source.find("asm volatile(\"") + 14, end = source.find("\");", begin);
    ASSERT_LT(end, source.size());
    const std::string stop = source.substr(begin, end - begin);
    EXPECT_EQ(retargeted(ptx("sm_90", comment + "\t" + stop + "\n"), 200000),
              ptx("sm_90a", statement + "\t\n", "memory[200000]"));
}

TEST(Retarget, OtherTextsAreNotTaken)
{
    EXPECT_EQ(retargeted("", 98304), std::nullopt);
    EXPECT_EQ(retargeted("\177ELF memory[1024]", 98304), std::nullopt);
    EXPECT_EQ(retargeted(ptx("sm_80", plain, "memory[36864]"), 98304), std::nullopt) << "its length is given already";
    EXPECT_EQ(retargeted(ptx("sm_80", ".shared .b8 other_memory[1024];\n"), 98304), std::nullopt) << "which of the two?";
}

// Without it the assembler does not let warps hand registers over.
TEST(Retarget, WhereTheWorkGroupsSizeIsKnownOneIsEnoughForAComputeUnit)
{
    const std::string size = "\n.reqntid 384, 1, 1\n", with_bound = size + ".minnctapersm 1\n";
    const auto sized = [](const std::string& text, const std::string& directives) {
        const std::string entry = ".entry multiply()";
        return std::string(text).replace(text.find(entry), entry.size() + 1, entry + directives);
    };
    for (const auto* target : {"sm_80, texmode_independent", "sm_90"})
        EXPECT_EQ(retargeted(sized(ptx(target, plain), size), 98304),
                  sized(ptx(target, plain, "memory[98304]"), with_bound));
    EXPECT_EQ(retargeted(sized(ptx("sm_90", comment), size), 98304),
              sized(ptx("sm_90a", statement, "memory[98304]"), with_bound));
    // Only the directive, which has a line of its own, counts.
    for (const std::string other : {"\t// .reqntid 384, 1, 1\n", "\tcall .reqntid 384;\n", "\n.reqntidx 384\n"})
        EXPECT_EQ(retargeted(ptx("sm_80", other), 98304), ptx("sm_80", other, "memory[98304]"));
    EXPECT_EQ(retargeted(sized(ptx("sm_80", plain, "memory[36864]"), size), 98304), std::nullopt) << "no such program";
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
