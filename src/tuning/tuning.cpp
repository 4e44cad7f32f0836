#include "tuning/tuning.hpp"

namespace clgemm::core {

std::string operand_letters(const Problem& problem)
{
    const char along_m = takes_vectors(problem.a) ? 'N' : 'n';
    const char along_n = takes_vectors(problem.b) ? 'T' : 't';
    return {problem.a.transposed ? 'T' : along_m, problem.b.transposed ? along_n : 'N'};
}

} // namespace clgemm::core
