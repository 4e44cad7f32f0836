// What NVIDIA's OpenCL compiler does not give, by way of its own PTX text.
//
// On Hopper OpenCL programs are compiled for sm_90, without the instructions that only sm_90a has (the tensor cores' wgmma
// among them), and everywhere with at most 48 KB of local memory. But the driver takes PTX back (clCreateProgramWithBinary)
// and assembles it for what the text itself says. So a kernel that needs more is written like this:
//
// - a statement that only sm_90a knows is one line of inline assembler that begins with `//@ `: a comment when OpenCL
//   compiles it, with its operands in place;
// - its local memory is an array `memory` of 1024 bytes that nothing but inline assembler addresses, so that the compiler
//   draws no conclusions from its length.
//
// In the driver's text the array gets its real length. Where there are such comments, they become statements, and the text
// gets another target. It also says that one work-group at a time is enough for a compute unit. The program that is made of
// it is an ordinary one, whose own binary can be kept like any other.
//
// The driver assembles its own text, too, before it gives it away, and nobody needs that machine code, which takes as long
// as the right one. A driver that cannot assemble a text gives it away all the same. So the source gets a statement that no
// assembler knows, at which the driver's stops at once.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace clgemm::core {

// The source, with the statement at which the assembler stops.
std::string stopping_the_assembler(std::string source);

// The driver's text, changed as said above, and without the statement that stops the assembler. `local_bytes`: the length
// of `memory`. None if the text is not such a program in PTX.
std::optional<std::string> retargeted(std::string ptx, std::size_t local_bytes);

} // namespace clgemm::core
