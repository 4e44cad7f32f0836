// What kernels 1 to 13, 15, 20, shallow and tensor_rounded have in common: a work-group computes one tile of C, from all of
// K or a part of it. The operands are taken where they lie, in the problem or the transposed one, unless a family says what
// is copied first.
#pragma once

#include "families/multiplication.hpp"

namespace clgemm::core {

class TileFamily : public Family {
public:
    std::vector<Way> ways(const Problem& problem, const DeviceProfile& device, const Variant& variant) const override;
    Outline outline(const Problem& problem, const DeviceProfile& device, const Variant& variant,
                    const Way& way) const override;
    void plan(PlanBuilder& builder, const Problem& problem, const Variant& variant, const Way& way) const override;

    // The work-groups of dimension 2 take the products of a batch, unless they have parts of K. Copies are made of one
    // product at a time.
    std::size_t products_at_once(const Way& way) const override
    {
        return way.split_k == 1 && way.form == 0 ? most_products_at_once : 1;
    }

protected:
    // The problem as the kernel gets it. Its matrices that lie in no buffer of the caller's are copies. Those of A and B are
    // made before the multiplication, and so is that of C if this problem's beta is not 0. The result is copied from there
    // to C afterwards.
    struct Prepared {
        Problem problem;
        SplitK split;
        std::size_t own_memory = 0; // where in the workspace the kernel keeps something else, if it does
        bool in_turn = false;       // does a work-group compute several tiles, one after the other?
    };
    virtual Prepared prepare(const Problem& problem, const Variant& variant, const Way& way,
                             WorkspaceLayout& workspace) const;
    // What the kernel is told besides its parameters.
    virtual std::string options(const Prepared& prepared, const Variant& variant) const;
    // The step of the kernel itself.
    virtual Step multiplication_of(const Prepared& prepared, const Variant& variant, const DeviceProfile& device) const;
    // How much of K one launch takes, where work-groups compute all of K. What is left over takes further launches.
    virtual std::size_t deepest_launch(const Prepared& prepared, const Variant&) const { return prepared.problem.k; }
    // Can a C of so many columns be computed at all?
    virtual bool takes_columns(std::size_t, const Tiling&) const { return true; }

private:
    // Is the multiplication one launch?
    bool is_one_launch(const Prepared& prepared, const Variant& variant) const;
};

} // namespace clgemm::core
