#include "device/tiles.hpp"

#include "support/embedded.hpp"
#include "support/environment.hpp"
#include "support/log.hpp"

#include <cerrno>
#include <string>

namespace clgemm::core {
namespace {

std::string in_words(long refusal)
{
    switch (-refusal) {
    case ENOSPC: return "a thread of this process has a signal stack that is too small for them";
    case EINVAL:
    case EOPNOTSUPP: return "Linux does not know them; it does from 5.16 on";
    default: return "Linux says error " + std::to_string(-refusal);
    }
}

} // namespace

TilesAnswer ask_for_tiles(const cl::Device& device)
{
    const cl::Context context(device);
    const cl::CommandQueue queue(context, device);
    const cl::Program program(context, kernel_source("permit_tiles").text());
    program.build(device);
    cl::Kernel kernel(program, "permit_tiles");
    cl_long answer[2] = {};
    const cl::Buffer buffer(context, CL_MEM_WRITE_ONLY, sizeof answer);
    kernel.setArg(0, buffer);
    queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(1), cl::NDRange(1));
    queue.enqueueReadBuffer(buffer, CL_TRUE, 0, sizeof answer, answer);
    return {answer[0] != 0, static_cast<long>(answer[1])};
}

Tiles find_tiles(const cl::Device& device, const DeviceProfile& profile)
{
    const Environment::Amx wanted = environment().amx;
    if (profile.type != DeviceType::cpu || wanted == Environment::Amx::off)
        return Tiles::none;
    if (wanted == Environment::Amx::model)
        return Tiles::model;
    if (!profile.takes_x86_assembly || profile.vendor != "GenuineIntel") // Nobody else's processors have them.
        return Tiles::none;
    const auto say = [&](const std::string& why) {
        log_line([&] { return "the AMX tiles of " + profile.name + " are not used: " + why; });
    };
    try {
        const TilesAnswer answer = ask_for_tiles(device);
        if (answer.are_there && answer.permission == 0)
            return Tiles::amx;
        if (answer.are_there)
            say(in_words(answer.permission));
    } catch (const cl::Error& error) {
        say(std::string("the kernel that asks for them failed, ") + error.what() + ", " + std::to_string(error.err()));
    }
    return Tiles::none;
}

} // namespace clgemm::core
