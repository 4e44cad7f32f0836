// What the functions share that tell of calls before these have buffers, or prepare them; and how they answer the caller.
#pragma once

#include "engine/request.hpp"
#include "select/planner.hpp"

#include <cstddef>
#include <string>

namespace clgemm::core {

// The bytes that suffice for every alignment of the matrices that the caller's promise leaves open. (Prepared operands lie
// where the library put them.)
std::size_t most_workspace(Planner& planner, Problem problem, const Request& request);

// With matrices that are as far aligned as the caller promises; without a promise, as memory that OpenCL allocated.
Problem aligned(Problem problem, const Request& request);

// Throw CLGEMM_INVALID_POINTER: where a pointer that the call needs is null; where `text` is null, but `size` is not 0.
void must_be_there(const void* pointer, const char* name);
void check_text(const char* text, std::size_t size);
// At most `size` bytes of it, ended by a zero byte; and to *needed, if not null, how many there would be.
void write_text(const std::string& whole, char* text, std::size_t size, std::size_t* needed);

} // namespace clgemm::core
