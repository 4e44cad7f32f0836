// The tuning data that is compiled into the library, on whatever device the tests run.
#pragma once

#include "support/embedded.hpp"
#include "tuning/tuning.hpp"

namespace clgemm::test {

// One of tuning_texts(), read as on its own device.
core::Tuning tuning_of(const core::EmbeddedText& file);

} // namespace clgemm::test
