// For test programs of kernels on AMX tiles: the tiles are loops (kernels/amx_tiles.clh), so that the tests say the same on
// every CPU. Before main(), since the library reads its environment once.
#include <cstdlib>

namespace clgemm::test {

[[maybe_unused]] static const int model_of_tiles = setenv("CLGEMM_AMX", "model", 1);

} // namespace clgemm::test
