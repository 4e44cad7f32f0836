// OpenBLAS, with what would slow it down or make it disturb others set right.
#include "cblas_contender.hpp"
#include "contenders.hpp"
#include "shared_library.hpp"

namespace bench {

using namespace timing;

std::unique_ptr<Contender> find_openblas(HostMatrices& matrices, unsigned threads)
{
    set_environment("OPENBLAS_CORETYPE", nullptr);    // Haswell, say, halves it on a CPU with AVX-512
    set_environment("OPENBLAS_THREAD_TIMEOUT", "20"); // its threads spin for 2^20 cycles, not into the next contender's turn
    set_environment("OPENBLAS_NUM_THREADS", std::to_string(threads).c_str());
    const SharedLibrary library(
        {"/usr/lib/x86_64-linux-gnu/openblas-pthread/libopenblas.so.0", // not an OpenMP build, where several are installed
         "libopenblas.so.0"});
    return std::make_unique<CblasContender>(
        matrices, library.function<CblasSgemm>("cblas_sgemm"),
        std::string(library.function<const char*()>("openblas_get_config")()) + " (" + library.file() + "), " +
            std::to_string(library.function<int()>("openblas_get_num_threads")()) + " threads, kernels for " +
            library.function<const char*()>("openblas_get_corename")() +
            ", OPENBLAS_CORETYPE unset, OPENBLAS_THREAD_TIMEOUT=20");
}

} // namespace bench
