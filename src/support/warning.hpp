// Warnings on standard error, each said once in a process however often its reason is met.
#pragma once

#include <string>

namespace clgemm::core {

void warn_once(const std::string& message);

} // namespace clgemm::core
