// The disk cache: what is stored comes back, and nothing does that was damaged or that somebody else may have put there.
#include "execute/disk_cache.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace clgemm::core;
namespace fs = std::filesystem;

class DiskCacheTest : public testing::Test {
protected:
    DiskCacheTest() : directory(fs::path(testing::TempDir()) / ("clgemm-cache-" + unique())), cache(folder()) {}
    ~DiskCacheTest() override { fs::remove_all(directory); }

    static std::string unique()
    {
        return std::to_string(std::hash<std::thread::id>()(std::this_thread::get_id())) +
               testing::UnitTest::GetInstance()->current_test_info()->name();
    }

    std::ptrdiff_t files() const { return std::distance(fs::directory_iterator(folder()), {}); }
    fs::path folder() const { return directory / "made/when/needed"; }

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
    EXPECT_EQ(files(), 1) << "no temporary file is left";
}

// As every other program understands the name: `..` is where the link leads, and not where it lies.
TEST_F(DiskCacheTest, IsWhereANameWithALinkLeads)
{
    fs::create_directories(directory / "far/away");
    fs::create_directory_symlink(directory / "far/away", directory / "link");
    const DiskCache there(directory / "link/../here/");
    there.store("key", binary);
    EXPECT_EQ(there.load("key"), binary);
    EXPECT_TRUE(fs::is_directory(directory / "far/here"));
    EXPECT_FALSE(fs::exists(directory / "here"));
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

TEST_F(DiskCacheTest, OneByteTooManyIsNoticed)
{
    cache.store("key", binary);
    std::ofstream(cache.path("key"), std::ios::binary | std::ios::app) << 'x';
    EXPECT_EQ(cache.load("key"), std::nullopt);
}

TEST_F(DiskCacheTest, AHugeFileIsNoticedBeforeMemoryIsTakenForIt)
{
    cache.store("key", binary);
    fs::resize_file(cache.path("key"), std::uintmax_t{1} << 43); // no more than a number: nothing of it is on the disk
    EXPECT_EQ(cache.load("key"), std::nullopt);
}

TEST_F(DiskCacheTest, OnlyTheUserSeesAndWritesWhatIsStored)
{
    const mode_t before = umask(0);
    cache.store("key", binary);
    umask(before);
    EXPECT_EQ(fs::status(folder()).permissions(), fs::perms::owner_all);
    EXPECT_EQ(fs::status(cache.path("key")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(DiskCacheTest, AnEntryThatOthersCanWriteIsNotTaken)
{
    cache.store("key", binary);
    for (const auto others : {fs::perms::group_write, fs::perms::others_write}) {
        fs::permissions(cache.path("key"), fs::perms::owner_all | others);
        EXPECT_EQ(cache.load("key"), std::nullopt);
    }
    fs::permissions(cache.path("key"), fs::perms::owner_all | fs::perms::group_read | fs::perms::others_read);
    EXPECT_EQ(cache.load("key"), binary) << "to read it is no harm";
}

TEST_F(DiskCacheTest, AFolderThatOthersCanWriteIsNotUsed)
{
    cache.store("key", binary);
    for (const auto others :
         {fs::perms::group_write, fs::perms::others_write, fs::perms::others_write | fs::perms::sticky_bit}) {
        fs::permissions(folder(), fs::perms::owner_all | others);
        testing::internal::CaptureStderr();
        EXPECT_EQ(cache.load("key"), std::nullopt);
        cache.store("another key", binary);
        const std::string said = testing::internal::GetCapturedStderr();
        EXPECT_EQ(said.find(folder().string()) != std::string::npos, others == fs::perms::group_write) << "once: " << said;
        EXPECT_EQ(files(), 1) << "nothing is stored there, either";
    }
    fs::permissions(folder(), fs::perms::owner_all);
    EXPECT_EQ(cache.load("key"), binary);
}

TEST_F(DiskCacheTest, WhatBelongsToAnotherUserIsNotTaken)
{
    constexpr uid_t another_user = 54321;
    cache.store("key", binary);
    if (chown(cache.path("key").c_str(), another_user, static_cast<gid_t>(-1)) != 0)
        GTEST_SKIP() << "only root can give a file away";
    EXPECT_EQ(cache.load("key"), std::nullopt);
    ASSERT_EQ(chown(cache.path("key").c_str(), geteuid(), static_cast<gid_t>(-1)), 0);
    EXPECT_EQ(cache.load("key"), binary);
    ASSERT_EQ(chown(folder().c_str(), another_user, static_cast<gid_t>(-1)), 0);
    EXPECT_EQ(cache.load("key"), std::nullopt);
}

TEST_F(DiskCacheTest, OnlyARegularFileIsAnEntryAndAnythingElseIsReplaced)
{
    const fs::path entry = cache.path("key"), elsewhere = directory / "elsewhere";
    cache.store("key", binary);
    fs::rename(entry, elsewhere);

    fs::create_symlink(elsewhere, entry);
    EXPECT_EQ(cache.load("key"), std::nullopt);
    cache.store("key", ProgramBinary{9});
    EXPECT_EQ(cache.load("key"), ProgramBinary{9});
    fs::rename(elsewhere, entry);
    EXPECT_EQ(cache.load("key"), binary) << "what the link led to stayed as it was";

    fs::remove(entry);
    ASSERT_EQ(mkfifo(entry.c_str(), 0600), 0);
    EXPECT_EQ(cache.load("key"), std::nullopt) << "without waiting for somebody who writes into it";
    cache.store("key", binary);
    EXPECT_EQ(cache.load("key"), binary);

    fs::remove(entry);
    fs::create_directory(entry);
    EXPECT_EQ(cache.load("key"), std::nullopt);
    cache.store("key", binary);
    EXPECT_EQ(cache.load("key"), std::nullopt);
    EXPECT_EQ(files(), 1) << "no temporary file is left";
}

TEST_F(DiskCacheTest, WhatKilledWritersLeftIsRemovedAfterAnHour)
{
    cache.store("key", binary);
    const fs::path left = cache.path("another key").string() + ".1234abcd", strange = folder() / "notes";
    for (const fs::path& file : {left, strange})
        std::ofstream(file) << "half a progr";
    cache.store("key", binary);
    EXPECT_EQ(files(), 3) << "it may be written at this moment";
    for (const fs::path& file : {left, strange})
        fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::minutes(61));
    cache.store("key", binary);
    EXPECT_FALSE(fs::exists(left));
    EXPECT_TRUE(fs::exists(strange)) << "which is none of the cache's";
    EXPECT_EQ(files(), 2);
}

// Others may keep what they like in a folder that CLGEMM_CACHE_DIR names.
TEST_F(DiskCacheTest, FilesOfOthersNeitherCountNorAreTouched)
{
    const DiskCache small(folder(), 3000); // two entries
    const ProgramBinary large(1000);
    small.store("one", large);
    const std::string entry = small.path("another key").filename().string();
    std::vector<std::string> others{"conference.program.pdf", "tv.programme.txt", "dump.program",
                                    "dump.program.1234abcd",  "1234abcd.program", ".program"};
    for (const auto* ending : {"s", ".pdf", ".1234abc", ".1234abcd5", ".1234abcD", ".1234abcd.orig"})
        others.push_back(entry + ending);
    for (const auto* beginning : {"x", "0"})
        others.push_back(std::string(beginning).append(entry));
    others.push_back(std::string("X").append(entry, 1));
    for (const auto& other : others) {
        std::ofstream(folder() / other) << std::string(2000, 'x');
        fs::last_write_time(folder() / other, fs::file_time_type::clock::now() - std::chrono::hours(2));
    }
    small.store("two", large);
    for (const auto& other : others)
        EXPECT_TRUE(fs::exists(folder() / other)) << other;
    EXPECT_EQ(small.load("one"), large) << "there is room for two";
    EXPECT_EQ(small.load("two"), large);
}

TEST_F(DiskCacheTest, WhatWasNotUsedForLongestLeavesFirst)
{
    const ProgramBinary large(1000);
    const DiskCache small(folder(), 3500); // three entries
    const auto age = [&](const char* key, int minutes) {
        fs::last_write_time(small.path(key), fs::file_time_type::clock::now() - std::chrono::minutes(minutes));
    };
    for (const char* key : {"one", "two", "three"})
        small.store(key, large);
    age("one", 30);
    age("two", 20);
    age("three", 10);
    EXPECT_EQ(small.load("one"), large); // used: it is the youngest now
    small.store("four", large);
    EXPECT_EQ(small.load("two"), std::nullopt);
    for (const char* key : {"one", "three", "four"})
        EXPECT_EQ(small.load(key), large) << key;

    small.store("five", ProgramBinary(4000));
    EXPECT_EQ(small.load("five"), std::nullopt) << "more than there is room for";
    EXPECT_EQ(small.load("four"), large) << "and no reason to throw others out";
}

TEST_F(DiskCacheTest, ADiskThatGetsFullIsNoError)
{
    cache.store("key", binary);
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    const rlimit few_bytes{50, before.rlim_max};
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &few_bytes), 0);
    cache.store("key", ProgramBinary(1000));
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    EXPECT_EQ(cache.load("key"), binary);
    EXPECT_EQ(files(), 1) << "no temporary file is left";
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
