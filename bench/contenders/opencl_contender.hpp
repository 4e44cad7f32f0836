// What contenders on OpenCL buffers have in common: where their result lies.
#pragma once

#include "../contender.hpp"
#include "../matrices.hpp"

namespace bench {

class OpenClContender : public Contender {
public:
    explicit OpenClContender(const DeviceMatrices& matrices) : matrices_(matrices) {}

    void spoil_c(std::size_t elements) override
    {
        matrices_.queue.enqueueFillBuffer(matrices_.c, spoilt, 0, elements * sizeof(float));
        matrices_.queue.finish();
    }

    float read_c(std::size_t index) override
    {
        float value = 0.0f;
        matrices_.queue.enqueueReadBuffer(matrices_.c, CL_TRUE, index * sizeof(float), sizeof(float), &value);
        return value;
    }

protected:
    const DeviceMatrices& matrices() const { return matrices_; }

private:
    const DeviceMatrices& matrices_;
};

} // namespace bench
