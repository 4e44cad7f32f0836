# Tests of the library by itself, as those build it who want nothing else. Run as a script:
#   cmake -DTEST=name -DSOURCE=folder -DWORK=folder -DGENERATOR=Ninja -DCC=cc -DCXX=c++ -P library_alone_test.cmake
# TEST=static_build makes a static library by clang, where there is one; installed_test.cmake then tests it as any other.
cmake_minimum_required(VERSION 3.25)

include(${CMAKE_CURRENT_LIST_DIR}/must.cmake)

function(must_be_cached build line)
  file(STRINGS ${build}/CMakeCache.txt found REGEX "^${line}$")
  if(NOT found)
    message(FATAL_ERROR "${build}/CMakeCache.txt has no line ${line}")
  endif()
endfunction()

set(nothing_else -DCMAKE_DISABLE_FIND_PACKAGE_GTest=ON -DCMAKE_DISABLE_FIND_PACKAGE_benchmark=ON
    -DCMAKE_DISABLE_FIND_PACKAGE_CLI11=ON)

# Neither tests nor benchmarks nor tools are asked for, nor could be built. (Not optimised, to be quick.)
function(build_static_library build)
  find_program(clang NAMES clang clang-19 clang-16 clang-15 clang-14)
  find_program(clangxx NAMES clang++ clang++-19 clang++-16 clang++-15 clang++-14)
  if(clang AND clangxx)
    set(CC ${clang})
    set(CXX ${clangxx})
  endif()
  file(REMOVE_RECURSE ${build})
  must("configure the library alone" ${CMAKE_COMMAND} -G ${GENERATOR} -S ${SOURCE} -B ${build} ${nothing_else}
       -DCMAKE_C_COMPILER=${CC} -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_CXX_FLAGS_RELEASE=-O0
       -DBUILD_SHARED_LIBS=OFF -DCLGEMM_BUILD_DOORS=OFF -DCLGEMM_WERROR=ON ${ARGN})
  must_be_cached(${build} CMAKE_BUILD_TYPE:STRING=Release)
  must_be_cached(${build} CLGEMM_BUILD_TESTS:BOOL=OFF)
  must("build the library alone" ${CMAKE_COMMAND} --build ${build})
endfunction()

# Folder by folder, which takes a third of the time.
function(test_static_build)
  build_static_library(${WORK}/build -DCMAKE_UNITY_BUILD=ON)
endfunction()

# Each file by itself: it includes what it uses.
function(test_file_by_file)
  build_static_library(${WORK}/file_by_file)
endfunction()

# Tools, benchmarks and examples, too, by the compiler at hand.
function(test_programs_file_by_file)
  set(build ${WORK}/programs_file_by_file)
  file(REMOVE_RECURSE ${build})
  must("configure the programs" ${CMAKE_COMMAND} -G ${GENERATOR} -S ${SOURCE} -B ${build}
       -DCMAKE_C_COMPILER=${CC} -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_CXX_FLAGS_RELEASE=-O0 -DCLGEMM_BUILD_DOORS=OFF
       -DCLGEMM_BUILD_TOOLS=ON -DCLGEMM_BUILD_BENCH=ON -DCLGEMM_BUILD_EXAMPLES=ON -DCLGEMM_BUILD_TESTS=OFF -DCLGEMM_WERROR=ON)
  must("build the programs" ${CMAKE_COMMAND} --build ${build})
endfunction()

function(test_clang)
  file(STRINGS ${WORK}/build/CMakeCache.txt compiler REGEX "^CMAKE_CXX_COMPILER:")
  if(NOT compiler MATCHES "clang")
    message("Skipped: there is no clang, and ${compiler} built the library")
  endif()
endfunction()

# For another processor. (A static library is not linked, so that no OpenCL library for that processor is needed.)
function(test_aarch64)
  find_program(gxx aarch64-linux-gnu-g++)
  find_program(gcc aarch64-linux-gnu-gcc)
  if(NOT gxx OR NOT gcc)
    message("Skipped: there is no g++-aarch64-linux-gnu")
    return()
  endif()
  set(build ${WORK}/aarch64)
  file(REMOVE_RECURSE ${build})
  must("configure for AArch64" ${CMAKE_COMMAND} -G ${GENERATOR} -S ${SOURCE} -B ${build} ${nothing_else}
       -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_C_COMPILER=${gcc} -DCMAKE_CXX_COMPILER=${gxx}
       -DOpenCL_LIBRARY=OpenCL -DOpenCL_INCLUDE_DIR=/usr/include -DCMAKE_CXX_FLAGS_RELEASE=-O0
       -DBUILD_SHARED_LIBS=OFF -DCLGEMM_BUILD_DOORS=OFF -DCLGEMM_WERROR=ON)
  must("build for AArch64" ${CMAKE_COMMAND} --build ${build})
endfunction()

