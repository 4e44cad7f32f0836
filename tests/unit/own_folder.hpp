// A folder for a test of files: made before it, and removed with all that lies in it afterwards.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <string>

namespace clgemm::test {

class OwnFolder : public testing::Test {
protected:
    OwnFolder() { std::filesystem::create_directories(folder); }
    ~OwnFolder() override { std::filesystem::remove_all(folder); }

    const std::filesystem::path folder =
        std::filesystem::path(testing::TempDir()) / ("clgemm-" + std::to_string(std::random_device()()));
    const std::filesystem::path file = folder / "file"; // not there yet
};

} // namespace clgemm::test
