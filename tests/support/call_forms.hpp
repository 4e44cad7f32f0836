// Every form of the call with all its arguments: tests spoil one or move it to its border, and call.
#pragma once

#include "clgemm/clgemm.h"
#include "support/opencl.hpp"

#include <cstddef>
#include <limits>
#include <vector>

namespace clgemm::test {

inline constexpr std::size_t size_max = std::numeric_limits<std::size_t>::max();
inline constexpr std::size_t most_elements = size_max / sizeof(float); // that can be counted in bytes

enum Which { A, B, C };
inline constexpr Which every_matrix[] = {A, B, C};

inline constexpr clgemm_layout layouts[] = {CLGEMM_COLUMN_MAJOR, CLGEMM_ROW_MAJOR};
inline constexpr clgemm_transpose transposes[] = {CLGEMM_NO_TRANS, CLGEMM_TRANS, CLGEMM_CONJ_TRANS};

// Every argument of every form of the call, to be spoiled one by one.
struct Arguments {
    clgemm_layout layout = CLGEMM_COLUMN_MAJOR;
    clgemm_transpose trans_a = CLGEMM_NO_TRANS, trans_b = CLGEMM_NO_TRANS;
    std::size_t m = 5, n = 4, k = 3;
    float alpha = 1, beta = 0.5f;
    std::size_t offset[3] = {}, ld[3] = {5, 3, 5};
    std::size_t distance[3] = {100, 100, 100}, count = 2; // where the form takes a batch
    cl_mem buffer[3] = {};
    float* host[3] = {};
    cl_command_queue queue = nullptr;
    std::vector<cl_event> wait_list;
    cl_uint num_wait = 0;
    bool null_wait_list = false;
    cl_event* event = nullptr;
    clgemm_options options = CLGEMM_OPTIONS_INIT;
    const clgemm_options* larger_options = nullptr; // in place of `options`
    std::size_t* bytes = nullptr;
    char* text = nullptr;
    std::size_t text_size = 0;

    const clgemm_options* given_options() const { return larger_options ? larger_options : &options; }
    const cl_event* given_wait_list() const { return null_wait_list || wait_list.empty() ? nullptr : wait_list.data(); }
};

// The forms of the call; a set of them is a sum.
enum Form : unsigned {
    plain = 1,
    ex = 2,
    host = 4,
    host_ex = 8,
    workspace_size = 16,
    explain = 32,
    strided = 64,
    strided_ex = 128,
    call_workspace_size = 256,
    call_explain = 512
};
inline constexpr unsigned on_buffers = plain | ex | strided | strided_ex, on_host = host | host_ex;
inline constexpr unsigned size_queries = workspace_size | call_workspace_size, text_queries = explain | call_explain;
inline constexpr unsigned queries = size_queries | text_queries;
inline constexpr unsigned batched = strided | strided_ex | call_workspace_size | call_explain;
inline constexpr unsigned with_options = ex | host_ex | strided_ex | queries;
inline constexpr unsigned every_form = on_buffers | on_host | queries;
inline constexpr Form forms[] = {
    plain, ex, host, host_ex, workspace_size, explain, strided, strided_ex, call_workspace_size, call_explain};

const char* name(Form form);
clgemm_status call(Form form, const Arguments& x);

} // namespace clgemm::test
