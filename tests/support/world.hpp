// What the arguments of a call can point to, and a copy of what they may not change.
#pragma once

#include "call_forms.hpp"
#include "device.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace clgemm::test {

class World {
public:
    static constexpr std::size_t elements = 256;

    World();
    World(const World&) = delete;
    World& operator=(const World&) = delete;
    ~World() { forget_event(); }

    // A call with them succeeds; it gives `result_event` and, where a form has them, `bytes` and `text`.
    Arguments right_arguments();
    cl::Buffer make(cl_mem_flags flags, const cl::Context& context = test_device().context);
    testing::AssertionResult nothing_was_touched();
    void forget_event();

    std::vector<float> pattern, memory[3];
    cl::Context foreign_context;
    cl::Buffer buffer[3], foreign, read_only, write_only;
    cl::UserEvent event, foreign_event;
    std::optional<cl::Image2D> image;
    cl_event result_event = nullptr;
    std::size_t bytes = 77;
    std::string text;
};

} // namespace clgemm::test
