# The binary interface of the installed libraries is the kept one, or has grown: programs that were linked before still work.
#   cmake -DTEST=libraries -DBUILD=folder -DSOURCE=folder -P abi_test.cmake
# BUILD holds libraries with debugging information (-g), which tells the types of arguments. TEST=keep writes the interface of
# these libraries as the one to compare with, TEST=self shows that a change is found (WORK: where, CC: by which compiler).
cmake_minimum_required(VERSION 3.25)

include(${CMAKE_CURRENT_LIST_DIR}/../consumers/must.cmake)

set(libraries src/libclgemm doors/libclgemm_clblas doors/libclgemm_clblast doors/blas/libclgemm_blas)
find_program(abidiff abidiff)
find_program(abidw abidw)
if(NOT abidiff OR NOT abidw)
  message("Skipped: there is no abidiff (Debian: abigail-tools)")
  return()
endif()

# What the library's functions take, as text, without what depends on where it was built.
function(write_interface library headers file)
  must("read the interface of ${library}" ${abidw} --exported-interfaces-only --drop-private-types --headers-dir ${headers}
       --no-corpus-path --no-comp-dir-path --no-show-locs --out-file ${file} ${library})
  file(READ ${file} text)
  string(REGEX REPLACE " path='[^']*/(src|doors)/" " path='\\1/" text "${text}")
  string(REGEX REPLACE "  <elf-needed>.*</elf-needed>\n" "" text "${text}")
  file(WRITE ${file} "${text}")
endfunction()

# Sets `result` to what abidiff finds changed: "" for nothing, or for functions that came to be. Both sides are interfaces that
# were written in the same way. If abidiff read the library itself and dropped private types, it would take all types of the kept
# interface for private, since that does not say where they stand, and would report no change of any.
function(compare result kept library headers)
  write_interface(${library} ${headers} ${library}.abi)
  execute_process(COMMAND ${abidiff} --no-added-syms ${kept} ${library}.abi
    RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(status EQUAL 0)
    set(${result} "" PARENT_SCOPE)
  else()
    set(${result} "abidiff ended with ${status}:\n${output}" PARENT_SCOPE)
  endif()
endfunction()

function(test_libraries)
  if(NOT EXISTS ${BUILD}/src/libclgemm.so)
    message("Skipped: there are no libraries with debugging information in ${BUILD}")
    return()
  endif()
  cmake_host_system_information(RESULT machine QUERY OS_PLATFORM)
  if(NOT machine STREQUAL "x86_64")
    message("Skipped: the kept interface is that of x86-64, and this is ${machine}")
    return()
  endif()
  foreach(library ${libraries})
    get_filename_component(name ${library} NAME)
    compare(changed ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/${name}.abi ${BUILD}/${library}.so ${SOURCE}/include)
    if(changed)
      message(SEND_ERROR "The interface of ${name} has changed. If that is meant, and no program breaks: cmake -DTEST=keep "
              "-DBUILD=${BUILD} -DSOURCE=${SOURCE} -P ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/abi_test.cmake\n${changed}")
    endif()
  endforeach()
endfunction()

function(test_keep)
  foreach(library ${libraries})
    get_filename_component(name ${library} NAME)
    write_interface(${BUILD}/${library}.so ${SOURCE}/include ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/${name}.abi)
  endforeach()
endfunction()

# Libraries of one function each: as it was; with one more beside it; with a structure that has grown; with one that has another
# layout; without the function.
function(test_self)
  file(REMOVE_RECURSE ${WORK})
  set(another "int another(void);")
  set(was "struct clgemm_options { int size; float x; }; int multiply(struct clgemm_options* a, long b);")
  set(more "${was} ${another}")
  string(REPLACE "float x;" "float x; double y;" grown "${was}")
  string(REPLACE "float x" "double x" wider "${was}")
  set(gone "${another}")
  foreach(name was more grown wider gone)
    file(WRITE ${WORK}/${name}/made_up.h "${${name}}\n")
    string(REPLACE ");" ") { return 0; }" bodies "${${name}}")
    string(REGEX REPLACE "^.*};" "" bodies "${bodies}")
    file(WRITE ${WORK}/${name}/made_up.c "#include \"made_up.h\"\n${bodies}\n")
    must("compile ${name}" ${CC} -g -shared -fPIC ${WORK}/${name}/made_up.c -o ${WORK}/${name}/libmade_up.so)
  endforeach()
  write_interface(${WORK}/was/libmade_up.so ${WORK}/was ${WORK}/kept.abi)
  foreach(name was more)
    compare(changed ${WORK}/kept.abi ${WORK}/${name}/libmade_up.so ${WORK}/${name})
    if(changed)
      message(SEND_ERROR "'${name}' is said to have changed: ${changed}")
    endif()
  endforeach()
  foreach(name grown wider gone)
    compare(changed ${WORK}/kept.abi ${WORK}/${name}/libmade_up.so ${WORK}/${name})
    if(NOT changed)
      message(SEND_ERROR "'${name}' is not found to have changed")
    endif()
  endforeach()
endfunction()

cmake_language(CALL test_${TEST})
