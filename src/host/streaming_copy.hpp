// Copies that go past the caches.
#pragma once

#include <cstddef>

namespace clgemm::core {

// As std::memcpy(), but past the caches: what they hold stays, and the target is not read first. This is faster if source
// and target together are larger than a core's own cache, and slower if they are not.
void streaming_copy(void* to, const void* from, std::size_t bytes);

} // namespace clgemm::core
