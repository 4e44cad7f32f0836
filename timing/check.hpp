// Some elements of C, computed in double precision: a contender is checked by them before it is timed.
#pragma once

#include "timing/contender.hpp"
#include "timing/matrices.hpp"

#include "reference/reference.hpp"

namespace timing {

class Reference {
public:
    Reference(const HostMatrices& matrices, const Product& product);

    // Multiplies, with beta = 0. Throws where an element lies farther from the reference than rounding explains, or the call
    // fails. Afterwards the contender is warm for the product as it is.
    void check(Contender& contender) const;

private:
    struct Element {
        std::size_t of, row, col; // of which product
        clgemm::reference::Exact exact;
    };

    Product product_;
    std::vector<Element> elements_;
};

} // namespace timing
