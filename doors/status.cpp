#include "status.hpp"

#include <atomic>
#include <cstdio>

namespace clgemm::doors {

int status_of(clgemm_status status)
{
    switch (status) {
    case CLGEMM_INVALID_LAYOUT:
    case CLGEMM_INVALID_TRANS_A:
    case CLGEMM_INVALID_TRANS_B: return CL_INVALID_VALUE;
    case CLGEMM_INVALID_LDA: return invalid_leading_dimension + operand_a;
    case CLGEMM_INVALID_LDB: return invalid_leading_dimension + operand_b;
    case CLGEMM_INVALID_LDC: return invalid_leading_dimension + operand_c;
    case CLGEMM_OVERFLOW_A:
    case CLGEMM_A_TOO_SMALL: return buffer_too_small + operand_a;
    case CLGEMM_OVERFLOW_B:
    case CLGEMM_B_TOO_SMALL: return buffer_too_small + operand_b;
    case CLGEMM_OVERFLOW_C:
    case CLGEMM_C_TOO_SMALL: return buffer_too_small + operand_c;
    case CLGEMM_INVALID_A: return invalid_matrix + operand_a;
    case CLGEMM_INVALID_B: return invalid_matrix + operand_b;
    case CLGEMM_INVALID_C: return invalid_matrix + operand_c;
    case CLGEMM_WRONG_CONTEXT_A:
    case CLGEMM_WRONG_CONTEXT_B:
    case CLGEMM_WRONG_CONTEXT_C:
    case CLGEMM_INVALID_WORKSPACE: return CL_INVALID_MEM_OBJECT;
    case CLGEMM_WORKSPACE_TOO_SMALL: return temporary_too_small;
    case CLGEMM_INVALID_QUEUE: return CL_INVALID_COMMAND_QUEUE;
    case CLGEMM_INVALID_WAIT_LIST: return CL_INVALID_EVENT_WAIT_LIST;
    default: break;
    }
    constexpr int last_of_opencl = -2999;
    if (status >= last_of_opencl)
        return status;
    static std::atomic_flag said;
    if (!said.test_and_set())
        std::fprintf(stderr, "clgemm: %s\n", clgemm_last_error());
    return CL_INVALID_OPERATION;
}

} // namespace clgemm::doors
