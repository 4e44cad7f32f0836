/* The program around those lines of README and docs that multiply matrices in host memory: docs_test.py puts them at HERE.
 * All sizes that they name fit into W, X and Y. The program fails if one of their calls does. */
#include <clgemm/clgemm.h>

#include <stdio.h>

enum { m = 64, n = 32, k = 48 };

static float W[k * n], X[m * k], Y[m * n];

int main(void)
{
    clgemm_prepared weights = NULL;
    /* HERE */
    clgemm_release_prepared(weights);
    fputs(clgemm_last_error(), stderr);
    return clgemm_last_error()[0] == '\0' ? 0 : 1;
}
