/* A C99 program that knows clBLAS alone, for an installed libclgemm_clblas. */
#include <clBLAS.h>

#include <stdio.h>

#define MUST(call)                                                                                                          \
    do {                                                                                                                    \
        const int status = (call);                                                                                          \
        if (status != CL_SUCCESS) {                                                                                         \
            fprintf(stderr, "%s: %d\n", #call, status);                                                                     \
            return 1;                                                                                                       \
        }                                                                                                                   \
    } while (0)

int main(void)
{
    float A[2 * 3] = {1, 2, 3, 4, 5, 6}, B[3 * 2] = {1, 0, 0, 1, 1, 1}, C[2 * 2];
    const float expected[2 * 2] = {4, 5, 10, 11};
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_mem a, b, c;
    cl_event done;
    cl_int error;
    int i;
    MUST(clGetPlatformIDs(1, &platform, NULL));
    MUST(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    MUST(error);
    queue = clCreateCommandQueue(context, device, 0, &error);
    MUST(error);
    a = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof A, A, &error);
    MUST(error);
    b = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof B, B, &error);
    MUST(error);
    c = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof C, NULL, &error);
    MUST(error);

    MUST(clblasSetup());
    MUST(clblasSgemm(clblasRowMajor, clblasNoTrans, clblasNoTrans, 2, 2, 3, 1.0f, a, 0, 3, b, 0, 2, 0.0f, c, 0, 2, 1, &queue,
                     0, NULL, &done));
    MUST(clEnqueueReadBuffer(queue, c, CL_TRUE, 0, sizeof C, C, 1, &done, NULL));
    for (i = 0; i < 4; i++)
        if (C[i] != expected[i]) {
            fprintf(stderr, "C[%d] is %g, not %g\n", i, (double)C[i], (double)expected[i]);
            return 1;
        }
    printf("right\n");

    clblasTeardown();
    clReleaseEvent(done);
    clReleaseMemObject(a);
    clReleaseMemObject(b);
    clReleaseMemObject(c);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return 0;
}
