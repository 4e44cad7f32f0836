// Compiled programs of one device in one context: each is compiled once, by the first thread that needs it, or loaded from
// the disk cache. What one call needs is built side by side.
#pragma once

#include "device/profile.hpp"
#include "execute/disk_cache.hpp"
#include "plan/plan.hpp"
#include "support/embedded.hpp"
#include "support/opencl.hpp"

#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace clgemm::core {

// A kernel object and the structure that it was last given: calls often have the same ones as the one before, and each
// argument costs the host some time.
struct KernelObject {
    const char* function = "";
    cl::Kernel kernel;
    ArgumentBytes arguments;
};

// A compiled program and its kernel objects, whose arguments make each one thread's at a time.
class Program {
public:
    // A kernel object, the holder's alone until the lease ends.
    class Lease {
    public:
        Lease(std::shared_ptr<Program> owner, KernelObject object) : owner_(std::move(owner)), object_(std::move(object)) {}
        Lease(Lease&&) = default;
        Lease& operator=(Lease&&) = delete;
        Lease(const Lease&) = delete;
        Lease& operator=(const Lease&) = delete;
        ~Lease();
        KernelObject& operator*() { return object_; }

    private:
        std::shared_ptr<Program> owner_;
        KernelObject object_;
    };

    // A kernel object for this function. The string must live on. Throws cl::Error.
    static Lease take(const std::shared_ptr<Program>& from, const char* function);

private:
    friend class ProgramCache;

    std::mutex mutex_;
    cl::Program program_; // null until built
    std::atomic<bool> is_built_ = false;
    std::string unavailable_; // why it cannot be built here at all; empty: nobody has found that out
    std::vector<KernelObject> unused_;
};

class ProgramCache {
public:
    ProgramCache(cl::Context context, cl::Device device, const DeviceProfile& profile, const DiskCache& disk);

    // The program of each of these steps. The names of their sources must live on. Programs that are not built yet are built
    // side by side, by threads that end with this call. Throws for the first step whose program fails: Error with the
    // compiler's log, or in one line where the driver builds nothing at all; Unavailable where the driver does not let the
    // program be retargeted; or cl::Error.
    std::vector<std::shared_ptr<Program>> programs(std::span<const Step* const> steps);

    // What was found out about a step's program, kept on disk beside the program. It holds for this device, driver and
    // version of the library alone. Nothing where nobody has found anything out, or where nothing is kept.
    std::optional<std::string> note(const Step& step) const;
    void keep_note(const Step& step, const std::string& text) const;
    std::filesystem::path path_of_note(const Step& step) const; // empty where nothing is kept

private:
    std::shared_ptr<Program> entry(const Step& step);
    void make_sure_it_is_built(Program& program, const Step& step) const;
    std::string options_of(const Step& step) const;
    std::string key(const Step& step) const;
    std::string key_of_note(const Step& step) const;
    cl::Program build(const Step& step) const;
    cl::Program compiled(const Step& step) const;
    std::vector<unsigned char> retargeted_binary(const Step& step) const; // PTX
    cl::Program retargeted_from(const std::vector<unsigned char>& binary, const Step& step) const;
    // After a program did not build: is it the program? Throws what OpenCL returned, in one line, where it is the driver.
    void make_sure_that_anything_builds() const;
    bool is_kept(const Step& step) const;                                // once it is compiled
    void keep(const cl::Program& program, const std::string& key) const; // on disk, as far as the driver lets it
    cl::Program from_binary(std::vector<unsigned char> binary) const;

    cl::Context context_;
    cl::Device device_;
    std::string language_;     // OpenCL C, as an option of the compiler
    std::string device_key_;   // what a binary depends on besides source and options
    const std::string driver_; // for people
    const std::size_t builds_at_a_time_;
    const bool gives_assembly_away_; // DeviceProfile's
    const DiskCache& disk_;
    std::mutex mutex_;
    // By source, whose name lives on, and options: as are_of_one_program() tells them apart.
    std::unordered_map<std::string_view, std::unordered_map<std::string, std::shared_ptr<Program>>> programs_;
};

} // namespace clgemm::core
