# The library of this build is not slower than that of an older revision. Run as a script:
#   cmake -DSOURCE=folder -DWORK=folder -DOLDER=revision -DBENCH=regression_bench -DLIBRARY=file -P performance_test.cmake
cmake_minimum_required(VERSION 3.25)

include(${CMAKE_CURRENT_LIST_DIR}/../consumers/must.cmake)

if(NOT OLDER)
  message("Skipped: no older revision was named (-DCLGEMM_OLDER=)")
  return()
endif()
must("build ${OLDER}" ${SOURCE}/cmake/build-older.sh ${OLDER} ${WORK})
string(STRIP "${output}" older)
execute_process(COMMAND ${BENCH} --old ${older}/libclgemm.so.0 --new ${LIBRARY} RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "regression_bench ended with ${result}")
endif()
