#include "engine/request.hpp"

#include "engine/grown_structure.hpp"
#include "select/asked_kernel.hpp"
#include "support/error.hpp"
#include "support/plain_text.hpp"
#include "support/whole_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>

namespace clgemm::core {
namespace {

// The earlier versions of the structure end before these fields.
constexpr std::size_t earlier_sizes[] = {offsetof(clgemm_options, workspace_limit), offsetof(clgemm_options, alignment),
                                         offsetof(clgemm_options, max_error)};
constexpr GrownStructure<clgemm_options> callers_options{
    CLGEMM_OPTIONS_INIT, earlier_sizes,  CLGEMM_INVALID_OPTIONS, "clgemm_options", "start from CLGEMM_OPTIONS_INIT",
    "options",           "options->size"};

// For messages: all digits that a reader needs.
std::string in_short(double value)
{
    return in_digits(value, 9);
}

} // namespace

std::size_t Request::workspace_bytes() const
{
    return workspace ? info<std::size_t>(workspace, CL_MEM_SIZE) : 0;
}

Arithmetic Request::arithmetic_for(std::size_t k) const
{
    if (max_error == 0)
        return {.accuracy = accuracy};
    if (const Accuracy* const promising = accuracy_within(max_error, k))
        return {.accuracy = promising->math};
    const std::string what_can_be = std::isinf(promised_error({}, k)) ? "nothing can be promised in FP32"
                                                                      : "no less than " + promised_error_text({}, k) +
                                                                            " of sum |a||b| can be promised in FP32";
    throw Error(CLGEMM_MAX_ERROR_TOO_SMALL,
                "options->max_error is " + in_short(max_error) + ", but for k = " + std::to_string(k) + " " + what_can_be);
}

Arguments of_a_list(Arguments arguments, const Request& request)
{
    arguments.distance_a = arguments.distance_b = arguments.distance_c =
        std::max<std::size_t>(1, request.alignment.value_or(1) / size_of(arguments.arithmetic.operands));
    return arguments;
}

Request request_of(const Environment& environment)
{
    Request result;
    if (!environment.kernel.empty()) {
        const AskedKernel asked = asked_kernel(environment.kernel);
        if (!asked.kernel)
            throw EnvironmentError("CLGEMM_KERNEL", environment.kernel, asked.wanted);
        result.options.kernel = asked.kernel;
    }
    if (!environment.math.empty()) {
        const Accuracy* const accuracy = find_accuracy(std::string_view(environment.math));
        if (!accuracy)
            throw EnvironmentError("CLGEMM_MATH", environment.math, accuracy_names());
        result.accuracy = accuracy->math;
    }
    return result;
}

const Request& environment_request()
{
    static const auto* const process = new Request(request_of(environment()));
    return *process;
}

Request read_request(const clgemm_options* options)
{
    Request request = environment_request();
    if (!options)
        return request;

    callers_options.check_size(options->size);
    const clgemm_options known = callers_options.known_part(options, options->size);
    if (known.kernel) {
        const AskedKernel asked = asked_kernel(known.kernel);
        if (!asked.kernel)
            throw Error(CLGEMM_UNKNOWN_KERNEL,
                        "options->kernel is '" + std::string(known.kernel) + "', but must be " + asked.wanted);
        request.options.kernel = asked.kernel;
    }
    // As a number: C callers may leave any value there, and reading one that is no clgemm_math as such is undefined.
    static_assert(sizeof known.math == sizeof(int));
    int math = 0;
    std::memcpy(&math, &known.math, sizeof math);
    const Accuracy* const accuracy = find_accuracy(math);
    if (!accuracy)
        throw Error(CLGEMM_INVALID_MATH,
                    "options->math is " + std::to_string(math) + ", but must be " + accuracy_enumerators());
    if (accuracy->math != CLGEMM_MATH_DEFAULT) // which stands for what the environment asks for
        request.accuracy = accuracy->math;
    if (!(known.max_error >= 0)) // NaN, too
        throw Error(CLGEMM_INVALID_OPTIONS,
                    "options->max_error is " + in_short(known.max_error) + ", but must be 0 or positive");
    if (known.max_error > 0 && accuracy->math != CLGEMM_MATH_DEFAULT)
        throw Error(CLGEMM_INVALID_OPTIONS,
                    "options->max_error and options->math are both set: each says how accurate C must be");
    request.max_error = known.max_error;
    request.options.workspace_limit = known.workspace_limit;
    request.workspace = known.workspace;
    if (known.alignment > 0) {
        if (!is_power_of_2(known.alignment) || known.alignment < size_of(Element::f32))
            throw Error(CLGEMM_INVALID_OPTIONS, "options->alignment is " + std::to_string(known.alignment) +
                                                    ", but must be 0 or a power of 2 from 4 on");
        request.alignment = std::min(known.alignment, widest_vector * size_of(Element::f32));
    }
    return request;
}

} // namespace clgemm::core
