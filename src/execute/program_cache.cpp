#include "execute/program_cache.hpp"

#include "execute/retarget.hpp"
#include "problem/status_text.hpp"
#include "support/error.hpp"
#include "support/log.hpp"
#include "support/side_by_side.hpp"
#include "support/stopwatch.hpp"

#include "clgemm/clgemm.h"

#include <algorithm>
#include <exception>
#include <limits>

namespace clgemm::core {
namespace {

// The text that the driver made of a source, retargeted. Empty where the driver gives none away.
std::vector<unsigned char> retargeted_text(const cl::Program& program, const Step& step)
{
    try {
        for (const auto& binary : program.getInfo<CL_PROGRAM_BINARIES>())
            if (const auto text = retargeted(std::string(binary.begin(), binary.end()), step.retargeted_local_bytes))
                return {text->begin(), text->end()};
    } catch (const cl::Error&) {
        // Some do not even answer where a program was not built.
    }
    return {};
}

std::string said_by(const cl::BuildError& error)
{
    std::string result;
    for (const auto& [device, log] : error.getBuildLog())
        result += "\n" + log;
    return result;
}

std::string first_line_of(const std::string& text)
{
    const std::size_t begin = std::min(text.find_first_not_of(" \n"), text.size());
    return text.substr(begin, text.find('\n', begin) - begin);
}

// Does the driver refuse the text itself, rather than lack memory for it just now?
bool refuses_the_text(cl_int status)
{
    return status == CL_BUILD_PROGRAM_FAILURE || status == CL_INVALID_BINARY || status == CL_INVALID_VALUE;
}

} // namespace

ProgramCache::ProgramCache(cl::Context context, cl::Device device, const DeviceProfile& profile, const DiskCache& disk)
    : context_(std::move(context)), device_(std::move(device)), language_("-cl-std=" + profile.language),
      device_key_(std::string(CLGEMM_VERSION) + "\n" + profile.platform_name + "\n" + profile.platform_version + "\n" +
                  profile.vendor + "\n" + profile.name + "\n" + profile.driver_version + "\n"),
      driver_(profile.platform_version + ", " + profile.name),
      builds_at_a_time_(profile.builds_one_at_a_time ? 1 : std::numeric_limits<std::size_t>::max()),
      gives_assembly_away_(profile.gives_assembly_away), disk_(disk)
{
}

Program::Lease::~Lease()
{
    if (!object_.kernel())
        return; // moved from
    try {
        const std::lock_guard lock(owner_->mutex_);
        owner_->unused_.push_back(std::move(object_));
    } catch (const std::exception&) {
        return; // there is no memory to keep it: the next call makes another one
    }
}

Program::Lease Program::take(const std::shared_ptr<Program>& from, const char* function)
{
    const std::lock_guard lock(from->mutex_);
    auto& unused = from->unused_;
    const auto found = std::find_if(unused.begin(), unused.end(), [&](const KernelObject& object) {
        return std::string_view(object.function) == function;
    });
    if (found == unused.end())
        return {from, {function, cl::Kernel(from->program_, function), {}}};
    KernelObject object = std::move(*found);
    if (&*found != &unused.back())
        *found = std::move(unused.back());
    unused.pop_back();
    return {from, std::move(object)};
}

std::shared_ptr<Program> ProgramCache::entry(const Step& step)
{
    const std::lock_guard lock(mutex_);
    auto& result = programs_[step.source->name][step.options];
    if (!result)
        result = std::make_shared<Program>();
    return result;
}

void ProgramCache::make_sure_it_is_built(Program& program, const Step& step) const
{
    // Other threads that want this program wait here while the first one builds it; after a failure the next tries again.
    const std::lock_guard lock(program.mutex_);
    if (!program.unavailable_.empty())
        throw Unavailable(CLGEMM_KERNEL_NOT_SUPPORTED, program.unavailable_);
    try {
        if (!program.program_())
            program.program_ = build(step);
        program.is_built_ = true;
    } catch (const Unavailable& reason) {
        program.unavailable_ = reason.what();
        throw;
    }
}

std::vector<std::shared_ptr<Program>> ProgramCache::programs(std::span<const Step* const> steps)
{
    std::vector<std::shared_ptr<Program>> result;
    std::vector<std::size_t> missing; // of each program that is not built, its first step
    for (const Step* step : steps) {
        auto program = entry(*step);
        if (!program->is_built_ && std::find(result.begin(), result.end(), program) == result.end())
            missing.push_back(result.size());
        result.push_back(std::move(program));
    }
    side_by_side(missing.size(), builds_at_a_time_,
                 [&](std::size_t i) { make_sure_it_is_built(*result[missing[i]], *steps[missing[i]]); });
    return result;
}

std::string ProgramCache::options_of(const Step& step) const
{
    return language_ + " " + step.options;
}

// On disk a program is known by all that it is made of: another build of the same version of the library may have another
// text by this name, or retarget it otherwise for these options.
std::string ProgramCache::key(const Step& step) const
{
    return device_key_ + options_of(step) + "\n" + std::to_string(step.retargeted_local_bytes) + "\n" + step.source->text();
}

std::string ProgramCache::key_of_note(const Step& step) const
{
    return "note\n" + key(step);
}

std::optional<std::string> ProgramCache::note(const Step& step) const
{
    const auto kept = disk_.keeps() ? disk_.load(key_of_note(step)) : std::nullopt;
    return kept ? std::optional(std::string(kept->begin(), kept->end())) : std::nullopt;
}

void ProgramCache::keep_note(const Step& step, const std::string& text) const
{
    if (disk_.keeps())
        disk_.store(key_of_note(step), ProgramBinary(text.begin(), text.end()));
}

std::filesystem::path ProgramCache::path_of_note(const Step& step) const
{
    return disk_.path(key_of_note(step));
}

cl::Program ProgramCache::from_binary(std::vector<unsigned char> binary) const
{
    cl::Program program(context_, {device_}, {std::move(binary)});
    program.build({device_});
    return program;
}

cl::Program ProgramCache::build(const Step& step) const
{
    const Stopwatch watch;
    const auto tell = [&](const char* how) {
        log_line([&] {
            return std::string(step.source->name) + " (" + step.options + ") " + how + " in " + watch.milliseconds();
        });
    };
    const std::string its_key = key(step);
    if (auto binary = disk_.load(its_key)) {
        try {
            auto program = from_binary(std::move(*binary));
            tell("loaded from the disk cache");
            return program;
        } catch (const cl::Error&) {
            // The driver does not take its own binary back: compile, as if there were none.
        }
    }
    if (step.retargeted_local_bytes > 0) {
        const auto binary = retargeted_binary(step);
        auto program = retargeted_from(binary, step);
        tell("compiled and retargeted");
        disk_.store(its_key, binary);
        return program;
    }
    auto program = compiled(step);
    tell("compiled");
    if (is_kept(step))
        keep(program, its_key);
    return program;
}

cl::Program ProgramCache::compiled(const Step& step) const
{
    const std::string options = options_of(step);
    cl::Program program(context_, step.source->text());
    try {
        program.build({device_}, options.c_str());
        return program;
    } catch (const cl::BuildError& error) {
        make_sure_that_anything_builds();
        const std::string message =
            "kernel " + std::string(step.source->name) + " does not build with " + options + ":" + said_by(error);
        if (step.retargeted_local_bytes > 0) // the driver is too old for its instructions, say
            throw Unavailable(CLGEMM_KERNEL_NOT_SUPPORTED, message);
        throw Error(error.err(), message);
    }
}

std::vector<unsigned char> ProgramCache::retargeted_binary(const Step& step) const
{
    const cl::Program stopped(context_, stopping_the_assembler(step.source->text()));
    try {
        stopped.build({device_}, options_of(step).c_str());
    } catch (const cl::BuildError&) {
        // As it is meant.
    }
    if (auto text = retargeted_text(stopped, step); !text.empty())
        return text;
    // Either this driver gives nothing away of what it could not assemble, or the source is not for it.
    if (auto text = retargeted_text(compiled(step), step); !text.empty())
        return text;
    throw Unavailable(CLGEMM_KERNEL_NOT_SUPPORTED, "the driver does not give the PTX text of kernel " +
                                                       std::string(step.source->name) + ", which must be retargeted");
}

cl::Program ProgramCache::retargeted_from(const std::vector<unsigned char>& binary, const Step& step) const
{
    try {
        return from_binary(binary);
    } catch (const cl::Error& error) {
        if (!refuses_the_text(error.err()))
            throw;
        throw Unavailable(CLGEMM_KERNEL_NOT_SUPPORTED, "the driver does not take the retargeted kernel " +
                                                           std::string(step.source->name) + ": " + error.what() +
                                                           " returned " + status_text(error.err()));
    }
}

void ProgramCache::make_sure_that_anything_builds() const
{
    const cl::Program empty(context_, "kernel void nothing(void) {}");
    try {
        empty.build({device_}, language_.c_str());
    } catch (const cl::BuildError& error) {
        throw Error(error.err(), "the OpenCL driver builds no program at all, not even an empty one (" + driver_ +
                                     "): " + first_line_of(said_by(error)));
    }
}

bool ProgramCache::is_kept(const Step& step) const
{
    return disk_.keeps() && (gives_assembly_away_ || step.source->text().find("__asm__") == std::string::npos);
}

void ProgramCache::keep(const cl::Program& program, const std::string& key) const
{
    try {
        for (const auto& binary : program.getInfo<CL_PROGRAM_BINARIES>())
            if (!binary.empty())
                disk_.store(key, binary);
    } catch (const cl::Error&) {
        log_line([] { return std::string("the driver does not give the program away, so that it is not kept on disk"); });
    }
}

} // namespace clgemm::core
