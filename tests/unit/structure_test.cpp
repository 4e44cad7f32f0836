// Structure: the layout is the compiler's.
#include "execute/structure.hpp"

#include <gtest/gtest.h>

#include <cstdint>

using namespace clgemm::core;

namespace {

template <typename T> void expect_layout(const T& expected, const std::vector<std::byte>& bytes)
{
    ASSERT_EQ(bytes.size(), sizeof expected);
    EXPECT_EQ(std::memcmp(bytes.data(), &expected, sizeof expected), 0); // what lies between members is 0
}

} // namespace

TEST(Structure, IsLaidOutAsByTheCompiler)
{
    struct Mixed {
        std::uint64_t m;
        float alpha;
        std::uint64_t lda;
        float one, other;
        std::uint64_t ldb;
        float beta;
    } mixed;
    std::memset(static_cast<void*>(&mixed), 0, sizeof mixed);
    mixed.m = 0x0123456789abcdef;
    mixed.alpha = 2.5f;
    mixed.lda = 3;
    mixed.one = -1;
    mixed.other = 4;
    mixed.ldb = 5;
    mixed.beta = 0.25f;
    Structure structure(7);
    structure.add(mixed.m);
    structure.add(mixed.alpha);
    structure.add(mixed.lda);
    structure.add(mixed.one);
    structure.add(mixed.other);
    structure.add(mixed.ldb);
    structure.add(mixed.beta);
    expect_layout(mixed, structure.finish());
}

TEST(Structure, OfFloatsAloneHasNoPadding)
{
    const float floats[] = {1, 2, 3};
    Structure structure(3);
    for (const float each : floats)
        structure.add(each);
    expect_layout(floats, structure.finish());
}
