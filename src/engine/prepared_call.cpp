#include "engine/prepared_call.hpp"

#include "plan/parts.hpp"
#include "support/error.hpp"

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace clgemm::core {
namespace {

// Never destroyed: operands that nobody released are freed by the process's end, when the driver may be gone.
struct Handles {
    std::mutex mutex;
    std::uintptr_t last = 0;
    std::map<clgemm_prepared, std::shared_ptr<PreparedOperand>> operands;
};

Handles& handles()
{
    static auto* const process = new Handles;
    return *process;
}

// What the errors about an operand are called.
struct NamedOperand {
    const char* name;
    const char* sides; // of op(X)
    clgemm_status invalid, wrong_context;
};
constexpr NamedOperand operand_a{"preparedA", "m x k", CLGEMM_INVALID_PREPARED_A, CLGEMM_WRONG_CONTEXT_A};
constexpr NamedOperand operand_b{"preparedB", "k x n", CLGEMM_INVALID_PREPARED_B, CLGEMM_WRONG_CONTEXT_B};

std::string in_words(std::size_t rows, std::size_t cols)
{
    return std::to_string(rows) + " x " + std::to_string(cols);
}

std::shared_ptr<PreparedOperand> found(clgemm_prepared handle, const NamedOperand& named, std::size_t rows, std::size_t cols,
                                       std::size_t products)
{
    if (!handle)
        return nullptr;
    std::shared_ptr<PreparedOperand> operand;
    {
        const std::lock_guard lock(handles().mutex);
        if (const auto known = handles().operands.find(handle); known != handles().operands.end())
            operand = known->second;
    }
    if (!operand)
        throw Error(named.invalid, std::string(named.name) + " is no prepared operand, or was released");
    const Matrix& matrix = operand->matrix();
    if (matrix.rows != rows || matrix.cols != cols)
        throw Error(named.invalid, std::string(named.name) + " is " + in_words(matrix.rows, matrix.cols) + ", but must be " +
                                       named.sides + ", " + in_words(rows, cols));
    if (operand->count() != 1 && operand->count() != products)
        throw Error(named.invalid, std::string(named.name) + " is of " + std::to_string(operand->count()) +
                                       " matrices, but must be of one, or of as many as there are products, " +
                                       std::to_string(products));
    return operand;
}

// Sets what a call of this layout says of where the matrix lies.
void say_where(const Matrix& matrix, clgemm_layout layout, clgemm_transpose& trans, std::size_t& offset, std::size_t& ld,
               std::size_t& distance)
{
    distance = matrix.distance;
    trans = matrix.transposed != (layout == CLGEMM_ROW_MAJOR) ? CLGEMM_TRANS : CLGEMM_NO_TRANS;
    offset = matrix.offset;
    ld = matrix.ld;
}

void check_place_of(const PreparedOperand* operand, const NamedOperand& named, cl_context context, cl_device_id device)
{
    if (operand && operand->context() != context)
        throw Error(named.wrong_context, std::string(named.name) + " belongs to another context than the queue");
    if (operand && operand->device() != device)
        throw Error(named.invalid, std::string(named.name) + " was prepared for another device than the queue's");
}

} // namespace

clgemm_prepared handle_of(std::shared_ptr<PreparedOperand> operand)
{
    Handles& all = handles();
    const std::lock_guard lock(all.mutex);
    // NOLINTNEXTLINE(performance-no-int-to-ptr): a number, as a type of its own for callers in C; nothing is there
    auto* const handle = reinterpret_cast<clgemm_prepared>(++all.last);
    all.operands.emplace(handle, std::move(operand));
    return handle;
}

bool release(clgemm_prepared handle)
{
    std::shared_ptr<PreparedOperand> released; // whose buffers OpenCL frees when the mutex is free again
    Handles& all = handles();
    const std::lock_guard lock(all.mutex);
    const auto known = all.operands.find(handle);
    if (known == all.operands.end())
        return false;
    released = std::move(known->second);
    all.operands.erase(known);
    return true;
}

PreparedCall read_prepared_call(const Arguments& x, clgemm_prepared a, clgemm_prepared b)
{
    if (!a && !b)
        throw Error(CLGEMM_INVALID_PREPARED_A, "preparedA and preparedB are both null, but one must be a prepared operand");
    PreparedOperands operands{found(a, operand_a, x.m, x.k, x.batch.count), found(b, operand_b, x.k, x.n, x.batch.count)};
    const Problem problem = problem_with(x, operands);
    return {problem, std::move(operands)};
}

Problem problem_with(Arguments x, const PreparedOperands& operands)
{
    if (operands.a)
        say_where(operands.a->matrix(), x.layout, x.trans_a, x.offset_a, x.lda, x.distance_a);
    if (operands.b)
        say_where(operands.b->matrix(), x.layout, x.trans_b, x.offset_b, x.ldb, x.distance_b);
    Problem result = make_problem(x);
    const auto prepare = [&](Memory which) {
        Matrix& matrix = result.matrix_in(which);
        const std::size_t count = matrix.count_for(result.batch.count);
        matrix.prepared = count <= most_products_at_once; // a launch makes the images of no more, and each is small
        if (matrix.prepared)
            matrix.siblings = {count, 0, matrix.distance};
    };
    if (operands.a)
        prepare(Memory::a);
    if (operands.b)
        prepare(Memory::b);
    return result;
}

cl_device_id device_of(const PreparedOperands& operands)
{
    if (operands.a && operands.b && operands.a->context() != operands.b->context())
        throw Error(CLGEMM_WRONG_CONTEXT_B, "preparedB belongs to another context than preparedA");
    if (operands.a && operands.b && operands.a->device() != operands.b->device())
        throw Error(CLGEMM_INVALID_PREPARED_B, "preparedB was prepared for another device than preparedA");
    return operands.a ? operands.a->device() : operands.b->device();
}

void check_place(const PreparedOperands& operands, cl_context context, cl_device_id device)
{
    check_place_of(operands.a.get(), operand_a, context, device);
    check_place_of(operands.b.get(), operand_b, context, device);
}

} // namespace clgemm::core
