// ScaLAPACK's psgemm on a grid of 2 x 2 processes: C = alpha * A' * B + beta * C, with each process checking its own part.
//   mpirun -n 4 psgemm [SIZE]     ends with 0 if all is right. With SIZE, also tells how long the product took
#include "reference/reference.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

// ScaLAPACK and BLACS have no header; BLACS does all that MPI is needed for.
extern "C" {
void Cblacs_get(int context, int what, int* value);
void Cblacs_gridinit(int* context, const char* order, int rows, int cols);
void Cblacs_gridinfo(int context, int* rows, int* cols, int* my_row, int* my_col);
void Cblacs_barrier(int context, const char* scope);
void Cigsum2d(int context, const char* scope, const char* topology, int rows, int cols, int* sums, int ld, int to_row,
              int to_col);
void Cblacs_exit(int goes_on);
int numroc_(const int* size, const int* block, const int* mine, const int* first, const int* processes);
void descinit_(int* descriptor, const int* m, const int* n, const int* row_block, const int* col_block, const int* first_row,
               const int* first_col, const int* context, const int* ld, int* info);
void psgemm_(const char* trans_a, const char* trans_b, const int* m, const int* n, const int* k, const float* alpha,
             const float* a, const int* ia, const int* ja, const int* descriptor_a, const float* b, const int* ib,
             const int* jb, const int* descriptor_b, const float* beta, float* c, const int* ic, const int* jc,
             const int* descriptor_c);
}

namespace {

constexpr int grid = 2, zero = 0, one = 1;

// Any numbers in [-1, 1), the same for every process that asks for them.
float element(int matrix, int i, int j)
{
    unsigned x =
        static_cast<unsigned>(i) * 2654435761u ^ static_cast<unsigned>(j) * 40503u ^ static_cast<unsigned>(matrix) * 97u;
    x ^= x >> 16;
    x *= 2246822519u;
    x ^= x >> 13;
    return static_cast<float>(static_cast<int>(x % 65536) - 32768) / 32768.0f;
}

// One process's part of a matrix that is dealt out to the grid in square blocks.
class Part {
public:
    Part(int context, int number, int rows, int cols, int block, int my_row, int my_col)
        : block_(block), my_row_(my_row), my_col_(my_col), rows(numroc_(&rows, &block, &my_row, &zero, &grid)),
          cols(numroc_(&cols, &block, &my_col, &zero, &grid))
    {
        const int ld = std::max(1, this->rows);
        int info = 0;
        descinit_(descriptor, &rows, &cols, &block, &block, &zero, &zero, &context, &ld, &info);
        elements.resize(static_cast<std::size_t>(ld) * static_cast<std::size_t>(std::max(1, this->cols)));
        for (int j = 0; j < this->cols; j++)
            for (int i = 0; i < this->rows; i++)
                at(i, j) = element(number, global_row(i), global_col(j));
    }

    float& at(int i, int j)
    {
        return elements[static_cast<std::size_t>(j) * static_cast<std::size_t>(rows) + static_cast<std::size_t>(i)];
    }
    int global_row(int i) const { return (i / block_ * grid + my_row_) * block_ + i % block_; }
    int global_col(int j) const { return (j / block_ * grid + my_col_) * block_ + j % block_; }

private:
    int block_, my_row_, my_col_;

public:
    int rows, cols;
    int descriptor[9];
    std::vector<float> elements;
};

} // namespace

int main(int count, char** arguments)
{
    const int size = count > 1 ? std::atoi(arguments[1]) : 0;
    const int m = size ? size : 210, n = size ? size : 190, k = size ? size : 170, block = size ? 512 : 32;
    const float alpha = 0.5f, beta = -1.0f;

    int context = 0, rows = grid, cols = grid, my_row = 0, my_col = 0;
    Cblacs_get(0, 0, &context);
    Cblacs_gridinit(&context, "Row", grid, grid);
    Cblacs_gridinfo(context, &rows, &cols, &my_row, &my_col);
    Part a(context, 1, k, m, block, my_row, my_col), b(context, 2, k, n, block, my_row, my_col),
        c(context, 3, m, n, block, my_row, my_col);

    for (int run = 0; run < (size ? 3 : 1); run++) {
        if (run > 0)
            c = Part(context, 3, m, n, block, my_row, my_col);
        Cblacs_barrier(context, "All");
        const auto start = std::chrono::steady_clock::now();
        psgemm_("T", "N", &m, &n, &k, &alpha, a.elements.data(), &one, &one, a.descriptor, b.elements.data(), &one, &one,
                b.descriptor, &beta, c.elements.data(), &one, &one, c.descriptor);
        Cblacs_barrier(context, "All");
        if (size && my_row == 0 && my_col == 0)
            std::printf("%.3f s\n", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }

    const int step = size ? 97 : 1; // of a large one, some elements
    int wrong = 0;
    for (int j = 0; j < c.cols; j += step)
        for (int i = 0; i < c.rows; i += step) {
            double sum = 0, magnitude = 0;
            for (int l = 0; l < k; l++) {
                const double x = element(1, l, c.global_row(i)), y = element(2, l, c.global_col(j));
                sum += x * y;
                magnitude += std::fabs(x * y);
            }
            const double old = element(3, c.global_row(i), c.global_col(j));
            const clgemm::reference::Exact exact{alpha * sum + beta * old, alpha * magnitude + std::fabs(beta * old)};
            // ScaLAPACK may scale C beforehand and sums over blocks of k, each with a rounding of its own.
            wrong += !clgemm::reference::is_right(c.at(i, j), exact, static_cast<std::size_t>(k + k / block + 2));
        }
    if (wrong > 0)
        std::printf("process %d, %d: %d elements are wrong\n", my_row, my_col, wrong);
    Cigsum2d(context, "All", " ", 1, 1, &wrong, 1, -1, -1); // the sum over all processes, for all of them
    Cblacs_exit(0);
    return wrong > 0 ? 1 : 0;
}
