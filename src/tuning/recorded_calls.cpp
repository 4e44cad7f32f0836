#include "tuning/recorded_calls.hpp"

#include "device/quirks.hpp"
#include "tuning/json_members.hpp"
#include "tuning/parsed_json.hpp"
#include "tuning/single_call_json.hpp"

#include <cmath>
#include <fstream>
#include <sstream>
#include <system_error>

namespace clgemm::core {
namespace {

using Json = nlohmann::json;

constexpr std::uintmax_t largest_record = std::uintmax_t{64} << 20; // 300,000 calls

const Json& number_in(const Json& json, const char* name)
{
    const Json& found = member(json, name);
    if (!found.is_number() || !(found.get<double>() >= 0 && found.get<double>() <= 1e18))
        refuse(name, found, "a number from 0 to 1e18");
    return found;
}

std::uint64_t whole_number_in(const Json& json, const char* name)
{
    const Json& number = number_in(json, name);
    if (!number.is_number_unsigned())
        refuse(name, number, "a whole number");
    return number.get<std::uint64_t>();
}

void read_line(const std::string& line, RecordedCalls& calls)
{
    const ParsedJson parsed(line);
    const Json& json = parsed.value();
    const RecordedCall call{read_single_call(json), text_in(json, "device")};
    const CallCounts counts{whole_number_in(json, "count"), whole_number_in(json, "timed"),
                            number_in(json, "total_us").get<double>()};
    if (counts.timed > counts.count)
        throw JsonError("timed is " + std::to_string(counts.timed) + ", but must not be more than count, which is " +
                        std::to_string(counts.count));
    calls[call] += counts;
}

} // namespace

std::string recorded_name(const DeviceProfile& device)
{
    return device.platform_name + "/" + lasting_name(device.platform_name, device.name);
}

std::string to_text(const RecordedCalls& calls)
{
    std::string result;
    for (const auto& [call, counts] : calls)
        result += "{ " + json_members(call.call) + R"(, "device": )" + as_text(call.device) + R"(, "count": )" +
                  std::to_string(counts.count) + R"(, "timed": )" + std::to_string(counts.timed) + R"(, "total_us": )" +
                  as_text(std::round(counts.total_us * 1000) / 1000) + " }\n"; // whatever the program's locale
    return result;
}

RecordedCalls parse_record(const std::string& text)
{
    RecordedCalls result;
    std::istringstream lines(text);
    std::string line;
    for (std::size_t number = 1; std::getline(lines, line); number++)
        try {
            if (line.find_first_not_of(" \t\r") != std::string::npos)
                read_line(line, result);
        } catch (const JsonError& error) {
            throw RecordError("line " + std::to_string(number) + ": " + error.what());
        }
    return result;
}

RecordedCalls read_record(const std::filesystem::path& file)
{
    std::error_code failed;
    // A FIFO might hold the reader for ever.
    const bool is_regular = std::filesystem::is_regular_file(file, failed);
    const std::uintmax_t bytes = is_regular ? std::filesystem::file_size(file, failed) : 0;
    std::ifstream stream;
    if (is_regular)
        stream.open(file, std::ios::binary);
    if (!stream.is_open())
        throw RecordError(file.string() + " is no regular file that can be read");
    if (failed || bytes > largest_record)
        throw RecordError(file.string() + " has more than " + std::to_string(largest_record) + " bytes");
    std::ostringstream text;
    text << stream.rdbuf();
    try {
        return parse_record(text.str());
    } catch (const RecordError& error) {
        throw RecordError(file.string() + ", " + error.what());
    }
}

} // namespace clgemm::core
