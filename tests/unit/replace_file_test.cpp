// A file that is replaced: readers see a whole text, however many write at once, and nothing else is left beside it.
#include "support/replace_file.hpp"

#include "unit/own_folder.hpp"

#include <atomic>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace fs = std::filesystem;
using namespace clgemm::core;

namespace {

class ReplaceFile : public clgemm::test::OwnFolder {
protected:
    std::string read() const
    {
        std::ifstream from(file);
        return {std::istreambuf_iterator<char>(from), {}};
    }
};

TEST_F(ReplaceFile, ShowsAWholeTextHoweverManyWriteAtOnce)
{
    constexpr int writers = 4, times = 100;
    constexpr std::size_t length = 100000; // more than is written at a time
    replace_file(file, std::string(length, 'a'), Readers::owner);
    std::atomic<int> at_work = writers;
    std::vector<std::thread> threads;
    threads.reserve(writers);
    for (int writer = 0; writer < writers; writer++)
        threads.emplace_back([&, writer] {
            const std::string text(length, static_cast<char>('a' + writer));
            for (int i = 0; i < times; i++)
                EXPECT_NO_THROW(replace_file(file, text, Readers::owner));
            at_work--;
        });
    while (at_work > 0) {
        const std::string seen = read();
        EXPECT_TRUE(seen == std::string(length, seen[0])) << seen.size() << " characters, beginning with " << seen[0];
    }
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 1) << "no temporary file is left";
}

TEST_F(ReplaceFile, FollowsLinksToAFileButNotToWhatTheProcessHasOpen)
{
    std::ofstream(file) << "output";
    fs::create_symlink(file.filename(), folder / "link");
    EXPECT_EQ(regular_file(folder / "link"), file);
    const int output = open(file.c_str(), O_WRONLY | O_CLOEXEC);
    const std::string name = "/proc/self/fd/" + std::to_string(output);
    if (fs::is_symlink(name)) {
        fs::create_symlink(name, folder / "as_dev_stdout");
        EXPECT_THROW(regular_file(name), std::runtime_error);
        EXPECT_THROW(regular_file(folder / "as_dev_stdout"), std::runtime_error);
    }
    close(output);
}

TEST_F(ReplaceFile, IsNotHeldUpByWhatLiesBeside)
{
    fs::create_directory(file.string() + ".new");
    replace_file(file, "new", Readers::owner);
    EXPECT_EQ(read(), "new");
}

TEST_F(ReplaceFile, KeepsTheModeAndTheOwnerOfAFileForEverybody)
{
    replace_file(file, "old", Readers::everybody);
    constexpr mode_t mode = 0642; // no umask makes such a file
    ASSERT_EQ(chmod(file.c_str(), mode), 0);
    constexpr uid_t nobody = 65534;
    const bool is_given_away = chown(file.c_str(), nobody, nobody) == 0; // which root alone can do
    replace_file(file, "new", Readers::everybody);
    EXPECT_EQ(read(), "new");
    struct stat after = {};
    ASSERT_EQ(stat(file.c_str(), &after), 0);
    EXPECT_EQ(after.st_mode & 0777U, mode);
    EXPECT_EQ(after.st_uid, is_given_away ? nobody : geteuid());
    EXPECT_EQ(after.st_gid, is_given_away ? nobody : getegid());
}

TEST_F(ReplaceFile, MakesAFileForItsOwnerWhateverItReplaces)
{
    replace_file(file, "old", Readers::everybody);
    ASSERT_EQ(chmod(file.c_str(), 0666), 0);
    replace_file(file, "new", Readers::owner);
    EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

} // namespace
