// The lock on a file that several processes replace: one of them has it at a time, and it is on the file of that name.
#include "support/file_lock.hpp"
#include "support/replace_file.hpp"

#include "unit/own_folder.hpp"

#include <csignal>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace fs = std::filesystem;
using namespace clgemm::core;
using namespace std::chrono_literals;

namespace {

class FileLocks : public clgemm::test::OwnFolder {
protected:
    std::string refusal(const fs::path& path) const
    {
        try {
            const FileLock lock(path, 50ms);
            return "";
        } catch (const std::runtime_error& error) {
            return error.what();
        }
    }
};

TEST_F(FileLocks, IsHadByOneAtATimeAndLeftAtTheEnd)
{
    {
        const FileLock lock(file, 0ms);
        EXPECT_EQ(refusal(file), "cannot write " + file.string() + ": another process has locked it");
        EXPECT_EQ(refusal(folder / "other"), "");
    }
    EXPECT_EQ(refusal(file), "");
}

// A program forks while another of its threads has the lock; the child may live long.
TEST_F(FileLocks, IsNotKeptByAChild)
{
    std::optional<FileLock> lock(std::in_place, file, 0ms);
    const pid_t child = fork();
    if (child == 0) {
        pause();
        _exit(0);
    }
    lock.reset();
    EXPECT_EQ(refusal(file), "");
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
}

TEST_F(FileLocks, IsWaitedFor)
{
    std::optional<FileLock> first(std::in_place, file, 0ms);
    std::thread other([&] {
        std::this_thread::sleep_for(100ms);
        first.reset();
    });
    EXPECT_NO_THROW(FileLock(file, 60s));
    other.join();
}

// Who waits for a file that is replaced meanwhile must not believe that he has the new one.
TEST_F(FileLocks, IsOnTheFileThatHasTheNameThen)
{
    std::optional<FileLock> first(std::in_place, file, 0ms);
    std::thread other([&] {
        std::this_thread::sleep_for(50ms);
        replace_file(file, "new", Readers::owner);
        first.reset();
    });
    const FileLock second(file, 60s);
    other.join();
    EXPECT_NE(refusal(file), "") << "the new file is not locked";
}

TEST_F(FileLocks, NamesTheReasonWhyThereIsNone)
{
    EXPECT_EQ(refusal(folder / "no" / "such"),
              "cannot write " + (folder / "no" / "such").string() + ": No such file or directory");
    EXPECT_EQ(refusal(folder), "cannot write " + folder.string() + ": Is a directory");
}

} // namespace
