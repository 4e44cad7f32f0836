// Linked into test programs, so that PoCL does not optimise the kernels that it builds for them, which takes most of the
// time that tests of many programs need. Which elements a kernel reads, multiplies and stores shows without, too. Whoever
// sets the variable, also to nothing, decides.
#include <cstdlib>

[[maybe_unused]] static const int unoptimised = setenv("POCL_EXTRA_BUILD_FLAGS", "-cl-opt-disable", 0);
