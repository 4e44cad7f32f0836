// Which products, and batches of them, are worth sending through OpenCL. With CLGEMM_OFFLOAD=auto that is a question of
// time:
//
//     CPU seconds    = flops / F                          F: of one product of 512, measured with the next BLAS
//     OpenCL seconds = start + bytes / T + flops / G      start: of a product of 8; T: of a product of
//                                                         1024 x 1024 x 1, which is all transfer; G: of one of 1024,
//                                                         less start and transfer
//
// where bytes are those of A, B and C, to the device and back. All of it is measured in the process itself, on the device
// and under the load at hand, and lives as long as the process: what a file remembered might be another device's, another
// BLAS's or another number of threads'. OpenCL must be a fifth faster by estimate, since the model is no better than that.
//
// Starting OpenCL takes from a tenth of a second to some seconds, and there may be nothing to gain. So small products never
// touch it, not even to ask for devices, and it is started when the CPU has spent half a second, by estimate, on products
// that are not small, the present one included. A short program thus never waits for a device, and a long one loses at
// most about as much time as OpenCL takes to start.
//
// The model knows nothing of shapes: a CPU is slower in skinny products than in square ones, and a device in products
// smaller than 1024, but to the model each is equally fast in all products. CLGEMM_OFFLOAD_MIN_FLOPS takes the
// model's place where that is wrong.
#pragma once

#include "product.hpp"

#include <functional>

namespace clgemm::doors {

struct Decision {
    bool by_opencl = false;
    const char* why = "";
    double opencl_seconds = 0, cpu_seconds = 0; // by estimate; 0: there is none
};

// May measure, for which `on_cpu` multiplies with the next BLAS. The arguments are right. Thread-safe: while one thread
// measures, products of others that need an estimate go to the CPU.
Decision decide(const Batch& batch, const std::function<void(const Product&)>& on_cpu);

} // namespace clgemm::doors
