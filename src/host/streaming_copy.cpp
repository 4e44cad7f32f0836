#include "host/streaming_copy.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace clgemm::core {

void streaming_copy(float* to, const float* from, std::size_t count)
{
#if defined(__SSE2__)
    constexpr std::size_t width = sizeof(__m128) / sizeof(float);
    const std::size_t past_alignment = reinterpret_cast<std::uintptr_t>(to) / sizeof(float) % width;
    const std::size_t before = std::min(count, (width - past_alignment) % width);
    std::memcpy(to, from, before * sizeof(float));
    std::size_t i = before;
    for (; i + width <= count; i += width)
        _mm_stream_ps(to + i, _mm_loadu_ps(from + i));
    std::memcpy(to + i, from + i, (count - i) * sizeof(float));
    _mm_sfence(); // such writes are not ordered with others, and a device or another thread reads them next
#else
    std::memcpy(to, from, count * sizeof(float));
#endif
}

} // namespace clgemm::core
