# Tests of an installed copy. Run as a script:
#   cmake -DTEST=name -DBUILD=build -DWORK=folder -DCONFIG=Release -DLIBDIR=lib -DVERSION=1.2.3 -DCC=cc -DCXX=c++
#         -DGENERATOR=Ninja -P installed_test.cmake
# TEST=copy installs the build and moves the copy elsewhere, which it must survive; the other tests use that copy.
cmake_minimum_required(VERSION 3.25)

set(copy ${WORK}/copy)
set(library ${copy}/${LIBDIR}/libclgemm.so)
set(sources ${CMAKE_CURRENT_LIST_DIR})

# Runs a command that must succeed; what it prints is in ${output}.
macro(must purpose)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE errors)
  if(NOT result EQUAL 0)
    string(REPLACE ";" " " command "${ARGN}")
    message(FATAL_ERROR "Cannot ${purpose}: ${result}\n${command}\n${output}${errors}")
  endif()
endmacro()

macro(must_compute_right program)
  must("run ${program}" ${ARGN} ${program})
  if(NOT output MATCHES "right, by clgemm ${VERSION}")
    message(FATAL_ERROR "${program} says: ${output}${errors}")
  endif()
endmacro()

function(test_copy)
  file(REMOVE_RECURSE ${WORK})
  must("install the build" ${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/first --config ${CONFIG})
  file(RENAME ${WORK}/first ${copy})
endfunction()

function(test_find_package)
  must("configure a project that finds clgemm" ${CMAKE_COMMAND} -G ${GENERATOR} -S ${sources} -B ${WORK}/find_package
       -DCMAKE_PREFIX_PATH=${copy} -DWANTED_VERSION=${VERSION} -DCMAKE_C_COMPILER=${CC} -DCMAKE_CXX_COMPILER=${CXX})
  file(STRINGS ${WORK}/find_package/CMakeCache.txt found REGEX "^clgemm_DIR:")
  if(NOT found MATCHES "=${copy}/")
    message(FATAL_ERROR "Another clgemm than the installed copy was found: ${found}")
  endif()
  must("build a project that finds clgemm" ${CMAKE_COMMAND} --build ${WORK}/find_package)
  foreach(consumer c_consumer cpp_consumer)
    must_compute_right(${WORK}/find_package/${consumer})
  endforeach()
endfunction()

function(test_pkg_config)
  find_program(pkg_config pkg-config)
  if(NOT pkg_config)
    message("Skipped: there is no pkg-config")
    return()
  endif()
  set(ENV{PKG_CONFIG_PATH} ${copy}/${LIBDIR}/pkgconfig)
  must("ask pkg-config for clgemm ${VERSION}" ${pkg_config} --exists --print-errors "clgemm = ${VERSION}")
  must("ask pkg-config for flags" ${pkg_config} --cflags --libs clgemm)
  separate_arguments(flags UNIX_COMMAND ${output})
  file(MAKE_DIRECTORY ${WORK}/pkg_config)
  must("build a C program by pkg-config" ${CC} -std=c99 ${sources}/consumer.c -o ${WORK}/pkg_config/c_consumer ${flags})
  must("build a C++ program by pkg-config"
       ${CXX} -std=c++17 ${sources}/consumer.cpp -o ${WORK}/pkg_config/cpp_consumer ${flags})
  foreach(consumer c_consumer cpp_consumer)
    must_compute_right(${WORK}/pkg_config/${consumer} ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${copy}/${LIBDIR})
  endforeach()
endfunction()

# A clBLAS program, linked with the door; and one linked with a clBLAS of which only the name counts, since the door has it,
# too, in a folder of links: nothing else says there where libclgemm lies.
function(test_doors)
  set(doors ${copy}/${LIBDIR})
  if(NOT EXISTS ${doors}/libclgemm_clblas.so)
    message("Skipped: the doors were not built")
    return()
  endif()
  set(there ${WORK}/doors)
  file(WRITE ${there}/clblas.c "void clblasSetup(void) {}\nvoid clblasTeardown(void) {}\nvoid clblasSgemm(void) {}\n")
  must("build a clBLAS" ${CC} -shared -fPIC ${there}/clblas.c -Wl,-soname,libclBLAS.so.2 -o ${there}/libclBLAS.so)
  set(compile ${CC} -std=c99 ${sources}/clblas_consumer.c -I${copy}/include/clgemm/clblas)
  must("link a clBLAS program with the door"
       ${compile} -o ${there}/instead -L${doors} -lclgemm_clblas -lOpenCL -Wl,-rpath-link,${doors})
  must("link a clBLAS program with clBLAS" ${compile} -o ${there}/original -L${there} -lclBLAS -lOpenCL)
  foreach(start "${doors};${there}/instead" "${doors}/clgemm/clblas;${there}/original")
    must("run a clBLAS program" ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${start})
    if(NOT output MATCHES "right")
      message(FATAL_ERROR "${start} says: ${output}${errors}")
    endif()
  endforeach()
endfunction()

# Each header alone, in every language that may include it.
function(test_headers)
  foreach(row "c99;${CC};c;clgemm.h" "c11;${CC};c;clgemm.h" "c++11;${CXX};c++;clgemm.h" "c++17;${CXX};c++;clgemm.h"
              "c99;${CC};c;clblas.h" "c++11;${CXX};c++;clblas.h" "c++17;${CXX};c++;clgemm.hpp"
              "c++20;${CXX};c++;clgemm.hpp")
    list(GET row 0 standard)
    list(GET row 1 compiler)
    list(GET row 2 language)
    list(GET row 3 header)
    file(WRITE ${WORK}/header.txt "#include <clgemm/${header}>\n#include <clgemm/${header}>\n")
    must("compile ${header} as ${standard}" ${compiler} -std=${standard} -Wall -Wextra -Wpedantic -Wconversion
         -Werror -fsyntax-only -I${copy}/include -x ${language} ${WORK}/header.txt)
  endforeach()
endfunction()

# All of the API is exported, and nothing else is.
function(test_symbols)
  must("list the library's symbols" nm -D --defined-only ${library})
  string(REGEX MATCHALL "[^ \n]+\n" exported "${output}")
  list(TRANSFORM exported STRIP)
  file(READ ${copy}/include/clgemm/clgemm.h header)
  string(REGEX MATCHALL "CLGEMM_API [a-z_* ]*clgemm_[a-z_]+\\(" declared "${header}")
  list(TRANSFORM declared REPLACE ".*[ *](clgemm_[a-z_]+)\\(" "\\1")
  list(SORT exported)
  list(SORT declared)
  if(NOT "${exported}" STREQUAL "${declared}" OR "${declared}" STREQUAL "")
    message(FATAL_ERROR "The header declares:\n${declared}\nThe library exports:\n${exported}")
  endif()
endfunction()

function(test_dependencies)
  must("read the library's dynamic section" readelf -d ${library})
  string(REGEX MATCHALL "NEEDED[^\n]*\\[[^]]*\\]" needed "${output}")
  list(TRANSFORM needed REPLACE ".*\\[(.*)\\]" "\\1")
  if(NOT "libOpenCL.so.1" IN_LIST needed)
    message(FATAL_ERROR "The library does not need libOpenCL, but: ${needed}")
  endif()
  # ld-linux-x86-64.so.2 and its like are libc's loader, which keeps thread-local variables.
  list(FILTER needed EXCLUDE REGEX "^(libOpenCL|libstdc\\+\\+|libgcc_s|libc|libm|ld-linux[-_a-z0-9]*)\\.so\\.[0-9]+$")
  if(needed)
    message(FATAL_ERROR "The library needs: ${needed}")
  endif()
  if(output MATCHES "RPATH|RUNPATH")
    message(FATAL_ERROR "The installed library looks for others in a fixed folder:\n${output}")
  endif()
  string(REGEX REPLACE "\\..*" "" major ${VERSION})
  if(NOT output MATCHES "SONAME[^\n]*\\[libclgemm\\.so\\.${major}\\]" OR NOT EXISTS ${library}.${major})
    message(FATAL_ERROR "The library's soname is not libclgemm.so.${major}, or there is no such file:\n${output}")
  endif()
endfunction()

cmake_language(CALL test_${TEST})
