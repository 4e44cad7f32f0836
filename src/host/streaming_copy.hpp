// Copies that go past the caches.
#pragma once

#include <cstddef>

namespace clgemm::core {

// As std::memcpy(), but what is written does not replace what the caches hold, nor is it read first. It is faster where
// source and target together are larger than a core's own cache, and slower where they are not.
void streaming_copy(float* to, const float* from, std::size_t count);

} // namespace clgemm::core
