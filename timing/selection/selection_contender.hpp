// clgemm on device buffers by a given selection: what the library does after it has chosen.
#pragma once

#include "timing/opencl_contender.hpp"

#include "engine/device_state.hpp"

namespace timing {

clgemm::core::Problem problem_of(const Product& product, clgemm_math accuracy);

// The kernel, its size and the way, in one line.
std::string describe(const clgemm::core::Selection& selection);

class SelectionContender : public OpenClContender {
public:
    // Builds its programs. Throws what the library throws where they cannot be had.
    SelectionContender(const DeviceMatrices& matrices, clgemm::core::DeviceState& state,
                       const clgemm::core::Problem& problem, const clgemm::core::Selection& selection);

    std::string description() const override { return description_; }
    clgemm_math accuracy() const override { return accuracy_; }

    // Computes the problem that this was made for.
    void multiply(const Product& product) override;

private:
    clgemm::core::DeviceState& state_;
    clgemm::core::ReadyPlan plan_;
    clgemm_math accuracy_;
    std::string description_;
};

} // namespace timing
