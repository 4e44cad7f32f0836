// A prepared operand of a test's, released at the end.
#pragma once

#include "clgemm/clgemm.h"

namespace clgemm::test {

struct KeptOperand {
    KeptOperand() = default;
    KeptOperand(const KeptOperand&) = delete;
    KeptOperand& operator=(const KeptOperand&) = delete;
    ~KeptOperand() { clgemm_release_prepared(handle); }

    clgemm_prepared handle = nullptr;
};

} // namespace clgemm::test
