/* The program around those lines of README and docs that multiply matrices in buffers: docs_test.py puts them at HERE. All
 * sizes that they name fit into A, B, C, W, X and Y. The program fails if one of their calls does. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <clgemm/clgemm.h>

#include <stdio.h>

int main(void)
{
    cl_device_id device;
    if (clgemm_default_device(&device) != CLGEMM_SUCCESS)
        return 1;
    const cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    const cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_mem buffers[6];
    for (int i = 0; i < 6; i++)
        buffers[i] = clCreateBuffer(context, CL_MEM_READ_WRITE, 1 << 20, NULL, NULL);
    const cl_mem A = buffers[0], B = buffers[1], C = buffers[2], W = buffers[3], X = buffers[4], Y = buffers[5];
    const size_t n = 32, k = 48;
    cl_event event;
    clgemm_prepared experts;
    (void)A, (void)B, (void)C, (void)W, (void)X, (void)Y, (void)n, (void)k, (void)event, (void)experts;
    /* HERE */
    const int finished = clFinish(queue);
    fputs(clgemm_last_error(), stderr);
    return finished == CL_SUCCESS && clgemm_last_error()[0] == '\0' ? 0 : 1;
}
