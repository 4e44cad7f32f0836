// What queries, clgemm_warm_up() and clgemm_prepare() share: they are asked about calls before these have all their buffers.
// And how functions answer the caller.
#pragma once

#include "engine/request.hpp"
#include "select/planner.hpp"

#include <cstddef>
#include <string>

namespace clgemm::core {

// The bytes that suffice for every alignment of the matrices that the caller's promise allows. (Prepared operands lie where
// the library put them.)
std::size_t most_workspace(Planner& planner, Problem problem, const Request& request);

// The problem with matrices that are aligned as far as the caller promises. Where nothing is promised, as far as memory that
// OpenCL allocated, as prepared operands are anyway.
Problem aligned(Problem problem, const Request& request);

// Throw CLGEMM_INVALID_POINTER: must_be_there() where a pointer that the call needs is null; check_text() where `text` is
// null, but `size` is not 0.
void must_be_there(const void* pointer, const char* name);
void check_text(const char* text, std::size_t size);
// Writes at most `size` bytes of the text, ended by a zero byte; and to *needed, if that is not null, how many bytes the
// whole text takes.
void write_text(const std::string& whole, char* text, std::size_t size, std::size_t* needed);

} // namespace clgemm::core