# For Windows. OpenCL's import library is made of the functions that its header declares, and headers are taken alone, since
# those of this system's C library must not be found.
function(test_windows)
  # Of Debian's two, the one with POSIX threads has std::mutex.
  find_program(gxx NAMES x86_64-w64-mingw32-g++-posix x86_64-w64-mingw32-g++)
  find_program(gcc NAMES x86_64-w64-mingw32-gcc-posix x86_64-w64-mingw32-gcc)
  find_program(dlltool x86_64-w64-mingw32-dlltool)
  if(NOT gxx OR NOT gcc OR NOT dlltool)
    message("Skipped: there is no g++-mingw-w64-x86-64")
    return()
  endif()
  file(WRITE ${WORK}/mutex.cpp "#include <mutex>\nstd::mutex mutex;\n")
  execute_process(COMMAND ${gxx} -fsyntax-only ${WORK}/mutex.cpp RESULT_VARIABLE no_mutex ERROR_QUIET)
  if(no_mutex)
    message("Skipped: ${gxx} has no std::mutex, which x86_64-w64-mingw32-g++-posix has")
    return()
  endif()
  set(build ${WORK}/windows)
  set(system ${WORK}/windows_system)
  file(REMOVE_RECURSE ${build} ${system})
  file(COPY /usr/include/CL /usr/include/nlohmann DESTINATION ${system}/include)
  file(COPY /usr/share/cmake/nlohmann_json DESTINATION ${system}/share/cmake)
  file(STRINGS /usr/include/CL/cl.h functions REGEX "^cl[A-Z][A-Za-z]*\\(")
  list(TRANSFORM functions REPLACE "\\(.*" "\n")
  file(WRITE ${system}/OpenCL.def "LIBRARY OpenCL.dll\nEXPORTS\n" ${functions})
  must("make OpenCL's import library" ${dlltool} -d ${system}/OpenCL.def -l ${system}/libOpenCL.dll.a)
  must("configure for Windows" ${CMAKE_COMMAND} -G ${GENERATOR} -S ${SOURCE} -B ${build} ${nothing_else}
       -DCMAKE_SYSTEM_NAME=Windows -DCMAKE_C_COMPILER=${gcc} -DCMAKE_CXX_COMPILER=${gxx}
       -DOpenCL_LIBRARY=${system}/libOpenCL.dll.a -DOpenCL_INCLUDE_DIR=${system}/include
       -Dnlohmann_json_DIR=${system}/share/cmake/nlohmann_json -DCMAKE_CXX_FLAGS_RELEASE=-O0 -DCLGEMM_WERROR=ON)
  must("build for Windows" ${CMAKE_COMMAND} --build ${build})
  must("install for Windows" ${CMAKE_COMMAND} --install ${build} --prefix ${build}/installed)
  must("link a program for Windows" ${gcc} ${SOURCE}/tests/consumers/consumer.c -o ${build}/consumer.exe
       -I${build}/installed/include -I${system}/include -L${build}/installed/lib -lclgemm ${system}/libOpenCL.dll.a)
endfunction()

# Inside another project, nothing but the library is built, nothing is installed, and nothing of the project's is changed.
function(test_subproject)
  file(REMOVE_RECURSE ${WORK}/subproject)
  file(WRITE ${WORK}/subproject/CMakeLists.txt "
    cmake_minimum_required(VERSION 3.16)
    project(around LANGUAGES C CXX)
    add_subdirectory(${SOURCE} clgemm)
    add_executable(user ${SOURCE}/tests/consumers/consumer.c)
    target_link_libraries(user PRIVATE clgemm::clgemm)
    foreach(target clgemm-info clgemm-tune clgemm-demo unit_test kernels_bench clgemm_blas)
      if(TARGET \${target})
        message(FATAL_ERROR \"\${target} is built, too\")
      endif()
    endforeach()
    if(CMAKE_BUILD_TYPE OR DEFINED BUILD_SHARED_LIBS)
      message(FATAL_ERROR \"The project's own settings were changed\")
    endif()")
  set(build ${WORK}/subproject/build)
  must("configure a project around the library" ${CMAKE_COMMAND} -G ${GENERATOR} -S ${WORK}/subproject -B ${build}
       -DCMAKE_C_COMPILER=${CC} -DCMAKE_CXX_COMPILER=${CXX})
  foreach(option BUILD_TESTS BUILD_BENCH BUILD_TOOLS BUILD_EXAMPLES BUILD_DOORS INSTALL WERROR)
    must_be_cached(${build} CLGEMM_${option}:BOOL=OFF)
  endforeach()
  must("install nothing" ${CMAKE_COMMAND} --install ${build} --prefix ${WORK}/subproject/installed)
  file(GLOB_RECURSE installed ${WORK}/subproject/installed/*)
  if(installed)
    message(FATAL_ERROR "These were installed: ${installed}")
  endif()
endfunction()

cmake_language(CALL test_${TEST})
