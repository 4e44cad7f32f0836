// What drivers tell becomes JSON in records and tuning files: whatever it is made of, it must be UTF-8 there.
#pragma once

#include <string>

namespace clgemm::core {

// The same text with U+FFFD in the place of what is no UTF-8.
std::string as_utf8(const std::string& text);

} // namespace clgemm::core
