// A kernel as a caller names it, maybe with other parameters than the library would take: "9", "09_prefetch",
// "06:TSM=32,WPTM=4".
#pragma once

#include "families/family.hpp"

#include <string>
#include <string_view>

namespace clgemm::core {

struct AskedKernel {
    const KernelInfo* kernel = nullptr; // lives on; null: there is none
    std::string wanted;                 // why there is none, as what follows "must be"
};

// Parameters behind a colon replace those of each of the kernel's variants. The variants that are then still valid are left,
// and a device chooses among them as it does among the kernel's own. Asking twice gives the same object.
AskedKernel asked_kernel(std::string_view text);

} // namespace clgemm::core
