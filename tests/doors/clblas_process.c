/* The program that next_library_test.cpp starts: it prints what a routine of clBLAS's gives that clgemm does not have. */
#include <clBLAS.h>

#include <stdio.h>

cl_ulong clblasAddScratchImage(cl_command_queue queue, size_t width, size_t height, clblasStatus* error);

int main(void)
{
    printf("%lu\n", (unsigned long)clblasAddScratchImage(NULL, 6, 7, NULL));
    return 0;
}
