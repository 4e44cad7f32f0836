// Products on a device, each compared with the reference product, element by element and canary by canary.
#pragma once

#include "reference/sgemm_case.hpp"

#include <clgemm/clgemm.hpp>

#include <functional>
#include <string>
#include <vector>

namespace clgemm::selftest {

struct Findings {
    std::size_t products = 0;       // that were computed
    bool complete = true;           // false: the time was over before the end
    std::string not_run;            // why there are none, where the device cannot run the kernel
    std::vector<std::string> wrong; // for people, a line each
    double of_the_bound = 0;        // the largest error, as a part of the error bound
};

class Checks {
public:
    explicit Checks(const cl::Device& device);

    // Throws where not even the smallest product can be computed, right or wrong: then each check would say so.
    void need_a_product();

    // One kernel by its name, in all transposes, in sizes around those of tiles. Ends early when `goes_on` says no.
    Findings of_kernel(const std::string& kernel, const std::function<bool()>& goes_on);

    // A random product of the library's own choice or by a random one of `kernels`, on buffers or on host memory, added to
    // the findings.
    void random_product(std::mt19937& random, const std::vector<std::string>& kernels, Findings& findings);

private:
    // Adds what it finds. False where the kernel cannot run here.
    bool check(const reference::SgemmCase& x, const Options& options, bool on_host, Findings& findings);

    reference::Operands in_buffers(const reference::SgemmCase& x, const reference::Operands& before, const Options& options);
    reference::Operands on_host(const reference::SgemmCase& x, const reference::Operands& before, const Options& options);

    cl::Context context_;
    cl::CommandQueue queue_;
};

} // namespace clgemm::selftest
