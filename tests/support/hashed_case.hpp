// A case whose matrices are made on the device, each element a hash of its index: for those that are too large to upload or
// to check as a whole. The host can tell any of their elements, so it checks some of C.
#pragma once

#include "reference/reference.hpp"
#include "sgemm_case.hpp"
#include "support/opencl.hpp"

#include <utility>
#include <vector>

namespace clgemm::test {

class HashedCase {
public:
    // Column-major, without gaps or offsets. Throws cl::Error where there is no memory for it.
    HashedCase(const SgemmCase& its_case, cl::CommandQueue its_queue);

    // The matrices' bytes: of all of them, and of the largest.
    static std::size_t all_bytes(const SgemmCase& x);
    static std::size_t largest_bytes(const SgemmCase& x);

    // clgemm_sgemm_ex() with these options.
    clgemm_status call(const clgemm_options& options) const;
    // Workspace that such a call needs.
    std::size_t workspace_bytes(const clgemm_options& options) const;

    void restore_c() const;
    // Whether every bit of C is as it was before the first call, or since it was restored.
    bool c_is_untouched() const;
    // Whether all of C has been written, and is right in the corners, where the index of an element of A, B or C passes a
    // power of two at which indices break, and in some random places.
    testing::AssertionResult c_is_right() const;

private:
    enum Which { a, b, c };
    struct Matrix {
        cl::Buffer buffer;
        std::size_t rows, cols;
        std::size_t count() const { return rows * cols; }
    };

    void fill(Which which) const;
    std::size_t unchanged_elements_of_c() const;
    std::vector<std::pair<std::size_t, std::size_t>> places() const;
    reference::Exact exact(std::size_t i, std::size_t j) const;
    float element(Which which, std::size_t row, std::size_t col) const;

    SgemmCase x_;
    cl::CommandQueue queue_;
    Matrix matrices_[3];
    cl::Buffer counts_;
    cl::Kernel fill_, count_unchanged_;
};

} // namespace clgemm::test
