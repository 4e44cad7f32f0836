#include "tune/shown.hpp"

#include <algorithm>
#include <cstdio>
#include <string>

namespace clgemm::tune {
namespace {

std::string time_left(double seconds)
{
    const auto left = static_cast<int>(std::max(seconds, 0.0));
    char text[40];
    std::snprintf(text, sizeof text, "%d:%02d left, ", left / 60, left % 60);
    return text;
}

std::string of_them(std::size_t number, std::size_t count)
{
    return std::to_string(number) + " of " + std::to_string(count);
}

double share(std::size_t number, std::size_t count)
{
    return static_cast<double>(number) / static_cast<double>(std::max<std::size_t>(count, 1));
}

void show(program::Progress& progress, const TrialNews& news, const std::string& time)
{
    progress.show(share(news.number, news.count),
                  time + (news.is_again ? "compared again: " : "compared: ") + of_them(news.number, news.count), news.text);
}

} // namespace

void show(program::Progress& progress, const News& news, const Schedule& schedule)
{
    if (news.to_do_again > 0)
        progress.show(share(news.again, news.to_do_again),
                      time_left(schedule.left_to_confirm()) + "measured again: " + of_them(news.again, news.to_do_again),
                      news.text);
    else
        progress.show(schedule.share_searched(),
                      time_left(schedule.left_to_search()) + std::to_string(news.tried) + " tried, " +
                          std::to_string(news.unusable) + " unusable",
                      news.text);
}

void show(program::Progress& progress, const TrialNews& news, const Schedule& schedule)
{
    show(progress, news, time_left(schedule.left_to_compare()));
}

void show(program::Progress& progress, const TrialNews& news)
{
    show(progress, news, std::string());
}

} // namespace clgemm::tune
