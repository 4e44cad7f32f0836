// clgemm-info: which OpenCL devices there are, which one clgemm takes, whether it is tuned, which kernels there are, and
// what the library would do for a multiplication of a given size. Uses the public API only.
#define CL_HPP_ENABLE_EXCEPTIONS
#include "tools/info/device.hpp"
#include "tools/info/explanation.hpp"
#include "tools/program/program.hpp"

#include <clgemm/clgemm.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <sstream>

namespace {

using Json = nlohmann::ordered_json;
using clgemm::info::as_text;
using clgemm::info::describe;
using clgemm::info::explain_any_problem;
using clgemm::info::line_after;

// What the command line asks.
struct Asked {
    std::vector<std::size_t> size; // M, N, K; empty: no multiplication
    bool trans_a = false;
    bool trans_b = false;
    bool row_major = false;
    bool json = false;
    std::string kernel; // empty: the library chooses
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

// explain() of a multiplication whose matrices have no gaps.
std::string explain(const Asked& asked, const cl::Device& device)
{
    const std::size_t m = asked.size[0], n = asked.size[1], k = asked.size[2];
    clgemm::Call call;
    call.layout = asked.row_major ? clgemm::Layout::row_major : clgemm::Layout::column_major;
    call.m = m;
    call.n = n;
    call.k = k;
    const auto transpose = [](bool yes) { return yes ? clgemm::Transpose::yes : clgemm::Transpose::no; };
    // A row as stored is op()'s row or column: the transposition and the layout each swap the two.
    const auto at_least_1 = [](std::size_t ld) { return std::max<std::size_t>(ld, 1); };
    call.transA = transpose(asked.trans_a);
    call.transB = transpose(asked.trans_b);
    call.lda = at_least_1(asked.trans_a == asked.row_major ? m : k);
    call.ldb = at_least_1(asked.trans_b == asked.row_major ? k : n);
    call.ldc = at_least_1(asked.row_major ? n : m);

    clgemm::Options options;
    options.kernel = asked.kernel;
    return clgemm::explain(call, device, options);
}

// All devices of all platforms. One that cannot be asked must not hide the others.
Json describe_devices(const cl::Device& chosen)
{
    Json all = Json::array();
    std::vector<cl::Platform> platforms;
    cl::Platform::get(&platforms);
    for (const auto& platform : platforms) {
        std::vector<cl::Device> devices;
        try {
            platform.getDevices(CL_DEVICE_TYPE_ALL, &devices);
        } catch (const cl::Error&) { // no devices
            all.push_back(
                {{"platform", platform.getInfo<CL_PLATFORM_NAME>()}, {"error", "platform found, but without devices"}});
        }
        for (const auto& device : devices)
            try {
                all.push_back(describe(platform, device, device() == chosen()));
            } catch (const cl::Error& error) {
                all.push_back({{"error", std::string("a device that cannot be asked: ") + error.what() + ": " +
                                             clgemm_status_string(error.err())}});
            }
    }
    return all;
}

Json describe_kernels(const cl::Device& device)
{
    Json all = Json::array();
    for (const auto& name : clgemm::kernel_names()) {
        Json about{{"name", name}, {"runs_here", true}};
        try {
            // explain() names a kernel with its idea: "01_naive, one work-item, one element".
            std::string idea = line_after(explain_any_problem(device, name), "kernel:");
            if (idea.rfind(name + ", ", 0) == 0)
                idea.erase(0, name.size() + 2);
            about["idea"] = idea;
        } catch (const clgemm::Error& error) {
            if (error.status() != CLGEMM_KERNEL_NOT_SUPPORTED)
                throw;
            about["runs_here"] = false;
        }
        all.push_back(about);
    }
    return all;
}

std::string tuning_in_words(const Json& device)
{
    auto origin = device["tuning"].get<std::string>();
    if (device["tuned"])
        return origin;
    return (origin.empty() ? "none" : origin) + "\n                    (clgemm-tune --device \"" +
           device["name"].get<std::string>() + "\" measures them, in two and a half minutes)";
}

void print_device(const Json& device)
{
    if (device.contains("error")) {
        std::cout << "  " << (device.contains("platform") ? device["platform"].get<std::string>() + ": " : "")
                  << device["error"].get<std::string>() << "\n";
        return;
    }
    const auto text = [&](const char* key) { return device[key].get<std::string>(); };
    const auto number = [&](const char* key) { return device[key].get<cl_ulong>(); };
    std::cout << "  " << text("name") << (device["default"] ? "   <- clgemm's default" : "") << "\n"
              << "    platform        " << text("platform") << "\n"
              << "    type            " << text("type") << ", " << text("opencl") << "\n"
              << "    driver          " << text("driver") << "\n"
              << "    compute units   " << number("compute_units") << "\n"
              << "    memory          " << in_bytes(number("memory_bytes")) << ", one buffer at most "
              << in_bytes(number("largest_buffer_bytes")) << "\n"
              << "    local memory    " << in_bytes(number("local_memory_bytes"))
              << (device["local_memory_is_its_own"] ? "" : " (part of the main memory)") << "\n"
              << "    work-group      at most " << number("largest_work_group") << " work-items\n"
              << "    tuning          " << tuning_in_words(device) << "\n";
    if (device.contains("left_out"))
        std::cout << "    left out        " << text("left_out") << "\n";
    if (device.contains("advice"))
        std::cout << "    advice          " << text("advice") << "\n";
}

void print_kernel(const Json& kernel)
{
    std::cout << "  " << std::left << std::setw(28) << kernel["name"].get<std::string>()
              << (kernel["runs_here"] ? kernel["idea"].get<std::string>() : "(not on this device)") << "\n";
}

void add_options(clgemm::program::Program& program, Asked& asked)
{
    const char* const size_says = "Say what a multiplication of this size would do: op(A) is M x K, op(B) is K x N";
    auto* const size = program.add_option("--size", asked.size, size_says)
                           ->expected(3)
                           ->type_name("M N K")
                           ->check(clgemm::program::whole_number());
    program.add_flag("--trans-a", asked.trans_a, "A is stored transposed")->needs(size);
    program.add_flag("--trans-b", asked.trans_b, "B is stored transposed")->needs(size);
    program.add_flag("--row-major", asked.row_major, "The matrices are row-major (otherwise column-major)")->needs(size);
    program.add_option("--kernel", asked.kernel, clgemm::program::kernel_option_says)
        ->check(clgemm::program::known_kernel_and_parameters())
        ->type_name("NAME")
        ->needs(size);
    program.add_flag("--json", asked.json, "Print JSON");
    program.add_device_option();
}

int run(const Asked& asked)
{
    const cl::Device chosen = clgemm::default_device();
    if (!asked.size.empty()) {
        const std::string text = explain(asked, chosen);
        std::cout << (asked.json ? as_text(clgemm::info::explanation_as_json(text), 2) + "\n" : text);
        return clgemm::program::success;
    }
    const Json devices = describe_devices(chosen), kernels = describe_kernels(chosen);
    if (asked.json) {
        std::cout << as_text({{"clgemm", clgemm_version()}, {"devices", devices}, {"kernels", kernels}}, 2) << "\n";
        return clgemm::program::success;
    }
    std::cout << "clgemm " << clgemm_version() << "\n\nDevices\n";
    for (const Json& device : devices)
        print_device(device);
    std::cout << "\nKernels on " << chosen.getInfo<CL_DEVICE_NAME>() << "\n";
    for (const Json& kernel : kernels)
        print_kernel(kernel);
    return clgemm::program::success;
}

} // namespace

int main(int argc, char** argv)
{
    clgemm::program::Program program("clgemm-info",
                                     "Lists the OpenCL devices, clgemm's default among them and its kernels there.");
    Asked asked;
    add_options(program, asked);
    return program.run(argc, argv, [&] { return run(asked); });
}
