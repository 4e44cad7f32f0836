# Test of the Python wheel: built, unpacked and used. Run as a script:
#   cmake -DSOURCE=folder -DWORK=folder -DVERSION=1.2.3 -DPYTHON=python3 -P wheel_test.cmake
# PYTHON has scikit-build-core, which builds it; /usr/bin/python3, which has NumPy, uses it.
cmake_minimum_required(VERSION 3.25)

include(${CMAKE_CURRENT_LIST_DIR}/must.cmake)

execute_process(COMMAND ${PYTHON} -c "import pip, scikit_build_core, pathspec" RESULT_VARIABLE no_builder ERROR_QUIET)
if(no_builder)
  message("Skipped: ${PYTHON} has no scikit-build-core")
  return()
endif()
file(REMOVE_RECURSE ${WORK})
must("build the wheel" ${PYTHON} -m pip wheel --no-deps --no-build-isolation -w ${WORK} ${SOURCE}/python)
file(GLOB wheel ${WORK}/clgemm-${VERSION}-*.whl)
file(ARCHIVE_EXTRACT INPUT ${wheel} DESTINATION ${WORK}/unpacked)

file(GLOB libraries RELATIVE ${WORK}/unpacked/clgemm ${WORK}/unpacked/clgemm/libclgemm*)
if(NOT libraries STREQUAL "libclgemm.so.0")
  message(FATAL_ERROR "The wheel has these libraries: ${libraries}")
endif()
foreach(licence LICENSE licenses/nlohmann-json.txt)
  if(NOT EXISTS ${WORK}/unpacked/clgemm/${licence})
    message(FATAL_ERROR "The wheel has no ${licence}")
  endif()
endforeach()
must("use the wheel" ${CMAKE_COMMAND} -E env PYTHONPATH=${WORK}/unpacked /usr/bin/python3 -c
     "import clgemm, numpy\none = numpy.ones((2, 2), 'f4')\nprint(clgemm.__version__, clgemm.sgemm(one, one).sum())")
if(NOT output STREQUAL "${VERSION} 8.0\n")
  message(FATAL_ERROR "The wheel's module prints ${output}")
endif()
