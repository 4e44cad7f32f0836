// The contenders, each found in a file of its own. All throw Absent where the library is not there.
#pragma once

#include "timing/contender.hpp"
#include "timing/matrices.hpp"

#include <string>

namespace bench {

// kernel: a kernel's name or number; empty: the library chooses.
std::unique_ptr<timing::Contender> find_clgemm(const timing::DeviceMatrices& matrices, const std::string& kernel,
                                               clgemm_math math = CLGEMM_MATH_DEFAULT);
// clgemm with B prepared before the clock starts.
std::unique_ptr<timing::Contender> find_clgemm_prepared(const timing::DeviceMatrices& matrices, const std::string& kernel);
std::unique_ptr<timing::Contender> find_clgemm_host(const timing::DeviceMatrices& device, timing::HostMatrices& matrices,
                                                    const std::string& kernel);

// tuning: a folder of JSON files that CLBlast's tuners wrote; empty: as the library comes.
std::unique_ptr<timing::Contender> find_clblast(const timing::DeviceMatrices& matrices, const std::string& tuning);
std::unique_ptr<timing::Contender> find_clblas(const timing::DeviceMatrices& matrices);
// `math`: CLGEMM_MATH_DEFAULT, for which cuBLAS computes in FP32, or CLGEMM_MATH_TF32.
std::unique_ptr<timing::Contender> find_cublas(const cl::Device& device, const timing::HostMatrices& matrices,
                                               clgemm_math math = CLGEMM_MATH_DEFAULT);
// cuBLAS with the copies from host memory and back.
std::unique_ptr<timing::Contender> find_cublas_host(const cl::Device& device, timing::HostMatrices& matrices);

std::unique_ptr<timing::Contender> find_openblas(timing::HostMatrices& matrices, unsigned threads);
std::unique_ptr<timing::Contender> find_blis(timing::HostMatrices& matrices, unsigned threads);
std::unique_ptr<timing::Contender> find_mkl(timing::HostMatrices& matrices, unsigned threads);
std::unique_ptr<timing::Contender> find_libxsmm(timing::HostMatrices& matrices, unsigned threads);

} // namespace bench
