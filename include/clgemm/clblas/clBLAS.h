/* Under the name of clBLAS's own header, in a folder that only those name who want it: for programs that include <clBLAS.h>
 * where there is no clBLAS. */
#include "../clblas.h"
