// The machine that a program measures on: how its processors are used, by others and by PoCL.
#pragma once

#include <string>

namespace clgemm::program {

// To be called while there is one thread, before the library that reads the variable is loaded or first called.
void set_environment(const char* name, const char* value);

// Sets POCL_AFFINITY, which PoCL reads at the first OpenCL call. Without it, Linux often leaves two of PoCL's threads on one
// core for as long as a short kernel takes. What the user has set stays. True if it was set here.
bool pin_pocl();

// How many processes wanted a processor in the last minute, in the mean; negative where the system does not say.
double load();

// A line on standard error where others use the processors.
void warn_if_loaded(const std::string& program);

} // namespace clgemm::program
