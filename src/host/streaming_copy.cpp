#include "host/streaming_copy.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace clgemm::core {

void streaming_copy(void* to, const void* from, std::size_t bytes)
{
#if defined(__SSE2__)
    auto* const target = static_cast<std::byte*>(to);
    const auto* const source = static_cast<const std::byte*>(from);
    constexpr std::size_t width = sizeof(__m128i);
    const std::size_t past_alignment = reinterpret_cast<std::uintptr_t>(to) % width;
    const std::size_t before = std::min(bytes, (width - past_alignment) % width);
    std::memcpy(target, source, before);
    std::size_t i = before;
    for (; i + width <= bytes; i += width)
        _mm_stream_si128(reinterpret_cast<__m128i*>(target + i),
                         _mm_loadu_si128(reinterpret_cast<const __m128i*>(source + i)));
    std::memcpy(target + i, source + i, bytes - i);
    _mm_sfence(); // these writes are not ordered with others, and a device or another thread is to read them
#else
    std::memcpy(to, from, bytes);
#endif
}

} // namespace clgemm::core
