// What contenders on host memory have in common: where their result lies.
#pragma once

#include "timing/contender.hpp"
#include "timing/matrices.hpp"

#include <algorithm>

namespace bench {

class HostContender : public timing::Contender {
public:
    explicit HostContender(timing::HostMatrices& matrices) : matrices_(matrices) {}

    void spoil_c(std::size_t elements) override { std::fill_n(matrices_.c.get(), elements, timing::spoilt); }
    std::vector<float> read_c(std::size_t first, std::size_t count) override { return {c() + first, c() + first + count}; }

protected:
    const float* a() const { return matrices_.a.get(); }
    const float* b() const { return matrices_.b.get(); }
    float* c() const { return matrices_.c.get(); }

private:
    timing::HostMatrices& matrices_;
};

} // namespace bench
