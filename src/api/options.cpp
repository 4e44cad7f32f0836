#include "api/options.hpp"

#include "families/registry.hpp"
#include "support/arithmetic.hpp"
#include "support/error.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>

namespace clgemm::core {
namespace {

// The earlier versions of the structure end before these fields; later ones only add to its end.
constexpr std::size_t earlier_sizes[] = {offsetof(clgemm_options, workspace_limit), offsetof(clgemm_options, alignment)};
// More than any version will need: a larger size is a variable that was never set.
constexpr std::size_t largest_size = 4096;

// The caller's options as this version knows them. A field that only a newer caller knows must be zero, which stands for
// what happens without it.
clgemm_options known_part(const clgemm_options& callers)
{
    const bool is_earlier =
        std::find(std::begin(earlier_sizes), std::end(earlier_sizes), callers.size) != std::end(earlier_sizes);
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

Options options_of(const Environment& environment)
{
    Options result;
    if (!environment.kernel.empty() && !(result.kernel = find_kernel(environment.kernel)))
        throw EnvironmentError("CLGEMM_KERNEL", environment.kernel, "one of: " + kernel_names());
    result.strict = environment.math == "strict";
    if (!result.strict && !environment.math.empty() && environment.math != "default")
        throw EnvironmentError("CLGEMM_MATH", environment.math, "'default' or 'strict'");
    return result;
}

const Options& environment_options()
{
    static const auto* const process = new Options(options_of(environment()));
    return *process;
}

Request read_request(const clgemm_options* options)
{
    Request request{environment_options(), nullptr, std::nullopt};
    if (!options)
        return request;

    const clgemm_options known = known_part(*options);
    if (known.kernel) {
        request.options.kernel = find_kernel(known.kernel);
        if (!request.options.kernel)
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
        request.options.strict = true;
    request.options.workspace_limit = known.workspace_limit;
    request.workspace = known.workspace;
    if (known.alignment > 0) {
        if (!is_power_of_2(known.alignment) || known.alignment < sizeof(float))
            throw Error(CLGEMM_INVALID_OPTIONS, "options->alignment is " + std::to_string(known.alignment) +
                                                    ", but must be 0 or a power of 2 from 4 on");
        request.alignment = std::min(known.alignment, widest_vector * sizeof(float));
    }
    return request;
}

} // namespace clgemm::core
