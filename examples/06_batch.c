/* A batch in C, on device buffers: how alike the words in each line of a poem are. A line is a matrix whose rows are its
 * words, and a word is counts of its letters. The product of such a matrix and its own transpose has, for each two words of
 * the line, how many pairs of equal letters they have. All lines are one batch: their matrices lie at equal distances in one
 * buffer. Needs an OpenCL device. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <clgemm/clgemm.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

enum { lines = 4, words = 10, letters = 26 };

static const char* const poem[lines] = {
    "Tyger Tyger, burning bright,",
    "In the forests of the night:",
    "What immortal hand or eye,",
    "Dare frame thy fearful symmetry?",
};

static float counts[lines][words][letters]; /* lines with fewer words end with zeros */
static float shared[lines][words][words];

static void stop_at(const char* what, int status)
{
    if (status == CL_SUCCESS)
        return;
    fprintf(stderr, "%s: %s\n", what, clgemm_status_string(status));
    exit(EXIT_FAILURE);
}

static void count_letters(void)
{
    for (int line = 0; line < lines; line++)
        for (int word = 0, i = 0; poem[line][i] != '\0'; i++) {
            const int letter = tolower((unsigned char)poem[line][i]);
            if (letter == ' ')
                word++;
            else if (letter >= 'a' && letter <= 'z')
                counts[line][word][letter - 'a'] += 1;
        }
}

int main(void)
{
    count_letters();

    cl_device_id device;
    if (clgemm_default_device(&device) != CLGEMM_SUCCESS) {
        fprintf(stderr, "%s\n", clgemm_last_error()); /* says what to install */
        return EXIT_FAILURE;
    }
    cl_int status;
    const cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    stop_at("clCreateContext", status);
    const cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
    stop_at("clCreateCommandQueue", status);
    const cl_mem a = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof counts, counts, &status);
    stop_at("clCreateBuffer", status);
    const cl_mem c = clCreateBuffer(context, CL_MEM_WRITE_ONLY, sizeof shared, NULL, &status);
    stop_at("clCreateBuffer", status);

    /* By rows: op(A) is words x letters, op(B) is the same matrix transposed. One line's matrix begins words * letters
     * elements behind that of the line before, and one result words * words elements behind the other. */
    status = clgemm_sgemm_strided_batched(CLGEMM_ROW_MAJOR, CLGEMM_NO_TRANS, CLGEMM_TRANS, words, words, letters, 1.0f, a, 0,
                                          letters, words * letters, a, 0, letters, words * letters, 0.0f, c, 0, words,
                                          words * words, lines, queue, 0, NULL, NULL);
    if (status != CLGEMM_SUCCESS) {
        fprintf(stderr, "%s\n", clgemm_last_error());
        return EXIT_FAILURE;
    }
    stop_at("clEnqueueReadBuffer", clEnqueueReadBuffer(queue, c, CL_TRUE, 0, sizeof shared, shared, 0, NULL, NULL));

    for (int line = 0; line < lines; line++)
        printf("%-34s first and second word: %g pairs of equal letters\n", poem[line], shared[line][0][1]);

    clReleaseMemObject(c);
    clReleaseMemObject(a);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    /* "Tyger" and "Tyger": t, y, g, e, r; "In" and "the": none. */
    return shared[0][0][1] == 5 && shared[1][0][1] == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
