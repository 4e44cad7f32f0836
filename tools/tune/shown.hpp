// What the line of progress shows of each part of the tuner's work.
#pragma once

#include "tune/schedule.hpp"
#include "tune/search.hpp"
#include "tune/trial.hpp"

#include "tools/program/progress.hpp"

namespace clgemm::tune {

void show(program::Progress& progress, const News& news, const Schedule& schedule);
void show(program::Progress& progress, const TrialNews& news, const Schedule& schedule);
void show(program::Progress& progress, const TrialNews& news); // of a trial without a limit of time

} // namespace clgemm::tune
