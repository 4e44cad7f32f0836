/* Kernels built before the first product that needs them, in C: what an interactive program does while it starts. The first
 * call then takes no longer than the next one. Needs an OpenCL device; CLGEMM_LOG=1 shows what is built, and when. */
#include <clgemm/clgemm.h>

#include <stdio.h>
#include <stdlib.h>

enum { m = 300, n = 200, k = 100 };
static float A[m * k], B[k * n], C[m * n];

int main(void)
{
    /* The arguments of the product below, but for its matrices. */
    clgemm_call call = CLGEMM_CALL_INIT;
    call.layout = CLGEMM_ROW_MAJOR;
    call.m = m;
    call.n = n;
    call.k = call.lda = k;
    call.ldb = call.ldc = n;
    clgemm_options options = CLGEMM_OPTIONS_INIT;
    options.alignment = sizeof(float); /* nobody says more of static arrays; 16 for what malloc() gives */

    /* Without a context: what clgemm_sgemm_host() needs on the default device. */
    if (clgemm_warm_up(NULL, NULL, 1, &call, &options) != CLGEMM_SUCCESS) {
        fprintf(stderr, "%s\n", clgemm_last_error());
        return EXIT_FAILURE;
    }
    puts("ready");

    for (int i = 0; i < m * k; i++)
        A[i] = 2;
    for (int i = 0; i < k * n; i++)
        B[i] = 0.5f;
    if (clgemm_sgemm_host(CLGEMM_ROW_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, m, n, k, 1.0f, A, k, B, n, 0.0f, C, n, NULL) !=
        CLGEMM_SUCCESS) {
        fprintf(stderr, "%s\n", clgemm_last_error());
        return EXIT_FAILURE;
    }
    printf("C(123, 45) = %g, expected %d\n", C[123 * n + 45], k);
    return C[123 * n + 45] == (float)k ? EXIT_SUCCESS : EXIT_FAILURE;
}
