// clgemm-info: which OpenCL devices there are, which one clgemm takes, which kernels it has there, and what it would do for
// a multiplication of a given size. Uses the public API only.
#define CL_HPP_ENABLE_EXCEPTIONS
#include <clgemm/clgemm.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <sstream>

namespace {

// What the command line asks.
struct Asked {
    std::vector<std::size_t> size; // M, N, K; empty: no multiplication
    bool trans_a = false;
    bool trans_b = false;
    bool row_major = false;
    std::string kernel; // empty: the library chooses
    std::string device; // empty: the library chooses
};

std::string in_bytes(cl_ulong bytes)
{
    const char* const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    auto value = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (value >= 1024.0 && unit + 1 < std::size(units)) {
        value /= 1024.0;
        unit++;
    }
    std::ostringstream out;
    out << std::setprecision(3) << value << " " << units[unit];
    return out.str();
}

std::string type_of(const cl::Device& device)
{
    const auto type = device.getInfo<CL_DEVICE_TYPE>();
    return type & CL_DEVICE_TYPE_GPU           ? "GPU"
           : type & CL_DEVICE_TYPE_ACCELERATOR ? "accelerator"
           : type & CL_DEVICE_TYPE_CPU         ? "CPU"
                                               : "other";
}

// Without it Linux often leaves PoCL's threads on one core, and small products take twice as long (docs/cpu.md). PoCL reads
// it when it is loaded, so that the library cannot set it.
bool lacks_affinity(const cl::Platform& platform, const cl::Device& device)
{
    return platform.getInfo<CL_PLATFORM_NAME>() == "Portable Computing Language" &&
           device.getInfo<CL_DEVICE_TYPE>() & CL_DEVICE_TYPE_CPU &&
           !std::getenv("POCL_AFFINITY"); // NOLINT(concurrency-mt-unsafe): nobody changes the environment
}

std::string describe(const cl::Platform& platform, const cl::Device& device, bool is_default)
{
    std::ostringstream out;
    out << "  " << device.getInfo<CL_DEVICE_NAME>() << (is_default ? "   <- clgemm's default" : "") << "\n"
        << "    platform        " << platform.getInfo<CL_PLATFORM_NAME>() << "\n"
        << "    type            " << type_of(device) << ", " << device.getInfo<CL_DEVICE_VERSION>() << "\n"
        << "    compute units   " << device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>() << "\n"
        << "    memory          " << in_bytes(device.getInfo<CL_DEVICE_GLOBAL_MEM_SIZE>()) << ", one buffer at most "
        << in_bytes(device.getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>()) << "\n"
        << "    local memory    " << in_bytes(device.getInfo<CL_DEVICE_LOCAL_MEM_SIZE>())
        << (device.getInfo<CL_DEVICE_LOCAL_MEM_TYPE>() == CL_LOCAL ? "" : " (part of the main memory)") << "\n"
        << "    work-group      at most " << device.getInfo<CL_DEVICE_MAX_WORK_GROUP_SIZE>() << " work-items\n"
        << (lacks_affinity(platform, device)
                ? "    advice          set POCL_AFFINITY=1: each thread keeps a core of its own\n"
                : "");
    return out.str();
}

std::string describe(const cl::Error& error)
{
    return std::string(error.what()) + ": " + clgemm_status_string(error.err());
}

void print_devices(const cl::Device& chosen)
{
    std::cout << "Devices\n";
    std::vector<cl::Platform> platforms;
    cl::Platform::get(&platforms);
    for (const auto& platform : platforms) {
        std::vector<cl::Device> devices;
        try {
            platform.getDevices(CL_DEVICE_TYPE_ALL, &devices);
        } catch (const cl::Error&) {
            continue; // a platform without devices
        }
        for (const auto& device : devices)
            try {
                std::cout << describe(platform, device, device() == chosen());
            } catch (const cl::Error& error) { // it must not hide the others
                std::cout << "  a device that cannot be asked: " << describe(error) << "\n";
            }
    }
}

// explain() of a multiplication whose matrices have no gaps.
std::string explain(const Asked& asked, const cl::Device& device)
{
    const std::size_t m = asked.size[0], n = asked.size[1], k = asked.size[2];
    const auto transpose = [](bool yes) { return yes ? clgemm::Transpose::yes : clgemm::Transpose::no; };
    // A row as stored is op()'s row or column: the transposition and the layout each swap the two.
    const std::size_t lda = asked.trans_a == asked.row_major ? m : k;
    const std::size_t ldb = asked.trans_b == asked.row_major ? k : n;
    const std::size_t ldc = asked.row_major ? n : m;
    const auto at_least_1 = [](std::size_t ld) { return std::max<std::size_t>(ld, 1); };

    clgemm::Options options;
    options.kernel = asked.kernel;
    return clgemm::explain(asked.row_major ? clgemm::Layout::row_major : clgemm::Layout::column_major,
                           transpose(asked.trans_a), transpose(asked.trans_b), m, n, k, 1.0f, 0, at_least_1(lda), 0,
                           at_least_1(ldb), 0.0f, 0, at_least_1(ldc), device, options);
}

// The rest of the text's line that begins with `start`.
std::string line_after(const std::string& text, const std::string& start)
{
    const std::size_t begin = text.find(start);
    if (begin == std::string::npos)
        return "";
    const std::size_t first = text.find_first_not_of(' ', begin + start.size());
    return text.substr(first, text.find('\n', first) - first);
}

void print_kernels(const cl::Device& device)
{
    std::cout << "\nKernels on " << device.getInfo<CL_DEVICE_NAME>() << "\n";
    for (const auto& name : clgemm::kernel_names()) {
        Asked any_problem;
        any_problem.size = {512, 512, 512};
        any_problem.kernel = name;
        try {
            // explain() names a kernel with its idea: "01_naive, one work-item, one element".
            std::string idea = line_after(explain(any_problem, device), "kernel:");
            if (idea.rfind(name + ", ", 0) == 0)
                idea.erase(0, name.size() + 2);
            std::cout << "  " << std::left << std::setw(28) << name << idea << "\n";
        } catch (const clgemm::Error& error) {
            if (error.status() != CLGEMM_KERNEL_NOT_SUPPORTED)
                throw;
            std::cout << "  " << std::left << std::setw(28) << name << "(not on this device)\n";
        }
    }
}

void add_options(CLI::App& app, Asked& asked)
{
    app.set_version_flag("--version", clgemm_version());
    const CLI::Validator not_negative([](const std::string& text) { return text[0] == '-' ? "is negative" : ""; }, "");
    const char* const size_says = "Say what a multiplication of this size would do: op(A) is M x K, op(B) is K x N";
    auto* const size = app.add_option("--size", asked.size, size_says)->expected(3)->type_name("M N K")->check(not_negative);
    app.add_flag("--trans-a", asked.trans_a, "A is stored transposed")->needs(size);
    app.add_flag("--trans-b", asked.trans_b, "B is stored transposed")->needs(size);
    app.add_flag("--row-major", asked.row_major, "The matrices are row-major (otherwise column-major)")->needs(size);
    app.add_option("--kernel", asked.kernel, "Use this kernel, by name or number")->type_name("NAME")->needs(size);
    app.add_option("--device", asked.device,
                   "Use the device whose platform/device name contains this, as CLGEMM_DEVICE does")
        ->type_name("SUBSTRING");
}

int run(int argc, char** argv)
{
    CLI::App app("Lists the OpenCL devices, clgemm's default among them and its kernels there.", "clgemm-info");
    Asked asked;
    add_options(app, asked);
    CLI11_PARSE(app, argc, argv);

    // The library reads it at its first call, so one rule serves the option and the variable.
    if (!asked.device.empty())
        setenv("CLGEMM_DEVICE", asked.device.c_str(), 1); // NOLINT(concurrency-mt-unsafe): there is one thread yet

    try {
        const cl::Device chosen = clgemm::default_device();
        if (!asked.size.empty()) {
            std::cout << explain(asked, chosen);
        } else {
            std::cout << "clgemm " << clgemm_version() << "\n\n";
            print_devices(chosen);
            print_kernels(chosen);
        }
        return EXIT_SUCCESS;
    } catch (const clgemm::Error&) {
        std::cerr << "clgemm-info: " << clgemm_last_error() << "\n"; // a sentence; what() repeats the status before it
    } catch (const cl::Error& error) {
        std::cerr << "clgemm-info: " << describe(error) << "\n";
    } catch (const std::exception& error) {
        std::cerr << "clgemm-info: " << error.what() << "\n";
    }
    return EXIT_FAILURE;
}

} // namespace

int main(int argc, char** argv)
{
    const int code = run(argc, argv);
    if (std::cout.flush())
        return code;
    std::cerr << "clgemm-info: cannot write to standard output\n"; // it is full, say
    return EXIT_FAILURE;
}
