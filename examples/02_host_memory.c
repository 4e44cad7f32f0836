/* C = A * B^T on arrays in host memory, in C, row-major: cblas_sgemm's argument list, and no OpenCL in sight.
 * Needs an OpenCL device; CLGEMM_DEVICE=name chooses one. */
#include <clgemm/clgemm.h>

#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    enum { m = 2, n = 3, k = 4 };
    const float A[m * k] = {1, 2, 3, 4, /**/ 5, 6, 7, 8};
    const float B[n * k] = {1, 0, 0, 0, /**/ 0, 1, 0, 0, /**/ 1, 1, 1, 1}; /* B^T is k x n */
    const float expected[m * n] = {1, 2, 10, /**/ 5, 6, 26};
    float C[m * n];

    if (clgemm_sgemm_host(CLGEMM_ROW_MAJOR, CLGEMM_NO_TRANS, CLGEMM_TRANS, m, n, k, 1.0f, A, k, B, k, 0.0f, C, n, NULL) !=
        CLGEMM_SUCCESS) {
        fprintf(stderr, "%s\n", clgemm_last_error());
        return EXIT_FAILURE;
    }
    int wrong = 0;
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
            printf("%5g", C[i * n + j]);
            wrong += C[i * n + j] != expected[i * n + j]; /* small whole numbers: exact */
        }
        printf("\n");
    }
    puts(wrong ? "wrong" : "as expected");
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
