#include "timing/selection/builders.hpp"

#include "device/default_device.hpp"
#include "engine/device_state.hpp"
#include "support/environment.hpp"

#include <algorithm>
#include <exception>
#include <string>
#include <string_view>
#include <thread>

#if !defined(_WIN32)
#include <csignal>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

namespace bench {

using namespace clgemm::core;

#if defined(_WIN32)

Builders::Builders() = default;
Builders::~Builders() = default;
void Builders::build(const DeviceProfile&, std::span<const Step>) {}

#else

namespace {

// Between the processes: a program is a text of three lines, its source's name, the options, and the local memory of which
// it is to have been retargeted. An empty line ends the work, and is what is answered.
constexpr std::string_view end_of_work = "\n";

std::string as_text(const Step& step)
{
    return std::string(step.source->name) + "\n" + step.options + "\n" + std::to_string(step.retargeted_local_bytes) + "\n";
}

// Lines from a socket.
class Lines {
public:
    explicit Lines(int socket) : socket_(socket) {}

    // False where the other side is gone.
    bool next(std::string& line)
    {
        for (std::size_t end = 0;;) {
            end = text_.find('\n', end);
            if (end != std::string::npos) {
                line = text_.substr(0, end);
                text_.erase(0, end + 1);
                return true;
            }
            end = text_.size();
            char more[4096];
            const ssize_t count = read(socket_, more, sizeof more);
            if (count <= 0)
                return false;
            text_.append(more, static_cast<std::size_t>(count));
        }
    }

private:
    int socket_;
    std::string text_;
};

bool send_all(int socket, std::string_view text)
{
    while (!text.empty()) {
        const ssize_t sent = send(socket, text.data(), text.size(), MSG_NOSIGNAL); // the other side may be gone
        if (sent <= 0)
            return false;
        text.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

void build_one(std::shared_ptr<DeviceState>& state, const std::string& source, const std::string& options,
               const std::string& local_bytes)
{
    try {
        if (!state) {
            const cl::Device device = choose_device(environment().device);
            state = device_state(cl::Context(device)(), device());
        }
        state->programs.program(kernel_source(source), options, std::stoul(local_bytes));
    } catch (const std::exception&) {
        // Whoever needs it will be told.
    }
}

void work_for(int socket)
{
    std::shared_ptr<DeviceState> state;
    Lines lines(socket);
    for (std::string source, options, local_bytes; lines.next(source);) {
        if (source.empty())
            send_all(socket, end_of_work);
        else if (lines.next(options) && lines.next(local_bytes))
            build_one(state, source, options, local_bytes);
    }
}

} // namespace

Builders::Builders()
{
    constexpr unsigned most = 16;
    const unsigned count = std::min(most, std::thread::hardware_concurrency());
    for (unsigned i = 0; i < count; i++) {
        int sockets[2];
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0)
            return; // there are fewer then
        const pid_t id = fork();
        if (id == 0) {
            std::signal(SIGINT, SIG_DFL); // Ctrl-C ends them at once
            // Those of the processes before, which would not see the end of this program otherwise.
            for (const Process& other : processes_)
                close(other.socket);
            close(sockets[0]);
            work_for(sockets[1]);
            _exit(0); // what this process has not written yet is the other one's affair
        }
        close(sockets[1]);
        if (id < 0) {
            close(sockets[0]);
            return;
        }
        processes_.push_back({sockets[0], id});
    }
}

Builders::~Builders()
{
    for (const auto& [socket, id] : processes_)
        close(socket);
    for (const auto& [socket, id] : processes_)
        waitpid(id, nullptr, 0);
}

void Builders::build(const DeviceProfile& device, std::span<const Step> steps)
{
    const std::size_t count = std::min(count_on(device), steps.size());
    std::vector<std::string> work(count);
    for (std::size_t i = 0; i < steps.size() && count > 0; i++)
        work[i % count] += as_text(steps[i]);
    for (std::size_t i = 0; i < count; i++)
        send_all(processes_[i].socket, work[i].append(end_of_work));
    for (std::size_t i = 0; i < count; i++) {
        std::string answer;
        Lines(processes_[i].socket).next(answer);
    }
}

#endif

std::size_t Builders::count_on(const DeviceProfile& device) const
{
    // What a process's context takes on a GPU is some hundred megabytes.
    constexpr std::size_t memory_of_one = std::size_t{1} << 30;
    return device.type == DeviceType::gpu ? std::min(processes_.size(), device.global_memory / memory_of_one) : 0;
}

} // namespace bench
