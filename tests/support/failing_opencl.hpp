// A layer between a program and OpenCL that makes chosen calls fail and counts the objects that live. A test that steers it
// is compiled with it; any other program gets it by LD_PRELOAD, and by these variables:
//
//   FAILING_OPENCL_FUNCTION=clCreateBuffer   the function that fails; unset: any
//   FAILING_OPENCL_CALL=3                    which of its calls, from 1, or all; unset: none
//   FAILING_OPENCL_CODE=-4                   what it returns; unset: CL_OUT_OF_RESOURCES
#pragma once

#include <CL/cl.h>

#include <limits>
#include <map>
#include <string>

namespace clgemm::test {

struct Failure {
    std::string function; // empty: any but the ones that retain and release, whose failures nobody can make good
    long first = 1;       // of its calls from now on, and up to this one:
    long last = first;
    cl_int code = CL_OUT_OF_RESOURCES;

    static constexpr long for_ever = std::numeric_limits<long>::max();
    static constexpr long never = 0;
};

struct Failed {
    long calls = 0;     // that were counted since fail_opencl()
    std::string caught; // the function that failed first; empty: none did
};

void fail_opencl(const Failure& failure);
// All calls succeed again, as they do at the beginning.
Failed stop_failing_opencl();

// Is this thread inside of an OpenCL function?
bool is_inside_opencl();

// How many references the program holds, by kind of object: "buffer", "event", ... Kinds of which there are none are left
// out.
std::map<std::string, long> living_opencl_objects();

} // namespace clgemm::test
