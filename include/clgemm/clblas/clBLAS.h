/* For programs that include <clBLAS.h> on a machine without clBLAS. It has the name of clBLAS's own header, so it is in a
 * folder of its own, which a program must name to get it. */
#include "../clblas.h"
