/* A C99 program that uses an installed clgemm: the example at the top of clgemm.h, checked. */
#include <clgemm/clgemm.h>

#include <stdio.h>
#include <string.h>

int main(void)
{
    const float A[2 * 3] = {1, 2, 3, 4, 5, 6}, B[3 * 2] = {1, 0, 0, 1, 1, 1}, expected[2 * 2] = {4, 5, 10, 11};
    float C[2 * 2];
    char version[40];
    int i;
    const clgemm_options options = CLGEMM_OPTIONS_INIT;
    const clgemm_status status = clgemm_sgemm_host_ex(CLGEMM_ROW_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, 2, 2, 3, 1.0f, A,
                                                      3, B, 2, 0.0f, C, 2, NULL, &options);
    if (status != CLGEMM_SUCCESS) {
        fprintf(stderr, "%s: %s\n", clgemm_status_string(status), clgemm_last_error());
        return 1;
    }
    for (i = 0; i < 4; i++)
        if (C[i] != expected[i]) {
            fprintf(stderr, "C[%d] is %g, not %g\n", i, (double)C[i], (double)expected[i]);
            return 1;
        }
    sprintf(version, "%d.%d.%d", CLGEMM_VERSION_MAJOR, CLGEMM_VERSION_MINOR, CLGEMM_VERSION_PATCH);
    if (strcmp(version, clgemm_version()) != 0) {
        fprintf(stderr, "the header is of %s, the library of %s\n", version, clgemm_version());
        return 1;
    }
    printf("right, by clgemm %s\n", clgemm_version());
    return 0;
}
