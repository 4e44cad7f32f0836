// The disk cache: what is stored comes back, and nothing that was damaged does.
#include "execute/disk_cache.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <thread>

using namespace clgemm::core;
namespace fs = std::filesystem;

class DiskCacheTest : public testing::Test {
protected:
    DiskCacheTest()
        : directory(fs::path(testing::TempDir()) / ("clgemm-cache-" + unique())), cache(directory / "made/when/needed")
    {
    }
    ~DiskCacheTest() override { fs::remove_all(directory); }

    static std::string unique()
    {
        return std::to_string(std::hash<std::thread::id>()(std::this_thread::get_id())) +
               testing::UnitTest::GetInstance()->current_test_info()->name();
    }

    fs::path directory;
    DiskCache cache;
    const ProgramBinary binary{1, 2, 3, 0, 255, 7};
};

TEST_F(DiskCacheTest, WhatWasStoredIsLoaded)
{
    EXPECT_EQ(cache.load("key"), std::nullopt);
    cache.store("key", binary);
    EXPECT_EQ(cache.load("key"), binary);
    EXPECT_EQ(cache.load("another key"), std::nullopt);
    EXPECT_EQ(std::distance(fs::directory_iterator(cache.path("key").parent_path()), {}), 1) << "no temporary file is left";
}

TEST_F(DiskCacheTest, EveryFlippedByteIsNoticed)
{
    cache.store("key", binary);
    const auto size = fs::file_size(cache.path("key"));
    for (std::uintmax_t i = 0; i < size; i++) {
        cache.store("key", binary);
        {
            std::fstream file(cache.path("key"), std::ios::binary | std::ios::in | std::ios::out);
            file.seekg(static_cast<std::streamoff>(i));
            const char flipped = static_cast<char>(file.get() ^ 0x10);
            file.seekp(static_cast<std::streamoff>(i));
            file.put(flipped);
        }
        EXPECT_EQ(cache.load("key"), std::nullopt) << "byte " << i;
    }
}

TEST_F(DiskCacheTest, EveryTruncationIsNoticed)
{
    cache.store("key", binary);
    for (auto size = fs::file_size(cache.path("key")); size-- > 0;) {
        fs::resize_file(cache.path("key"), size);
        EXPECT_EQ(cache.load("key"), std::nullopt) << size << " bytes left";
    }
    cache.store("key", binary);
    EXPECT_EQ(cache.load("key"), binary) << "a damaged entry can be replaced";
}

TEST_F(DiskCacheTest, AFileOfAnotherKeyUnderTheSameNameIsNotTaken)
{
    cache.store("key", binary);
    fs::rename(cache.path("key"), cache.path("kez"));
    EXPECT_EQ(cache.load("kez"), std::nullopt);
}

TEST_F(DiskCacheTest, WithoutADirectoryNothingIsKept)
{
    const DiskCache none(std::nullopt);
    none.store("key", binary);
    EXPECT_EQ(none.load("key"), std::nullopt);
}

TEST_F(DiskCacheTest, ADirectoryThatCannotBeMadeIsNoError)
{
    fs::create_directories(directory);
    std::ofstream(directory / "file") << "in the way";
    const DiskCache blocked(directory / "file" / "below");
    blocked.store("key", binary);
    EXPECT_EQ(blocked.load("key"), std::nullopt);
}

TEST_F(DiskCacheTest, ManyWritersAndReadersSeeWholeEntries)
{
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; t++)
        threads.emplace_back([&] {
            for (int i = 0; i < 50; i++) {
                cache.store("key", binary);
                EXPECT_EQ(cache.load("key"), binary);
            }
        });
    for (auto& thread : threads)
        thread.join();
}
