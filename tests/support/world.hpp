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
    // A sub-buffer of the matrix's buffer, from one element to before another one. It lives as long as the world.
    cl_mem part_of(Which which, std::size_t begin, std::size_t end);
    // A buffer in memory of the host's that all such buffers share.
    cl_mem on_host();

    std::vector<float> pattern, memory[3], shared;
    cl::Context foreign_context;
    cl::Buffer buffer[3], foreign, read_only, write_only, small;
    std::vector<cl::Buffer> made;
    cl::UserEvent event, foreign_event;
    std::optional<cl::Image2D> image;
    cl_event result_event = nullptr;
    std::size_t bytes = 77;
    std::string text;
};

} // namespace clgemm::test
