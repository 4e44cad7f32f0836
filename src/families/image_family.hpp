// What the kernels that multiply images have in common (14, 19, tensor_tf32, tensor_fast): `split` writes each float of A
// and B in pieces, into images. Then tensor cores multiply these: a work-group computes one tile of C, from all of K or a
// part of it.
#pragma once

#include "families/multiplication.hpp"

#include <cstdint>

namespace clgemm::core {

// What images consist of.
struct PieceForm {
    std::size_t count;    // pieces of two bytes for each element
    bool is_fp16 = false; // fp16, scaled by row (kernels/fp16_pieces.clh); otherwise bf16
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
    // The steps that make images are not measured: the outline counts the bytes that they move.
    Probing probing() const override;
    std::size_t step_of(std::string_view parameter, const Parameters& parameters) const override;

protected:
    std::size_t bytes_of_pieces() const { return form_.count * sizeof(std::uint16_t); } // of one element

private:
    PieceForm form_;
};

} // namespace clgemm::core
