/* What Mesa's driver for a GPU needs for a kernel: builds a program on the first OpenCL device, and makes its kernel. The
 * driver tells most of it by itself, as its variables of the environment ask it to. "mesa_needs SECONDS SOURCE OPTIONS"
 * gives up after so many seconds of processor time. Without arguments the program says only which device there is. It runs
 * on an emulated machine and is compiled there by TinyCC: hence C. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static void must(const char* what, cl_int code)
{
    if (code == CL_SUCCESS)
        return;
    printf("%s: error %d\n", what, code);
    exit(1);
}

static const char* text_of(const char* path)
{
    static char text[1 << 20];
    memset(text, 0, sizeof text);
    FILE* const file = fopen(path, "r");
    if (!file || fread(text, 1, sizeof text - 1, file) == 0) {
        printf("%s cannot be read\n", path);
        exit(1);
    }
    fclose(file);
    return text;
}

static void build(cl_context context, cl_device_id device, const char* source, const char* options)
{
    cl_int code;
    const cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
    must("clCreateProgramWithSource", code);
    if ((code = clBuildProgram(program, 1, &device, options, NULL, NULL)) != CL_SUCCESS) {
        static char log[100000];
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        puts(log);
    }
    must("clBuildProgram", code);
    const cl_kernel kernel = clCreateKernel(program, "multiply", &code);
    must("clCreateKernel", code);
    cl_ulong bytes;
    must("clGetKernelWorkGroupInfo",
         clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_PRIVATE_MEM_SIZE, sizeof bytes, &bytes, NULL));
    size_t items, needed[3];
    must("clGetKernelWorkGroupInfo",
         clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof items, &items, NULL));
    must("clGetKernelWorkGroupInfo",
         clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof needed, needed, NULL));
    printf("program built: %lu bytes of private memory, %lu work-items of at most %lu\n", (unsigned long)bytes,
           needed[0] * needed[1] * needed[2], items);
}

static void give_up(int number)
{
    static const char text[] = "it takes too long\n";
    (void)!write(STDOUT_FILENO, text, strlen(text));
    _exit(1);
}

int main(int count, char** arguments)
{
    if (count != 1 && count != 4) {
        puts("usage: mesa_needs [SECONDS SOURCE OPTIONS]");
        return 2;
    }
    cl_platform_id platform;
    cl_device_id device;
    must("clGetPlatformIDs", clGetPlatformIDs(1, &platform, NULL));
    must("clGetDeviceIDs", clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    char name[100], vendor[100], version[100];
    cl_ulong local;
    size_t items;
    must("clGetDeviceInfo", clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL));
    must("clGetDeviceInfo", clGetDeviceInfo(device, CL_DEVICE_VENDOR, sizeof vendor, vendor, NULL));
    must("clGetDeviceInfo", clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof version, version, NULL));
    must("clGetDeviceInfo", clGetDeviceInfo(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof local, &local, NULL));
    must("clGetDeviceInfo", clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof items, &items, NULL));
    printf("%s of %s, Mesa %s, work-groups of %lu, %lu bytes of local memory\n", name, vendor, version, items,
           (unsigned long)local);
    if (count == 1)
        return 0;
    signal(SIGPROF, give_up);
    const struct itimerval limit = {{0, 0}, {atoi(arguments[1]), 0}};
    setitimer(ITIMER_PROF, &limit, NULL);
    cl_int code;
    const cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    must("clCreateContext", code);
    build(context, device, text_of(arguments[2]), arguments[3]);
    return 0;
}
