#include "world.hpp"

#include <cstring>

namespace clgemm::test {

World::World()
{
    for (std::size_t i = 0; i < elements; i++)
        pattern.push_back(static_cast<float>(i + 1));
    for (const Which which : every_matrix) {
        memory[which] = pattern;
        buffer[which] = make(CL_MEM_READ_WRITE);
    }
    const auto& device = test_device().device;
    foreign_context = cl::Context(device);
    foreign = make(CL_MEM_READ_WRITE, foreign_context);
    read_only = make(CL_MEM_READ_ONLY);
    write_only = make(CL_MEM_WRITE_ONLY);
    small = make(CL_MEM_READ_WRITE);
    event = cl::UserEvent(test_device().context);
    foreign_event = cl::UserEvent(foreign_context);
    event.setStatus(CL_COMPLETE);
    foreign_event.setStatus(CL_COMPLETE);
    if (device.getInfo<CL_DEVICE_IMAGE_SUPPORT>())
        image = cl::Image2D(test_device().context, CL_MEM_READ_WRITE, {CL_RGBA, CL_FLOAT}, 16, 16);
    text.assign(1000, '?');
}

Arguments World::right_arguments()
{
    forget_event();
    Arguments x;
    for (const Which which : every_matrix) {
        x.buffer[which] = buffer[which]();
        x.host[which] = memory[which].data();
    }
    x.queue = test_device().in_order();
    x.event = &result_event;
    x.bytes = &bytes;
    x.text = text.data();
    x.text_size = text.size();
    return x;
}

cl::Buffer World::make(cl_mem_flags flags, const cl::Context& context)
{
    return {context, flags | CL_MEM_COPY_HOST_PTR, elements * sizeof(float), pattern.data()};
}

cl_mem World::part_of(Which which, std::size_t begin, std::size_t end)
{
    const cl_buffer_region region{begin * sizeof(float), (end - begin) * sizeof(float)};
    made.push_back(buffer[which].createSubBuffer(CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region));
    return made.back()();
}

cl_mem World::on_host()
{
    shared = pattern;
    made.emplace_back(test_device().context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, elements * sizeof(float),
                      shared.data());
    return made.back()();
}

testing::AssertionResult World::nothing_was_touched()
{
    std::vector<float> now(elements);
    const auto same = [&](const std::vector<float>& values) {
        return std::memcmp(values.data(), pattern.data(), elements * sizeof(float)) == 0;
    };
    for (const cl::Buffer& one : {buffer[C], read_only}) {
        test_device().in_order.enqueueReadBuffer(one, CL_TRUE, 0, elements * sizeof(float), now.data());
        if (!same(now))
            return testing::AssertionFailure() << "the buffer C was changed";
    }
    if (!same(memory[C]))
        return testing::AssertionFailure() << "C in host memory was changed";
    if (result_event != nullptr || bytes != 77 || text.find_first_not_of('?') != std::string::npos)
        return testing::AssertionFailure() << "a result was written";
    return testing::AssertionSuccess();
}

void World::forget_event()
{
    if (result_event)
        clReleaseEvent(result_event);
    result_event = nullptr;
}

} // namespace clgemm::test
