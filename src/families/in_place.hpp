// What kernels 15 and 20 have in common: they take operands where they lie and C by two strides, so that the transposed
// problem is another way, and there is nothing to copy.
#pragma once

#include "families/family.hpp"

namespace clgemm::core {

class InPlace : public Family {
public:
    std::vector<Way> ways(const Problem& problem, const DeviceProfile& device, const Variant& variant,
                          std::size_t) const override;
    Outline outline(const Problem& problem, const DeviceProfile& device, const Variant& variant,
                    const Way& way) const override;
    Plan plan(const Problem& problem, const DeviceProfile& device, const Variant& variant, const Way& way) const override;

protected:
    // Can a C of so many columns be computed at all?
    virtual bool takes_columns(std::size_t, const Tiling&) const { return true; }
};

} // namespace clgemm::core
