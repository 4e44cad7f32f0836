#include "run_process.hpp"

#include "support/driver_defects.hpp"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace clgemm::test {

namespace {

std::string quoted(const std::string& text)
{
    return " '" + text + "'";
}

std::string command(const Environment& environment, const std::string& program, const std::string& arguments)
{
    std::string unset = " -u CLGEMM_KERNEL -u CLGEMM_MATH -u CLGEMM_LOG -u CLGEMM_TUNING -u CLGEMM_RECORD", set;
    for (const auto& variable : environment)
        (variable.find('=') == std::string::npos ? unset += " -u" : set) += quoted(variable);
    return "exec env" + unset + set + quoted(program) + " " + arguments;
}

int code_of(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

} // namespace

Outcome run_program(const Environment& environment, const std::string& program, const std::string& arguments)
{
    Outcome outcome{-1, {}};
    std::FILE* const pipe = popen(command(environment, program, arguments).c_str(), "r");
    if (!pipe)
        return outcome;
    char buffer[4096];
    for (std::size_t count; (count = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;)
        outcome.output.append(buffer, count);
    outcome.output = without_drivers_warning(std::move(outcome.output));
    outcome.code = code_of(pclose(pipe));
    return outcome;
}

Outcome run(const Environment& environment, const std::string& arguments)
{
    return run_program(environment, fs::read_symlink("/proc/self/exe").parent_path() / "sgemm_process", arguments + " 2>&1");
}

std::optional<Outcome> run_set_uid(const Environment& environment, const fs::path& program, const std::string& arguments,
                                   const fs::path& folder)
{
    const auto as_nobody = [&](const fs::path& original, const std::string& its_arguments) {
        const fs::path copy = folder / original.filename();
        fs::copy_file(original, copy, fs::copy_options::overwrite_existing);
        constexpr auto everybody = fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec |
                                   fs::perms::others_read | fs::perms::others_exec;
        fs::permissions(folder, everybody);
        fs::permissions(copy, everybody | fs::perms::set_uid);
        return run_program(environment, "setpriv",
                           "--reuid=65534 --regid=65534 --clear-groups" + quoted(copy) + " " + its_arguments);
    };
    if (as_nobody("/usr/bin/id", "-u 2>&1").output != "0\n")
        return std::nullopt;
    return as_nobody(program, arguments);
}

pid_t start_program(const Environment& environment, const std::string& program, const std::string& arguments)
{
    const std::string shell_command = command(environment, program, arguments);
    const pid_t process = fork();
    if (process == 0) {
        execl("/bin/sh", "sh", "-c", shell_command.c_str(), nullptr);
        _exit(127);
    }
    return process;
}

int code_within(pid_t process, double seconds)
{
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    int status = 0;
    while (waitpid(process, &status, WNOHANG) == 0) {
        if (std::chrono::steady_clock::now() > end)
            kill(process, SIGKILL);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return code_of(status);
}

std::string contents(const fs::path& file)
{
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

std::size_t occurrences(const std::string& text, const std::string& part)
{
    std::size_t count = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        count++;
    return count;
}

Process::Process() : folder(fs::path(testing::TempDir()) / ("clgemm-" + std::to_string(getpid()))) {}

void Process::SetUp()
{
    fs::remove_all(folder);
    fs::create_directories(folder);
}

void Process::TearDown()
{
    fs::remove_all(folder);
}

} // namespace clgemm::test
