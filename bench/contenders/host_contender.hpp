// What contenders on host memory have in common: where their result lies.
#pragma once

#include "timing/contender.hpp"
#include "timing/matrices.hpp"

#include <algorithm>

namespace bench {

class HostContender : public Contender {
public:
    explicit HostContender(HostMatrices& matrices) : matrices_(matrices) {}

    void spoil_c(std::size_t elements) override { std::fill_n(matrices_.c.get(), elements, spoilt); }
    std::vector<float> read_c(std::size_t first, std::size_t count) override { return {c() + first, c() + first + count}; }

protected:
    const float* a() const { return matrices_.a.get(); }
    const float* b() const { return matrices_.b.get(); }
    float* c() const { return matrices_.c.get(); }

private:
    HostMatrices& matrices_;
};

} // namespace bench
