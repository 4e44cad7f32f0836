// Routines that a door does not have itself but the library behind it has. Each is a symbol of the door that jumps to the
// real routine, whose arguments and result the door does not need to know. Nothing is looked for before it is called.
//
// A door lists them in a file, names.inc, of lines
//     FORWARD(routine)            without the real one: "not implemented", and a line on standard error
//     FORWARD_HANDLE(routine)     the same for routines that return a handle: without the real one, null
//     FORWARD_OR(routine, ours)   without the real one: our function `ours`, of the same type
// and forwarding.S makes the symbols of that file.
#pragma once

#include "next_library.hpp"

#include <atomic>

namespace clgemm::doors {

// What forwarding.S keeps for each routine; the layout is known there.
struct Forwarded {
    std::atomic<void*> target; // where the symbol jumps
    const char* name;
    void* if_missing;
};

// The library to forward to: each door defines its own.
NextLibrary& next_library();

} // namespace clgemm::doors
