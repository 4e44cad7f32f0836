// What the queries share: the workspace of a call whose buffers nobody has seen, and texts for the caller.
#pragma once

#include "engine/request.hpp"
#include "select/planner.hpp"

#include <cstddef>
#include <string>

namespace clgemm::core {

// The bytes that suffice however far its matrices are aligned, beyond what the caller promises. (Those that are prepared lie
// where the library put them.)
std::size_t most_workspace(Planner& planner, Problem problem, const Request& request);

// With matrices that are as far aligned as the caller promises; without a promise, as memory that OpenCL allocated.
Problem aligned(Problem problem, const Request& request);

// Throw CLGEMM_INVALID_POINTER where a pointer is null that an answer needs, and where there is no room for what `size`
// says.
void must_be_there(const void* pointer, const char* name);
void check_text(const char* text, std::size_t size);
// At most `size` bytes of it, ended by a zero byte; and to *needed, if not null, how many there would be.
void write_text(const std::string& whole, char* text, std::size_t size, std::size_t* needed);

} // namespace clgemm::core
