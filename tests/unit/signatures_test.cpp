// The arguments of each step are those that its kernel's source declares, in number, kind and order. (A driver refuses some
// that are not, of the kernels that it runs; of a structure it knows the size alone.)
#include "made_up.hpp"

#include "plan/plan.hpp"

#include <gtest/gtest.h>

#include <regex>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

// A letter for each: b(uffer), s(ize), f(loat); what is in a structure in braces.
std::string kinds_in(const std::string& declarations, const std::string& structure)
{
    std::string result;
    const std::regex word("[^,;]+[,;]?");
    std::string type;
    for (std::sregex_iterator it(declarations.begin(), declarations.end(), word), end; it != end; ++it) {
        const std::string text = it->str();
        if (text.find("global") != std::string::npos)
            result += 'b';
        else if (text.find("Call call") != std::string::npos)
            result += '{' + structure + '}';
        else {
            // In a structure several members share a type: "ulong M, N;"
            if (text.find("ulong") != std::string::npos)
                type = "s";
            else if (text.find("float") != std::string::npos)
                type = "f";
            result += text.find_first_not_of(" \n,;") == std::string::npos ? "" : type;
        }
    }
    return result;
}

std::string declared(const std::string& source, const std::string& function)
{
    std::smatch found;
    const std::regex members(R"(typedef struct \{\n([^}]*)\} Call;)");
    const std::string structure = std::regex_search(source, found, members) ? kinds_in(found[1], "") : "";
    const std::regex parameters("void " + function + R"(\(([^)]*)\)\n\{)");
    if (!std::regex_search(source, found, parameters))
        return "no function " + function;
    return kinds_in(found[1], structure);
}

char kind_of(const StepArgument& argument)
{
    return std::holds_alternative<Memory>(argument) ? 'b' : std::holds_alternative<float>(argument) ? 'f' : 's';
}

std::string given(const Step& step)
{
    std::string buffers, numbers, all;
    for (const auto& argument : step.arguments) {
        all += kind_of(argument);
        (kind_of(argument) == 'b' ? buffers : numbers) += kind_of(argument);
    }
    return step.passing == Passing::numbers_in_one ? buffers + '{' + numbers + '}' : all;
}

void expect_signatures(const Plan& plan)
{
    for (const auto& step : plan.steps)
        EXPECT_EQ(given(step), declared(step.source->text, step.function)) << step.source->name << ", " << step.purpose;
}

} // namespace

TEST(Signatures, AreReadFromSourcesAsTheyAre)
{
    const std::string source =
        "typedef struct {\n    ulong M, N,\n        K;\n    float alpha;\n    ulong ldc;\n} Call;\n\n"
        "kernel\nvoid one(const global float* restrict A, global float* C,\n         const Call call)\n{\n"
        "kernel\nvoid two(const ulong M, const float alpha, global float* C, const ulong ldc)\n{\n";
    EXPECT_EQ(declared(source, "one"), "bb{sssfs}");
    EXPECT_EQ(declared(source, "two"), "sfbs");
}

// Sizes that no tile divides and one part of K, so that helpers take part; then several parts.
TEST(Signatures, AreThoseOfEachStepOfEveryKernel)
{
    for (const DeviceProfile& device : {hopper_gpu(), made_up_cpu()}) {
        for (const KernelInfo& kernel : kernels())
            for (const Parameters& variant : kernel.variants)
                if (runs(kernel, variant, device))
                    for (const std::size_t splits : {1, 3})
                        for (const bool copies : {false, true}) {
                            Selection selection = selection_of(kernel, variant, device, "");
                            if (kernel.splits_k || kernel.scheme == Scheme::tensor)
                                selection.way.splits = splits;
                            selection.way.copy_a = selection.way.copy_b = copies && kernel.copies_may_pay;
                            Arguments uneven = arguments(131, 203, 307, CLGEMM_TRANS, CLGEMM_TRANS);
                            uneven.beta = 0.5f;
                            expect_signatures(plan_multiply(make_problem(uneven), device, selection));
                        }
        Arguments scaling = arguments(10, 10, 10);
        scaling.alpha = 0;
        scaling.beta = 2;
        expect_signatures(plan_scale(make_problem(scaling), device));
    }
}
