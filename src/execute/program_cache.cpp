#include "execute/program_cache.hpp"

#include "support/error.hpp"

namespace clgemm::core {
namespace {

constexpr const char* language = "-cl-std=CL1.2";

} // namespace

ProgramCache::ProgramCache(cl::Context context, cl::Device device, const DeviceProfile& profile, const DiskCache& disk)
    : context_(std::move(context)), device_(std::move(device)),
      device_key_(std::string(clgemm_version()) + "\n" + profile.platform_name + "\n" + profile.platform_version + "\n" +
                  profile.vendor + "\n" + profile.name + "\n" + profile.driver_version + "\n"),
      disk_(disk)
{
}

ProgramCache::Lease::~Lease()
{
    if (!kernel_())
        return; // moved from
    const std::lock_guard lock(owner_->mutex);
    owner_->unused[function_].push_back(std::move(kernel_));
}

ProgramCache::Lease ProgramCache::kernel(const KernelSource& source, const char* function, const std::string& options)
{
    std::shared_ptr<Program> program;
    {
        const std::lock_guard lock(mutex_);
        auto& slot = programs_[std::string(source.name) + " " + options];
        if (!slot)
            slot = std::make_shared<Program>();
        program = slot;
    }
    // Other threads that want this program wait here while the first one builds it; after a failure the next tries again.
    const std::lock_guard lock(program->mutex);
    if (!program->program())
        program->program = build(source, options);
    auto& unused = program->unused[function];
    if (unused.empty())
        return {program, function, cl::Kernel(program->program, function)};
    cl::Kernel kernel = std::move(unused.back());
    unused.pop_back();
    return {program, function, std::move(kernel)};
}

cl::Program ProgramCache::build(const KernelSource& source, const std::string& options) const
{
    const std::string all_options = std::string(language) + " " + options;
    const std::string key = device_key_ + all_options + "\n" + source.text;

    if (auto binary = disk_.load(key)) {
        try {
            cl::Program program(context_, {device_}, {std::move(*binary)});
            program.build({device_});
            return program;
        } catch (const cl::Error&) {
            // The driver does not take its own binary back: compile, as if there were none.
        }
    }

    cl::Program program(context_, std::string(source.text));
    try {
        program.build({device_}, all_options.c_str());
    } catch (const cl::BuildError& error) {
        std::string message = "kernel " + std::string(source.name) + " does not build with " + all_options + ":";
        for (const auto& [device, log] : error.getBuildLog())
            message += "\n" + log;
        throw Error(error.err(), message);
    }
    if (!disk_.keeps())
        return program;
    for (const auto& binary : program.getInfo<CL_PROGRAM_BINARIES>())
        if (!binary.empty())
            disk_.store(key, binary);
    return program;
}

} // namespace clgemm::core
