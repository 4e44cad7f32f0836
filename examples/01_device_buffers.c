/* C = A * B on device buffers, in C: asynchronous, with an event at the end. Column-major, as BLAS has it.
 * Needs an OpenCL device; clgemm_default_device() takes a GPU where there is one. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <clgemm/clgemm.h>

#include <stdio.h>
#include <stdlib.h>

enum { m = 300, n = 200, k = 100 };
static float A[m * k], B[k * n], C[m * n];

static void check(cl_int status, const char* what)
{
    if (status != CL_SUCCESS) { /* clgemm_status_string() knows OpenCL's codes, too */
        fprintf(stderr, "%s: %s\n", what, clgemm_status_string(status));
        exit(EXIT_FAILURE);
    }
}

int main(void)
{
    for (int i = 0; i < m * k; i++)
        A[i] = (float)(i % 7);
    for (int i = 0; i < k * n; i++)
        B[i] = (float)(i % 5);

    cl_device_id device;
    if (clgemm_default_device(&device) != CLGEMM_SUCCESS) {
        fprintf(stderr, "%s\n", clgemm_last_error()); /* says what to install */
        return EXIT_FAILURE;
    }
    cl_int error;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    check(error, "clCreateCommandQueue");
    cl_mem a = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof A, A, &error);
    check(error, "clCreateBuffer of A");
    cl_mem b = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof B, B, &error);
    check(error, "clCreateBuffer of B");
    cl_mem c = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof C, NULL, &error);
    check(error, "clCreateBuffer of C");

    cl_event done;
    if (clgemm_sgemm(CLGEMM_COLUMN_MAJOR, CLGEMM_NO_TRANS, CLGEMM_NO_TRANS, m, n, k, 1.0f, a, 0, m, b, 0, k, 0.0f, c, 0, m,
                     queue, 0, NULL, &done) != CLGEMM_SUCCESS) {
        fprintf(stderr, "%s\n", clgemm_last_error()); /* names the argument that is wrong */
        return EXIT_FAILURE;
    }
    check(clWaitForEvents(1, &done), "clWaitForEvents");
    check(clEnqueueReadBuffer(queue, c, CL_TRUE, 0, sizeof C, C, 0, NULL, NULL), "clEnqueueReadBuffer");

    const int i = 123, j = 45; /* any element will do */
    float expected = 0;
    for (int l = 0; l < k; l++)
        expected += A[l * m + i] * B[j * k + l];
    printf("C(%d, %d) = %g, expected %g\n", i, j, C[j * m + i], expected);
    clReleaseEvent(done), clReleaseMemObject(a), clReleaseMemObject(b), clReleaseMemObject(c);
    clReleaseCommandQueue(queue), clReleaseContext(context);
    return C[j * m + i] == expected ? EXIT_SUCCESS : EXIT_FAILURE; /* small whole numbers: exact */
}
