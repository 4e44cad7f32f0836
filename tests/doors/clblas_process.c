/* The program that next_library_test.cpp starts: it prints what a routine of clBLAS's gives that clgemm does not have. With
 * a library's file it opens that before, closes it, and prints the same once more. */
#include <clBLAS.h>

#include <dlfcn.h>
#include <stdio.h>

cl_ulong clblasAddScratchImage(cl_command_queue queue, size_t width, size_t height, clblasStatus* error);

static void print_result(void)
{
    printf("%lu\n", (unsigned long)clblasAddScratchImage(NULL, 6, 7, NULL));
}

int main(int count, char** arguments)
{
    void* const library = count > 1 ? dlopen(arguments[1], RTLD_NOW | RTLD_GLOBAL) : NULL;
    print_result();
    if (library) {
        dlclose(library);
        print_result();
    }
    return 0;
}
