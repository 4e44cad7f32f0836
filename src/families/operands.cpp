#include "families/operands.hpp"

namespace clgemm::core {

std::string operand_letters(const Problem& problem)
{
    const char along_m = problem.a.takes_vectors() ? 'N' : 'n';
    const char along_n = problem.b.takes_vectors() ? 'T' : 't';
    return {problem.a.transposed ? 'T' : along_m, problem.b.transposed ? along_n : 'N'};
}

std::string both_unaligned_if_one(const std::string& letters)
{
    return letters == "nT" || letters == "Nt" ? "nt" : letters;
}

unsigned copy_width(const Matrix& matrix)
{
    unsigned width = matrix.read_width();
    while (matrix.ld % width != 0)
        width /= 2;
    return width;
}

unsigned vector_width(const Matrix& matrix)
{
    return matrix.takes_vectors() ? 4 : 1;
}

std::string flag(const std::string& name, bool value)
{
    return " -D" + name + (value ? "=1" : "=0");
}

std::string layout_options(const Matrix& a, const Matrix& b, unsigned width_a, unsigned width_b)
{
    return flag("TRANS_A", a.transposed) + flag("TRANS_B", b.transposed) + " -DWIDTH_A=" + std::to_string(width_a) +
           " -DWIDTH_B=" + std::to_string(width_b);
}

} // namespace clgemm::core
