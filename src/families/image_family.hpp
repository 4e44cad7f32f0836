// What the kernels have in common that multiply images (14, 19, tensor_tf32, tensor_fast): `split` writes each float of A
// and B in pieces, into images; then tensor cores multiply these, a tile of C for each work-group, from all of K or a part
// of it.
#pragma once

#include "families/multiplication.hpp"

#include <cstdint>

namespace clgemm::core {

// Of what images are made.
struct PieceForm {
    std::size_t count;    // pieces of two bytes for each element
    bool is_fp16 = false; // and scaled by row (kernels/fp16_pieces.clh); else bf16
    Arithmetic arithmetic = {};
};

class ImageFamily : public Family {
public:
    explicit ImageFamily(const PieceForm& form) : form_(form) {}

    Arithmetic computes(const Arithmetic&) const override { return form_.arithmetic; }
    std::vector<Way> ways(const Problem& problem, const DeviceProfile& device, const Variant& variant) const override;
    bool computes_in_blocks() const override { return true; }
    Outline outline(const Problem& problem, const DeviceProfile& device, const Variant& variant,
                    const Way& way) const override;
    void plan(PlanBuilder& builder, const Problem& problem, const Variant& variant, const Way& way) const override;

    // It multiplies images, which all lie alike.
    bool takes_operands_alike() const override { return true; }
    std::string measured_operands(const Problem& problem, const Way& way) const override;
    // Pieces are written once, into memory that the next call gets again: the outline knows what that takes.
    Probing probing() const override;
    std::size_t step_of(std::string_view parameter, const Parameters& parameters) const override;

protected:
    std::size_t bytes_of_pieces() const { return form_.count * sizeof(std::uint16_t); } // of one element

private:
    PieceForm form_;
};

} // namespace clgemm::core
