// Warnings, each said once in a process however often its reason is met. They go where the log goes, whether or not anybody
// wants a log.
#pragma once

#include <string>

namespace clgemm::core {

void warn_once(const std::string& message);

} // namespace clgemm::core
