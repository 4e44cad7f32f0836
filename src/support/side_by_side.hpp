// Jobs that take long and do not depend on each other, such as compilations: several at a time.
#pragma once

#include <cstddef>
#include <functional>

namespace clgemm::core {

// Calls job(i) for each i below `count`, by this thread and others that end before it returns; at most `most_at_a_time`, and
// no more than there are cores. Where a job throws, no further ones begin. When those that have begun are over, this throws
// what the job with the lowest number threw.
void side_by_side(std::size_t count, std::size_t most_at_a_time, const std::function<void(std::size_t)>& job);

} // namespace clgemm::core
