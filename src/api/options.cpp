#include "api/options.hpp"

#include "support/environment.hpp"
#include "support/error.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace clgemm::core {
namespace {

// The first version of the structure; later ones only add to its end.
constexpr std::size_t first_size = offsetof(clgemm_options, workspace_limit);
// More than any version will need: a larger size is a variable that was never set.
constexpr std::size_t largest_size = 4096;

// The caller's options as this version knows them. A field that only a newer caller knows must be zero, which stands for
// what happens without it.
clgemm_options known_part(const clgemm_options& callers)
{
    const bool is_earlier = callers.size == first_size;
    if ((callers.size < sizeof(clgemm_options) && !is_earlier) || callers.size > largest_size)
        throw Error(CLGEMM_INVALID_OPTIONS, "options->size is " + std::to_string(callers.size) +
                                                ", but must be sizeof(clgemm_options), " +
                                                std::to_string(sizeof(clgemm_options)) + ": start from CLGEMM_OPTIONS_INIT");
    const auto* bytes = reinterpret_cast<const unsigned char*>(&callers);
    if (std::any_of(bytes + std::min(sizeof(clgemm_options), callers.size), bytes + callers.size,
                    [](unsigned char byte) { return byte != 0; }))
        throw Error(CLGEMM_INVALID_OPTIONS, "options sets a field that this version of the library does not know");
    clgemm_options known = CLGEMM_OPTIONS_INIT;
    std::memcpy(&known, bytes, std::min(sizeof known, callers.size));
    return known;
}

} // namespace

Request read_request(const clgemm_options* options)
{
    const auto& fallback = environment();
    Request request;
    request.wishes.kernel = fallback.kernel.empty() ? nullptr : find_kernel(fallback.kernel);
    request.wishes.strict = fallback.math == CLGEMM_MATH_STRICT;
    if (!options)
        return request;

    const clgemm_options known = known_part(*options);
    if (known.kernel) {
        request.wishes.kernel = find_kernel(known.kernel);
        if (!request.wishes.kernel)
            throw Error(CLGEMM_UNKNOWN_KERNEL,
                        "options->kernel is '" + std::string(known.kernel) + "', but must be one of: " + kernel_names());
    }
    // As a number: C callers may leave any value there, and reading one that is no clgemm_math as such is undefined.
    static_assert(sizeof known.math == sizeof(int));
    int math = 0;
    std::memcpy(&math, &known.math, sizeof math);
    if (math != CLGEMM_MATH_DEFAULT && math != CLGEMM_MATH_STRICT)
        throw Error(CLGEMM_INVALID_MATH, "options->math is " + std::to_string(math) +
                                             ", but must be CLGEMM_MATH_DEFAULT (0) or CLGEMM_MATH_STRICT (1)");
    if (math == CLGEMM_MATH_STRICT)
        request.wishes.strict = true;
    request.wishes.workspace_limit = known.workspace_limit;
    request.workspace = known.workspace;
    return request;
}

} // namespace clgemm::core
