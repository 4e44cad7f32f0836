// A file that is replaced: readers see a whole text, however many write at once, and nothing else is left beside it.
#include "support/replace_file.hpp"

#include "unit/own_folder.hpp"

#include <atomic>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
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

TEST_F(ReplaceFile, IsNotHeldUpByWhatLiesBeside)
{
    fs::create_directory(file.string() + ".new");
    replace_file(file, "new", Readers::owner);
    EXPECT_EQ(read(), "new");
}

} // namespace
