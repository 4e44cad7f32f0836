// What contenders on OpenCL buffers have in common: where their result lies.
#pragma once

#include "timing/contender.hpp"
#include "timing/matrices.hpp"

namespace timing {

class OpenClContender : public Contender {
public:
    explicit OpenClContender(const DeviceMatrices& matrices) : matrices_(matrices) {}

    void spoil_c(std::size_t elements) override
    {
        matrices_.queue.enqueueFillBuffer(matrices_.c, spoilt, 0, elements * sizeof(float));
        matrices_.queue.finish();
    }

    std::vector<float> read_c(std::size_t first, std::size_t count) override
    {
        std::vector<float> values(count);
        matrices_.queue.enqueueReadBuffer(matrices_.c, CL_TRUE, first * sizeof(float), count * sizeof(float), values.data());
        return values;
    }

protected:
    const DeviceMatrices& matrices() const { return matrices_; }

private:
    const DeviceMatrices& matrices_;
};

} // namespace timing
