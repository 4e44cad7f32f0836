#include "timing/build_ahead/worker.hpp"

#include <utility>

#if defined(__linux__)
#include <array>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#endif

namespace clgemm::build_ahead {

Worker::Worker(Worker&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}

#if defined(__linux__)

std::optional<Worker> Worker::start(const char* argument)
{
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
        return std::nullopt;
    Worker result(ends[0]);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    std::string name = "build_ahead", its_argument = argument;
    const std::array<char*, 3> arguments{name.data(), its_argument.data(), nullptr};
    pid_t process = 0;
    const int failed = posix_spawn(&process, "/proc/self/exe", &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (failed != 0)
        return std::nullopt;
    return result;
}

Worker::~Worker()
{
    if (socket_ >= 0)
        close(socket_);
}

bool Worker::does(const std::string& line) const
{
    const std::string sent = line + "\n";
    for (std::size_t done = 0; done < sent.size();) {
        const ssize_t some = send(socket_, sent.data() + done, sent.size() - done, MSG_NOSIGNAL);
        if (some < 0 && errno != EINTR)
            return false;
        done += some > 0 ? static_cast<std::size_t>(some) : 0;
    }
    for (;;) {
        char byte = 0;
        const ssize_t some = recv(socket_, &byte, 1, 0);
        if (some == 0 || (some < 0 && errno != EINTR))
            return false;
        if (some > 0)
            return true;
    }
}

void Worker::tell_to_end() const
{
    shutdown(socket_, SHUT_RDWR);
}

void answer()
{
    constexpr char byte = 0;
    send(STDIN_FILENO, &byte, 1, MSG_NOSIGNAL); // a socket goes both ways
}

void end_after_input(std::chrono::seconds patience)
{
    std::thread([patience] {
        pollfd input{STDIN_FILENO, POLLRDHUP, 0};
        while (poll(&input, 1, -1) < 0 && errno == EINTR) {
        }
        std::this_thread::sleep_for(patience);
        std::_Exit(EXIT_FAILURE);
    }).detach();
}

#else

std::optional<Worker> Worker::start(const char*)
{
    return std::nullopt;
}

Worker::~Worker() = default;

bool Worker::does(const std::string&) const
{
    return false;
}

void Worker::tell_to_end() const {}

void answer() {}

void end_after_input(std::chrono::seconds) {}

#endif

} // namespace clgemm::build_ahead
