// The tuning data that is compiled into the library, on whatever device the tests run.
#pragma once

#include "device/profile.hpp"
#include "support/embedded.hpp"
#include "tuning/tuning.hpp"

#include <string_view>

namespace clgemm::test {

// The compiled-in file of the device of this name.
const core::EmbeddedText& tuning_text_of(std::string_view device_name);

// The device that one of tuning_texts() is about. What the file does not say of it is more than anything in the file needs.
core::DeviceProfile device_of(const core::EmbeddedText& file);

// The file, read as on that device. It must have nothing that is left out there.
core::Tuning tuning_of(const core::EmbeddedText& file);

} // namespace clgemm::test
