// The line that CLGEMM_LOG=1 prints for each call.
#pragma once

#include <functional>
#include <string>

namespace clgemm::core {

// Writes the text, which is only made if anybody wants it, to standard error.
void log_line(const std::function<std::string()>& text);

} // namespace clgemm::core
